# frozen_string_literal: true

# Reports the outcomes of conditions while Ruby code runs.
#
# Casebook adds this file to RUBYOPT. The plan that CASEBOOK_PROBES names says which bytes of which files are conditions.
# They are rewritten when Ruby loads a file: nothing in the project changes, and lines keep their numbers. A file that
# cannot be rewritten is loaded as it is.
#
# This file is loaded before Bundler, so it requires no library: one of another version might be in the project's Gemfile.

module Casebook
  # What the rewritten code calls. An outcome is a number: twice that of the probe for true, one more for false.
  module Probes
    @hits = Hash.new(0)

    class << self
      # How often each outcome occurred; replaced for each example.
      attr_accessor :hits

      # The outcomes to invert, or nil.
      attr_accessor :inverted

      # Each planned file that was loaded: its path, and nil or why it was not rewritten.
      attr_reader :files

      def condition(number, value)
        outcome = value ? number * 2 : number * 2 + 1
        @hits[outcome] += 1
        @inverted&.include?(outcome) ? !value : value
      end

      def subject(number, value)
        @hits[number * 2] += 1
        value
      end

      # Whether to run the statements of a branch.
      def arm?(number)
        @hits[number * 2] += 1
        !@inverted&.include?(number * 2)
      end

      def start(plan)
        @plan = plan
        @files = {}
        RubyVM::InstructionSequence.singleton_class.prepend(Loader)
      end

      # The rewritten code of a planned file, or nil.
      def compile(path)
        file = @plan.file(path) or return
        source = File.binread(path)
        @files[file.path] = file.problem(source)
        return if @files[file.path]

        code = file.rewrite(source).force_encoding(Encoding::UTF_8)
        RubyVM::InstructionSequence.compile(code, path, File.realpath(path), 1)
      rescue SyntaxError, SystemCallError => error
        @files[file.path] = error.message.lines.first.to_s.strip
        nil
      end
    end

    # The hook that Ruby calls for each file it loads.
    module Loader
      def load_iseq(path)
        Probes.compile(path) || (super if defined?(super))
      end
    end

    # The files to rewrite, and where.
    class Plan
      def self.read(path)
        plan = new
        File.foreach(path, chomp: true, encoding: "UTF-8") { |line| plan.add(*line.split("\t")) }
        plan
      end

      def initialize
        @files = {}
      end

      def add(kind, *fields)
        case kind
        when "root" then @root = "#{fields.first}/"
        when "file" then @files[fields.last] = @last = ProbedFile.new(fields.last, Integer(fields.first))
        else @last.add(kind, *fields.map { |field| Integer(field) })
        end
      end

      def file(path)
        @files[path.delete_prefix(@root)] if path.start_with?(@root)
      end
    end

    # One file of the plan.
    class ProbedFile
      # Text before and after a probed place.
      FORMS = {
        "condition" => ["::Casebook::Probes.condition(%d,(", "))"],
        "subject" => ["::Casebook::Probes.subject(%d,(", "))"],
        "arm" => ["if ::Casebook::Probes.arm?(%d);", ";end"]
      }.freeze

      attr_reader :path

      def initialize(path, length)
        @path = path
        @length = length
        @edits = []
      end

      # Places may be nested: what ends here is closed before anything is opened, and the inner one is closed first.
      def add(kind, number, start, finish)
        before, after = FORMS.fetch(kind)
        outer = kind == "arm" ? 0 : 1
        @edits << [[start, 1, -finish, outer], start, format(before, number)]
        @edits << [[finish, 0, -start, -outer], finish, after]
      end

      def problem(source)
        "it changed after it was analyzed" if source.bytesize != @length
      end

      def rewrite(source)
        code = +"".b
        position = 0
        @edits.sort_by(&:first).each do |_, at, text|
          code << source.byteslice(position, at - position) << text
          position = at
        end
        code << source.byteslice(position, source.bytesize - position)
      end
    end

    start(Plan.read(ENV["CASEBOOK_PROBES"])) if ENV["CASEBOOK_PROBES"]
  end
end
