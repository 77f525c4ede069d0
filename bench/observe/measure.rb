# frozen_string_literal: true

# measure.rb CASEBOOK PROJECT…: observes and proves the specs of Ruby projects, and prints a table.
#
# Each PROJECT is a directory in which plain `rspec` runs. The specs run three times without probes and three times with
# them, in turns, and once under Ruby's own Coverage: a state that examples reach is contradicted if the line of its
# condition was never executed.

require "coverage"
require "json"
require "open3"
require "tempfile"

ROUNDS = 3

# One project.
class Project
  def initialize(casebook, directory)
    @casebook = casebook
    @directory = File.realpath(directory)
  end

  def row
    plain, observed = rounds
    seconds = [plain, observed].map { |runs| runs.map(&:first).min }
    states = states()
    reached = states.count { |state| state["status"] == "exercised" }
    results = changed_results(plain.last[1], observed.last[1])
    mutants = prove
    [File.basename(@directory), plain.last[1].size, states.size, "#{reached * 100 / [states.size, 1].max}%",
     format("%.2f s", seconds[0]), format("%.2f s", seconds[1]), format("%.2f×", seconds[1] / seconds[0]),
     results, contradicted(states), *mutants]
  end

  private

  def rounds
    plain = []
    observed = []
    ROUNDS.times do
      plain << timed("rspec")
      observed << timed(@casebook, "coverage", "--json", "--observe", "--", "rspec")
    end
    [plain, observed]
  end

  # Seconds, and the status of each example.
  def timed(*command)
    Tempfile.create("results") do |file|
      began = Process.clock_gettime(Process::CLOCK_MONOTONIC)
      run(*command, "--seed", "1", "--format", "json", "--out", file.path)
      seconds = Process.clock_gettime(Process::CLOCK_MONOTONIC) - began
      examples = JSON.parse(File.read(file.path))["examples"]
      [seconds, examples.to_h { |example| [example["id"], example["status"]] }]
    end
  end

  def run(*command)
    Open3.capture2e(*command, chdir: @directory).first
  end

  def states
    observation = JSON.parse(File.read(File.join(@directory, ".casebook/observation.json")))
    observation["methods"].flat_map do |method|
      method["states"].map { |state| state.merge("file" => method["file"]) }
    end
  end

  def changed_results(plain, observed)
    plain.count { |id, status| observed[id] != status }
  end

  def contradicted(states)
    lines = executed_lines
    states.count do |state|
      counts = lines[File.join(@directory, state["file"])]
      state["status"] == "exercised" && counts && counts[state["line"] - 1] == 0
    end
  end

  # How often Ruby's Coverage saw each line.
  def executed_lines
    Tempfile.create(["coverage", ".rb"]) do |helper|
      helper.write(<<~RUBY)
        require "coverage"
        Coverage.start
        # SimpleCov would start it again, which resets all counts.
        Coverage.singleton_class.prepend(Module.new do
          def start(*) = nil
          def setup(*) = nil
          def result(**) = peek_result
        end)
        LINES = {}
        # Loading a file again resets its counts.
        KEEP = -> { Coverage.peek_result.each { |file, lines| (LINES[file] ||= []) << lines } }
        RubyVM::InstructionSequence.singleton_class.prepend(Module.new do
          def load_iseq(path)
            KEEP.call if Coverage.peek_result.key?(path)
            nil
          end
        end)
        at_exit do
          KEEP.call
          counts = LINES.transform_values { |all| all.first.each_index.map { |at| all.filter_map { |lines| lines[at] }.max } }
          File.binwrite("#{helper.path}.dump", Marshal.dump(counts))
        end
      RUBY
      helper.close
      Open3.capture2e({ "RUBYOPT" => "-r#{helper.path}" }, "rspec", "--seed", "1", chdir: @directory)
      Marshal.load(File.binread("#{helper.path}.dump"))
    ensure
      File.delete("#{helper.path}.dump") if File.exist?("#{helper.path}.dump")
    end
  end

  # The number of mutants, seconds each, and how many survived.
  def prove
    output = run(@casebook, "coverage", "--prove", "--json")
    count, each = output.match(/(\d+) states? inverted, ([\d.]+) s each/)&.captures
    survived = output[/(\d+) states? exercised, but not checked/, 1]
    [count || 0, each ? "#{each} s" : "-", survived || 0]
  end
end

casebook, *directories = ARGV
abort "script/bench observe: set CASEBOOK_BENCH_PROJECTS to directories in which `rspec` runs" if directories.empty?

puts "| project | examples | states | exercised | `rspec` | observed | ratio (bar ≤ 1.5×) | changed results | contradicted | " \
     "mutants | each (bar ≤ 0.1 s) | survived |"
puts "|---|---|---|---|---|---|---|---|---|---|---|---|"
directories.each do |directory|
  warn "observe: #{directory}"
  puts "| #{Project.new(File.realpath(casebook), directory).row.join(' | ')} |"
end
