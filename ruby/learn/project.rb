# frozen_string_literal: true

require "set"

module CasebookLearn
  # The name of a class or module, which may redefine `name`.
  def self.name_of(type) = Module.instance_method(:name).bind_call(type)

  # The project whose code is run.
  class Project
    def initialize(plan)
      @root = plan.fetch("root")
      @load_path = plan.fetch("load_path")
      @requires = plan.fetch("requires")
      @files = plan.fetch("files")
      @errors = {}
    end

    # Loads the project as its specs do, and then every source with a method to learn.
    def load
      Dir.chdir(@root)
      $LOAD_PATH.unshift(*@load_path)
      # Not `-`: a class may redefine `hash`.
      before = Set.new.compare_by_identity.merge(modules_now)
      @requires.each { |file| attempt(file) }
      @files.each { |file| @errors[file] = attempt(file) }
      @modules = modules_now.reject { |type| before.include?(type) }
      Casebook::MemoryDatabase.keep
    end

    # Why a source could not be loaded.
    def error(file)
      @errors[File.join(@root, file)]
    end

    # The classes and modules that loading defined.
    attr_reader :modules

    # The modules whose state an example must not change. Database and factory libraries fill caches all the time, so in
    # a project that uses them only its own modules count, without the caches in the classes of records.
    def stateful_modules = own_modules.reject { |type| Records.type?(type) }

    # Without those of the libraries for records, which have classes for everything, such as `Count`.
    def own_modules
      return @modules unless Records.used? || defined?(FactoryBot)

      @own_modules ||= @modules.select { |type| own?(type) }
    end

    private

    def own?(type)
      Object.const_source_location(CasebookLearn.name_of(type))&.first.to_s.start_with?("#{@root}/")
    rescue NameError
      false
    end

    def attempt(file)
      require file
      nil
    rescue SignalException
      raise
    rescue Exception => e
      "#{e.class}: #{e.message}".lines.first.to_s.strip[0, 200]
    end

    def modules_now
      ObjectSpace.each_object(Module).select { |type| !type.singleton_class? && CasebookLearn.name_of(type) }
    end
  end
end
