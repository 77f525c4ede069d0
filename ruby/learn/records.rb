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

    # What code does with a record: the methods that it calls on it, those that it calls on what these return, and the
    # literals that it may compare with.
    Uses = Struct.new(:calls, :nested, :literals)

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
        used? && value.is_a?(ActiveRecord::Base) ? value.class.column_names - KEYS : []
      end

      def type?(type)
        used? && type.is_a?(Class) && type < ActiveRecord::Base && !type.abstract_class?
      end

      def relation?(value) = defined?(ActiveRecord::Relation) && ActiveRecord::Relation === value

      # Whether the project has records.
      def used? = !!defined?(ActiveRecord::Base)

      private

      # Not `connected?`, which is false in a forked process until it connects again.
      def connected?
        Records.used? && ActiveRecord::Base.connection_pool
      rescue ActiveRecord::ConnectionNotEstablished
        false
      end
    end

    def initialize(world)
      @world = world
    end

    # Code of objects of a class, simplest first.
    def of(type, uses)
      factories = factories(type)
      plain = Records.type?(type) ? ["#{type.name}.new"] : []
      built, created = factories.first(2)
      traits = traits(type)
      attributes = attributes(type, uses)
      one = traits.flatten.first(8) + attributes.flatten
      factories + plain + all_with([built], traits.flatten) + all_with([built, *plain], attributes.flatten) +
        all_with([created], one) + all_with([built, created], pairs(traits + attributes))
    end

    # Classes of records that have all of these methods, one of which is a column or an association.
    def with_methods(modules, calls)
      return [] if calls.empty? || !Records.used?

      types = modules.select { |type| Records.type?(type) }.each(&:define_attribute_methods)
      types.select { |type| own?(type, calls) && calls.all? { |call| type.method_defined?(call) } }.first(2)
    end

    private

    def own?(type, calls)
      calls.any? { |call| type.columns_hash.key?(call) && call != "id" || type.reflect_on_association(call) }
    end

    # Some combinations of two arguments.
    def pairs(groups)
      two = groups.combination(2).flat_map { |one, other| one.first(4).product(other.first(4)) }
      two.shuffle(random: Random.new(5)).first(24).map { |both| both.join(", ") }
    end

    def all_with(bases, arguments)
      arguments.product(bases.compact).map { |argument, base| with(base, argument) }
    end

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

    def traits(type)
      return [] unless @world.rule?("factories")

      of_type(type).first(1).flat_map { |factory| factory.definition.defined_traits.map { |trait| [":#{trait.name}"] } }
    end

    def with(base, argument)
      base.end_with?(")") ? "#{base.chop}, #{argument})" : "#{base}(#{argument})"
    end

    # The values of each attribute that is read.
    def attributes(type, uses, nested: true)
      return [] unless @world.rule?("columns") && Records.type?(type)

      names = read_by(type, uses.calls).map { |name| attribute(type, name) }.compact.uniq
      names = names.reject { |name| type.reflect_on_association(name) } unless nested
      groups = names.map { |name| values(type, name, uses).map { |value| "#{name}: #{value}" } }
      groups.reject(&:empty?).first(6)
    end

    # Names of methods, and of those that methods of the project with these names call on their object.
    def read_by(type, names)
      2.times do
        defined = names.select { |name| type.method_defined?(name) }.map { |name| type.instance_method(name) }
        names |= defined.flat_map { |method| @world.facts.of(method).own_calls }
      end
      names
    end

    # The attribute or association that a method reads: `status` for the predicate `open?` of an enum.
    def attribute(type, name)
      plain = name.delete_suffix("?")
      return plain if type.columns_hash.key?(plain) || type.reflect_on_association(plain)

      type.defined_enums.find { |key, values| values.each_key.any? { |value| of_enum?(plain, key, value) } }&.first
    end

    # A value of an enum may have the name of the enum, or any other, as a prefix or suffix.
    def of_enum?(name, key, value)
      [value, "#{key}_#{value}", "#{value}_#{key}"].include?(name)
    end

    def values(type, name, uses)
      enum = type.defined_enums[name]
      return enum.keys.map { |key| ":#{key}" } if enum

      association = type.reflect_on_association(name)
      association ? associated(association, uses) : of_column(type.columns_hash.fetch(name).type, uses.literals)
    end

    def of_column(kind, literals)
      near = case kind
             when *NUMBERS then literals.grep(/\A-?\d/)
             when *TEXTS then literals.grep(/\A['"]/)
             else []
             end
      near.first(6) + OF_TYPE.fetch(kind, [])
    end

    # Records of the other class with each trait and with what is read from them; several for a collection.
    def associated(association, uses)
      one = of_type(association.klass).first or return []
      return lists(one, uses.literals) if association.collection?

      read = attributes(association.klass, Uses.new(uses.nested, [], uses.literals), nested: false)
      base = "#{prefix}build(:#{one.name})"
      [base, *all_with([base], traits(association.klass).flatten + read.flatten)]
    rescue NameError
      []
    end

    # Lists of the sizes in the code.
    def lists(factory, literals)
      sizes = ["2", *literals.grep(/\A[1-9]\z/)].uniq.first(4)
      of_traits = traits(factory.build_class).flatten.map { |trait| ["2", trait] }
      [*sizes, *of_traits].map { |rest| "#{prefix}build_list(#{[":#{factory.name}", *rest].join(', ')})" }
    end
  end
end
