# frozen_string_literal: true

module CasebookLearn
  # Code that creates records: with factories and the columns of the database.
  class Records
    # Values of the types of columns, as code.
    OF_TYPE = {
      boolean: %w[true false], string: ["'value'", "nil", "''"], text: ["'value'", "nil", "''"],
      integer: %w[1 0 100 -1 nil], decimal: %w[1 0 100 -1 nil], float: %w[1.5 0.0 -1.5 nil],
      datetime: ["Time.utc(2020, 1, 2)", "Time.utc(2100, 1, 2)", "nil"], date: ["Date.new(2020, 1, 2)", "Date.new(2100, 1, 2)", "nil"]
    }.freeze
    NUMBERS = %i[integer decimal float].freeze
    TEXTS = %i[string text].freeze

    # Read by every record, or different in each run.
    KEYS = %w[id created_at updated_at].freeze

    class << self
      # Undoes what the block changes in the database.
      def undone
        return yield unless connected?

        result = nil
        ActiveRecord::Base.transaction(joinable: false, requires_new: true) do
          result = yield
          raise ActiveRecord::Rollback
        end
        result
      end

      # Creates one record of each factory, so that sequences and keys of the next ones are different.
      def add_others
        return unless defined?(FactoryBot)

        FactoryBot.factories.each do |factory|
          FactoryBot.create(factory.name)
        rescue StandardError
          nil
        end
      end

      # The names of the columns whose values are the same in every run.
      def columns(value)
        defined?(ActiveRecord::Base) && value.is_a?(ActiveRecord::Base) ? value.class.column_names - KEYS : []
      end

      def type?(type)
        defined?(ActiveRecord::Base) && type.is_a?(Class) && type < ActiveRecord::Base && !type.abstract_class?
      end

      private

      def connected?
        defined?(ActiveRecord::Base) && ActiveRecord::Base.connected?
      end
    end

    def initialize(world)
      @world = world
    end

    # Code of objects of a class, simplest first. `read` are names of methods that are called on the object, `literals`
    # code of values that they may be compared with.
    def of(type, read, literals)
      bases = factories(type)
      bases << "#{type.name}.new" if Records.type?(type)
      sets = attribute_sets(type, read, literals)
      bases.flat_map { |base| [base] + traits(type, base) } + sets.flat_map { |set| bases.map { |base| with(base, set) } }
    end

    private

    # A record that is only built needs less, but some code needs one that is saved.
    def factories(type)
      return [] unless @world.rule?("factories")

      of_type(type).flat_map { |factory| %w[build create].map { |verb| "#{prefix}#{verb}(:#{factory.name})" } }
    end

    def of_type(type)
      defined?(FactoryBot) ? FactoryBot.factories.select { |factory| builds?(factory, type) } : []
    end

    def builds?(factory, type)
      factory.build_class == type
    rescue StandardError
      false
    end

    # Examples can call `build` by itself only if the project includes the methods of FactoryBot.
    def prefix
      @prefix ||= begin
        group = RSpec::Core::ExampleGroup.describe("factories")
        group.include?(FactoryBot::Syntax::Methods) ? "" : "FactoryBot."
      end
    end

    def traits(type, base)
      factory = of_type(type).find { |one| base.end_with?("(:#{one.name})") } or return []
      factory.definition.defined_traits.map { |trait| with(base, ":#{trait.name}") }
    end

    def with(base, argument)
      base.end_with?(")") ? "#{base.chop}, #{argument})" : "#{base}(#{argument})"
    end

    # One attribute that is read, then two of them.
    def attribute_sets(type, read, literals)
      return [] unless @world.rule?("columns") && Records.type?(type)

      names = read.map { |name| name.delete_suffix("?") }.uniq.first(6)
      pairs = names.to_h { |name| [name, values(type, name, literals).map { |value| "#{name}: #{value}" }] }
      pairs.reject! { |_, codes| codes.empty? }
      two = pairs.values.combination(2).flat_map { |one, other| one.first(3).product(other.first(3)) }
      pairs.values.flatten + two.map { |both| both.join(", ") }.first(30)
    end

    def values(type, name, literals)
      enum = type.defined_enums.find { |key, of_key| key == name || of_key.key?(name) }
      return enum.last.keys.map { |key| ":#{key}" } if enum && enum.first == name

      association = type.reflect_on_association(name)
      return associated(association) if association

      column = type.columns_hash[name]
      column ? of_column(column.type, literals) : []
    end

    def of_column(kind, literals)
      near = case kind
             when *NUMBERS then literals.grep(/\A-?\d/)
             when *TEXTS then literals.grep(/\A['"]/)
             else []
             end
      near.first(6) + OF_TYPE.fetch(kind, [])
    end

    # Records of the other class, with each trait; several for a collection.
    def associated(association)
      one = of_type(association.klass).first or return []
      arguments = [nil, *one.definition.defined_traits.map { |trait| ":#{trait.name}" }]
      arguments.map do |trait|
        list = [":#{one.name}", ("2" if association.collection?), trait].compact.join(", ")
        "#{prefix}#{association.collection? ? 'build_list' : 'build'}(#{list})"
      end
    rescue NameError
      []
    end
  end
end
