//! The table of checks.

use super::{Check, Severity};

/// Rules of the guide that are a "must".
const MUST: [u8; 7] = [1, 2, 4, 7, 11, 20, 22];

const fn check(
    slug: &'static str,
    rule: u8,
    is_heuristic: bool,
    why: &'static str,
    fix: &'static str,
) -> Check {
    let mut is_must = false;
    let mut index = 0;
    while index < MUST.len() {
        is_must = is_must || MUST[index] == rule;
        index += 1;
    }
    Check {
        slug,
        rule: if rule == 0 { None } else { Some(rule) },
        severity: if is_must {
            Severity::Violation
        } else {
            Severity::Warning
        },
        is_heuristic,
        why,
        fix,
    }
}

/// All checks.
pub static CHECKS: [Check; 33] = [
    check(
        "any-instance",
        22,
        false,
        "It stubs objects that the test never sees.",
        "Inject the collaborator and stub that one.",
    ),
    check(
        "should-syntax",
        0,
        false,
        "It patches every object and is no longer maintained.",
        "Write `expect(x).to`.",
    ),
    check(
        "modal-wording",
        19,
        false,
        "A description states what happens, not what should happen.",
        "Use the present tense: `returns nil`.",
    ),
    check(
        "lower-not",
        19,
        false,
        "A lowercase not reverses the meaning and is easily overlooked.",
        "Write `NOT`.",
    ),
    check(
        "context-word",
        20,
        false,
        "The first word shows how a context relates to its parent.",
        "Begin with when on the first level, and with with, without, and or but below it.",
    ),
    check(
        "state-in-example",
        20,
        true,
        "A state belongs in the context that sets it up.",
        "Move the clause into a context.",
    ),
    check(
        "happy-path-first",
        7,
        true,
        "Readers first need to see how it works.",
        "Put the happy path before the corner cases.",
    ),
    check(
        "context-setup",
        9,
        false,
        "A context that sets up nothing does not differ from its parent.",
        "Set up in the context what its description states.",
    ),
    check(
        "duplicate-let",
        6,
        false,
        "Setup that is the same in all contexts does not distinguish them.",
        "Move it to the parent group.",
    ),
    check(
        "duplicate-before",
        6,
        false,
        "Setup that is the same in all contexts does not distinguish them.",
        "Move it to the parent group.",
    ),
    check(
        "invariant-example",
        6,
        false,
        "Behavior that is the same in every state should be tested once.",
        "Use shared examples, or an example in the parent group.",
    ),
    check(
        "both-directions",
        8,
        false,
        "One variation shows that it works; two show what it depends on.",
        "Add the opposite state.",
    ),
    check(
        "named-subject",
        10,
        false,
        "A name shows what is tested; a subject inside a context hides it.",
        "Write `subject(:name)` once, in the method's group.",
    ),
    check(
        "phases",
        11,
        true,
        "When setup, action and expectation are mixed, it is unclear which is which.",
        "Set up in let, act in subject, expect in it.",
    ),
    check(
        "stub-own-method",
        1,
        true,
        "It tests the implementation, not the behavior.",
        "Stub collaborators, never the object under test.",
    ),
    check(
        "one-behaviour",
        3,
        true,
        "When it fails, it is unclear which behavior broke.",
        "Write one example per behavior, or use aggregate_failures.",
    ),
    check(
        "create-in-unit",
        14,
        false,
        "Creating a database row takes about a hundred times as long as a stub.",
        "Use build_stubbed.",
    ),
    check(
        "plain-double",
        24,
        false,
        "It still works after the real object has changed.",
        "Use instance_double.",
    ),
    check(
        "logic-in-test",
        15,
        false,
        "A test with branches needs tests for itself.",
        "Write the cases out.",
    ),
    check(
        "controller-spec",
        26,
        false,
        "It bypasses routing and middleware.",
        "Write a request spec.",
    ),
    check(
        "frozen-time",
        27,
        false,
        "The test fails on another day.",
        "Freeze the time, and restore it afterwards.",
    ),
    check(
        "json-string",
        28,
        false,
        "Key order and spaces have no meaning in JSON.",
        "Parse the body and compare values.",
    ),
    check(
        "order-bound-array",
        1,
        true,
        "The order may not be part of the behavior.",
        "Use match_array where order does not matter.",
    ),
    check(
        "depth",
        0,
        false,
        "So many nested states are hard to follow.",
        "Split the method, or flatten the contexts.",
    ),
    check(
        "long-example",
        0,
        false,
        "An example of more than ten lines usually tests more than one behavior.",
        "Move setup into let and before.",
    ),
    check(
        "leftover",
        0,
        false,
        "The file is not finished.",
        "Fill it in or remove it.",
    ),
    Check {
        severity: Severity::Violation,
        ..check(
            "syntax",
            0,
            false,
            "The file cannot run, and only parts of it can be reviewed.",
            "Run `ruby -c` on it.",
        )
    },
    check(
        "missing-state",
        4,
        false,
        "A state that is not tested may be broken.",
        "Add a context for it.",
    ),
    check(
        "time-zone",
        0,
        false,
        "It uses the machine's time zone.",
        "Use Time.zone.parse.",
    ),
    check(
        "time-weekday",
        0,
        false,
        "Ruby and SQL number weekdays differently.",
        "Count weekdays in one place.",
    ),
    check(
        "time-week-start",
        0,
        false,
        "Rails and SQL may begin weeks on different days.",
        "Name the first day of the week.",
    ),
    check(
        "time-dst",
        0,
        false,
        "When the clocks change, an hour between 0:00 and 3:59 may occur twice or not at all.",
        "Travel to noon.",
    ),
    check(
        "time-precision",
        0,
        false,
        "Databases store fewer fractional digits than Ruby.",
        "Use be_within, or freeze the time.",
    ),
];
