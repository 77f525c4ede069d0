# frozen_string_literal: true

# measure.rb CASEBOOK: compares the tool `check` of `casebook mcp` with the command, and the start of the server with
# `--version`; measures the time from a keystroke to the problems of `casebook lsp`. Prints a table.

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
class Connection
  def initialize(casebook, command, directory)
    @input, @output, @thread = Open3.popen2(casebook, command, chdir: directory)
  end

  def close
    @input.close
    @thread.value
  end
end

# The server for agents.
class Server < Connection
  def initialize(casebook, directory)
    super(casebook, "mcp", directory)
    @id = 0
    @version = "2025-11-25"
    ask("initialize", protocolVersion: @version, capabilities: {}, clientInfo: { name: "bench", version: "1" })
  end

  def check
    answer = ask("tools/call", name: "check", arguments: {})
    raise answer.to_s if answer.dig("result", "isError")

    answer.dig("result", "structuredContent", "result", "tests")
  end

  private

  def ask(method, params)
    @id += 1
    @input.puts(JSON.generate(jsonrpc: "2.0", id: @id, method:, params:))
    @input.flush
    JSON.parse(@output.gets)
  end
end

# The language server with one open file.
class Editor < Connection
  def initialize(casebook, directory, text)
    super(casebook, "lsp", directory)
    @document = { uri: "file://#{directory}/s.casebook.yaml", version: 1 }
    send(id: 1, method: "initialize", params: { capabilities: {} })
    receive
    send(method: "textDocument/didOpen", params: { textDocument: @document.merge(languageId: "yaml", text:) })
    receive
  end

  # The problems after a change.
  def problems(text)
    @document[:version] += 1
    send(method: "textDocument/didChange", params: { textDocument: @document, contentChanges: [{ text: }] })
    receive.dig("params", "diagnostics")
  end

  private

  def send(message)
    body = JSON.generate({ jsonrpc: "2.0" }.merge(message))
    @input.write("Content-Length: #{body.bytesize}\r\n\r\n#{body}")
    @input.flush
  end

  def receive
    length = @output.gets[/\d+/].to_i
    @output.gets
    JSON.parse(@output.read(length))
  end
end

def suite(tests)
  lines = Array.new(tests) { |n| "  - {name: test #{n}, command: echo #{n}, outputContains: '#{n}'}\n" }
  "tests:\n#{lines.join}"
end

def typing_row(casebook, tests)
  Dir.mktmpdir do |directory|
    editor = Editor.new(casebook, directory, suite(tests))
    typed = "#{suite(tests)}  - {name: last, command: ls, exitcode: 0}\n"
    time = median { seconds { raise "no problem" if editor.problems(typed).size != 1 } }
    editor.close
    ["from a keystroke to the problems, 10,000 tests", "", "", milliseconds(time)]
  end
end

# Suites in a directory, and how many tests they have.
PROJECTS = {
  "1 suite with 1 test" => [1, 1],
  "100 suites with 20 tests each" => [100, 20],
  "1 suite with 10,000 tests" => [1, 10_000]
}.freeze

def check_row(casebook, name, suites, tests)
  Dir.mktmpdir do |directory|
    suites.times { |n| File.write("#{directory}/s#{n}.casebook.yaml", suite(tests)) }
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
    ["start, compared with `--version`", milliseconds(version), milliseconds(start), milliseconds(start - version)]
  end
end

def milliseconds(seconds)
  format("%.1f ms", seconds * 1000).sub("-0.0", "0.0")
end

casebook = File.realpath(ARGV.fetch(0))
rows = PROJECTS.map { |name, (suites, tests)| check_row(casebook, name, suites, tests) }
rows << start_row(casebook)
rows << typing_row(casebook, 10_000)
puts "| | command | `casebook mcp` | |"
puts "|---|--:|--:|--:|"
rows.each { |row| puts "| #{row.join(" | ")} |" }
