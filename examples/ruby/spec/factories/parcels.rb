# frozen_string_literal: true

FactoryBot.define do
  factory :parcel do
    weight { 1 }
    carrier { :van }
    packed { false }

    trait :packed do
      packed { true }
    end

    trait :fragile do
      fragile { true }
    end
  end
end
