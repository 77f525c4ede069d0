# frozen_string_literal: true

require "rspec/core"
require "rspec/expectations"
require "rspec/mocks"
require "timeout"

require_relative "records"

module CasebookLearn
  # Evaluates code as an example does: with doubles, outside of every module.
  class Evaluator
    include RSpec::Mocks::ExampleMethods
    include RSpec::Matchers

    # Returned instead of a value if the code raises.
    FAILED = Object.new.freeze

    SECONDS = 0.5

    def initialize
      extend(FactoryBot::Syntax::Methods) if defined?(FactoryBot::Syntax::Methods)
    end

    # The value of code; its errors are raised.
    def value(code)
      instance_eval(code)
    end

    # The value of code, or FAILED.
    def try(code)
      RSpec::Mocks.with_temporary_scope { Timeout.timeout(SECONDS) { Records.undone { value(code) } } }
    rescue SignalException
      raise
    rescue Exception
      FAILED
    end
  end
end
