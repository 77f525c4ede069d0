# frozen_string_literal: true

module CasebookLearn
  # What an example must leave as it was, because other examples depend on it.
  class GlobalState
    VARIABLES = %i[$, $/ $; $stdout $stderr $stdin $VERBOSE $DEBUG $PROGRAM_NAME].freeze

    def initialize(namespaces)
      @namespaces = namespaces
      @before = snapshot
    end

    # Values that were set before and are different now. A value that was not set before is a cache.
    def changed
      after = snapshot
      @before.reject { |name, value| value.nil? || after[name] == value }.keys
    end

    private

    def snapshot
      { "ENV" => ENV.to_h, "working directory" => Dir.pwd, "load path" => $LOAD_PATH.dup,
        "encodings" => [Encoding.default_external, Encoding.default_internal],
        "temporary files" => Dir.children(Dir.tmpdir).sort }
        .merge(variables, modules)
    end

    def variables
      VARIABLES.to_h { |name| [name.to_s, eval(name.to_s).then { |value| value.is_a?(IO) ? value.object_id : value }] }
    end

    def modules
      @namespaces.flat_map { |type| state_of(type) }.to_h
    end

    def state_of(type)
      own = type.instance_variables.map { |name| ["#{type}.#{name}", summary(type.instance_variable_get(name))] }
      shared = type.class_variables(false).map { |name| ["#{type}.#{name}", summary(type.class_variable_get(name))] }
      own + shared
    rescue StandardError
      []
    end

    def summary(value)
      case value
      when nil, true, false, Numeric, Symbol then value
      when String then value.dup
      when Hash then value.keys.map(&:object_id) + value.values.map(&:object_id)
      when Array, Set then value.map(&:object_id)
      else value.object_id
      end
    end
  end
end
