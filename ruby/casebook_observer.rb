# frozen_string_literal: true

# Notes which outcomes of conditions each RSpec example reaches.
#
# `casebook coverage --observe` adds this file to SPEC_OPTS, in addition to casebook_probes.rb in RUBYOPT. Each process
# writes what it observed into the directory that CASEBOOK_OBSERVED names.

require "json"
require "shellwords"

module Casebook
  # The examples of this process.
  class Observer
    # Wraps each example, with its hooks.
    module Example
      def run(*)
        Observer.current.observe(self) { super }
      end
    end

    class << self
      attr_reader :current

      def start(environment = ENV)
        @current = new(environment["CASEBOOK_OBSERVED"])
        RSpec::Core::Example.prepend(Example)
        RSpec.configuration.after(:suite) { Observer.current.write }
        at_exit { Observer.current.write }
        leave(environment)
      end

      private

      # Programs that examples start are not observed, and examples may compare their environment.
      def leave(environment)
        %w[CASEBOOK_OBSERVED CASEBOOK_PROBES].each { |name| environment.delete(name) }
        remove(environment, "RUBYOPT") { |words| words.reject { |word| word.start_with?("-r#{__dir__}") } }
        remove(environment, "SPEC_OPTS") { |words| without_require(words) }
      end

      def remove(environment, name)
        words = yield Shellwords.split(environment[name].to_s)
        environment[name] = words.empty? ? nil : Shellwords.join(words)
      rescue ArgumentError
        nil
      end

      def without_require(words)
        at = words.each_cons(2).find_index { |option, path| option == "--require" && path == __FILE__ }
        words.slice!(at, 2) if at
        words
      end
    end

    def initialize(directory)
      @directory = directory
      @examples = []
      @outside = Probes.hits
    end

    # An example may run others, as those of RSpec itself do.
    def observe(example)
      outer = Probes.hits
      Probes.hits = hits = Hash.new(0)
      yield
    ensure
      Probes.hits = outer
      @examples << [example, hits] if hits
    end

    # Written again at the end of the process, because other code may run after the suite.
    def write
      path = File.join(@directory, "#{Process.pid}.json")
      content = { examples: @examples.map { |example, hits| entry(example, hits) }, outside: @outside.to_a,
                  files: Probes.files }
      File.write("#{path}.new", JSON.generate(content))
      File.rename("#{path}.new", path)
    end

    private

    def entry(example, hits)
      { id: example.id, description: example.full_description.to_s.scrub, location: example.location.delete_prefix("./"),
        status: example.execution_result.status, hits: hits.to_a }
    end
  end

  Observer.start if ENV["CASEBOOK_OBSERVED"]
end
