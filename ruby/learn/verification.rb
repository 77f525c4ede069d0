# frozen_string_literal: true

require_relative "child"
require_relative "global_state"
require_relative "observation"
require_relative "surroundings"

module CasebookLearn
  # Repeats a call in fresh processes. The expectation has to hold in two of them, one with other surroundings, and must
  # not hold in a third one, in which the leaf's own state is inverted.
  class Verification
    SECONDS = 2

    def initialize(target, leaves, world, namespaces)
      @target = target
      @leaves = leaves
      @world = world
      @namespaces = namespaces
    end

    # nil, or why the call cannot become an example.
    def problem(leaf, candidate, expectation)
      [false, true].each do |elsewhere|
        found = repeat(leaf, candidate, expectation, nil, elsewhere) or return "not_repeatable"
        return "changes_global_state" if found["changed"].any?
        return "not_repeatable" unless found["met"] && found["reached"]
      end
      inverted = @leaves.outcomes(leaf)
      flipped = repeat(leaf, candidate, expectation, inverted, false) if inverted.any?
      "not_proven" if inverted.empty? || flipped && flipped["met"]
    end

    private

    def repeat(leaf, candidate, expectation, invert, elsewhere)
      lines = Child.run(SECONDS) do |send|
        Surroundings.change if elsewhere
        state = GlobalState.new(@namespaces)
        observation = Observation.of(candidate, @target, @world, invert: invert)
        reached = @leaves.reached?(leaf, @leaves.reached_states(observation.hits))
        met = observation.meets?(expectation) ? true : false
        send.call({ "met" => met, "reached" => reached, "changed" => state.changed })
      end
      lines.find { |line| line.key?("met") }
    end
  end
end
