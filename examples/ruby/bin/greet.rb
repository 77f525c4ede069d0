#!/usr/bin/env ruby
# frozen_string_literal: true

# Greets the given person.
class Greeter
  def self.run(name, loud: false)
    raise ArgumentError, "no name" if name.nil?

    loud ? "HELLO #{name.upcase}" : "Hello #{name}"
  end
end

puts Greeter.run(ARGV[0], loud: ARGV[1] == "--loud") if $PROGRAM_NAME == __FILE__
