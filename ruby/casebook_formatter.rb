# frozen_string_literal: true

# Sends the events of an RSpec run to Casebook: one line of JSON per event, to the socket named by CASEBOOK_EVENTS.
#
# `casebook record -- rspec` adds this file to SPEC_OPTS. It works in addition to the formatters of the project. Without
# CASEBOOK_EVENTS it does nothing. It requires Ruby 3.0 and RSpec 3, and no other gem. Errors in this file never fail a
# test.

require "rspec/core"

module Casebook
  # Errors in files that RSpec required before this one. RSpec has already printed them and does not keep them, so they
  # are recovered from the objects that printed them, before those are garbage-collected.
  EARLY_ERRORS =
    begin
      presenters = RSpec::Core::Formatters::ExceptionPresenter
      shown = RSpec.world.non_example_failure ? ObjectSpace.each_object(presenters) : []
      shown.map { |one| [one.exception, one.example.description] }
    rescue StandardError
      []
    end
end

require "digest"
require "json"
require "set"
require "shellwords"
require "socket"

module Casebook
  # Captured before any example can replace them.
  GENERATE = JSON.method(:generate)
  NOW = RSpec::Core::Time.method(:now)
  VERSIONS = { "ruby" => RUBY_VERSION, "rspec" => RSpec::Core::Version::STRING }.freeze

  # Converts any object to data that JSON can represent.
  module Plain
    MAX_DEPTH = 20

    module_function

    def text(value)
      string = value.is_a?(String) ? value : value.to_s
      return string if string.encoding == Encoding::UTF_8 && string.valid_encoding?

      if string.encoding == Encoding::BINARY || !string.valid_encoding?
        string.dup.force_encoding(Encoding::UTF_8).scrub("\u{FFFD}")
      else
        string.encode(Encoding::UTF_8, invalid: :replace, undef: :replace, replace: "\u{FFFD}")
      end
    end

    # Objects without a JSON equivalent become a map, a list or text.
    def data(value, depth = 0)
      case value
      when nil, true, false, Integer then value
      when Float then value.finite? ? value : value.to_s
      when String, Symbol, Module then text(value)
      when Time then time(value)
      else
        depth < MAX_DEPTH ? nested(value, depth + 1) : text(value.class.name)
      end
    end

    def nested(value, depth)
      case value
      when Hash then value.to_h { |key, inner| [text(key), data(inner, depth)] }
      when Array, Set then value.map { |inner| data(inner, depth) }
      when Proc, Method, IO then text(value.class.name)
      else
        map = value.respond_to?(:to_h) ? value.to_h : nil
        map.is_a?(Hash) ? nested(map, depth) : text(value)
      end
    rescue StandardError
      text(value.class.name)
    end

    def time(value = NOW.call)
      value.getutc.strftime("%Y-%m-%dT%H:%M:%S.%LZ")
    end

    # Removes the leading `./` of a path.
    def location(path)
      text(path).delete_prefix("./")
    end
  end

  # The connection to Casebook. Each process has its own, opened with its first event.
  class Channel
    # Removes the socket's path from the environment, because programs started by examples are not part of this run.
    def self.take(environment = ENV)
      path = environment.delete("CASEBOOK_EVENTS")
      restore_spec_opts(environment)
      new(path) if path && !path.empty?
    end

    def self.restore_spec_opts(environment)
      words = Shellwords.split(environment["SPEC_OPTS"].to_s)
      ours = words.each_cons(2).find_index { |option, path| option == "--require" && path.start_with?(__dir__) }
      return unless ours

      words.slice!(ours, 2)
      words.slice!(ours, 2) if words[ours + 1] == "Casebook::Formatter"
      environment["SPEC_OPTS"] = words.empty? ? nil : Shellwords.join(words)
    rescue ArgumentError
      nil
    end

    def initialize(path)
      @path = path
      @mutex = Mutex.new
    end

    def event(kind, payload)
      line("event_type" => kind, "payload" => { "time" => Plain.time }.merge(payload))
    end

    # Writes nothing in a forked copy of the process, which would send everything twice.
    def line(message)
      bytes = GENERATE.call(message) << "\n"
      # A timeout inside an example must not interrupt the write of a line.
      Thread.handle_interrupt(Exception => :never) do
        @mutex.synchronize { socket&.write(bytes) }
      end
    rescue StandardError => error
      give_up(error)
    end

    # The next line from the controller, or nil if the connection is closed.
    def reply
      JSON.parse(@socket.gets || "null")
    rescue SystemCallError, IOError
      nil
    end

    def reply?
      @socket && !@socket.wait_readable(0).nil?
    end

    private

    def socket
      return @socket if @socket && @pid == Process.pid
      return if @socket || @given_up

      @pid = Process.pid
      @socket = UNIXSocket.new(@path)
    end

    def give_up(error)
      return if @given_up || (@pid && @pid != Process.pid)

      @given_up = true
      @pid = nil
      warn "casebook: the rest of this run is not recorded: #{Plain.text(error.message)}"
    end
  end

  # The data of each example before the run: its position in file order, and an id that does not change when it moves.
  class Plan
    # `outer` is the entry of the example that runs this one.
    Entry = Struct.new(:id, :position, :stable_id, :canonical_path, :scenario, :outer, keyword_init: true) do
      # The id with which RSpec can run it again.
      def rerun_id
        outer ? outer.rerun_id : id
      end
    end

    def initialize(world)
      @seen = Hash.new(0)
      @paths = {}
      @entries = {}.compare_by_identity
      planned = world.all_example_groups.flat_map(&:filtered_examples)
      planned.each_with_index { |example, index| @entries[example] = entry(example, index) }
    end

    def of(example)
      @entries[example] ||= entry(example, nil)
    end

    # An example that another one runs. RSpec numbers such examples from 1 again, so their ids are not unique.
    def nested(example, outer)
      inner = of(example)
      inner.id = Plan.unique("#{outer.id} > #{example.id}", @seen)
      inner.outer = outer
      inner
    end

    # Appends `#2` to the id of the second example with the same path.
    def self.stable_id(path, seen)
      unique("example:#{Digest::SHA256.hexdigest(path)[0, 12]}", seen)
    end

    def self.unique(id, seen)
      count = (seen[id] += 1)
      count == 1 ? id : "#{id}##{count}"
    end

    def self.normalize(description)
      text = Plain.text(description)
      text = text.unicode_normalize(:nfc) unless text.ascii_only?
      text = text.gsub(/[[:space:]]+/, " ").strip
      text.empty? ? "(anonymous)" : text
    end

    private

    def entry(example, position)
      scenario = scenario_of(example)
      path = "#{path_of(example.example_group)}::#{Plan.normalize(example.metadata[:description])}"
      path = "#{path}@#{scenario_id(scenario)}" if scenario
      id = Plan.stable_id(path, @seen)
      Entry.new(id: example.id, position: position, stable_id: id, canonical_path: path, scenario: scenario)
    end

    def path_of(group)
      @paths[group] ||=
        group.parent_groups.reverse.map { |parent| Plan.normalize(parent.metadata[:description]) }.join("::")
    end

    # The scenario that rspec-agents stores in the metadata of an example.
    def scenario_of(example)
      scenario = example.metadata[:rspec_agents_scenario]
      data = scenario && Plain.data(scenario.respond_to?(:data) ? scenario.data : scenario)
      data if data.is_a?(Hash)
    end

    def scenario_id(scenario)
      id = scenario["id"]
      return id.to_s if (id.is_a?(String) && !id.empty?) || id.is_a?(Numeric)

      "scenario_#{Digest::SHA256.hexdigest(GENERATE.call(sorted(scenario)))[0, 8]}"
    end

    def sorted(value)
      case value
      when Hash then value.sort.to_h { |key, inner| [key, sorted(inner)] }
      when Array then value.map { |inner| sorted(inner) }
      else value
      end
    end
  end

  # Builds the payloads of the events of an example.
  class ExamplePayload
    # Metadata keys that are used by RSpec itself.
    RESERVED = RSpec::Core::Metadata::RESERVED_KEYS +
               %i[pending skip aggregate_failures rspec_agents_scenario]
    # Metadata names that have a meaning in a record.
    USED = %w[tags covers shared_examples file inside worker rerun cause phase attempts command pending_message].freeze

    def initialize(example, entry)
      @example = example
      @entry = entry
    end

    def started
      {
        "example_id" => @entry.id,
        "stable_id" => @entry.stable_id,
        "canonical_path" => @entry.canonical_path,
        "description" => Plain.text(@example.description),
        "full_description" => Plain.text(@example.full_description),
        "location" => Plain.location(@example.location),
        "scenario" => @entry.scenario,
        "position" => @entry.position,
        "metadata" => metadata
      }
    end

    def passed
      ended.merge("duration" => duration)
    end

    def pending
      ended.merge("message" => result.pending_message && Plain.text(result.pending_message))
    end

    def failed(failure)
      ended.merge(
        "duration" => duration,
        "location" => failure.location || Plain.location(@example.location),
        "message" => failure.message,
        "exception_class" => failure.class_name,
        "backtrace" => failure.backtrace,
        "metadata" => { **failure.metadata, "rerun" => "rspec '#{@entry.rerun_id}'" }
      )
    end

    private

    def ended
      {
        "example_id" => @entry.id,
        "stable_id" => @entry.stable_id,
        "description" => Plain.text(@example.description),
        "full_description" => Plain.text(@example.full_description)
      }
    end

    def result
      @example.execution_result
    end

    def duration
      result.run_time.to_f
    end

    # `:slow` becomes the tag slow, `type: :model` the tag type:model; `covers:` works as in suites. Maps and lists are
    # recorded under their own names.
    def metadata
      own = @example.metadata.reject { |key, _| RESERVED.include?(key) }
      covers = own.delete(:covers)
      data = structured(own)
      data["tags"] = own.filter_map { |key, value| tag(key, value) }.sort
      data["inside"] = @entry.outer.id if @entry.outer
      data["covers"] = covered(covers) if covers
      data["shared_examples"] = shared unless shared.empty?
      # A shared example is defined in one file and belongs to another.
      file = Plain.location(@example.metadata[:rerun_file_path])
      data["file"] = file unless Plain.location(@example.location).start_with?("#{file}:")
      data.reject { |_, value| value.empty? }
    end

    def covered(covers)
      return Array(covers).map { |name| Plain.text(name) } unless covers.is_a?(Hash)

      covers.to_h { |name, state| [Plain.text(name), Plain.text(state)] }
    end

    def structured(own)
      maps_and_lists = own.select { |_, value| value.is_a?(Enumerable) && value.respond_to?(:empty?) }
      maps_and_lists.to_h do |key, value|
        name = Plain.text(key)
        [USED.include?(name) ? "rspec_#{name}" : name, Plain.data(value)]
      end
    end

    def tag(key, value)
      case value
      when true then Plain.text(key)
      when String, Symbol, Numeric then "#{Plain.text(key)}:#{Plain.text(value)}"
      end
    end

    def shared
      @shared ||= Array(@example.metadata[:shared_group_inclusion_backtrace]).map do |frame|
        {
          "name" => Plain.text(frame.shared_group_name),
          "included_at" => Plain.location(frame.inclusion_location.to_s[/\A.*?:\d+/])
        }
      end
    end
  end

  # The failure of an example.
  class Failure
    MAX_LINES = 30

    def initialize(exception, files)
      @exception = exception
      @files = files
    end

    def class_name
      Plain.text(@exception.class.name || "(anonymous error)")
    end

    def message
      Plain.text(@exception.message).strip
    rescue StandardError => error
      "cannot get the message: #{error.class}"
    end

    # Excludes RSpec's own lines, as RSpec's output does.
    def backtrace
      lines = RSpec.configuration.backtrace_formatter.format_backtrace(@exception.backtrace || [])
      lines.first(MAX_LINES).map { |line| Plain.location(line) }
    rescue StandardError
      []
    end

    # The first line in the spec file itself: the failed expectation.
    def location
      @location ||= several? ? parts.first&.location : own_location
    end

    # Each failed expectation of an `aggregate_failures`, and each error if a hook also failed.
    def parts
      return [self] unless several?

      @parts ||= @exception.all_exceptions.flat_map { |part| Failure.new(part, @files).parts }
    end

    # Empty if class and message describe the failure completely.
    def evaluations
      return [] unless several? || expectation?

      parts.map(&:evaluation)
    end

    def evaluation
      {
        "mode" => "hard",
        "type" => expectation? ? "expectation" : "error",
        "description" => source || message.lines.first.to_s.strip,
        "passed" => false,
        "failure_message" => message,
        "metadata" => { "exception_class" => class_name, **place }
      }
    end

    def metadata
      cause = @exception.cause
      return {} unless cause

      cause = Failure.new(cause, @files)
      { "cause" => { "class_name" => cause.class_name, "message" => cause.message, "backtrace" => cause.backtrace } }
    end

    private

    def several?
      @exception.respond_to?(:all_exceptions)
    end

    def expectation?
      defined?(RSpec::Expectations::ExpectationNotMetError) &&
        @exception.is_a?(RSpec::Expectations::ExpectationNotMetError)
    end

    def own_location
      line = Array(@exception.backtrace).find { |frame| @files.any? { |file| frame.start_with?("#{file}:") } }
      line && Plain.location(RSpec::Core::Metadata.relative_path(line[/\A.*?:\d+/]))
    end

    def place
      file, line = location && location.match(/\A(.*):(\d+)\z/)&.captures
      file ? { "file" => file, "line" => line.to_i, "source" => source }.compact : {}
    end

    def source
      file, line = location && location.match(/\A(.*):(\d+)\z/)&.captures
      text = file && File.foreach(file).with_index(1).find { |_, number| number == line.to_i }&.first
      text && Plain.text(text).strip
    rescue StandardError
      nil
    end
  end

  # Forwards the events that the rspec-agents gem publishes on its bus, with the id of the running example.
  class Agents
    KINDS = %w[SimulationStarted SimulationEnded UserMessage AgentResponse TopicChanged ToolCallCompleted
               EvaluationRecorded].freeze
    # Fields that the protocol requires as text, and that the gem may leave empty.
    TEXT = %w[text to_topic goal termination_reason description].freeze

    def initialize(channel)
      @channel = channel
      @failure_messages = {}
    end

    # Whether the gem is loading the specs only to list them. It runs them in other processes, which inherit the
    # environment.
    def self.listing?
      caller_locations.any? { |frame| frame.path.to_s.end_with?("rspec/agents/parallel/example_discovery.rb") }
    end

    def listen(example_id)
      Thread.current[:rspec_agents_example_id] = example_id
      @failure_messages[@example_id = example_id] ||= []
      bus = self.bus
      return if bus.nil? || bus.equal?(@bus)

      @bus = bus
      bus.subscribe { |event| forward(event) }
    end

    # Whether the gem has published a failed expectation of the running example with this message; it then raises it.
    def published?(message)
      @failure_messages.fetch(@example_id, []).include?(message)
    end

    def finish(example_id)
      @failure_messages.delete(example_id)
    end

    private

    # Newer versions of the gem have one bus per thread, which must be created; older ones have a single one.
    def bus
      return unless defined?(::RSpec::Agents::EventBus)

      kind = ::RSpec::Agents::EventBus
      return kind.instance unless kind.respond_to?(:current?)

      kind.current = kind.new unless kind.current?
      kind.current
    end

    # Events of suite, groups and examples are already sent by the formatter.
    def forward(event)
      kind = event.class.name.to_s.split("::").last
      return unless KINDS.include?(kind)

      payload = Plain.data(event.to_h)
      payload["example_id"] = @example_id
      payload["time"] ||= Plain.time
      TEXT.each { |field| payload[field] = payload[field].to_s if payload.key?(field) }
      payload["metadata"] = {} if payload.key?("metadata") && payload["metadata"].nil?
      @failure_messages[@example_id] << payload["failure_message"].to_s.strip if payload["passed"] == false
      @channel.event(kind, payload)
    rescue StandardError
      nil
    end
  end

  # Listens to RSpec's reporter and sends events to the channel.
  class Formatter
    NOTIFICATIONS = %i[start example_group_started example_group_finished example_started example_passed
                       example_failed example_pending stop dump_summary].freeze

    class << self
      # The formatter that sends events, if there is a channel.
      attr_accessor :attached
    end

    # Registers as a listener and not as a formatter, so that the formatters of the project stay unchanged.
    def self.attach(channel)
      formatter = new(nil, channel)
      reporter = RSpec.configuration.formatter_loader.reporter
      reporter.register_listener(formatter, *NOTIFICATIONS)
      reporter.singleton_class.prepend(Outside)
      Formatter.attached = formatter
    end

    # Formatters receive errors outside of examples only as text; here they are still exceptions.
    module Outside
      def notify_non_example_exception(exception, context)
        Formatter.attached&.error_outside(exception, context)
        super
      end
    end

    # RSpec creates an instance without a channel for `--format Casebook::Formatter`; it sends nothing.
    def initialize(_output, channel = nil)
      @channel = channel
      @agents = channel && Agents.new(channel)
      @outside = Hash.new(0)
      @errors = 0
      @running = []
    end

    # Reports the errors that occurred before this file was loaded.
    def report_early_errors
      EARLY_ERRORS.each { |exception, context| error_outside(exception, context) }
    end

    def start(notification)
      # A dry run is not recorded, because no example runs.
      @channel = nil if RSpec.configuration.dry_run?
      emit do
        @plan = Plan.new(RSpec.world)
        @channel.event("SuiteStarted", suite(notification))
      end
    end

    def example_group_started(notification)
      emit do
        data = notification.group.metadata
        @channel.event("GroupStarted", "description" => Plain.text(notification.group.description),
                                       "file_path" => Plain.location(data[:file_path]),
                                       "line_number" => data[:line_number])
      end
    end

    def example_group_finished(notification)
      emit { @channel.event("GroupFinished", "description" => Plain.text(notification.group.description)) }
    end

    def example_started(notification)
      example = notification.example
      emit do
        outer = @running.last
        entry = outer ? nested(example, outer) : @plan.of(example)
        @running.push(entry)
        @channel.event("ExampleStarted", payload(example).started)
        @agents.listen(entry.id)
      end
    end

    def example_passed(notification)
      emit { finish("ExamplePassed", notification.example, payload(notification.example).passed) }
    end

    def example_pending(notification)
      emit { finish("ExamplePending", notification.example, payload(notification.example).pending) }
    end

    def example_failed(notification)
      example = notification.example
      emit do
        failure = Failure.new(example.execution_result.exception, files(example))
        failure.evaluations.each do |evaluation|
          next if @agents.published?(evaluation["failure_message"])

          @channel.event("EvaluationRecorded", { "example_id" => @plan.of(example).id, **evaluation })
        end
        finish("ExampleFailed", example, payload(example).failed(failure))
      end
    end

    def stop(_notification)
      emit { @channel.event("SuiteStopped", {}) }
    end

    def dump_summary(summary)
      emit do
        report_lost_errors(summary)
        @channel.event("SuiteSummary", "duration" => summary.duration.to_f, "example_count" => summary.example_count,
                                       "failure_count" => summary.failure_count,
                                       "pending_count" => summary.pending_count)
      end
    end

    # An error outside of examples becomes an additional failed example, so that the run fails.
    def error_outside(exception, context)
      emit do
        @errors += 1
        context = context.lines.first.to_s.strip.delete_prefix("An error occurred ").delete_suffix(".")
        failure = Failure.new(exception, RSpec.configuration.files_to_run.map { |file| File.expand_path(file) })
        emit_failed_example("error #{context}", failure.location || Plain.location(context[%r{\S+\.rb}]),
                            "message" => failure.message, "exception_class" => failure.class_name,
                            "backtrace" => failure.backtrace, "metadata" => failure.metadata)
      end
    end

    private

    # An error while recording never fails a test.
    def emit
      yield if @channel
    rescue StandardError => error
      warn "casebook: an event was not recorded: #{error.class}: #{Plain.text(error.message)}" unless @warned
      @warned = true
    end

    def finish(kind, example, payload)
      @channel.event(kind, payload)
      entry = @plan.of(example)
      @running.delete_if { |running| running.equal?(entry) }
      @agents.finish(entry.id)
      @agents.listen(@running.last.id) if @running.any?
    end

    def nested(example, outer)
      unless @warned_about_nested
        warn "casebook: #{outer.id} runs other examples; each is recorded separately"
        @warned_about_nested = true
      end
      @plan.nested(example, outer)
    end

    def payload(example)
      ExamplePayload.new(example, @plan.of(example))
    end

    # The spec file, and the file that includes a shared example.
    def files(example)
      [example.metadata[:absolute_file_path], File.expand_path(example.metadata[:rerun_file_path].to_s)].uniq
    end

    # Reports errors that occurred before this file was loaded and could not be recovered.
    def report_lost_errors(summary)
      count = summary.errors_outside_of_examples_count - @errors
      return unless count.positive?

      message = "#{count == 1 ? "an error" : "#{count} errors"} occurred before recording started; " \
                "see the output of RSpec"
      emit_failed_example("error before recording started", "", "message" => message, "exception_class" => nil)
    end

    def emit_failed_example(description, location, failure)
      path = Plan.normalize(description)
      stable_id = Plan.stable_id(path, @outside)
      common = {
        "example_id" => stable_id.sub("example:", "error:"), "stable_id" => stable_id,
        "description" => description, "full_description" => description, "location" => location
      }
      @channel.event("ExampleStarted", { **common, "canonical_path" => path, "metadata" => { "phase" => "load" } })
      @channel.event("ExampleFailed", { **common, "duration" => 0.0, **failure })
    end

    def suite(notification)
      {
        "example_count" => notification.count, "load_time" => notification.load_time,
        "seed" => RSpec.configuration.seed,
        "metadata" => { "versions" => VERSIONS }
      }
    end
  end

  RSpec::Core::Formatters.register Formatter, *Formatter::NOTIFICATIONS

  # A worker creates its own channel.
  channel = Channel.take unless ENV.key?("CASEBOOK_WORKER") || Agents.listing?
  Formatter.attach(channel).report_early_errors if channel
end
