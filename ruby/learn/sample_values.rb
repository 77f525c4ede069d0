# frozen_string_literal: true

require "stringio"

module CasebookLearn
  # Values of Ruby's own classes, as code.
  module SampleValues
    OF_CLASS = {
      String => ["'value'", "''", "'Some Text'", "'1'", "'a/b'", "'a,b'", "' '", "'a=b'"],
      Symbol => %w[:value :key],
      Integer => %w[1 0 -1 2 5 100],
      Float => %w[1.5 0.0 -1.5],
      Array => ["['value']", "[]", "[1, 2, 3]", "['a', 'b']", "[:value]", "[nil]", "[['a', 1]]"],
      Hash => ["{ key: 'value' }", "{}", "{ 'key' => 'value' }", "{ a: { b: 1 } }"],
      Proc => ["->(*args) { args.first }", "->(*) {}"],
      Range => %w[(1..3)],
      Regexp => ["/value/"],
      Time => ["Time.utc(2020, 1, 2, 3, 4, 5)"],
      StringIO => ["StringIO.new('value')", "StringIO.new"],
      Class => %w[String Object],
      TrueClass => %w[true],
      FalseClass => %w[false],
      NilClass => %w[nil]
    }.compare_by_identity.freeze

    # What the name of a parameter suggests.
    OF_NAME = {
      /opt|attr|hash|env|header|params|config|data|values|context|locals/ => Hash,
      /name|key|path|str|text|msg|message|word|prefix|host|title|body|source|content|line/ => String,
      /list|items|args|names|keys|rows|parts|tokens|s\z/ => Array,
      /num|count|size|limit|index|col|offset|length|width|height|level|\An\z|year|month|day/ => Integer,
      /class|klass|type|mod/ => Class,
      /io\z|output|stream|out\z/ => StringIO,
      /block|proc|callable|handler|callback/ => Proc,
      /time|date|now|at\z/ => Time,
      /flag|enabled|\?\z/ => TrueClass
    }.freeze

    # Values for names with a usual meaning: those of Rack, and addresses.
    CONVENTIONS = {
      /\Aapp\z/ => "->(env) { [200, {}, ['ok']] }",
      /\Aenv\z/ => "{ 'REQUEST_METHOD' => 'GET', 'PATH_INFO' => '/' }",
      /ur[il]/ => "'http://example.com/a?b=1'"
    }.freeze

    # Tried for every parameter.
    ANY = ["'value'", "nil", ":value", "1", "[]", "{}", "true", "false", "''", "['value']", "{ key: 'value' }", "0", "-1",
           "Object.new", "->(*args) { args.first }", "String"].freeze

    class << self
      # The classes that respond to all of these methods.
      def classes_with(calls)
        OF_CLASS.keys.select { |type| calls.all? { |call| type.method_defined?(call) } }
      end

      def classes_named(name)
        OF_NAME.select { |pattern, _| name.match?(pattern) }.values
      end
    end
  end
end
