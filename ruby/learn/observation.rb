# frozen_string_literal: true

require "timeout"

require_relative "candidate"
require_relative "literal"

module CasebookLearn
  # What one call did: the states it reached, and what a spec can expect of it.
  class Observation
    SECONDS = 0.5

    # Errors of Ruby that usually mean that the input makes no sense. They count if the project raises them itself.
    ACCIDENTS = [NameError, TypeError, ArgumentError, FrozenError, IndexError, IOError, RangeError, ZeroDivisionError,
                 LocalJumpError, FiberError, ThreadError, EncodingError, SystemCallError, RegexpError, RuntimeError,
                 ScriptError, NoMemoryError, SecurityError, SystemStackError, Timeout::Error, Exception].freeze

    attr_reader :hits, :expectations

    # Makes the call. `invert` are outcomes of probes to invert.
    def self.of(candidate, target, world, invert: nil)
      new(candidate, target, world).tap { |observation| observation.make(invert) }
    end

    def initialize(candidate, target, world)
      @candidate = candidate
      @target = target
      @world = world
      @expectations = []
      @yielded = []
    end

    def make(invert)
      RSpec::Mocks.with_temporary_scope { Records.undone { observe(invert) } }
    end

    # Whether the call raised an error that its input caused.
    def accident?
      @error && !intended?
    end

    def error_name = @error&.class&.name

    # What the example would expect holds in this observation.
    def meets?(expectation)
      case expectation["kind"]
      when "value" then !@error && equal?(expectation["source"])
      when "error" then @error && @error.class.ancestors.any? { |type| type.name == expectation["class"] }
      else @expectations.include?(expectation)
      end
    end

    private

    def observe(invert)
      receiver = @world.evaluator.value(@candidate.receiver)
      before = attributes(receiver)
      @hits = Probes.trace(invert: invert) { call(receiver) }
      describe(receiver, before)
    end

    def call(receiver)
      evaluator = @world.evaluator
      evaluator.instance_variable_set(:@receiver, receiver)
      evaluator.instance_variable_set(:@block, recorder) if @candidate.observed_block?
      code = @candidate.call_code("@receiver", @target.name).sub("&block", "&@block")
      @value = Timeout.timeout(SECONDS) { evaluator.value(code) }
    rescue SignalException
      raise
    rescue Exception => e
      @error = e
    end

    def recorder
      yielded = @yielded
      proc do |*arguments|
        yielded << arguments
        nil
      end
    end

    def describe(receiver, before)
      return describe_error if @error
      return describe_yield if @candidate.observed_block?

      source = Literal.source(@value)
      @expectations << { "kind" => "value", "source" => source } if source
      describe_change(before, attributes(receiver))
      describe_attributes(receiver) unless source
    end

    def describe_error
      @expectations << { "kind" => "error", "class" => @error.class.name } if @error.class.name && intended?
    end

    def describe_yield
      lists = @yielded.map { |arguments| arguments.map { |argument| Literal.source(argument) } }
      @expectations << { "kind" => "yield", "arguments" => lists } if @yielded.size <= 5 && lists.flatten.all?
    end

    def describe_change(before, after)
      changed = before.keys.find { |name| before[name] != after[name] && before[name] && after[name] }
      return unless changed

      @expectations << { "kind" => "change", "attribute" => changed.to_s, "from" => before[changed],
                         "to" => after[changed] }
    end

    # The attributes of another object that was returned.
    def describe_attributes(receiver)
      return if @value.equal?(receiver)

      known = attributes(@value).reject { |_, code| code.nil? || code == "nil" }
      @expectations << { "kind" => "attributes", "values" => known.first(4).to_h.transform_keys(&:to_s) } if known.any?
    end

    # The code of the values that simple readers return.
    def attributes(receiver)
      names = attribute_names(receiver)
      names.to_h { |name| [name, Literal.source(receiver.public_send(name))] }
    rescue StandardError
      {}
    end

    def attribute_names(receiver)
      known = known_attributes(receiver)
      return known.map(&:to_sym).first(8) if known.any?

      names = receiver.instance_variables.map { |name| name.to_s.delete_prefix("@").to_sym }
      names = names.select { |name| reader?(receiver.class, name) }
      names << :size if receiver.is_a?(Hash) || receiver.is_a?(Array)
      names.first(8)
    end

    # The attributes of objects that do not keep them in instance variables of the same names.
    def known_attributes(receiver)
      return [:to_sql] if Records.relation?(receiver)

      receiver.is_a?(Struct) ? receiver.members : Records.columns(receiver)
    end

    def reader?(type, name)
      type.public_method_defined?(name) && type.instance_method(name).arity.zero?
    end

    # The project raises this error itself: the method names it, or it is not one of Ruby and the project names it.
    def intended?
      return false unless @error.is_a?(StandardError) || @error.is_a?(NotImplementedError)

      name = @error.class.name.to_s
      last = name.split("::").last
      own = name.include?("::") && ACCIDENTS.none? { |type| @error.instance_of?(type) }
      @target.raised.include?(last) || own && @world.facts.raised.include?(last)
    end

    def equal?(source)
      @value == @world.evaluator.value(source)
    rescue Exception
      false
    end
  end
end
