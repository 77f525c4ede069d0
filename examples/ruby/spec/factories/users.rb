# frozen_string_literal: true

FactoryBot.define do
  factory :user do
    name { "Ada" }
    role { :member }
    active { false }

    trait :active do
      active { true }
    end

    trait :not_active do
      active { false }
    end

    trait :vip do
      role { :vip }
    end
  end
end
