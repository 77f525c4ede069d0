# frozen_string_literal: true

require_relative "candidate"
require_relative "signature"

module CasebookLearn
  # Code that creates objects of a class or of a module's includers.
  class Receivers
    MAX = 40

    def initialize(world)
      @world = world
      @known = {}.compare_by_identity
    end

    # Code of instances, simplest first. An unfinished search, for a class that needs itself, has found nothing.
    def of(type)
      return @known[type] if @known.key?(type)

      @known[type] = []
      @known[type] = Finder.new(type, @world).find.first(MAX)
    end

    # More instances: with values that a method of the object compares, and with keys that it reads.
    def hinted(type, keys, uses)
      return [] unless @world.rule?("literals")

      types = type.is_a?(Class) ? [type] : Finder.new(type, @world).includers.first(2)
      types.select { |one| one.respond_to?(:new) }.flat_map { |one| Finder.new(one, @world).hinted(keys, uses) }
    end

    # Searches for the instances of one class.
    class Finder
      # Arguments may need objects of other classes, so many searches may run for one method.
      SECONDS = 0.4

      # Names of methods that fill an object.
      CHANGES = /\A(add|push|register|set|append|insert|define|<<|store|on|use|with)/.freeze

      def initialize(type, world)
        @type = type
        @world = world
        @found = []
        @random = Random.new(3)
        @end = now + SECONDS
      end

      def find
        attempt { harvested } if @world.rule?("specs")
        attempt { @type.is_a?(Class) ? of_class : of_module }
        attempt { filled } if @world.rule?("setup")
        @found
      end

      def hinted(keys, uses)
        attempt { construct_with(keys, uses) }
        @found
      end

      # Classes that include the module.
      def includers
        named(ObjectSpace.each_object(Class).select { |type| includer?(type) }).first(4)
      end

      private

      # A class may redefine `include?`.
      def includer?(type)
        Module.instance_method(:include?).bind_call(type, @type)
      end

      # Those with a name, by name.
      def named(types)
        names = types.reject(&:singleton_class?).map { |type| [CasebookLearn.name_of(type), type] }
        names.select(&:first).sort_by(&:first).map(&:last)
      end

      def name = CasebookLearn.name_of(@type)

      # CPU time, as in the search.
      def now = Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID)

      # Code of the project runs in unexpected places: a class may redefine `name`, `===` or `hash`.
      def attempt
        yield
      rescue StandardError
        nil
      end

      def construct_with(keys, uses)
        signature = Signature.new(@type.instance_method(:initialize), @type, @world)
        signature.slots.each_with_index do |slot, index|
          hints(slot, keys, uses).each do |code|
            construct(signature, signature.base.tap { |choice| choice[index] = code })
          end
        end
      end

      def hints(slot, keys, uses)
        return [] if slot.kind == :block

        records = Records.used? ? @world.instances_named(slot.name, uses) : []
        return records if records.any?

        hashes = slot.kind == :keyrest || slot.pool.first(8).any? { |code| code.start_with?("{") }
        hashes ? @world.pool.with_each_key(keys) + uses.literals.grep(/\A\{/) : uses.literals
      end

      # Keeps code that creates an object of the type.
      def add(code)
        return if @found.size >= MAX || @found.include?(code) || now > @end

        value = @world.evaluator.try(code)
        @found << code if !value.equal?(Evaluator::FAILED) && instance?(value)
      end

      def instance?(value)
        Module.instance_method(:===).bind_call(@type, value) || value.singleton_class.include?(@type)
      rescue StandardError
        false
      end

      def harvested
        @world.harvested_instances(@type).first(30).each { |code| add(code) }
        @found = @found.shuffle(random: Random.new(1)).first(12)
      end

      def of_class
        SampleValues::OF_CLASS[@type]&.each { |code| add(code) }
        add("#{name}.new") if @type.respond_to?(:new)
        return unless @world.rule?("constructors")

        constructed if @type.respond_to?(:new)
        made_by_class if @found.size < 10
        subclasses.each { |type| add("#{CasebookLearn.name_of(type)}.new") } if @found.empty?
      end

      def constructed
        signature = Signature.new(@type.instance_method(:initialize), @type, @world)
        signature.variations(40).each { |choice| construct(signature, choice) }
        60.times do
          break if @found.size >= 12

          construct(signature, signature.random_choice(@random))
        end
      end

      def construct(signature, choice)
        call(name, "new", signature, choice)
      end

      # Class methods that return an instance: `parse`, `build`, `from_hash`.
      def made_by_class
        methods = @type.singleton_methods(false) - [:new]
        methods.grep(/\A[a-z_]\w*\z/).first(30).each do |method|
          signature = Signature.new(@type.method(method), @type, @world)
          next if signature.slots.count(&:required?) > 2

          signature.variations(8).each { |choice| call(name, method, signature, choice) }
        end
      end

      def call(receiver, name, signature, choice)
        arguments, block = signature.render(choice)
        arguments = "(#{arguments})" unless arguments.empty?
        add("#{receiver}.#{name}#{arguments}#{block && " #{block}"}")
      end

      def subclasses
        types = named(ObjectSpace.each_object(@type.singleton_class))
        types.reject { |type| type.equal?(@type) }.first(4)
      end

      def of_module
        return unless @world.rule?("constructors")

        includers.each { |type| @world.instances(type).first(4).each { |code| add(code) } }
        class_methods_of($~[1]) if name.match(/\A(.*)::\w*ClassMethods\z/)
        ["Class.new { include #{name} }.new", "Class.new(Hash) { include #{name} }.new",
         "Class.new(Array) { include #{name} }.new", "Class.new(String) { include #{name} }.new('value')",
         "Object.new.extend(#{name})"].each { |code| add(code) }
      end

      def class_methods_of(outer)
        add("Class.new { include #{outer} }")
        add("Class.new(Hash) { include #{outer} }")
      end

      # Objects that are not empty: hashes with a key, and attributes that are set.
      def filled
        @found.first(4).each do |code|
          value = @world.evaluator.try(code)
          next if value.equal?(Evaluator::FAILED)

          fill_hash(code) if value.is_a?(Hash)
          add("#{code}.push('value', 1)") if value.is_a?(Array)
          set_attributes(code, value)
          call_first(code, value)
        end
      end

      def fill_hash(code)
        ["'key'", ":key"].each do |key|
          ["'value'", "nil", "{ a: 1 }"].each { |item| add("#{code}.tap { |made| made[#{key}] = #{item} }") }
        end
      end

      def set_attributes(code, value)
        writers = value.class.public_instance_methods(false).grep(/\A[a-z_]\w*=\z/).first(6)
        writers.product(["true", "nil", "'value'", "1"]) do |writer, item|
          add("#{code}.tap { |made| made.#{writer.to_s.chop} = #{item} }")
        end
      end

      # Methods that change the object before the call: `add`, `register`, `push`.
      def call_first(code, value)
        names = value.class.public_instance_methods(false).grep(CHANGES)
        names.grep_v(/[=?]\z/).first(4).each do |name|
          signature = Signature.new(value.class.instance_method(name), value.class, @world)
          signature.variations(3).each do |choice|
            arguments, block = signature.render(choice)
            call = Candidate.new("", arguments, block).call_code("made", name.to_s)
            add("#{code}.tap { |made| #{call} }") unless arguments.empty?
          end
        end
      end
    end
  end
end
