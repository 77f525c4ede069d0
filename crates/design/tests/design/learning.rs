//! Learning with real Ruby, in the sandbox. Where the system does not allow namespaces, these tests do nothing and say so.

use std::fs;
use std::path::Path;

use casebook_design::learn::{
    Expectation, LeafResult, LearnMethod, LearnOptions, LearnedMethod, Learner, Rule,
};
use casebook_design::metadata::read::Plan;
use casebook_design::on_deep_stack;
use casebook_design::ruby::{AnalysisOptions, analyze_all};
use casebook_design::sandbox::{Limits, Sandbox, SandboxError};

use crate::sandbox::{environment, not_tested};

/// Learns the methods of `lib/shop.rb`; `None` where the system forbids namespaces.
fn learn(source: &str, spec: &str, rules: &[Rule]) -> Option<Vec<LearnedMethod>> {
    let root = tempfile::tempdir().unwrap();
    write(root.path(), "lib/shop.rb", source);
    write(root.path(), "spec/shop_spec.rb", spec);
    let sandbox = match Sandbox::new(Limits::default(), &environment()) {
        Ok(sandbox) => sandbox,
        Err(SandboxError::Unavailable(reason)) => {
            not_tested(&reason);
            return None;
        }
        Err(error) => panic!("{error}"),
    };
    let temporary = tempfile::tempdir().unwrap();
    let learner = Learner {
        sandbox,
        temporary: temporary.path().to_owned(),
        options: LearnOptions {
            rules: rules.to_vec(),
            seconds: 2.0,
        },
    };
    Some(learner.learn(root.path(), &methods(source)).unwrap())
}

fn write(root: &Path, name: &str, text: &str) {
    let path = root.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn methods(source: &str) -> Vec<LearnMethod> {
    on_deep_stack(|| {
        let all = analyze_all(source.as_bytes(), "lib/shop.rb", AnalysisOptions::default());
        let all = all.unwrap().into_iter().map(Result::unwrap);
        let varying = all.filter(|analysis| !analysis.characteristics.is_empty());
        varying
            .map(|analysis| {
                let plan = Plan::of(&analysis, "lib/shop.rb");
                LearnMethod::new("lib/shop.rb", analysis, &plan)
            })
            .collect()
    })
}

/// The result of each leaf of the only method: the kind of expectation with its code, or the code of the reason.
fn shown(learned: &[LearnedMethod]) -> Vec<String> {
    let leaves = learned.iter().flat_map(|method| &method.leaves);
    let shown = leaves.map(|leaf| match leaf {
        LeafResult::Pending(reason) => reason.code().to_owned(),
        LeafResult::Example(example) => match &example.expectation {
            Expectation::Value(value) => format!("value {value}"),
            Expectation::Error(class) => format!("error {class}"),
            Expectation::Yield(lists) => format!("yield {lists:?}"),
            Expectation::Attributes(pairs) => format!("attributes {pairs:?}"),
            Expectation::Change {
                attribute,
                from,
                to,
            } => format!("change {attribute} {from} {to}"),
        },
    });
    shown.collect()
}

fn class(body: &str) -> String {
    format!(
        "class Shop\n  attr_reader :count\n\n  def initialize\n    @count = 0\n  end\n\n{body}\nend\n"
    )
}

#[test]
fn each_kind_of_result_is_observed_in_each_leaf() {
    for (body, expected) in [
        (
            "def fee(sum)\n  sum > 100 ? 0 : 7\nend",
            vec!["value 0", "value 7"],
        ),
        (
            "def kind(name)\n  case name\n  when 'gold' then :a\n  when /x+y/ then :b\n  else :c\n  end\nend",
            vec!["value :a", "value :b", "value :c"],
        ),
        (
            "def pay(sum)\n  raise ArgumentError, 'none' if sum.nil?\n  'paid'\nend",
            vec!["error ArgumentError", "value 'paid'"],
        ),
        (
            "def add(item)\n  @count += 1 if item\n  self\nend",
            vec!["change count 0 1", "not_proven"],
        ),
        (
            "def items(flag)\n  yield 1, 'b' if flag\n  self\nend",
            vec!["yield [[\"1\", \"'b'\"]]", "yield []"],
        ),
        (
            "def state(item)\n  return 1 if item.sold?\n  return 2 if item.broken?\n  3\nend",
            vec!["value 1", "value 2", "value 3"],
        ),
        (
            "def route(env)\n  env['PATH'] ? 'path' : 'none'\nend",
            vec!["value 'path'", "value 'none'"],
        ),
    ] {
        let Some(learned) = learn(&class(body), "", &Rule::ALL) else {
            return;
        };
        let found = shown(&learned);
        // The second state of `add` changes nothing, which no expectation shows.
        let expected: Vec<_> = expected
            .iter()
            .filter(|one| **one != "not_proven")
            .collect();
        for one in expected {
            assert!(found.iter().any(|shown| shown == one), "{body}\n{found:?}");
        }
    }
}

#[test]
fn what_cannot_become_an_example_has_a_reason() {
    for (body, reason) in [
        (
            "def pick(flag)\n  flag ? rand : Random.rand(9)\nend",
            "not_repeatable",
        ),
        (
            "def year(flag)\n  flag ? Time.now.year : Time.now.month\nend",
            "not_repeatable",
        ),
        (
            "def remember(flag)\n  ENV['SHOP'] = flag ? 'a' : 'b'\nend",
            "changes_global_state",
        ),
        (
            "def object(flag)\n  flag ? Object.new : BasicObject.new\nend",
            "no_literal",
        ),
        ("def same(flag)\n  flag ? 1 : 1\nend", "not_proven"),
        (
            "def never(flag)\n  Class.new.new.equal?(flag) ? 1 : 2\nend",
            "not_reached",
        ),
        (
            "def leave(flag)\n  exit!\n  flag ? 1 : 2\nend",
            "not_reached",
        ),
        (
            "def list(flag)\n  flag ? `ls` : system('ls')\nend",
            "accidental_error",
        ),
        (
            "def broken(flag)\n  flag ? nil.upcase : 1.upcase\nend",
            "accidental_error",
        ),
    ] {
        let Some(learned) = learn(&class(body), "", &Rule::ALL) else {
            return;
        };
        assert!(
            shown(&learned).contains(&reason.to_owned()),
            "{body}\n{:?}",
            shown(&learned)
        );
    }
}

/// All of them are called on modules while inputs are searched.
#[test]
fn a_class_that_redefines_what_ruby_calls_on_modules_is_learned() {
    for redefined in [
        "def self.hash(time) = time",
        "def self.name(text = nil) = text",
        "def self.name(text) = text",
        "def self.inspect(text) = text",
        "def self.to_s(text) = text",
        "def self.==(other, more) = more",
        "def self.===(other) = raise('no')",
        "def self.include?(*) = raise('no')",
        "def self.respond_to?(name) = name == :new",
        "def self.instance_variables(of) = of",
    ] {
        let body = format!("{redefined}\ndef fee(sum)\n  sum > 100 ? 0 : 7\nend");
        let Some(learned) = learn(&class(&body), "", &Rule::ALL) else {
            return;
        };
        // After what was learned about the redefined method itself.
        let shown = shown(&learned);
        assert!(
            shown.ends_with(&["value 0".to_owned(), "value 7".to_owned()]),
            "{redefined}: {shown:?}"
        );
    }
}

#[test]
fn a_source_that_cannot_be_loaded_is_reported_with_its_error() {
    let source = format!(
        "require 'no_such_library'\n{}",
        class("def a(b)\n  b ? 1 : 2\nend")
    );
    let Some(learned) = learn(&source, "", &Rule::ALL) else {
        return;
    };
    assert_eq!(shown(&learned), ["not_loaded", "not_loaded"]);
    let failure = learned[0].failure.as_deref().unwrap();
    assert!(failure.contains("no_such_library"), "{failure}");
}

#[test]
fn values_of_existing_specs_are_used() {
    let source = class(
        "def open(code)\n  code.sum == 'sesame'.sum && code.size == 6 ? 'open' : 'closed'\nend",
    );
    let spec =
        "RSpec.describe Shop do\n  let(:word) { 'semase' }\n  it { Shop.new.open(word) }\nend\n";
    let without: Vec<_> = Rule::ALL
        .into_iter()
        .filter(|rule| !matches!(rule, Rule::Specs | Rule::Literals))
        .collect();
    let with: Vec<_> = Rule::ALL
        .into_iter()
        .filter(|rule| *rule != Rule::Literals)
        .collect();
    let Some(learned) = learn(&source, spec, &without) else {
        return;
    };
    assert!(!shown(&learned).contains(&"value 'open'".to_owned()));
    let learned = learn(&source, spec, &with).unwrap();
    assert!(
        shown(&learned).contains(&"value 'open'".to_owned()),
        "{:?}",
        shown(&learned)
    );
}
