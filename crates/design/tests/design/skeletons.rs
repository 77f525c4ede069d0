//! Trees, words, layout and merging: rules S1 to S9. The snapshots were reviewed manually.

use casebook_design::metadata::document::Document;
use casebook_design::metadata::read::{Layout, Plan, plan};
use casebook_design::on_deep_stack;
use casebook_design::outline::outline;
use casebook_design::review::{ReviewContext, review};
use casebook_design::skeleton::{
    Existing, Merge, Style, blocks, contexts, merge, method_block, skeleton, suite,
};

fn planned(entries: &str) -> Plan {
    let text = format!(
        "target: {{class: 'Parcels::Router', method: route, method_type: instance, file: lib/router.rb}}\ncharacteristics:\n{entries}"
    );
    plan(&Document::parse("a.yml", text).unwrap(), None).unwrap()
}

const PARCEL: &str = "\
- {name: parcel_sealed, type: binary, states: [not_sealed, sealed], default: null, depends_on: null, level: 1}
- {name: carrier, type: enum, states: [van, bike_trailer], default: null, depends_on: parcel_sealed, when_parent: sealed, level: 2}
- {name: weight, type: range, states: [sufficient, insufficient], default: null, depends_on: carrier, when_parent: van, level: 3}
- {name: fragile, type: binary, states: [fragile, not_fragile], default: null, depends_on: carrier, when_parent: [van, bike_trailer], level: 3}
- {name: owner's, type: binary, states: [known, unknown], default: null, depends_on: null, level: 1}
";

#[test]
fn the_complete_layout() {
    insta::assert_snapshot!(skeleton(&[planned(PARCEL)], Style::Bare));
}

#[test]
fn placeholders_in_comments() {
    insta::assert_snapshot!(skeleton(
        &[planned(
            "- {name: a, type: odd, states: [x, y], depends_on: null}\n- {name: b, type: odd, states: [x, y], depends_on: a, when_parent: x}\n"
        )],
        Style::Comments
    ));
}

#[test]
fn a_class_has_one_group_however_its_methods_are_mixed_with_others() {
    let of = |class: &str, method: &str| Plan {
        class: class.to_owned(),
        method: method.to_owned(),
        ..planned("  []\n")
    };
    let mixed = [of("A", "one"), of("A::B", "one"), of("A", "two")];
    let spec = skeleton(&mixed, Style::Comments);
    let titles = spec.lines().filter(|line| line.contains("describe "));
    assert_eq!(
        titles.map(str::trim).collect::<Vec<_>>(),
        [
            "RSpec.describe A do",
            "describe '#one' do",
            "describe '#two' do",
            "RSpec.describe A::B do",
            "describe '#one' do",
        ]
    );
}

const NEGATIONS: &str = "\
- {name: parcel_sealed, type: binary, states: [sealed, not_sealed], depends_on: null}
- {name: answer, type: enum, states: [found, not_found, was_not], depends_on: null}
- {name: not_before, type: range, states: [sufficient, insufficient], depends_on: null}
- {name: reply, type: enum, states: ['not-found', 'not, really', nothing], depends_on: null}
";

#[test]
fn the_reviewer_and_the_skeleton_agree_about_not() {
    let small = |plan: Plan| {
        let spec = skeleton(&[plan], Style::Comments);
        let review = review(&spec, &ReviewContext::default());
        let found = review.findings.iter();
        let found = found.filter(|one| one.check.slug == "lower-not").count();
        (spec.matches("NOT").count(), found)
    };
    let plan = planned(NEGATIONS);
    assert_eq!(small(plan.clone()), (7, 0));
    let small_not = Plan {
        has_small_not: true,
        ..plan
    };
    assert_eq!(small(small_not), (0, 7));
}

#[test]
fn a_class_method_without_characteristics() {
    let mut plan = planned("  []\n");
    plan.method_type = casebook_design::ruby::MethodType::Class;
    insta::assert_snapshot!(skeleton(&[plan], Style::Bare));
}

#[test]
fn format_2_0_has_sources_and_values() {
    let plan = planned("\
- {name: active, type: binary, states: [active, not_active], depends_on: null, terminal_states: [not_active], setup: {type: data, class: null, source: 'lib/router.rb:3'}, level: 1}
- {name: total, type: range, states: [sufficient, insufficient], depends_on: active, when_parent: [active], setup: {type: data, class: null, source: 'lib/router.rb:4'}, threshold_value: 100, threshold_operator: '>=', level: 2}
- {name: kind, type: enum, states: [a, b], depends_on: active, when_parent: [active], setup: {type: data, class: null, source: 'lib/router.rb:5-9'}, level: 2}
");
    assert_eq!(plan.layout, Layout::V2_0);
    insta::assert_snapshot!(skeleton(&[plan], Style::Bare));
}

#[test]
fn the_positive_state_is_true_in_any_position() {
    let plan = planned(
        "- {name: user_valid, type: binary, states: [invalid, valid], depends_on: null, setup: {type: data}}\n",
    );
    let text = skeleton(&[plan], Style::Bare);
    let values: Vec<_> = text
        .lines()
        .map(str::trim)
        .filter(|line| line.starts_with("context") || line.starts_with("let(:user"))
        .collect();
    assert_eq!(
        values,
        [
            "context 'when user valid' do",
            "let(:user_valid) { true }",
            "context 'when user invalid' do",
            "let(:user_valid) { false }",
        ]
    );
}

#[test]
fn terminal_states_come_last_and_do_not_give_the_name() {
    let plan = planned(
        "- {name: user_blocked, type: binary, states: [blocked, not_blocked], depends_on: null, terminal_states: [blocked]}\n",
    );
    let texts: Vec<_> = contexts(&plan)
        .into_iter()
        .map(|context| context.description)
        .collect();
    assert_eq!(texts, ["user NOT blocked", "user blocked"]);
}

#[test]
fn a_composite_is_set_up_manually() {
    let plan = planned(
        "- {name: a, type: binary, states: [x, y], depends_on: null}\n- {name: b, type: composite, states: [{name: p, conditions: [{c: 1}]}, q], depends_on: a, when_parent: x, setup: {type: data}}\n",
    );
    let contexts = contexts(&plan);
    let shown: Vec<_> = contexts[0]
        .children
        .iter()
        .map(|context| (context.word, context.description.as_str()))
        .collect();
    assert_eq!(shown, [(Some("and"), "b is p"), (Some("and"), "b is q")]);
    assert!(!skeleton(&[plan], Style::Bare).contains("let(:b)"));
}

#[test]
fn calls_are_valid_ruby_for_any_name() {
    for (method, call) in [
        ("total", "service.total"),
        ("paid?", "service.paid?"),
        ("name=", "service.public_send(:name=)"),
        ("_name=", "service.public_send(:_name=)"),
        ("==", "service == other"),
        ("[]", "service[key]"),
        ("[]=", "service[key] = value"),
        ("-@", "-service"),
    ] {
        let mut plan = planned("  []\n");
        plan.method = method.to_owned();
        let text = skeleton(&[plan], Style::Comments);
        assert!(
            text.contains(&format!("subject(:result) {{ {call} }}")),
            "{text}"
        );
        on_deep_stack(|| outline(text.as_bytes(), "a_spec.rb")).unwrap();
    }
}

#[test]
fn blocks_are_indented_like_in_their_group() {
    let plan = planned("  []\n");
    let full = skeleton(&[plan.clone(), plan.clone()], Style::Bare);
    let both = blocks(&[plan.clone(), plan], Style::Bare);
    assert_eq!(
        full,
        format!("# frozen_string_literal: true\n\nRSpec.describe Parcels::Router do\n{both}end\n")
    );
}

#[test]
fn a_block_is_found_by_its_marker() {
    let plan = planned("  []\n");
    let block = method_block(&plan, Style::Comments);
    let marker = "# rspec-testing:method_begin method=\"#route\" method_id=\"Parcels::Router#route\" x=\"1\"";
    for spec in [
        format!(
            "RSpec.describe Parcels::Router do\n  {marker}\n  describe 'routing' do\n    old\n  end\nend\n"
        ),
        format!(
            "RSpec.describe Parcels::Router do\n  describe 'routing' do\n    {marker}\n    old\n  end\nend\n"
        ),
    ] {
        let put = |how| on_deep_stack(|| merge(&spec, &plan, &block, how)).unwrap();
        let Existing::Merged(text) = put(Merge::Replace) else {
            panic!("{spec}")
        };
        assert!(
            text.contains("describe 'routing' do\n    subject"),
            "{text}"
        );
        assert!(!text.contains("old"), "{text}");
        assert_eq!(put(Merge::Missing), Existing::Merged(spec.clone()));
        assert!(matches!(put(Merge::Insert), Existing::Conflict { .. }));
    }
}

/// A spec, and the same spec with the block of `#route` inserted or replaced.
const MANUAL_SPECS: [(&str, &str); 12] = [
    (
        "RSpec.describe Parcels::Router do\n  describe :route do\n    old\n  end\nend\n",
        "RSpec.describe Parcels::Router do\n  describe :route do\n    NEW\n  end\nend\n",
    ),
    (
        "RSpec.describe Parcels::Router do\n  describe '#route(a, b = {})' do\n    old\n  end\nend\n",
        "RSpec.describe Parcels::Router do\n  describe '#route(a, b = {})' do\n    NEW\n  end\nend\n",
    ),
    // The block is not inserted into the condition.
    (
        "RSpec.describe Parcels::Router do\n  describe '#other' do\n    old\n  end\n\n  if new_ruby?\n    describe '#third' do\n      old\n    end\n  end\nend\n",
        "RSpec.describe Parcels::Router do\n  describe '#other' do\n    old\n  end\n\n  BLOCK\n\n  if new_ruby?\n    describe '#third' do\n      old\n    end\n  end\nend\n",
    ),
    (
        "RSpec.describe Parcels::Router do\n  describe '#route' do # tagged\n    old\n  end # of route\n\n  tail\nend\n",
        "RSpec.describe Parcels::Router do\n  describe '#route' do # tagged\n    NEW\n  end # of route\n\n  tail\nend\n",
    ),
    (
        "RSpec.describe Parcels::Router do\n  describe '#route',\n           :slow do\n    old\n  end\nend\n",
        "RSpec.describe Parcels::Router do\n  describe '#route',\n           :slow do\n    NEW\n  end\nend\n",
    ),
    (
        "RSpec.describe Parcels::Router do\n  describe('#route') { old }\nend\n",
        "RSpec.describe Parcels::Router do\n  describe('#route') {\n    NEW\n  }\nend\n",
    ),
    (
        "RSpec.describe Parcels::Router do\n  describe '#route' do end\nend\n",
        "RSpec.describe Parcels::Router do\n  describe '#route' do\n    NEW\n  end\nend\n",
    ),
    (
        "RSpec.describe Parcels::Router do\n  describe '#other' do\n    old\n  end # of other\n  # behind\nend\n",
        "RSpec.describe Parcels::Router do\n  describe '#other' do\n    old\n  end # of other\n\n  BLOCK\n  # behind\nend\n",
    ),
    (
        "RSpec.describe Parcels::Router do\n  describe '#other' do\n    old\n  end\n  # rspec-testing:method_end method=\"#other\"\nend\n",
        "RSpec.describe Parcels::Router do\n  describe '#other' do\n    old\n  end\n  # rspec-testing:method_end method=\"#other\"\n\n  BLOCK\nend\n",
    ),
    (
        "RSpec.describe Parcels::Router do\n  let(:a) { 1 }\n\n  # a note\nend # of all\n\ntail\n",
        "RSpec.describe Parcels::Router do\n  let(:a) { 1 }\n\n  # a note\n\n  BLOCK\nend # of all\n\ntail\n",
    ),
    (
        "RSpec.describe Parcels::Router do end\n",
        "RSpec.describe Parcels::Router do\n  BLOCK\nend\n",
    ),
    (
        "RSpec.describe Parcels::Router do # a note\nend\n",
        "RSpec.describe Parcels::Router do # a note\n  BLOCK\nend\n",
    ),
];

#[test]
fn manual_text_around_a_block_is_kept() {
    let plan = planned("  []\n");
    let block = ["describe '#route' do", "  NEW", "end"].map(ToOwned::to_owned);
    for (spec, expected) in MANUAL_SPECS {
        let merged = on_deep_stack(|| merge(spec, &plan, &block, Merge::Upsert)).unwrap();
        let full = "describe '#route' do\n    NEW\n  end";
        let expected = expected.replace("BLOCK", full);
        assert_eq!(merged, Existing::Merged(expected.clone()), "{spec}");
        on_deep_stack(|| outline(expected.as_bytes(), "a_spec.rb")).unwrap();
    }
}

#[test]
fn a_method_is_merged_into_a_skeleton_with_bare_placeholders() {
    let plan = planned(PARCEL);
    let mut other = plan.clone();
    other.method = "weigh".to_owned();
    let spec = skeleton(std::slice::from_ref(&plan), Style::Bare);
    let block = method_block(&other, Style::Bare);
    let put = |spec: &str, how| on_deep_stack(|| merge(spec, &other, &block, how)).unwrap();
    let both = Existing::Merged(skeleton(&[plan, other.clone()], Style::Bare));
    assert_eq!(put(&spec, Merge::Insert), both);
    let Existing::Merged(both) = both else {
        panic!()
    };
    assert_eq!(put(&both, Merge::Replace), Existing::Merged(both.clone()));
}

#[test]
fn a_suite_for_the_same_tree() {
    insta::assert_snapshot!(suite(&planned(PARCEL)));
}

#[test]
fn a_method_is_merged_into_a_spec() {
    let plan = planned("  []\n");
    let block = method_block(&plan, Style::Comments);
    let put = |spec: &str, how| on_deep_stack(|| merge(spec, &plan, &block, how)).unwrap();
    let other = "RSpec.describe Parcels::Router do\n  describe '#x' do\n    it { }\n  end\n\n  def helper\n  end\nend\n";
    let Existing::Merged(inserted) = put(other, Merge::Upsert) else {
        panic!()
    };
    insta::assert_snapshot!(inserted);
    assert!(matches!(
        put(&inserted, Merge::Insert),
        Existing::Conflict { line: 6 }
    ));
    assert_eq!(put(other, Merge::Replace), Existing::Absent);
    let edited = inserted.replace("# {COMMON_SETUP}", "let(:old) { 1 }");
    assert_eq!(
        put(&edited, Merge::Replace),
        Existing::Merged(inserted.clone())
    );
    // The group of the class, the group without a class, or a new group.
    for (spec, start) in [
        (
            "RSpec.describe A do\nend\nRSpec.describe Parcels::Router do\nend\n",
            "RSpec.describe A do\nend\nRSpec.describe Parcels::Router do\n  describe '#route' do\n",
        ),
        (
            "RSpec.describe 'routes' do\nend\n",
            "RSpec.describe 'routes' do\n  describe '#route' do\n",
        ),
        (
            "RSpec.describe A do\nend\n",
            "RSpec.describe A do\nend\n\nRSpec.describe Parcels::Router do\n  describe '#route' do\n",
        ),
    ] {
        let Existing::Merged(text) = put(spec, Merge::Insert) else {
            panic!("{spec}")
        };
        assert!(text.starts_with(start), "{text}");
    }
}
