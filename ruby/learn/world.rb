# frozen_string_literal: true

require_relative "evaluator"
require_relative "facts"
require_relative "receivers"
require_relative "records"
require_relative "value_pool"

module CasebookLearn
  # What is known about the project while inputs are searched.
  class World
    attr_reader :facts, :evaluator, :pool

    # `modules` are the classes and modules of the project.
    def initialize(plan, modules)
      @modules = modules
      @rules = plan.fetch("rules")
      @facts = Facts.new(plan.fetch("facts"))
      @harvest = plan.fetch("harvest")
      @evaluator = Evaluator.new
      @pool = ValuePool.new(self)
      @receivers = Receivers.new(self)
      @records = Records.new(self)
    end

    # Whether a way to find inputs is used. All are; a measurement switches them on one by one.
    def rule?(name)
      @rules.include?(name)
    end

    # Code that creates objects of a class.
    def instances(type)
      rule?("constructors") || rule?("specs") ? @receivers.of(type) : []
    end

    # Code that creates objects of a class with values that one of its methods uses.
    def hinted_instances(type, keys, uses)
      rule?("constructors") ? @receivers.hinted(type, keys, uses) : []
    end

    # Code of records of a class: with factories, and with values of the columns that are read.
    def records(type, uses)
      rule?("factories") || rule?("columns") ? @records.of(type, uses).uniq.first(90) : []
    end

    # Code of objects of the project's classes that are named like a parameter, such as `parser` for `Tool::Parser`, or of
    # records that have all methods called on it.
    def instances_named(name, uses)
      @by_name ||= @modules.grep(Class).group_by { |type| snake(CasebookLearn.name_of(type).split("::").last) }
      types = @by_name[name]&.first(3) || @records.with_methods(@modules, uses.calls)
      types.flat_map { |type| records(type, uses) + instances(type).first(3) }
    end

    # Lists of arguments that specs pass to methods with this name.
    def harvested_calls(name)
      rule?("specs") ? @harvest["calls"].fetch(name, []) : []
    end

    # Code with which specs create objects of a class.
    def harvested_instances(type)
      @harvest["instances"].flat_map { |name, code| names?(name, type) ? code : [] }
    end

    # Short arguments that specs pass to any method.
    def harvest_arguments
      @harvest_arguments ||= @harvest["calls"].values.flatten.grep(/\A('[^']*'|"[^"]*"|:\w+|\d+)\z/)
                                              .tally.sort_by { |code, count| [-count, code] }.map(&:first).first(12)
    end

    private

    def snake(name)
      name.gsub(/([a-z\d])([A-Z])/, '\1_\2').downcase
    end

    # Whether a name in a spec may mean a class, a subclass or a module that makes its objects.
    def names?(name, type)
      named = Object.const_get(name) rescue nil
      known = CasebookLearn.name_of(type)
      return known.end_with?("::#{name}") unless named.is_a?(Module)

      named <= type || known.start_with?("#{CasebookLearn.name_of(named)}::")
    end
  end
end
