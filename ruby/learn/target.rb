# frozen_string_literal: true

require_relative "candidate"
require_relative "signature"

module CasebookLearn
  # The method whose inputs are searched.
  class Target
    attr_reader :name

    # Names of methods that leave the object as it is.
    CHANGES_NOTHING = /\A(to_|inspect|hash|eql|each|freeze|dup|clone)|[?\]>]\z/.freeze

    # nil if the loaded code has no such method.
    def self.find(plan, world)
      new(plan, world)
    rescue NameError
      nil
    end

    def initialize(plan, world)
      @world = world
      @name = plan.fetch("method")
      @class_method = plan.fetch("is_class_method")
      @scope = Object.const_get(plan.fetch("class"))
      @method = @class_method ? @scope.method(@name) : @scope.instance_method(@name)
    end

    # Only public methods are called in examples.
    def public?
      (@class_method ? @scope.singleton_class : @scope).public_method_defined?(@name)
    end

    # Code of the objects to call it on.
    def receivers
      @receivers ||= @class_method ? classes : instances
    end

    # A receiver on which another method is called first.
    def prepared(receiver, random)
      name = setup_methods.sample(random: random)
      return receiver if name.nil? || @class_method

      arguments, block = setup_signature(name).then { |other| other.render(other.random_choice(random)) }
      call = Candidate.new("", arguments, block).call_code("made", name.to_s)
      "#{receiver}.tap { |made| #{call} }"
    end

    def signature
      @signature ||= Signature.new(@method, @scope, @world).tap do |signature|
        add_equals(signature)
        observe_block(signature)
      end
    end

    # Last parts of the names of errors that it raises, directly or in the methods of its object that it calls.
    def raised
      @raised ||= [facts, *own_facts].flat_map(&:raised).uniq
    end

    private

    # Public methods that may change the object: not its predicates, conversions and comparisons.
    def setup_methods
      @setup_methods ||= (@scope.public_instance_methods(false) - [@name.to_sym]).grep_v(CHANGES_NOTHING)
    end

    def setup_signature(name)
      (@setup_signatures ||= {})[name] ||= Signature.new(@scope.instance_method(name), @scope, @world)
    end

    # The class itself, and an empty subclass: what it changes in itself does not matter to others.
    def classes
      name = CasebookLearn.name_of(@scope)
      [name, ("Class.new(#{name})" if @scope.is_a?(Class) && @world.rule?("setup"))].compact
    end

    # Objects, alternating between those found for the class and those with values that the method uses.
    def instances
      plain = @world.instances(@scope)
      hinted = @world.hinted_instances(@scope, keys, Records::Uses.new(calls, calls, literals))
      records = @world.records(@scope, Records::Uses.new(facts.own_calls, calls, literals))
      (records + hinted.zip(plain).flatten.compact + plain).uniq.first(100)
    end

    def literals
      own = [@method, *own_methods].flat_map { |method| @world.pool.in_source(method, @scope) }
      own.uniq.first(16)
    end

    # Methods that it calls on other objects.
    def calls = [facts, *own_facts].flat_map(&:calls).uniq

    # Keys that the method reads. A text in its source may be one, too.
    def keys
      read = [facts, *own_facts].flat_map(&:keys)
      (read + literals.grep(/\A['":]/).first(6)).uniq.first(10)
    end

    def facts = @world.facts.of(@method)

    def own_facts
      own_methods.map { |method| @world.facts.of(method) }
    end

    def own_methods
      facts.own_calls.first(8).filter_map { |name| own_method(name) }
    end

    def own_method(name)
      @class_method ? @scope.method(name) : @scope.instance_method(name)
    rescue NameError
      nil
    end

    # What is yielded can be observed.
    def observe_block(signature)
      block = signature.slots.find { |slot| slot.kind == :block }
      block.pool = [Candidate::OBSERVED, *block.pool] if block
    end

    # `==` and `merge(other)` expect an object of the same class.
    def add_equals(signature)
      return if @class_method

      signature.slots.each do |slot|
        slot.pool = [*receivers.first(5), *slot.pool].uniq if slot.name.match?(/other|another|rhs/)
      end
    end
  end
end
