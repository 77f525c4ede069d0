# frozen_string_literal: true

# measure.rb CASEBOOK: compares the tool `check` of `casebook mcp` with the command, and the start of the server with
# `--version`, and prints a table.

require "json"
require "open3"
require "tmpdir"

ROUNDS = 15

def seconds
  began = Process.clock_gettime(Process::CLOCK_MONOTONIC)
  yield
  Process.clock_gettime(Process::CLOCK_MONOTONIC) - began
end

# The median of several rounds.
def median
  Array.new(ROUNDS) { yield }.sort[ROUNDS / 2]
end

# A running server.
class Server
  def initialize(casebook, directory)
    @input, @output, @thread = Open3.popen2(casebook, "mcp", chdir: directory)
    @id = 0
    @version = "2025-11-25"
    ask("initialize", protocolVersion: @version, capabilities: {}, clientInfo: { name: "bench", version: "1" })
  end

  def check
    answer = ask("tools/call", name: "check", arguments: {})
    raise answer.to_s if answer.dig("result", "isError")

    answer.dig("result", "structuredContent", "result", "tests")
  end

  def close
    @input.close
    @thread.value
  end

  private

  def ask(method, params)
    @id += 1
    @input.puts(JSON.generate(jsonrpc: "2.0", id: @id, method:, params:))
    @input.flush
    JSON.parse(@output.gets)
  end
end

def write_suite(path, tests)
  lines = Array.new(tests) { |n| "  - {name: test #{n}, command: echo #{n}, outputContains: '#{n}'}\n" }
  File.write(path, "tests:\n#{lines.join}")
end

# Suites in a directory, and how many tests they have.
PROJECTS = {
  "1 suite with 1 test" => [1, 1],
  "100 suites with 20 tests each" => [100, 20],
  "1 suite with 10,000 tests" => [1, 10_000]
}.freeze

def check_row(casebook, name, suites, tests)
  Dir.mktmpdir do |directory|
    suites.times { |n| write_suite("#{directory}/s#{n}.casebook.yaml", tests) }
    command = median { seconds { Open3.capture2e(casebook, "check", "--format", "json", chdir: directory) } }
    server = Server.new(casebook, directory)
    raise "not all tests were checked" if server.check != suites * tests

    tool = median { seconds { server.check } }
    server.close
    ["`check`, #{name}", milliseconds(command), milliseconds(tool), format("%.2f×", tool / command)]
  end
end

def start_row(casebook)
  Dir.mktmpdir do |directory|
    version = median { seconds { Open3.capture2e(casebook, "--version", chdir: directory) } }
    start = median do
      server = nil
      took = seconds { server = Server.new(casebook, directory) }
      server.close
      took
    end
    ["start, compared with `--version`", milliseconds(version), milliseconds(start), "+#{milliseconds(start - version)}"]
  end
end

def milliseconds(seconds)
  format("%.1f ms", seconds * 1000)
end

casebook = File.realpath(ARGV.fetch(0))
rows = PROJECTS.map { |name, (suites, tests)| check_row(casebook, name, suites, tests) }
rows << start_row(casebook)
puts "| | command | `casebook mcp` | |"
puts "|---|--:|--:|--:|"
rows.each { |row| puts "| #{row.join(" | ")} |" }
