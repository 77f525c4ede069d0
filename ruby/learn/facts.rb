# frozen_string_literal: true

module CasebookLearn
  # What the source of each method shows about the values it expects. Casebook's analyzer reads the sources and passes
  # the facts in the plan, by file and line.
  class Facts
    # The facts about one parameter.
    Parameter = Struct.new(:default, :calls, :keys, :classes, :compared, :responds_to, :types, keyword_init: true)

    # The facts about one method.
    Method = Struct.new(:parameters, :literals, :regexps, :constants, :raised, :keys, :own_calls, :calls, :takes_block,
                        keyword_init: true)

    NO_PARAMETER = Parameter.new(calls: [], keys: [], classes: [], compared: [], responds_to: [], types: []).freeze
    NO_METHOD = Method.new(parameters: {}, literals: [], regexps: [], constants: [], raised: [], keys: [], own_calls: [],
                           calls: [])
                      .freeze

    def initialize(by_file)
      @methods = {}
      by_file.each { |file, methods| methods.each { |method| add(file, method) } }
    end

    # The facts about a Method or UnboundMethod.
    def of(method)
      @methods.fetch(method&.source_location, NO_METHOD)
    end

    # Whether a method is defined in the project.
    def known?(method)
      @methods.key?(method.source_location)
    end

    # The last parts of the names of all errors that the project raises.
    def raised
      @raised ||= @methods.values.flat_map(&:raised).uniq
    end

    private

    def add(file, method)
      parameters = method["parameters"].transform_values { |facts| Parameter.new(**facts.transform_keys(&:to_sym)) }
      rest = method.reject { |key, _| %w[line parameters].include?(key) }
      @methods[[file, method["line"]]] = Method.new(parameters: parameters, **rest.transform_keys(&:to_sym))
    end
  end
end
