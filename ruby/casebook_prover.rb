# frozen_string_literal: true

# Runs the examples that reach a state again, with the outcomes of that state inverted.
#
# `casebook coverage --prove` adds this file to SPEC_OPTS, in addition to casebook_probes.rb in RUBYOPT. RSpec loads the
# specs as usual. Then, instead of running all examples, each mutant runs in a forked process with only its examples, and
# ends with the first that fails. The list of mutants is next to this file.

require "json"
require "shellwords"
require_relative "casebook_memory_database"

module Casebook
  # The mutants of a run.
  class Prover
    # Replaces RSpec's own run of all examples.
    module Runner
      def run_specs(groups)
        Prover.new { super(groups) }.run
        0
      end
    end

    # A mutant that takes longer counts as killed: an inverted condition may never end a loop.
    SECONDS = 10
    POLL = 0.002

    # The block runs the examples that RSpec has selected, and returns its exit code.
    def initialize(&run_examples)
      @run_examples = run_examples
      @directory = ENV.delete("CASEBOOK_OBSERVED")
      plan = JSON.parse(File.read(File.join(__dir__, "mutants.json")))
      @mutants = plan.fetch("mutants")
      @jobs = plan.fetch("jobs")
      @running = {}
      @results = []
    end

    def run
      clear_environment
      MemoryDatabase.keep
      mutants_with_repeatable_examples.each do |mutant|
        collect while @running.size >= @jobs
        start(mutant)
      end
      collect until @running.empty?
      File.write(File.join(@directory, "mutants.json"), JSON.generate(@results))
    end

    private

    # An example that fails in a forked process anyway would kill every mutant.
    def mutants_with_repeatable_examples
      failed = failed_without_mutant
      @mutants.each { |mutant| mutant.fetch("examples").reject! { |id| failed[id] } }
      repeatable, others = @mutants.partition { |mutant| mutant.fetch("examples").any? }
      others.each { |mutant| @results << { state: mutant.fetch("state"), result: "not_repeatable", seconds: 0.0 } }
      repeatable
    end

    # The ids of the examples that do not pass when they run in a forked process without a mutant.
    def failed_without_mutant
      ids = @mutants.flat_map { |mutant| mutant.fetch("examples") }.uniq
      path = File.join(@directory, "passed")
      File.write(path, "")
      Process.wait(fork { Process.exit!(report_passed(ids, path)) })
      (ids - File.readlines(path, chomp: true)).to_h { |id| [id, true] }
    end

    def report_passed(ids, path)
      silence
      keep_only(ids)
      @run_examples.call
      examples = RSpec.world.example_groups.flat_map(&:descendants).flat_map(&:examples)
      passed = examples.select { |example| example.execution_result.status == :passed }
      File.write(path, passed.map { |example| "#{example.id}\n" }.join)
      0
    end

    def clear_environment
      ENV.delete("CASEBOOK_PROBES")
      words = Shellwords.split(ENV["RUBYOPT"].to_s).reject { |word| word.start_with?("-r#{__dir__}") }
      ENV["RUBYOPT"] = words.empty? ? nil : Shellwords.join(words)
    end

    def start(mutant)
      pid = fork { Process.exit!(killed?(mutant) ? 1 : 0) }
      @running[pid] = [mutant, now]
    end

    # In the forked process. An error outside of examples counts as a failed example.
    def killed?(mutant)
      Process.setpgid(0, 0)
      silence
      Probes.inverted = mutant.fetch("outcomes")
      keep_only(mutant.fetch("examples"))
      RSpec.configuration.fail_fast = true
      @run_examples.call != 0
    rescue Exception # rubocop:disable Lint/RescueException
      true
    end

    def silence
      [$stdin, $stdout, $stderr].each { |stream| stream.reopen(File::NULL, stream == $stdin ? "r" : "w") }
    end

    def keep_only(ids)
      wanted = ids.to_h { |id| [id, true] }
      filtered = RSpec.world.filtered_examples
      RSpec.world.example_groups.flat_map(&:descendants).each do |group|
        filtered[group] = filtered[group].select { |example| wanted[example.id] }
      end
    end

    # Waits for a mutant to end, or for the first that takes too long.
    def collect
      pid, status = Process.wait2(-1, Process::WNOHANG)
      return finish(pid, status.success? ? "survived" : "killed") if pid

      late, = @running.find { |_, (_, began)| now - began > SECONDS }
      return sleep(POLL) unless late

      Process.kill(:KILL, -late)
      Process.wait(late)
      finish(late, "timeout")
    rescue Errno::ESRCH
      nil
    end

    def finish(pid, result)
      mutant, began = @running.delete(pid)
      return unless mutant

      @results << { state: mutant.fetch("state"), result: result, seconds: (now - began).round(3) }
    end

    def now
      Process.clock_gettime(Process::CLOCK_MONOTONIC)
    end
  end

  RSpec::Core::Runner.prepend(Prover::Runner)
end
