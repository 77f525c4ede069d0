# frozen_string_literal: true

# Decides how a parcel is delivered.
class ParcelRouter
  class NotPacked < StandardError; end
  class Overweight < StandardError; end

  LIMIT = 30

  def ship(parcel)
    return :skipped unless parcel.packed?
    raise Overweight if parcel.weight > LIMIT

    dispatch(parcel)
  end

  def deliver(parcel)
    unless parcel.packed?
      raise NotPacked
    end

    case parcel.carrier
    when :bike then ride(parcel)
    when :van then drive(parcel)
    end
  end

  def label(parcel)
    if parcel.fragile?
      "careful"
    else
      "plain"
    end
  end

  def price(weight, express: false)
    raise ArgumentError, "no weight" if weight.nil?
    return 0 if weight <= 0

    express ? 20 : 10
  end

  private

  def dispatch(parcel)
    parcel
  end

  def ride(parcel)
    "bike #{parcel.id}"
  end

  def drive(parcel)
    "van #{parcel.id}"
  end
end
