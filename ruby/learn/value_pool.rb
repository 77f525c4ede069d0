# frozen_string_literal: true

require_relative "literal"
require_relative "regexp_example"
require_relative "sample_values"

module CasebookLearn
  # Code of values to try for a parameter, most promising first.
  class ValuePool
    MAX_SIZE = 60

    # Values for a key of a hash that is passed.
    OF_KEY = ["true", "nil", "'value'", "1", "{}", "['value']", "false"].freeze

    def initialize(world)
      @world = world
      @constants = {}
    end

    # `method` is the Method that has the parameter, `scope` the module in which its constants are found.
    def of(name, method, scope)
      return SampleValues::ANY unless @world.rule?("types")

      facts = @world.facts.of(method)
      parameter = facts.parameters.fetch(name, Facts::NO_PARAMETER)
      code = [
        *compared(parameter, scope), *default(parameter, scope), *of_classes(parameter.classes, scope), *keyed(parameter),
        *tagged(parameter, scope), *@world.instances_named(name, uses(parameter, facts)), *typed(name, parameter), *named(name),
        *literals(facts), *of_constants(facts, scope), *harvested, *of_own_calls(facts, method, scope),
        *doubles(parameter), *SampleValues::ANY
      ]
      code.uniq.first(MAX_SIZE)
    end

    # Code of values in the source of a method: literals, texts that match its expressions, values of its constants.
    def in_source(method, scope)
      facts = @world.facts.of(method)
      [*literals(facts), *of_constants(facts, scope)].uniq
    end

    # Hashes with one of the keys each.
    def with_each_key(keys)
      keys.first(8).flat_map { |key| OF_KEY.map { |value| with_keys(key => value) } }
    end

    private

    def compared(parameter, scope)
      return [] unless @world.rule?("literals")

      parameter.compared.flat_map { |code| values_of(resolve(code, scope)) }
    end

    def default(parameter, scope)
      return [] unless parameter.default

      Literal.source(resolve(parameter.default, scope)).then { |code| [code].compact }
    end

    def of_classes(names, scope)
      names.flat_map { |name| of_class(resolve(name, scope)) }
    end

    # Instances of a class that the code names. A constant in `case` may also be an expression or a list.
    def of_class(type)
      case type
      when Evaluator::FAILED then []
      when Class then SampleValues::OF_CLASS[type]&.first(4) || @world.instances(type).first(4)
      when Module then []
      else values_of(type)
      end
    end

    def tagged(parameter, scope)
      return [] unless @world.rule?("yard")

      parameter.types.flat_map do |type|
        case type
        when "nil", "true", "false" then [type]
        when /\ABool/i then %w[true false]
        when /\A#(\w+)/ then responding(Regexp.last_match(1))
        when /\A[A-Z]/ then of_class(resolve(type, scope))
        else []
        end
      end
    end

    # One value of each class that has a method.
    def responding(method)
      SampleValues.classes_with([method]).map { |type| SampleValues::OF_CLASS[type].first }
    end

    # Values of the classes that have all methods called on the parameter.
    def typed(name, parameter)
      calls = parameter.calls + parameter.responds_to
      return [] if calls.empty?

      types = SampleValues.classes_with(calls)
      types -= [NilClass, TrueClass, FalseClass] if types.size > 3
      types.sort_by { |type| SampleValues.classes_named(name).include?(type) ? 0 : 1 }
           .first(4).flat_map { |type| SampleValues::OF_CLASS[type].first(4) }
    end

    def named(name)
      extra = SampleValues::CONVENTIONS.find { |pattern, _| name.match?(pattern) }&.last
      [extra, *SampleValues.classes_named(name).flat_map { |type| SampleValues::OF_CLASS[type].first(4) }].compact
    end

    # Hashes with the keys that are read from the parameter.
    def keyed(parameter)
      return [] if parameter.keys.empty?

      with_each_key(parameter.keys) << with_keys(parameter.keys.to_h { |key| [key, "'value'"] })
    end

    def with_keys(pairs)
      code = pairs.map do |key, value|
        key.match?(/\A:[a-z_]\w*\z/) ? "#{key.delete_prefix(':')}: #{value}" : "#{key} => #{value}"
      end
      "{ #{code.join(', ')} }"
    end

    def uses(parameter, facts)
      Records::Uses.new(parameter.calls, facts.calls, literals(facts))
    end

    def literals(facts)
      return [] unless @world.rule?("literals")

      matching = facts.regexps.filter_map { |code| example(resolve(code, Object)) }
      facts.literals.first(14) + matching.first(8)
    end

    def example(regexp)
      text = regexp.is_a?(Regexp) && RegexpExample.of(regexp)
      Literal.source(text) if text
    end

    def of_constants(facts, scope)
      return [] unless @world.rule?("constants")

      facts.constants.first(12).flat_map { |name| values_of(resolve(name, scope)) }.first(16)
    end

    # Values in the methods of the same object that the method calls.
    def of_own_calls(facts, method, scope)
      return [] unless @world.rule?("constants") && scope.is_a?(Module)

      facts.own_calls.first(6).flat_map do |name|
        called = own_method(name, method, scope)
        called ? in_source(called, scope).first(8) : []
      end
    end

    def own_method(name, method, scope)
      if method.respond_to?(:receiver) && method.receiver.is_a?(Module)
        method.receiver.method(name) if method.receiver.respond_to?(name, true)
      elsif scope.method_defined?(name) || scope.private_method_defined?(name)
        scope.instance_method(name)
      end
    rescue NameError
      nil
    end

    # Code of a value and of the values inside it.
    def values_of(value, depth = 0)
      case value
      when Evaluator::FAILED, Module then []
      when Regexp then [example(value)].compact
      when Hash then depth > 1 ? [] : value.first(4).flatten(1).flat_map { |one| values_of(one, depth + 1) }
      when Array, Set then depth > 1 ? [] : value.first(5).flat_map { |one| values_of(one, depth + 1) }
      when Range then [value.begin, value.end].compact.flat_map { |one| near(one) }
      when Integer then near(value)
      else [Literal.source(value)].compact.select { |code| code.size <= 60 }
      end
    end

    def near(value)
      value.is_a?(Integer) ? [value, value + 1, value - 1].map(&:to_s) : values_of(value)
    end

    def harvested
      @world.rule?("specs") ? @world.harvest_arguments : []
    end

    # Doubles for the methods that are called on the parameter: predicates in all combinations, other answers one by one.
    def doubles(parameter)
      calls = parameter.calls.grep(/\A[a-z_]\w*\??\z/).first(6)
      return [] if calls.empty? || !@world.rule?("doubles")

      predicates, others = calls.partition { |call| call.end_with?("?") }
      combined = %w[true false].repeated_permutation(predicates.size).first(16).map do |answers|
        predicates.zip(answers).to_h.merge(others.to_h { |call| [call, "'value'"] })
      end
      variants = others.flat_map { |call| ["nil", "1", "[]", "{}"].map { |value| combined.first.merge(call => value) } }
      [*combined, *variants].map { |answers| double(answers) }
    end

    def double(answers)
      "double(#{answers.map { |call, value| "#{call.end_with?('?') ? "'#{call}'" : call}: #{value}" }.join(', ')})"
    end

    # The value of code of the project, as seen from a module; FAILED if it has none.
    def resolve(code, scope)
      @constants.fetch([code, scope.__id__]) do |key|
        values = nesting(scope).lazy.map { |outer| evaluated(code, outer) }
        found = values.reject { |value| value.equal?(Evaluator::FAILED) }.first(1)
        @constants[key] = found.fetch(0, Evaluator::FAILED)
      end
    end

    def evaluated(code, outer)
      outer.module_eval(code)
    rescue StandardError, ScriptError
      Evaluator::FAILED
    end

    def nesting(scope)
      names = CasebookLearn.name_of(scope).to_s.split("::")
      modules = names.size.downto(1).filter_map { |size| Object.const_get(names.first(size).join("::")) rescue nil }
      [*modules, Object]
    end
  end
end
