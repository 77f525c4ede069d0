//! The architect: words that the skeleton could not decide, and the order of contexts (rules W1 and W2).

use casebook_design::metadata::document::Document;
use casebook_design::metadata::read::{Plan, plan};
use casebook_design::on_deep_stack;
use casebook_design::ruby::{Analysis, MethodQuery, analyze};
use casebook_design::skeleton::{Style, skeleton};
use casebook_design::spec::architect;

const RUBY: &str = "\
class Gate
  def open(user, kind: :plain)
    raise ArgumentError if user.blocked?

    case kind
    when :plain then 1
    when :odd then 2
    end
  end
end
";

fn analysis() -> Analysis {
    on_deep_stack(|| analyze(RUBY.as_bytes(), "lib/gate.rb", &MethodQuery::default())).unwrap()
}

fn planned(entries: &str) -> Plan {
    let text = format!(
        "target: {{class: Gate, method: open, method_type: instance, file: lib/gate.rb}}\ncharacteristics:\n{entries}"
    );
    plan(&Document::parse("a.yml", text).unwrap(), None).unwrap()
}

#[test]
fn undecided_words_depend_on_the_happy_path() {
    let root = "- {name: root, type: binary, states: [x, y], depends_on: null}\n";
    for (child, expected) in [
        (
            "{name: b, type: odd, states: [p, q], ",
            ["with b is p", "without b is q"],
        ),
        (
            "{name: b, type: odd, states: [invalid, q], ",
            ["without b is invalid", "without b is q"],
        ),
        (
            "{name: b, type: odd, states: [p, q], default: q, ",
            ["with b is p", "with b is q"],
        ),
        (
            "{name: user_blocked, type: odd, states: [blocked, free], ",
            [
                "without user blocked is blocked",
                "without user blocked is free",
            ],
        ),
    ] {
        let plan = planned(&format!(
            "{root}- {child}depends_on: root, when_parent: x}}\n"
        ));
        let spec = skeleton(std::slice::from_ref(&plan), Style::Comments);
        let text = architect(&spec, std::slice::from_ref(&plan), &[analysis()]).text;
        for context in expected {
            assert!(text.contains(&format!("context '{context}' do")), "{text}");
        }
        assert!(!text.contains("{CONTEXT_WORD}"));
    }
}

#[test]
fn contexts_out_of_order_are_reported_and_not_moved() {
    let plan = planned(
        "- {name: user_blocked, type: enum, states: [blocked, free], default: free, depends_on: null}\n",
    );
    let spec = skeleton(std::slice::from_ref(&plan), Style::Comments);
    let made = architect(&spec, std::slice::from_ref(&plan), &[analysis()]);
    assert_eq!(
        made.notes[0],
        "order: 'user blocked is free' is the happy path and should come before 'user blocked is blocked' (heuristic)"
    );
    let (blocked, free) = (made.text.find("is blocked"), made.text.find("is free"));
    assert!(blocked < free);
    let plan = planned("- {name: kind, type: enum, states: [plain, odd], depends_on: null}\n");
    let spec = skeleton(std::slice::from_ref(&plan), Style::Comments);
    let notes = architect(&spec, std::slice::from_ref(&plan), &[analysis()]).notes;
    assert!(
        notes.iter().all(|note| !note.starts_with("order:")),
        "{notes:?}"
    );
}

/// The descriptions of a method's examples, context by context.
fn described(body: &str) -> String {
    let ruby = format!("class Gate\n  def open(x)\n{body}\n  end\nend\n");
    on_deep_stack(|| {
        let analysis = analyze(ruby.as_bytes(), "lib/gate.rb", &MethodQuery::default()).unwrap();
        let plan = Plan::of(&analysis, "lib/gate.rb");
        let spec = skeleton(std::slice::from_ref(&plan), Style::Bare);
        let text = architect(&spec, std::slice::from_ref(&plan), &[analysis]).text;
        let lines = text.lines().map(str::trim);
        let descriptions = lines.filter_map(|line| match line.strip_prefix("it '") {
            Some(rest) => rest.strip_suffix("' do"),
            None => line.starts_with("context").then_some("|"),
        });
        descriptions.collect::<Vec<_>>().join(" ")
    })
}

#[test]
fn descriptions_follow_the_table() {
    for (body, expected) in [
        (
            "raise Late, 'x' if x.a?\nx.b",
            "| raises Late | completes open",
        ),
        ("return if x.a?\ntrue", "| returns nil | returns true"),
        (
            "return false unless x.a?\nnil",
            "| returns nil | returns false",
        ),
        (
            "return { error: 'no' } if x.a?\n1",
            "| returns error result | returns 1",
        ),
        (
            "x.a? ? { success: false, data: x } : { ok: true }",
            "| returns error result | returns { ok: true }",
        ),
        (
            "x.a? ? { errors: x.errors } : x.data",
            "| returns error result | completes open",
        ),
        // Leaves without an outcome continue to the end of the method. Side effects come before the result.
        (
            "return if x.a?\nLineItem.create!(x: x)\nGateMailer.opened(x).deliver_now\nNotify.call(x)\nx.save\ntrue",
            "| returns nil | creates the line item sends opened calls notify saves the x returns true",
        ),
        (
            "if x.a?\n  x.update(b: 1)\nend\nx.destroy\n:done",
            "| updates the x destroys the x returns done | destroys the x returns done",
        ),
        (
            "return Pay.call(x) if x.a?\nx.b",
            "| calls pay | completes open",
        ),
        (
            "return false if x.a? && x.b?\ntrue",
            "| completes open | completes open | completes open | completes open",
        ),
        (
            "x.a? ? head(:ok) : redirect_to(x)",
            "| returns 200 status | redirects",
        ),
        (
            "return head(:no_content) if x.a?\nrender json: x, status: :created",
            "| returns 204 status | returns 201 status",
        ),
        (
            "x.a? ? render(:new, status: 422) : render(:show)",
            "| returns 422 status | renders the page",
        ),
    ] {
        assert_eq!(described(body), expected, "{body}");
    }
}
