# frozen_string_literal: true

module CasebookLearn
  # The leaves of a method: each is a path of states, and the last one is its own.
  class Leaves
    # How a state is recognized; see `probes::StateProbe` in casebook-design.
    State = Struct.new(:characteristic, :outcomes, :unmatched) do
      def reached?(hits)
        outcomes.any? { |outcome| hits[outcome].positive? } ||
          unmatched.any? { |one| hits[one["subject"]] > one["arms"].sum { |arm| hits[arm] } }
      end
    end

    def initialize(states, paths)
      @states = states.map { |state| State.new(*state.values_at("characteristic", "outcomes", "unmatched")) }
      @paths = paths
    end

    def size = @paths.size

    # The indexes of the states that were reached.
    def reached_states(hits)
      @states.each_index.select { |index| @states[index].reached?(hits) }
    end

    # How many states of a path were reached, from the outermost.
    def depth(leaf, reached)
      @paths[leaf].take_while { |state| reached.include?(state) }.size
    end

    def reached?(leaf, reached)
      depth(leaf, reached) == @paths[leaf].size
    end

    # Whether no other state of the same characteristics was reached.
    def exact?(leaf, reached)
      own = @paths[leaf].map { |state| @states[state].characteristic }
      reached.all? { |state| @paths[leaf].include?(state) || !own.include?(@states[state].characteristic) }
    end

    # The outcomes to invert so that the method behaves as if the leaf's own state were another one.
    def outcomes(leaf)
      own = @paths[leaf].last
      own ? @states[own].outcomes : []
    end
  end

  # Runs code with probes.
  module Probes
    # How often each outcome occurred while the block ran.
    def self.trace(invert: nil)
      outer = Casebook::Probes.hits
      Casebook::Probes.hits = hits = Hash.new(0)
      Casebook::Probes.inverted = invert
      yield
      hits
    ensure
      Casebook::Probes.hits = outer
      Casebook::Probes.inverted = nil
    end
  end
end
