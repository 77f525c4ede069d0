# frozen_string_literal: true

require "rspec/core"
require "rspec/expectations"
require "rspec/mocks"
require "timeout"

module CasebookLearn
  # Evaluates code as an example does: with doubles, outside of every module.
  class Evaluator
    include RSpec::Mocks::ExampleMethods
    include RSpec::Matchers

    # Returned instead of a value if the code raises.
    FAILED = Object.new.freeze

    SECONDS = 0.5

    # The value of code; its errors are raised.
    def value(code)
      instance_eval(code)
    end

    # The value of code, or FAILED.
    def try(code)
      RSpec::Mocks.with_temporary_scope { Timeout.timeout(SECONDS) { value(code) } }
    rescue SignalException
      raise
    rescue Exception
      FAILED
    end
  end
end
