# frozen_string_literal: true

# One of several RSpec processes that share a run.
#
# `casebook rspec` starts each with this file in SPEC_OPTS. It loads the specs as always, tells which examples there are,
# and then runs those it is given until it is sent home. Results are told by the formatter, as in any recorded run.

require_relative "casebook_formatter"

module Casebook
  # Tells examples. Suite and files are the controller's: it alone knows when they begin and end.
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
      tell { report_early(summary) }
    end

    def example_passed(notification)
      super
      @worker.look_up
    end

    def example_failed(notification)
      super
      @worker.look_up
    end

    def example_pending(notification)
      super
      @worker.look_up
    end
  end

  # Runs what it is given.
  class Worker
    class << self
      attr_accessor :current
    end

    def initialize(number, channel, formatter)
      @number = number
      @channel = channel
      @formatter = formatter
      formatter.worker = self
      ask("hello")
      formatter.catch_up
    end

    # In place of RSpec's own run of all examples: true when all that was given passed.
    def run(groups, configuration, world)
      announce(groups, configuration, world)
      ids = next_ids
      return true unless ids

      configuration.reporter.report(@examples.size) do |reporter|
        configuration.with_suite_hooks { run_until_sent_home(ids, reporter, world) }
      end
    end

    # Whether a group has anything to run just now.
    def active?(group)
      @active.include?(group)
    end

    # Between two examples: somebody may have said stop.
    def look_up
      return unless @channel.answer?

      @sent_home = true
      RSpec.world.wants_to_quit = true
    end

    private

    def ask(what, more = {})
      @channel.line({ "request" => what, "worker" => @number, **more })
    end

    # nil when there is nothing more to do, or nobody any more who would know.
    def next_ids
      answer = @channel.answer
      ids = answer && answer["run"]
      @sent_home = ids.nil?
      ids
    end

    def run_until_sent_home(ids, reporter, world)
      passed = true
      while ids
        # Hooks before the suite may have taken their time.
        look_up
        break if world.wants_to_quit

        passed = run_these(ids, reporter, world) && passed
        break if world.wants_to_quit

        ask("next")
        ids = next_ids
      end
      ask("quit") if world.wants_to_quit && !@sent_home
      passed
    end

    def run_these(ids, reporter, world)
      examples = ids.filter_map { |id| @examples[id] }
      choose(examples, world)
      top = examples.map { |example| example.example_group.parent_groups.last }.uniq
      top.map { |group| group.run(reporter) }.all?
    end

    # Makes RSpec see these examples alone, and run the groups around them.
    def choose(examples, world)
      by_group = examples.group_by(&:example_group)
      by_group.default_proc = proc { |chosen, group| chosen[group] = [] }
      world.instance_variable_set(:@filtered_examples, by_group)
      @active = by_group.keys.flat_map(&:parent_groups).to_set
      @active.each { |group| group.instance_variable_set(:@descendant_filtered_examples, nil) }
    end

    def announce(groups, configuration, world)
      plan = @formatter.plan(world)
      ordered = groups.flat_map { |group| in_order(group) }
      @examples = ordered.to_h { |example| [example.id, example] }
      ask("plan", "seed" => configuration.seed, "fail_fast" => fail_fast(configuration),
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
        "example" => { "time" => Plain.time, **Told.new(example, plan.of(example)).started },
        "file" => Plain.place(example.metadata[:rerun_file_path]), "unit" => unit(example),
        "skipped" => example.metadata[:skip] ? true : false
      }
    end

    # Examples that share a before(:context) stay together: it is there because it costs something.
    def unit(example)
      example.example_group.parent_groups.reverse.find { |group| sets_up?(group) }&.id
    end

    def sets_up?(group)
      @sets_up ||= {}
      @sets_up.fetch(group) do
        @sets_up[group] = %i[before after].any? do |position|
          group.hooks.__send__(:matching_hooks_for, position, :context, group).any?
        end
      end
    end

    def fail_fast(configuration)
      limit = configuration.fail_fast
      limit == true ? 1 : (limit || nil)
    end
  end

  # What RSpec does differently when a worker runs it.
  module Sharing
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
    # All workers have the same seed, unless the user has chosen one: `--seed 7` is the order `rand:7`.
    has_chosen = RSpec::Core::ConfigurationOptions.new(ARGV.dup).options[:order].to_s.include?(":")
    ordering.instance_variable_set(:@seed, seed.to_i) if seed && !has_chosen
    # Part of RSpec, as far as backtraces are concerned.
    RSpec.configuration.backtrace_exclusion_patterns << /#{Regexp.escape(__FILE__)}/
    Worker.current = Worker.new(number.to_i, channel, WorkerFormatter.attach(channel))
    RSpec::Core::Runner.prepend(Sharing::Runner)
    RSpec::Core::ExampleGroup.singleton_class.prepend(Sharing::Group)
  end
end
