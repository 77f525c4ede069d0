# frozen_string_literal: true

module Shop
  # Prices by age, time and distance.
  module Tariff
    class TooFar < StandardError; end

    module_function

    def fare(age)
      if age < 6
        :free
      elsif age < 16
        :half
      else
        :full
      end
    end

    def zone(distance)
      case distance
      when 0..5 then "city"
      when 6..50 then "region"
      else raise TooFar
      end
    end

    def round(amount, mode: :up)
      case mode
      when :up then amount.ceil
      when :down then amount.floor
      else raise ArgumentError, "unknown mode"
      end
    end

    def describe(value)
      case value
      in Integer then "number"
      in String then "text"
      in nil then "nothing"
      end
    end
  end
end
