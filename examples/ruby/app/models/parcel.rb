# frozen_string_literal: true

require_relative "record"

class Parcel < Record
  attr_accessor :carrier, :fragile, :packed, :weight

  def packed?
    packed == true
  end

  def fragile?
    fragile == true
  end
end
