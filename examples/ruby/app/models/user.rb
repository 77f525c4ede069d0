# frozen_string_literal: true

require_relative "record"

class User < Record
  attr_accessor :name, :role, :active, :birthday

  def active?
    active == true
  end

  def vip?
    role == :vip
  end
end
