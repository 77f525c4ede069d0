//! The implementer: what it writes into a skeleton for a method (rules W3, W4 and W6).

use casebook_design::factories::TraitDefinition;
use casebook_design::metadata::read::Plan;
use casebook_design::on_deep_stack;
use casebook_design::ruby::{MethodQuery, Table, analyze, model_facts, tables};
use casebook_design::skeleton::{Distance, Style, skeleton};
use casebook_design::spec::{self, Implemented, architect, implement};

/// The factories and models of a project.
#[derive(Default)]
struct Records<'a> {
    /// Names and traits.
    factories: &'a [(&'a str, &'a [&'a str])],
    /// Traits and what they set.
    traits: &'a [(&'a str, &'a str)],
    are_fabricated: bool,
    /// The body of `class User < ApplicationRecord`.
    user: &'a str,
    /// The columns of the table `users`.
    columns: &'a str,
}

impl Records<'_> {
    fn facts(&self) -> spec::Records {
        let schema = format!("create_table \"users\" do |t|\n{}\nend\n", self.columns);
        let schema = format!("ActiveRecord::Schema.define do\n{schema}end\n");
        let tables: Vec<Table> = tables(schema.as_bytes());
        let source = format!("class User < ApplicationRecord\n{}\nend\n", self.user);
        let facts = model_facts(source.as_bytes(), "app/models/user.rb", "User", &tables);
        let definition = |(name, sets): &(&str, &str)| TraitDefinition {
            name: (*name).to_owned(),
            sets: sets.split(' ').map(ToOwned::to_owned).collect(),
        };
        spec::Records {
            models: vec![("user".to_owned(), facts.unwrap())],
            traits: self.traits.iter().map(definition).collect(),
            are_fabricated: self.are_fabricated,
        }
    }
}

/// The finished spec of a method, without indentation.
#[track_caller]
fn spec_of(ruby: &str, method: Option<&str>, records: &Records<'_>) -> Vec<String> {
    let done = implemented(ruby, method, records);
    let lines = done.text.lines().map(|line| line.trim().to_owned());
    lines.collect()
}

/// The finished spec of a method.
#[track_caller]
fn implemented(ruby: &str, method: Option<&str>, records: &Records<'_>) -> Implemented {
    let query = MethodQuery {
        name: method.map(ToOwned::to_owned),
        ..MethodQuery::default()
    };
    on_deep_stack(|| {
        let found = analyze(ruby.as_bytes(), "lib/gate.rb", &query);
        let analyses = [found.unwrap_or_else(|error| panic!("{error}\n{ruby}"))];
        let mut plan = Plan::of(&analyses[0], "lib/gate.rb");
        let names = |traits: &[&str]| traits.iter().map(|name| (*name).to_owned()).collect();
        let factories = records.factories.iter();
        plan.factories = factories
            .map(|(name, traits)| ((*name).to_owned(), names(traits)))
            .collect();
        let plans = [plan];
        let text = architect(&skeleton(&plans, Style::Bare), &plans, &analyses).text;
        implement(
            &text,
            &plans,
            &analyses,
            &records.facts(),
            Distance::Apart,
            &[],
        )
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
        ("x", "x.is_a?(Hash) ? 1 : 2", "x {}, {}, 'text'"),
        ("x", "x.is_a?(String) ? 1 : 2", "x 'text', 'text', 1"),
        ("x", "x.is_a?(Gate) ? 1 : 2", "x nil"),
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
            "x { key: 'value' }, { 'a' => 'value' }, {}",
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

/// The lines with setups and expectations of `User#open`.
#[track_caller]
fn own_record(body: &str, records: &Records<'_>) -> String {
    let ruby = format!("class User < ApplicationRecord\n  def open\n{body}\n  end\nend\n");
    lines_with(
        &spec_of(&ruby, None, records),
        &["let", "# Set up", "expect", "skip"],
    )
}

#[test]
fn the_record_under_test_gets_its_trait_column_and_enum() {
    let records = Records {
        factories: &[("user", &["active", "with_email", "without_email"])],
        user: "enum status: { draft: 0, published: 1 }\nenum :kind, [:plain, :odd], prefix: true",
        columns: "t.boolean \"active\"\nt.boolean \"vip\"\nt.integer \"status\"",
        ..Records::default()
    };
    for (body, expected) in [
        (
            "active? ? 1 : 2",
            "let(:service) { build_stubbed(:user) }\n\
             let(:service) { build_stubbed(:user, :active) }\nexpect(result).to eq(1)\n\
             let(:service) { build_stubbed(:user, active: false) }\nexpect(result).to eq(2)",
        ),
        (
            "return 1 if self.vip?\n2",
            "let(:service) { build_stubbed(:user) }\n\
             let(:service) { build_stubbed(:user, vip: true) }\nexpect(result).to eq(1)\n\
             let(:service) { build_stubbed(:user, vip: false) }\nexpect(result).to eq(2)",
        ),
        (
            "draft? ? 1 : 2",
            "let(:service) { build_stubbed(:user) }\n\
             let(:service) { build_stubbed(:user, status: 'draft') }\nexpect(result).to eq(1)\n\
             let(:service) { build_stubbed(:user, status: 'published') }\nexpect(result).to eq(2)",
        ),
        (
            "status == 'published' ? 1 : 2",
            "let(:service) { build_stubbed(:user) }\n\
             let(:service) { build_stubbed(:user, status: 'published') }\nexpect(result).to eq(1)\n\
             let(:service) { build_stubbed(:user, status: 'draft') }\nexpect(result).to eq(2)",
        ),
        (
            "email.present? ? 1 : 2",
            "let(:service) { build_stubbed(:user) }\n\
             let(:service) { build_stubbed(:user, :with_email) }\nexpect(result).to eq(1)\n\
             let(:service) { build_stubbed(:user, :without_email) }\nexpect(result).to eq(2)",
        ),
        (
            "odd? ? 1 : 2",
            "let(:service) { build_stubbed(:user) }\n\
             # Set up `odd`: odd.\nskip 'To be completed: set up `odd`: odd'\n\
             # Set up `odd`: not_odd.\nskip 'To be completed: set up `odd`: not_odd'",
        ),
        (
            "kind_odd? ? 1 : 2",
            "let(:service) { build_stubbed(:user) }\n\
             let(:service) { build_stubbed(:user, kind: 'odd') }\nexpect(result).to eq(1)\n\
             let(:service) { build_stubbed(:user, kind: 'plain') }\nexpect(result).to eq(2)",
        ),
        (
            "account.active? ? 1 : 2",
            "let(:service) { build_stubbed(:user) }\n\
             # Set up `account_active`: active.\nskip 'To be completed: set up `account_active`: active'\n\
             # Set up `account_active`: not_active.\nskip 'To be completed: set up `account_active`: not_active'",
        ),
    ] {
        assert_eq!(own_record(body, &records), expected, "{body}");
    }
}

#[test]
fn records_of_parameters_get_traits_for_presence_and_no_contradicting_arguments() {
    let user = "def premium? = role == :premium\nattr_accessor :role, :active";
    let of_role = Records {
        factories: &[("user", &["premium", "with_name", "active"])],
        traits: &[("premium", "role"), ("active", "active")],
        user,
        ..Records::default()
    };
    for (body, expected) in [
        (
            "return 1 unless user.premium?\nuser.role == :vip ? 2 : 3",
            "build_stubbed(:user, :premium), build_stubbed(:user, :premium), build_stubbed(:user, role: :something_else)",
        ),
        (
            "return 1 unless user.active?\nuser.role == :vip ? 2 : 3",
            "build_stubbed(:user, :active), build_stubbed(:user, :active), \
             build_stubbed(:user, :active, role: :vip), build_stubbed(:user, :active, role: :something_else), \
             build_stubbed(:user, active: false)",
        ),
        (
            "user.name.present? ? 1 : 2",
            "build_stubbed(:user), build_stubbed(:user, :with_name)",
        ),
    ] {
        let ruby = format!("class Gate\n  def open(user)\n{body}\n  end\nend\n");
        let spec = spec_of(&ruby, None, &of_role);
        let values = spec.iter();
        let values =
            values.filter_map(|line| line.strip_prefix("let(:user) { ")?.strip_suffix(" }"));
        assert_eq!(values.collect::<Vec<_>>().join(", "), expected, "{body}");
    }
}

#[test]
fn a_record_in_an_instance_variable_gets_its_enum_with_prefix_or_suffix() {
    let records = Records {
        factories: &[("user", &[])],
        user: "enum :role, [:guest, :admin], suffix: true\nenum kind: { plain: 0, odd: 1 }, _prefix: :is",
        ..Records::default()
    };
    for (condition, expected) in [
        ("admin_role?", ["role: 'admin'", "role: 'guest'"]),
        ("is_odd?", ["kind: 'odd'", "kind: 'plain'"]),
    ] {
        let ruby = format!(
            "class Gate\n  def initialize(user)\n    @user = user\n  end\n\n  def open\n    @user.{condition} ? 1 : 2\n  end\nend\n"
        );
        let spec = lines_with(&spec_of(&ruby, Some("open"), &records), &["let(:user)"]);
        let [met, unmet] = expected;
        assert_eq!(
            spec,
            format!(
                "let(:user) {{ build_stubbed(:user) }}\nlet(:user) {{ build_stubbed(:user, {met}) }}\n\
                 let(:user) {{ build_stubbed(:user, {unmet}) }}"
            ),
            "{condition}"
        );
    }
}

#[test]
fn fabricators_are_called_with_the_words_of_fabrication() {
    let records = Records {
        factories: &[("user", &[])],
        columns: "t.boolean \"active\"",
        are_fabricated: true,
        ..Records::default()
    };
    assert_eq!(
        own_record("active? ? 1 : 2", &records),
        "let(:service) { Fabricate.build(:user) }\n\
         let(:service) { Fabricate.build(:user, active: true) }\nexpect(result).to eq(1)\n\
         let(:service) { Fabricate.build(:user, active: false) }\nexpect(result).to eq(2)",
    );
}

#[test]
fn expectations_that_only_a_run_can_confirm_have_a_doubt() {
    let unknown = "it is unknown how to create an instance";
    for (ruby, expected) in [
        ("class Gate\ndef open = 1\nend", vec![None]),
        ("class Gate < Wall\ndef open = 1\nend", vec![Some(unknown)]),
        (
            "class Gate < Wall\ndef open(x)\nx.nil? ? 1 : 2\nend\nend",
            vec![Some(unknown), Some(unknown)],
        ),
        (
            "class Gate\ndef initialize(x)\n@x = x || 1\nend\ndef open\n@x.nil? ? 1 : 2\nend\nend",
            vec![],
        ),
        (
            "class Gate < Wall\nprivate_class_method :new\ndef open = 1\nend",
            vec![],
        ),
        ("class Gate < Wall\ndef open = find\nend", vec![]),
    ] {
        let done = implemented(ruby, Some("open"), &Records::default());
        let doubts = done.expectations.iter().map(|one| one.doubt.as_deref());
        assert_eq!(doubts.collect::<Vec<_>>(), expected, "{ruby}");
        let lines: Vec<&str> = done.text.lines().collect();
        for expectation in &done.expectations {
            let line = lines[expectation.line - 1].trim();
            assert!(line.starts_with("expect(result)"), "{}", done.text);
        }
    }
}
