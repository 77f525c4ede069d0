# frozen_string_literal: true

require_relative "candidate"
require_relative "leaves"
require_relative "observation"

module CasebookLearn
  # Searches calls that reach the leaves of a method and whose result depends on the leaf's own state.
  class Search
    MAX_VARIATIONS = 120
    MAX_CALLS = 4_000

    # Why a leaf has no example, from the least to the most that was achieved.
    REASONS = %w[not_reached accidental_error no_literal].freeze

    # A call for a leaf: the better, the higher the rank.
    Found = Struct.new(:rank, :candidate, :expectation, :proven)

    def initialize(target, leaves, world, seconds)
      @target = target
      @leaves = leaves
      @world = world
      @seconds = seconds
      @best = Array.new(leaves.size)
      @reasons = Array.new(leaves.size, "not_reached")
      @nearest = Array.new(leaves.size, [0, nil])
      @tried = {}
      @random = Random.new(7)
    end

    # Calls the block with each improvement: the leaf, and a Found or a reason.
    def run(&report)
      @report = report
      @end = now + @seconds
      harvested if @world.rule?("specs")
      varied
      climb if @world.rule?("climb")
    end

    private

    # CPU time: the result does not depend on what else the machine does.
    def now = Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID)

    def finished?
      now > @end || @tried.size > MAX_CALLS || @best.all? { |found| found&.proven }
    end

    # The arguments that existing specs pass to methods of this name.
    def harvested
      @world.harvested_calls(@target.name).first(30).each do |arguments|
        @target.receivers.each do |receiver|
          return if finished?

          try(receiver, arguments, nil, nil)
        end
      end
    end

    # The simplest call on every receiver, then one parameter at a time on some.
    def varied
      @target.signature.variations(MAX_VARIATIONS).each_with_index do |choice, index|
        @target.receivers.first(index.zero? ? @target.receivers.size : 6).each do |receiver|
          return if finished?

          try_choice(receiver, choice)
        end
      end
    end

    # Changes the call that came nearest to a leaf.
    def climb
      repeated = 0
      until finished? || repeated > 200
        before = @tried.size
        try_choice(*next_step(open_leaf))
        repeated = @tried.size == before ? repeated + 1 : 0
      end
    end

    def open_leaf
      @best.each_index.reject { |leaf| @best[leaf]&.proven }.sample(random: @random)
    end

    def next_step(leaf)
      receiver, choice = @nearest[leaf].last
      receiver = @target.receivers.sample(random: @random) if receiver.nil? || @random.rand < 0.4
      choice ||= @target.signature.random_choice(@random)
      return [@target.prepared(receiver, @random), choice] if @world.rule?("setup") && @random.rand < 0.25

      (1 + @random.rand(2)).times { choice = @target.signature.mutate(choice, @random) }
      [receiver, choice]
    end

    def try_choice(receiver, choice)
      arguments, block = @target.signature.render(choice)
      try(receiver, arguments, block, choice)
    end

    def try(receiver, arguments, block, choice)
      candidate = Candidate.new(receiver, arguments, block)
      return if @tried[candidate]

      @tried[candidate] = true
      observation = observe(candidate) or return
      reached = @leaves.reached_states(observation.hits)
      @leaves.size.times { |leaf| consider(leaf, candidate, choice, observation, reached) }
    end

    def consider(leaf, candidate, choice, observation, reached)
      depth = @leaves.depth(leaf, reached)
      @nearest[leaf] = [depth, [candidate.receiver, choice]] if depth > @nearest[leaf].first
      return unless @leaves.reached?(leaf, reached)

      return note(leaf, "accidental_error") if observation.accident?
      return note(leaf, "no_literal") if observation.expectations.empty?

      rank = rank(candidate, @leaves.exact?(leaf, reached))
      # No call can be better than one that is proven and has a higher rank.
      return if @best[leaf]&.proven && (@best[leaf].rank <=> rank) >= 0

      keep(leaf, candidate, observation, rank)
    end

    def keep(leaf, candidate, observation, rank)
      expectation = proven(leaf, candidate, observation)
      return if @best[leaf] && !expectation

      @best[leaf] = Found.new(rank, candidate, expectation || observation.expectations.first, !expectation.nil?)
      @report.call(leaf, @best[leaf])
    end

    # Calls without doubles are better, then those that reach no sibling of the leaf, then short ones.
    def rank(candidate, exact)
      [candidate.double? ? 0 : 1, exact ? 1 : 0, -candidate.size]
    end

    # What holds in the leaf's state and does not hold when the state is inverted.
    def proven(leaf, candidate, observation)
      inverted = @leaves.outcomes(leaf)
      flipped = observe(candidate, invert: inverted) if inverted.any?
      flipped && observation.expectations.find { |one| !flipped.meets?(one) }
    end

    # Keeps the reason that says most.
    def note(leaf, reason)
      return if REASONS.index(@reasons[leaf]) >= REASONS.index(reason)

      @reasons[leaf] = reason
      @report.call(leaf, reason)
      nil
    end

    def observe(candidate, invert: nil)
      Observation.of(candidate, @target, @world, invert: invert)
    rescue SignalException
      raise
    rescue Exception
      nil
    end
  end
end
