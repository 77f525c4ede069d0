# frozen_string_literal: true

require "io/wait"
require "json"
require "tmpdir"

module CasebookLearn
  # Runs code in a forked process, so that it can neither change nor end this one.
  class Child
    # The lines that the block sent until the deadline.
    def self.run(seconds, &block)
      new(seconds).run(&block)
    end

    def initialize(seconds)
      @seconds = seconds
    end

    def run(&block)
      reader, writer = IO.pipe
      pid = fork { inside(reader, writer, &block) }
      writer.close
      lines = collect(reader, pid)
      Process.wait(pid)
      lines
    ensure
      reader.close
    end

    private

    def inside(reader, writer)
      reader.close
      writer.sync = true
      leave = Process.method(:exit!)
      silence
      CasebookSandbox.install(Dir.tmpdir)
      yield ->(line) { writer.puts(JSON.generate(line)) }
    rescue Exception => e
      writer.puts(JSON.generate({ "failure" => "#{e.class}: #{e.message}"[0, 300] }))
    ensure
      # Not `exit`: code of the project may run at the exit.
      leave.call(0)
    end

    def silence
      $stdin.reopen(File::NULL)
      $stdout.reopen(File::NULL, "w")
      $stderr.reopen(File::NULL, "w")
    end

    def collect(reader, pid)
      deadline = now + @seconds
      buffer = +""
      until (part = read(reader, deadline)) == :end
        break Process.kill(:KILL, pid) if part == :late

        buffer << part
      end
      buffer.lines.select { |line| line.end_with?("\n") }.filter_map { |line| parse(line) }
    end

    def read(reader, deadline)
      left = deadline - now
      return :late if left <= 0 || !reader.wait_readable(left)

      reader.readpartial(1 << 16)
    rescue EOFError
      :end
    end

    # Code of the project may write to the same pipe.
    def parse(line)
      JSON.parse(line)
    rescue JSON::ParserError
      nil
    end

    def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
  end
end
