# frozen_string_literal: true

module CasebookLearn
  # The parameters of a method with the values to try for each.
  class Signature
    # One parameter: its kind as in Method#parameters, its name, and code of its values.
    Slot = Struct.new(:kind, :name, :pool) do
      def required? = %i[req keyreq].include?(kind)
    end

    # Not passed.
    NONE = :none

    BLOCKS = ["{ |*args| args.first }", "{ |*args| nil }", "{ |*args| true }", "{ raise ArgumentError }"].freeze

    attr_reader :slots

    def initialize(method, scope, world)
      parameters = method.parameters
      parameters = [[:req, :value]] * method.arity if parameters.empty? && method.arity.positive?
      @slots = parameters.map { |kind, name| slot(kind, (name || :value).to_s, method, scope, world) }
      takes_block = world.facts.of(method).takes_block && slots.none? { |slot| slot.kind == :block }
      @slots << Slot.new(:block, "block", BLOCKS) if takes_block
    end

    # One choice per parameter: only those that are required.
    def base
      slots.map { |slot| slot.required? ? slot.pool.first : NONE }
    end

    # The base choice with one parameter changed at a time, taking turns between the parameters.
    def variations(max)
      columns = slots.each_with_index.map do |slot, index|
        slot.pool.map { |code| base.dup.tap { |choice| choice[index] = code } }
      end
      longest = columns.map(&:size).max || 0
      turns = (0...longest).flat_map { |row| columns.filter_map { |column| column[row] } }
      [base, *turns].uniq.first(max)
    end

    # A choice with one parameter changed at random.
    def mutate(choice, random)
      return choice if slots.empty?

      index = random.rand(slots.size)
      slot = slots[index]
      options = slot.required? ? slot.pool : [NONE, *slot.pool]
      choice.dup.tap { |changed| changed[index] = options.sample(random: random) }
    end

    # Random values for all required parameters, and sometimes for the others.
    def random_choice(random)
      slots.map { |slot| slot.required? || random.rand < 0.4 ? slot.pool.sample(random: random) : NONE }
    end

    # The code of the arguments and of the block.
    def render(choice)
      passed = slots.zip(complete(choice)).reject { |_, code| code == NONE }
      blocks, arguments = passed.partition { |slot, _| slot.kind == :block }
      [arguments.filter_map { |slot, code| argument(slot, code) }.join(", "), blocks.first&.last]
    end

    private

    # Optional arguments before one that is passed have to be passed, too.
    def complete(choice)
      passed = slots.each_index.select { |index| choice[index] != NONE }
      last = passed.select { |index| %i[opt rest].include?(slots[index].kind) }.max || -1
      choice.each_with_index.map do |code, index|
        code == NONE && slots[index].kind == :opt && index < last ? slots[index].pool.first : code
      end
    end

    def slot(kind, name, method, scope, world)
      pool = kind == :block ? BLOCKS : world.pool.of(name, method, scope)
      Slot.new(kind, name, pool)
    end

    def argument(slot, code)
      case slot.kind
      when :req, :opt then code
      when :rest then code.start_with?("[") ? "*#{code}" : code
      when :keyreq, :key then "#{slot.name}: #{code}"
      when :keyrest then "**#{code}" if code.start_with?("{")
      end
    end
  end
end
