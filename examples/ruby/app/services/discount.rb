# frozen_string_literal: true

# Computes a customer's discount.
class Discount
  class UnknownCode < StandardError; end

  CODES = { "SPRING" => 5, "SUMMER" => 10 }.freeze

  def initialize(total, code: nil)
    @total = total
    @code = code
  end

  def level
    if @total >= 1000
      :gold
    elsif @total >= 100
      :silver
    else
      :none
    end
  end

  def percent
    return 0 if @code.nil?
    raise UnknownCode, @code unless CODES.key?(@code)

    CODES.fetch(@code)
  end

  def bulk?
    @total >= 100 && @total < 1000
  end

  def self.for(kind)
    case kind
    when :member, :staff then 15
    when :student then 10
    else 0
    end
  end
end
