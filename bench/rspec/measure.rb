# frozen_string_literal: true

# Measures the overhead of recording an RSpec run, and the speedup with workers. Prints a Markdown table.
#
#   ruby bench/rspec/measure.rb PATH/TO/casebook

require "fileutils"
require "tmpdir"

EXAMPLES = 1000
MILLIS = 5
ROUNDS = 5

SPEC = <<~SPEC
  RSpec.describe "Part %<part>d" do
    #{EXAMPLES / 10}.times do |number|
      it("takes its time \#{number}") { sleep #{MILLIS / 1000.0} }
    end
  end
SPEC

casebook = File.expand_path(ARGV.fetch(0))
COMMANDS = {
  "`rspec`" => %w[rspec],
  "`casebook record -- rspec`" => [casebook, "record", "--record", "OUT", "--", "rspec"],
  "`casebook rspec -w 1`" => [casebook, "rspec", "--record", "OUT", "-w", "1"],
  "`casebook rspec -w 4`" => [casebook, "rspec", "--record", "OUT", "-w", "4"]
}.freeze

def clock
  Process.clock_gettime(Process::CLOCK_MONOTONIC)
end

def seconds(command, folder)
  out = File.join(folder, "out")
  FileUtils.rm_rf(out)
  words = command.map { |word| word == "OUT" ? out : word }
  started = clock
  system(*words, chdir: folder, out: File::NULL, err: File::NULL) || abort("#{words.join(" ")} failed")
  clock - started
end

def median(values)
  values.sort[values.size / 2]
end

Dir.mktmpdir do |folder|
  FileUtils.mkdir(File.join(folder, "spec"))
  10.times { |part| File.write(File.join(folder, "spec", "part#{part}_spec.rb"), format(SPEC, part: part)) }
  # Alternating, so that other load on the machine affects all commands equally.
  times = Hash.new { |all, name| all[name] = [] }
  ROUNDS.times do |round|
    COMMANDS.each do |name, command|
      warn "round #{round + 1} of #{ROUNDS}: #{name}"
      times[name] << seconds(command, folder)
    end
  end
  alone = median(times["`rspec`"])
  bars = { "`casebook record -- rspec`" => "≤ 1.10×", "`rspec`" => "" }
  puts "#{EXAMPLES} examples of #{MILLIS} ms each in 10 files, the median of #{ROUNDS} runs."
  puts
  puts "| command | time | ratio | bar |", "|---|---|---|---|"
  times.each do |name, values|
    puts format("| %s | %.2f s | %.2f× | %s |", name, median(values), median(values) / alone, bars.fetch(name, ""))
  end
end
