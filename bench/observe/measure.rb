# frozen_string_literal: true

# measure.rb CASEBOOK PROJECT…: observes and proves the specs of Ruby projects, and prints a table.
#
# Each PROJECT is a directory in which plain `rspec` runs. The specs run three times without probes and three times with
# them, in turns, and then under Ruby's own Coverage: a state that examples reach is contradicted if no line of the code that
# shows it was executed. Coverage may stop counting lines that were not executed before, as it does in addressable, in which
# an example uses Ractor. Then the specs run again in the order of the files. If Coverage stops there, too, states that
# neither run counted are not comparable.

require "coverage"
require "json"
require "open3"
require "tempfile"
require "tmpdir"

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
     results, *contradicted(states), *mutants]
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

  # How many states are contradicted, and how many are not comparable.
  def contradicted(states)
    runs = [executed_lines("--seed", "1")]
    runs << executed_lines("--order", "defined") unless runs.first.complete
    uncounted = states.count { |state| state["status"] == "exercised" && runs.none? { |run| run.counted?(state) } }
    runs.any?(&:complete) ? [uncounted, 0] : [0, uncounted]
  end

  # How often Ruby's Coverage saw each line of each file, and whether it counted until the end.
  Executed = Struct.new(:directory, :lines, :complete) do
    # Whether a line of the state was executed. Coverage has no count for some lines of an expression.
    def counted?(state)
      all = lines[File.join(directory, state["file"])] or return true
      counts = state["lines"].filter_map { |line| all[line - 1] }
      counts.empty? || counts.any?(&:positive?)
    end
  end

  def executed_lines(*options)
    Dir.mktmpdir do |temporary|
      helper = File.join(temporary, "helper.rb")
      dump = File.join(temporary, "dump")
      File.write(File.join(temporary, "last.rb"), "def casebook_last\n  1\nend\n")
      File.write(helper, <<~RUBY)
        require "coverage"
        Coverage.start
        # A method that is called at the end: Coverage still counts if it counts this.
        LAST = "#{temporary}/last.rb"
        load LAST
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
          casebook_last
          KEEP.call
          counts = LINES.transform_values { |all| all.first.each_index.map { |at| all.filter_map { |lines| lines[at] }.max } }
          File.binwrite("#{dump}", Marshal.dump([counts, counts[LAST][1] == 1]))
        end
      RUBY
      Open3.capture2e({ "RUBYOPT" => "-r#{helper}" }, "rspec", *options, chdir: @directory)
      Executed.new(@directory, *Marshal.load(File.binread(dump)))
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

puts "| project | examples | states | exercised | `rspec` | observed | ratio (bar ≤ 1.5×) | changed results | contradicted | not comparable | " \
     "mutants | each (bar ≤ 0.1 s) | survived |"
puts "|---|---|---|---|---|---|---|---|---|---|---|---|---|"
directories.each do |directory|
  warn "observe: #{directory}"
  puts "| #{Project.new(File.realpath(casebook), directory).row.join(' | ')} |"
end
