# frozen_string_literal: true

require "json"
require "tmpdir"

require_relative "child"
require_relative "leaves"
require_relative "project"
require_relative "search"
require_relative "target"
require_relative "verification"
require_relative "world"

module CasebookLearn
  # Learns examples for all methods of a plan, and sends one line of JSON per method.
  class Session
    # Time to end a child that ignores its own limit.
    GRACE = 3
    # How many calls are verified for a leaf, best first.
    ATTEMPTS = 3

    def initialize(plan, output)
      @plan = plan
      @output = output
    end

    def run
      @project = Project.new(@plan.fetch("project"))
      @project.load
      @plan.fetch("methods").each do |method|
        started = now
        result = attempt(method)
        send(result.merge("id" => method["id"], "seconds" => (now - started).round(3)))
      end
    end

    private

    def send(line)
      @output.puts(JSON.generate(line))
      @output.flush
    end

    def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)

    # Code of the project runs in unexpected places: a class may redefine `name`, `===` or `hash`.
    def attempt(method)
      learn(method)
    rescue StandardError, SystemStackError => e
      all(method, "stopped", "#{e.class}: #{e.message}"[0, 300])
    end

    def learn(method)
      error = @project.error(method["file"])
      return all(method, "not_loaded", error) if error

      world = World.new(@plan, @project.own_modules)
      target = Target.find(method, world) or return all(method, "not_found")
      return all(method, "not_public") unless target.public?

      leaves = Leaves.new(method["states"], method["leaves"])
      found, reasons, failure = search(target, leaves, world)
      { "leaves" => results(target, leaves, world, found, reasons), "failure" => failure }
    end

    def all(method, reason, failure = nil)
      { "leaves" => method["leaves"].map { { "reason" => reason } }, "failure" => failure }
    end

    # Searches in a child, so that the code under test cannot change this process.
    def search(target, leaves, world)
      seconds = @plan.fetch("seconds")
      lines = Child.run(seconds + GRACE) do |send|
        send.call({ "receivers" => target.receivers.size })
        Search.new(target, leaves, world, seconds).run { |leaf, found| send.call(found_line(leaf, found)) }
      end
      read(lines, leaves)
    end

    def found_line(leaf, found)
      return { "leaf" => leaf, "reason" => found } if found.is_a?(String)

      { "leaf" => leaf, "candidate" => found.candidate.to_a, "expectation" => found.expectation,
        "proven" => found.proven }
    end

    def read(lines, leaves)
      receivers = lines.find { |line| line.key?("receivers") }
      none = receivers && receivers["receivers"].positive? ? "not_reached" : "no_receiver"
      none = "stopped" unless receivers
      found = Array.new(leaves.size) { [] }
      reasons = Array.new(leaves.size, none)
      lines.each do |line|
        found[line["leaf"]].unshift(line) if line["candidate"]
        reasons[line["leaf"]] = line["reason"] if line["reason"]
      end
      [found, reasons, lines.find { |line| line.key?("failure") }&.fetch("failure")]
    end

    def results(target, leaves, world, found, reasons)
      verification = Verification.new(target, leaves, world, @project.stateful_modules)
      found.each_with_index.map do |lines, leaf|
        best = { "reason" => reasons[leaf] }
        lines.first(ATTEMPTS).each do |line|
          best = verified(target, verification, leaf, line)
          break if best["call"]
        end
        best
      end
    end

    def verified(target, verification, leaf, line)
      candidate = Candidate.new(*line["candidate"])
      problem = verification.problem(leaf, candidate, line["expectation"])
      problem ||= "not_proven" unless line["proven"]
      problem ? { "reason" => problem } : learned(candidate, target, line["expectation"])
    end

    def learned(candidate, target, expectation)
      { "receiver" => candidate.receiver, "call" => candidate.call_code("", target.name), "double" => candidate.double?,
        "expectation" => expectation }
    end
  end
end
