# frozen_string_literal: true

module CasebookLearn
  # Changes what differs between machines and between runs, so that a result that depends on it is not repeatable.
  module Surroundings
    DAYS = 400
    VARIABLES = { "TZ" => "Asia/Tokyo", "HOME" => "/nonexistent", "USER" => "somebody", "LANG" => "de_DE.UTF-8",
                  "COLUMNS" => "61", "LINES" => "17", "TERM" => "dumb" }.freeze

    # Moves times by more than a year.
    module Later
      def now(...) = super + DAYS * 86_400
    end

    # Moves dates by the same time.
    module LaterDate
      def today(...) = super + DAYS
    end

    class << self
      def change
        VARIABLES.each { |name, value| ENV[name] = value }
        $PROGRAM_NAME = "another"
        srand(4711)
        Time.singleton_class.prepend(Later)
        Date.singleton_class.prepend(LaterDate) if defined?(Date.today)
        Records.add_others
      end
    end
  end
end
