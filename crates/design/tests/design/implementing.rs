//! The implementer: what it writes into a skeleton for a method (rules W3, W4 and W6).

use casebook_design::metadata::read::Plan;
use casebook_design::on_deep_stack;
use casebook_design::ruby::{MethodQuery, ModelFacts, Table, analyze, model_facts, tables};
use casebook_design::skeleton::{Distance, Style, skeleton};
use casebook_design::spec::{architect, implement};

/// The factories and models of a project.
#[derive(Default)]
struct Records<'a> {
    /// Names and traits.
    factories: &'a [(&'a str, &'a [&'a str])],
    /// The body of `class User < ApplicationRecord`.
    user: &'a str,
    /// The columns of the table `users`.
    columns: &'a str,
}

impl Records<'_> {
    fn facts(&self) -> Vec<(String, ModelFacts)> {
        let schema = format!("create_table \"users\" do |t|\n{}\nend\n", self.columns);
        let schema = format!("ActiveRecord::Schema.define do\n{schema}end\n");
        let tables: Vec<Table> = tables(schema.as_bytes());
        let source = format!("class User < ApplicationRecord\n{}\nend\n", self.user);
        let facts = model_facts(source.as_bytes(), "app/models/user.rb", "User", &tables);
        vec![("user".to_owned(), facts.unwrap())]
    }
}

/// The finished spec of a method, without indentation.
#[track_caller]
fn spec_of(ruby: &str, method: Option<&str>, records: &Records<'_>) -> Vec<String> {
    let query = MethodQuery {
        name: method.map(ToOwned::to_owned),
        ..MethodQuery::default()
    };
    on_deep_stack(|| {
        let analysis = analyze(ruby.as_bytes(), "lib/gate.rb", &query);
        let analyses = [analysis.unwrap_or_else(|error| panic!("{error}\n{ruby}"))];
        let mut plan = Plan::of(&analyses[0], "lib/gate.rb");
        let names = |traits: &[&str]| traits.iter().map(|name| (*name).to_owned()).collect();
        let factories = records.factories.iter();
        plan.factories = factories
            .map(|(name, traits)| ((*name).to_owned(), names(traits)))
            .collect();
        let plans = [plan];
        let text = architect(&skeleton(&plans, Style::Bare), &plans, &analyses).text;
        let done = implement(&text, &plans, &analyses, &records.facts(), Distance::Apart);
        let lines = done.text.lines().map(|line| line.trim().to_owned());
        lines.collect()
    })
}

/// The lines of a spec that start with one of these.
fn lines_with(spec: &[String], starts: &[&str]) -> String {
    let lines = spec.iter();
    let lines = lines.filter(|line| starts.iter().any(|start| line.starts_with(start)));
    lines.map(String::as_str).collect::<Vec<_>>().join("\n")
}

#[test]
fn arguments_of_every_kind_are_passed() {
    for (parameters, expected) in [
        ("", "subject(:result) { service.open }"),
        (
            "*names",
            "subject(:result) { service.open(*names) }\nlet(:names) { [] }",
        ),
        (
            "**options",
            "subject(:result) { service.open(**options) }\nlet(:options) { {} }",
        ),
        (
            "&block",
            "subject(:result) { service.open(&block) }\nlet(:block) { proc {} }",
        ),
        (
            "first, *rest, last:, **options, &block",
            "subject(:result) { service.open(first, *rest, last: last, **options, &block) }\n\
             let(:first) { nil }\nlet(:rest) { [] }\nlet(:last) { nil }\nlet(:options) { {} }\n\
             let(:block) { proc {} }",
        ),
        ("*, **, &", "subject(:result) { service.open }"),
    ] {
        let ruby = format!("class Gate\n  def open({parameters})\n    1\n  end\nend\n");
        let spec = spec_of(&ruby, None, &Records::default());
        let found = lines_with(&spec, &["subject", "let"])
            .replace("let(:service) { described_class.new }\n", "");
        assert_eq!(
            found.replace("\nlet(:service) { described_class.new }", ""),
            expected,
            "{parameters}"
        );
    }
}

#[test]
fn values_have_the_class_that_the_calls_on_a_parameter_show() {
    for (parameters, body, expected) in [
        (
            "x",
            "return 1 if x.nil?\nx[:fast] ? 2 : 3",
            "x { key: 'value' }, { key: 'value' }, { fast: 'value' }, {}, nil",
        ),
        (
            "x",
            "return 1 if x.empty?\nx.strip",
            "x 'value', 'value', ''",
        ),
        (
            "x",
            "return 1 if x.empty?\nx.keys",
            "x { key: 'value' }, { key: 'value' }, {}",
        ),
        (
            "x",
            "return 1 if x.empty?\nx.map(&:y)",
            "x ['value'], ['value'], []",
        ),
        (
            "x",
            "return 1 if x.empty?\nx.foo",
            "x ['value'], ['value'], []",
        ),
        ("x", "return 1 unless x\nx.times { y }", "x 1, 1, nil"),
        ("x", "x.upcase", "x 'value'"),
        (
            "x",
            "x.each { |y| y }; x.each_pair { |y| y }",
            "x { key: 'value' }",
        ),
        ("x", "x.strip; x.keys", "x nil"),
        ("x", "y(*x)", "x ['value']"),
        ("x", "y(**x)", "x { key: 'value' }"),
        ("x", "x.call", "x proc {}"),
        ("x", "x.foo", "x nil"),
        ("x = 'a'", "x.foo", ""),
        (
            "*x",
            "return 1 if x.empty?\n2",
            "x ['value'], ['value'], []",
        ),
        ("*x", "return 1 if x.nil?\n2", "x ['value'], ['value']"),
        (
            "**x",
            "return 1 if x.empty?\n2",
            "x { key: 'value' }, { key: 'value' }, {}",
        ),
        ("&x", "return 1 unless x\n2", "x proc {}, proc {}, nil"),
        (
            "x",
            "x['a'] ? 1 : 2",
            "x { 'a' => 'value' }, { 'a' => 'value' }, {}",
        ),
        ("x", "x[0] ? 1 : 2", "x nil"),
    ] {
        let ruby = format!("class Gate\n  def open({parameters})\n{body}\n  end\nend\n");
        let spec = spec_of(&ruby, None, &Records::default());
        let values: Vec<_> = spec
            .iter()
            .filter_map(|line| line.strip_prefix("let(:x) { ")?.strip_suffix(" }"))
            .collect();
        let found = if values.is_empty() {
            String::new()
        } else {
            format!("x {}", values.join(", "))
        };
        assert_eq!(found, expected, "{body}");
    }
}

#[test]
fn instances_are_created_only_where_new_exists() {
    for (ruby, expected) in [
        (
            "class Gate\ndef open = 1\nend",
            "let(:service) { described_class.new }\nexpect(result).to eq(1)",
        ),
        (
            "module Gate\ndef open = 1\nend",
            "let(:service) { Class.new.include(described_class).new }\nexpect(result).to eq(1)",
        ),
        (
            "module Gate\nmodule_function\ndef open = 1\nend",
            "expect(result).to eq(1)",
        ),
        (
            "class NilClass\ndef open = 1\nend",
            "let(:service) { nil }\nexpect(result).to eq(1)",
        ),
        (
            "class Symbol\ndef open = 1\nend",
            "let(:service) { :word }\nexpect(result).to eq(1)",
        ),
        (
            "class Gate\nprivate_class_method :new\ndef open = 1\nend",
            "let(:service) { described_class.new }\nskip 'To be completed: `Gate.new` is private'",
        ),
        (
            "class Gate\nclass << self\nprivate :new\nend\ndef open = 1\nend",
            "let(:service) { described_class.new }\nskip 'To be completed: `Gate.new` is private'",
        ),
        (
            "class Gate\ninclude Singleton\ndef open = 1\nend",
            "let(:service) { described_class.new }\nskip 'To be completed: `Gate.new` is private'",
        ),
        (
            "class Gate\nprivate\ndef open = 1\nend",
            "let(:service) { described_class.new }\nskip 'To be completed: the method is private'",
        ),
        (
            "module A\nclass Gate\ndef open = 1\nend\nprivate_constant :Gate\nend",
            "let(:service) { described_class.new }\nskip 'To be completed: A::Gate is a private constant'",
        ),
    ] {
        let spec = spec_of(ruby, Some("open"), &Records::default());
        assert_eq!(
            lines_with(&spec, &["let", "expect", "skip"]),
            expected,
            "{ruby}"
        );
    }
}
