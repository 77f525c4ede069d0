# frozen_string_literal: true

module Shop
  # An insurance claim and its states.
  class Claim
    attr_reader :stage

    def initialize(stage)
      @stage = stage
    end

    def banner
      case stage
      when "filed" then "Received"
      when "assessed" then "Being paid"
      when "settled" then "Done"
      end
    end

    def open?
      stage != "settled"
    end

    def next_step(today: false)
      if stage == "filed"
        today ? :assess : :wait
      elsif stage == "assessed"
        :pay
      else
        :close
      end
    end
  end
end
