//! Every check of the reviewer in two cases: one with a finding, one without.

use casebook_design::metadata::document::Document;
use casebook_design::metadata::read::plan;
use casebook_design::on_deep_stack;
use casebook_design::review::{CHECKS, Guide, ReviewContext, Severity, report, review};
use casebook_design::ruby::TestLevel;

/// A spec with this text in the group of a method.
fn method(inside: &str) -> String {
    format!(
        "RSpec.describe A do\n  describe '#m' do\n    subject(:result) {{ described_class.new.m }}\n{inside}\n  end\nend\n"
    )
}

fn context(text: &str, inside: &str) -> String {
    format!("    context '{text}' do\n      {inside}\n    end\n")
}

fn found(spec: &str, path: &str, level: Option<TestLevel>) -> Vec<&'static str> {
    let about = ReviewContext {
        path,
        level,
        ..ReviewContext::default()
    };
    let review = on_deep_stack(|| review(spec, &about));
    review
        .findings
        .iter()
        .map(|finding| finding.check.slug)
        .collect()
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table, one row per check")]
fn every_check_with_and_without_a_finding() {
    let long = "x\n".repeat(11);
    let two = |a: &str, b: &str| context("when a", a) + &context("when b", b);
    let it = "let(:x) { 1 }\nit('works') { expect(result).to eq 1 }";
    let other = "let(:x) { 2 }\nit('works well') { expect(result).to eq 2 }";
    let example = |inside: &str| {
        two(
            &format!("let(:x) {{ 1 }}\nit('works') {{ {inside} }}"),
            other,
        )
    };
    let cases: Vec<(&str, String, String)> = vec![
        (
            "any-instance",
            example("allow_any_instance_of(A).to receive(:x)"),
            example("allow(a).to receive(:x)"),
        ),
        (
            "should-syntax",
            example("result.should eq 1"),
            example("expect(result).to eq 1"),
        ),
        (
            "modal-wording",
            two(
                "let(:x) { 1 }\nit('should work') { expect(1).to eq 1 }",
                other,
            ),
            example("1"),
        ),
        (
            "lower-not",
            context("when not a", it) + &context("when b", other),
            context("when NOT a", it) + &context("when NOT b", other),
        ),
        (
            "context-word",
            context("if a", it) + &context("when b", other),
            two(it, other),
        ),
        (
            "context-word",
            context("with a", it) + &context("when b", other),
            two(it, other),
        ),
        (
            "state-in-example",
            two(
                "let(:x) { 1 }\nit('works when open') { expect(1).to eq 1 }",
                other,
            ),
            example("1"),
        ),
        (
            "happy-path-first",
            context("when a NOT b", it) + &context("when b", other),
            context("when b", it) + &context("when a NOT b", other),
        ),
        // Independent characteristics are siblings, each with its own happy path.
        (
            "happy-path-first",
            context("when user active", it)
                + &context("when order invalid", it)
                + &context("when order valid", other),
            context("when user active", it)
                + &context("when user NOT active", it)
                + &context("when order weight is large", other),
        ),
        (
            "context-setup",
            two("it('works') { expect(1).to eq 1 }", other),
            two(it, other),
        ),
        (
            "duplicate-let",
            two(it, "let(:x) { 1 }\nit('b') { expect(1).to eq 1 }"),
            two(it, other),
        ),
        (
            "duplicate-before",
            two(
                "before { go }\nit('a') { expect(1).to eq 1 }",
                "before { go }\nit('b') { expect(1).to eq 1 }",
            ),
            two("before { go }\nit('a') { expect(1).to eq 1 }", other),
        ),
        (
            "invariant-example",
            two(it, "let(:x) { 2 }\nit('works') { expect(result).to eq 1 }")
                + &context(
                    "when c",
                    "let(:x) { 3 }\nit('works') { expect(result).to eq 1 }",
                ),
            two(it, "let(:x) { 2 }\nit('works') { expect(result).to eq 1 }"),
        ),
        ("both-directions", context("when a", it), two(it, other)),
        (
            "named-subject",
            two(
                "subject { 1 }\nlet(:x) { 1 }\nit('a') { expect(1).to eq 1 }",
                other,
            ),
            two(it, other),
        ),
        (
            "named-subject",
            two(
                "subject(:y) { 1 }\nlet(:x) { 1 }\nit('a') { expect(1).to eq 1 }",
                other,
            ),
            two(it, other),
        ),
        (
            "phases",
            two("before { @a = 1 }\nit('a') { expect(1).to eq 1 }", other),
            two("before { go }\nit('a') { expect(1).to eq 1 }", other),
        ),
        (
            "phases",
            two(
                "before { create(:user); result }\nit('a') { expect(1).to eq 1 }",
                other,
            ),
            two(it, other),
        ),
        ("phases", example("user = build(:user)"), example("1")),
        (
            "stub-own-method",
            example("allow(result).to receive(:x)"),
            example("allow(mailer).to receive(:x)"),
        ),
        (
            "stub-own-method",
            example("allow(mailer).to receive(:save)"),
            example("allow(mailer).to receive(:send_mail)"),
        ),
        (
            "stub-own-method",
            example("result.instance_variable_get(:@a)"),
            example("result.a"),
        ),
        (
            "stub-own-method",
            example("result.send(:secret)"),
            example("result.public_send(:a)"),
        ),
        (
            "one-behaviour",
            example("expect(1).to eq 1; expect(2).to eq 2"),
            example("expect(1).to eq 1"),
        ),
        (
            "one-behaviour",
            example("expect { result }.to change(A, :x).and change(A, :y)"),
            example("aggregate_failures { expect(1).to eq 1; expect(2).to eq 2 }"),
        ),
        (
            "plain-double",
            two(
                "let(:x) { double('a') }\nit('a') { expect(1).to eq 1 }",
                other,
            ),
            two(
                "let(:x) { instance_double(A) }\nit('a') { expect(1).to eq 1 }",
                other,
            ),
        ),
        ("logic-in-test", example("if x then 1 end"), example("1")),
        (
            "logic-in-test",
            example("[1].each { |n| expect(n).to eq 1 }"),
            example("expect([1]).to all(eq 1)"),
        ),
        (
            "logic-in-test",
            example("query('SELECT a FROM b')"),
            example("query('a')"),
        ),
        (
            "frozen-time",
            example("expect(Time.now).to be x"),
            example("freeze_time { expect(Time.now).to be x }"),
        ),
        (
            "frozen-time",
            two(
                "before { travel_to(x) }\nit('a') { expect(1).to eq 1 }",
                other,
            ),
            two(
                "before { travel_to(x) }\nafter { travel_back }\nit('a') { expect(1).to eq 1 }",
                other,
            ),
        ),
        (
            "json-string",
            example("expect(response.body).to eq('{}')"),
            example("expect(JSON.parse(response.body)).to eq({})"),
        ),
        (
            "order-bound-array",
            example("expect(result).to eq([1, 2])"),
            example("expect(result).to match_array([1, 2])"),
        ),
        (
            "long-example",
            two(&format!("let(:x) {{ 1 }}\nit('a') do\n{long}end"), other),
            two(it, other),
        ),
        (
            "leftover",
            example("{EXPECTATION}; # {SETUP_CODE}"),
            example("1"),
        ),
        (
            "time-zone",
            example("Time.parse(x)"),
            example("Time.zone.parse(x)"),
        ),
        (
            "time-weekday",
            example("x.wday; y('EXTRACT(DOW FROM a)')"),
            example("x.wday"),
        ),
        (
            "time-week-start",
            example("x.beginning_of_week; y(\"date_trunc('week', a)\")"),
            example("x.beginning_of_week"),
        ),
        (
            "time-dst",
            example("travel_to(Time.new(2026, 3, 29, 2)) { 1 }"),
            example("travel_to(Time.new(2026, 3, 29, 12)) { 1 }"),
        ),
        (
            "time-precision",
            example("expect(result).to eq(Time.current)"),
            example("expect(result).to be_within(1).of(x)"),
        ),
    ];
    let mut checked: Vec<&str> = vec![
        "create-in-unit",
        "controller-spec",
        "depth",
        "missing-state",
        "syntax",
    ];
    for (slug, bad, good) in &cases {
        checked.push(slug);
        assert!(
            found(&method(bad), "spec/a_spec.rb", None).contains(slug),
            "{slug} does not fire:\n{bad}"
        );
        assert!(
            !found(&method(good), "spec/a_spec.rb", None).contains(slug),
            "{slug} fires:\n{good}"
        );
    }
    let forgotten: Vec<_> = CHECKS
        .iter()
        .filter(|check| !checked.contains(&check.slug))
        .map(|check| check.slug)
        .collect();
    assert_eq!(forgotten, Vec::<&str>::new());
}

#[test]
fn checks_that_depend_on_path_and_level() {
    let create = method(&context(
        "when a",
        "let(:x) { create(:user) }\nit('a') { expect(1).to eq 1 }",
    ));
    let unit = Some(TestLevel::Unit);
    assert!(found(&create, "spec/services/a_spec.rb", unit).contains(&"create-in-unit"));
    assert!(!found(&create, "spec/models/a_spec.rb", unit).contains(&"create-in-unit"));
    assert!(
        !found(
            &create,
            "spec/services/a_spec.rb",
            Some(TestLevel::Integration)
        )
        .contains(&"create-in-unit")
    );
    let typed = "RSpec.describe A, type: :controller do\nend";
    assert!(found(typed, "spec/a_spec.rb", None).contains(&"controller-spec"));
    assert!(found("", "spec/controllers/a_spec.rb", None).contains(&"controller-spec"));
    assert!(
        !found(
            "RSpec.describe A, type: :request do\nend",
            "spec/requests/a_spec.rb",
            None
        )
        .contains(&"controller-spec")
    );
    let deep = |levels: usize| {
        let mut inside = "it('a') { expect(1).to eq 1 }".to_owned();
        for _ in 0..levels {
            inside = context("when a", &format!("let(:x) {{ 1 }}\n{inside}"));
        }
        method(&inside)
    };
    assert!(found(&deep(4), "spec/a_spec.rb", None).contains(&"depth"));
    assert!(!found(&deep(3), "spec/a_spec.rb", None).contains(&"depth"));
}

#[test]
fn a_state_without_a_context_is_reported() {
    let document = Document::parse(
        "a.yml",
        "target: {class: A, method: m, method_type: instance}\ncharacteristics:\n- {name: user_active, type: binary, states: [active, not_active], depends_on: null}\n",
    )
    .unwrap();
    let plan = plan(&document, None).unwrap();
    let missing = |spec: &str| {
        let about = ReviewContext {
            path: "spec/a_spec.rb",
            level: None,
            plans: std::slice::from_ref(&plan),
            ..ReviewContext::default()
        };
        let review = on_deep_stack(|| review(spec, &about));
        let found = review
            .findings
            .into_iter()
            .filter(|finding| finding.check.slug == "missing-state");
        found.map(|finding| finding.issue).collect::<Vec<_>>()
    };
    let one = method(&context("when user active", "it('a') { }"));
    let gone = ["no context describes 'user NOT active'"];
    assert_eq!(missing(&one), gone);
    let both = |no: &str| {
        let yes = context("when user active", "it('a') { }");
        method(&(yes + &context(no, "it('b') { }")))
    };
    let none = Vec::<String>::new();
    assert_eq!(missing(&both("when user NOT active")), none);
    // In natural wording.
    assert_eq!(missing(&both("when the user is not active")), none);
    assert_eq!(missing(&both("when user is inactive")), gone);
    // A context of another method does not count.
    let other = one.clone() + &both("when user NOT active").replace("#m", "#n");
    assert_eq!(missing(&other), gone);
    let shared = one.replace("#m", "that it works") + &both("when user NOT active");
    assert_eq!(missing(&shared), none);
}

#[test]
fn invalid_ruby_is_reported_unless_placeholders_cause_it() {
    assert_eq!(found("describe A do\n  it(\nend", "", None), ["syntax"]);
    let open = "describe A do\n  it 'a' do\n    {EXPECTATION}\n  end\nend";
    assert!(!found(open, "", None).contains(&"syntax"));
    assert!(found(open, "", None).contains(&"leftover"));
}

/// The guide's own style differs here, so the findings are hints unless the guide is applied strictly.
#[test]
fn wording_on_which_the_guide_differs_is_a_suggestion() {
    let (hint, violation) = (Severity::Suggestion, Severity::Violation);
    for (context, example, slug, lenient) in [
        ("with a coupon", "sells", "context-word", hint),
        ("without a coupon", "sells", "context-word", hint),
        ("and a coupon", "sells", "context-word", violation),
        ("if a coupon", "sells", "context-word", violation),
        ("when a coupon is not valid", "sells", "lower-not", hint),
        ("when a coupon", "does not sell", "lower-not", hint),
    ] {
        let spec = format!(
            "describe A do\n  context '{context}' do\n    let(:x) {{ 1 }}\n    it('{example}') {{ expect(x).to eq 1 }}\n  end\nend\n"
        );
        for (guide, expected) in [(Guide::Lenient, lenient), (Guide::Strict, violation)] {
            let about = ReviewContext {
                guide,
                ..ReviewContext::default()
            };
            let review = on_deep_stack(|| review(&spec, &about));
            let found = review.findings.iter().find(|one| one.check.slug == slug);
            let severity = found.map(|finding| finding.severity);
            assert_eq!(severity, Some(expected), "{context}, {example}, {guide:?}");
        }
    }
}

#[test]
fn the_report_says_what_to_do_and_whose_rule_it_is() {
    let same = |state: &str| {
        let inside = format!("let(:x) {{ :{state} }}\nit('works') {{ expect(result).to eq 1 }}");
        context(&format!("when {state}"), &inside)
    };
    let spec = method(&(same("a") + &same("b") + &same("c")));
    let found = on_deep_stack(|| review(&spec, &ReviewContext::default()));
    let page = report(&found, "a_spec.rb", "now");
    for line in [
        "- Rule: style guide 4.5 (6 in its earlier edition)",
        "- Issue: 'works' is in all 3 contexts; test it once, in the group around them",
    ] {
        assert!(page.contains(line), "{page}");
    }
    let broken = on_deep_stack(|| review("describe(", &ReviewContext::default()));
    let page = report(&broken, "a_spec.rb", "now");
    assert!(page.contains("- Rule: Casebook's own\n"), "{page}");
}
