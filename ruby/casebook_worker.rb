# frozen_string_literal: true

# One of several RSpec processes of a run.
#
# `casebook rspec` starts each with this file in SPEC_OPTS. It loads the specs as usual, sends the list of examples, and
# runs the examples that the controller assigns until none are left. The formatter sends the results, as in any
# recorded run.

require_relative "casebook_formatter"
# The formatter that RSpec loads by default, and with it `stringio`: specs may use it without `require`.
require "rspec/core/formatters/progress_formatter"

module Casebook
  # Sends the events of examples only. The controller sends those of the suite and its files.
  class WorkerFormatter < Formatter
    def self.attach(channel)
      formatter = super
      # Otherwise RSpec would print its messages once per worker.
      RSpec.configuration.formatter_loader.reporter.register_listener(formatter, :message)
      formatter
    end

    attr_writer :worker

    def plan(world)
      @plan = Plan.new(world)
    end

    def start(_notification); end

    def example_group_started(_notification); end

    def example_group_finished(_notification); end

    def stop(_notification); end

    def message(_notification); end

    def dump_summary(summary)
      emit { report_lost_errors(summary) }
    end

    def example_started(notification)
      super
      @worker.wait_for_begin
    end

    def example_passed(notification)
      super
      @worker.check_for_stop
    end

    def example_failed(notification)
      super
      @worker.check_for_stop
    end

    def example_pending(notification)
      super
      @worker.check_for_stop
    end
  end

  # Runs the examples that the controller assigns.
  class Worker
    class << self
      attr_accessor :current
    end

    def initialize(number, channel, formatter)
      @number = number
      @channel = channel
      @formatter = formatter
      @confirms_starts = ENV.delete("CASEBOOK_CONFIRM_STARTS")
      formatter.worker = self
      request("hello")
      formatter.report_early_errors
    end

    # Replaces RSpec's own run of all examples. Returns whether all assigned examples passed.
    def run(groups, configuration, world)
      announce(groups, configuration, world)
      ids = next_ids
      return true unless ids

      configuration.reporter.report(@examples.size) do |reporter|
        configuration.with_suite_hooks { run_until_done(ids, reporter, world) }
      end
    end

    # Whether a group contains examples of the current batch, or is not part of the plan: an example defined it.
    def active?(group)
      @active.include?(group) || !@planned.include?(group)
    end

    # Called between two examples: the controller may have requested a stop.
    def check_for_stop
      return unless @channel.reply?

      @stopped = true
      RSpec.world.wants_to_quit = true
    end

    # If an example may end the controller, it begins only when the controller has stored that it started.
    def wait_for_begin
      return unless @confirms_starts

      while (reply = @channel.reply) && !reply["begin"]
        @stopped = true
        RSpec.world.wants_to_quit = true
      end
    end

    private

    def request(what, more = {})
      @channel.line({ "request" => what, "worker" => @number, **more })
    end

    # nil if no examples are left, or if the connection is closed.
    def next_ids
      reply = @channel.reply
      ids = reply && reply["run"]
      @stopped = ids.nil?
      ids
    end

    def run_until_done(ids, reporter, world)
      passed = true
      while ids
        # A stop may have been requested while the before(:suite) hooks ran.
        check_for_stop
        break if world.wants_to_quit

        passed = run_batch(ids, reporter, world) && passed
        break if world.wants_to_quit

        request("next")
        ids = next_ids
      end
      request("quit") if world.wants_to_quit && !@stopped
      passed
    end

    def run_batch(ids, reporter, world)
      examples = ids.filter_map { |id| @examples[id] }
      restrict_to(examples, world)
      top = examples.map { |example| example.example_group.parent_groups.last }.uniq
      top.map { |group| group.run(reporter) }.all?
    end

    # Restricts RSpec to these examples and the groups that contain them.
    def restrict_to(examples, world)
      by_group = examples.group_by(&:example_group)
      by_group.default_proc = proc { |chosen, group| chosen[group] = @planned.include?(group) ? [] : @unplanned[group] }
      world.instance_variable_set(:@filtered_examples, by_group)
      @active = by_group.keys.flat_map(&:parent_groups).to_set
      @active.each { |group| group.instance_variable_set(:@descendant_filtered_examples, nil) }
    end

    def announce(groups, configuration, world)
      plan = @formatter.plan(world)
      @planned = world.all_example_groups.to_set
      @unplanned = world.filtered_examples
      ordered = groups.flat_map { |group| in_order(group) }
      @examples = ordered.to_h { |example| [example.id, example] }
      request("plan", "seed" => configuration.seed, "fail_fast" => fail_fast(configuration),
                      "load_time" => NOW.call - configuration.start_time,
                      "versions" => VERSIONS, "examples" => ordered.map { |example| entry(example, plan) })
      # The controller counts the failures of all workers.
      configuration.force(fail_fast: false)
    end

    def in_order(group)
      order = group.ordering_strategy
      order.order(group.filtered_examples) + order.order(group.children).flat_map { |child| in_order(child) }
    end

    def entry(example, plan)
      {
        "example" => { "time" => Plain.time, **ExamplePayload.new(example, plan.of(example)).started },
        "file" => Plain.location(example.metadata[:rerun_file_path]), "unit" => unit(example),
        "skipped" => example.metadata[:skip] ? true : false
      }
    end

    # Examples that share a before(:context) hook stay together, because such hooks are usually expensive.
    def unit(example)
      example.example_group.parent_groups.reverse.find { |group| context_hooks?(group) }&.id
    end

    def context_hooks?(group)
      @context_hooks ||= {}
      @context_hooks.fetch(group) do
        @context_hooks[group] = %i[before after].any? do |position|
          group.hooks.__send__(:matching_hooks_for, position, :context, group).any?
        end
      end
    end

    def fail_fast(configuration)
      limit = configuration.fail_fast
      limit == true ? 1 : (limit || nil)
    end
  end

  # Changes to RSpec in a worker.
  module WorkerPatches
    module Runner
      def run_specs(example_groups)
        exit_code(Worker.current.run(example_groups, @configuration, @world))
      end
    end

    module Group
      def run(reporter = RSpec::Core::NullReporter)
        Worker.current.active?(self) ? super : true
      end
    end
  end

  if (number = ENV.delete("CASEBOOK_WORKER")) && (channel = Channel.take)
    seed = ENV.delete("CASEBOOK_SEED")
    ordering = RSpec.configuration.ordering_manager
    # All workers use the same seed, unless the user set one: `--seed 7` is the order `rand:7`.
    user_seed = RSpec::Core::ConfigurationOptions.new(ARGV.dup).options[:order].to_s.include?(":")
    ordering.instance_variable_set(:@seed, seed.to_i) if seed && !user_seed
    # Excluded from backtraces, like RSpec itself.
    RSpec.configuration.backtrace_exclusion_patterns << /#{Regexp.escape(__FILE__)}/
    Worker.current = Worker.new(number.to_i, channel, WorkerFormatter.attach(channel))
    RSpec::Core::Runner.prepend(WorkerPatches::Runner)
    RSpec::Core::ExampleGroup.singleton_class.prepend(WorkerPatches::Group)
  end
end
