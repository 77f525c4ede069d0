# frozen_string_literal: true

module Shop
  # Access rules of the shop.
  class Access
    def initialize(open: true)
      @open = open
    end

    def enter(user, badge: nil)
      return :closed unless @open
      return :unknown if user.nil?

      if user.active?
        user.vip? ? :lounge : :hall
      else
        :door
      end
    end

    def allowed?(user, action)
      return false if user.nil?

      user.active? && action == :read
    end

    def greeting(name)
      name ? "Welcome back" : "Hello"
    end

    def retry_after(attempts)
      if attempts > 3
        return 60
      else
        wait = 5
      end

      wait * attempts
    end

    def each_open(doors)
      doors.each do |door|
        next unless door.open?

        yield door
      end
    end
  end
end
