//! What is looked for, with the rules of the style guide: its 28 rules of then, its 17 of now.

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The guide says must.
    Violation,
    /// The guide says should.
    Warning,
    /// The guide says may.
    Suggestion,
}

/// One check.
#[derive(Debug, PartialEq, Eq)]
pub struct Check {
    /// Its stable name.
    pub slug: &'static str,
    /// Its rule of 28, if it has one.
    pub rule: Option<u8>,
    /// How bad it usually is.
    pub severity: Severity,
    /// Whether it is exact or a guess.
    pub is_heuristic: bool,
    /// Why it matters.
    pub why: &'static str,
    /// What to do.
    pub fix: &'static str,
}

impl Check {
    /// The rule's number in the present guide.
    pub fn present_rule(&self) -> Option<&'static str> {
        const PRESENT: [&str; 28] = [
            "1", "2", "3", "4.1", "4.2", "4.5", "4.2", "4.3", "4.4", "6", "5", "9.1", "9.2", "9.3",
            "7", "8", "10.1", "10.1", "10.2", "10.3", "10.4", "12", "11", "13", "14", "15", "16",
            "17",
        ];
        let rule = usize::from(self.rule?);
        PRESENT.get(rule.checked_sub(1)?).copied()
    }

    /// `rule 20 (now 10.3)`.
    pub fn rules(&self) -> String {
        match (self.rule, self.present_rule()) {
            (Some(then), Some(now)) => format!("rule {then} (now {now})"),
            _ => "no numbered rule".to_owned(),
        }
    }
}

/// The check of that name.
pub(super) fn find(slug: &str) -> &'static Check {
    CHECKS
        .iter()
        .find(|check| check.slug == slug)
        .expect("every check that is made is in the list")
}

/// Rules that say must.
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

/// All of them.
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
        "A description says what is, not what ought to be.",
        "Use the present tense: `returns nil`.",
    ),
    check(
        "lower-not",
        19,
        false,
        "A small word turns the meaning round and is overlooked.",
        "Write `NOT`.",
    ),
    check(
        "context-word",
        20,
        false,
        "The first word tells how a context relates to the one around it.",
        "Begin with when; below that with with, without, and, but.",
    ),
    check(
        "state-in-example",
        20,
        true,
        "A state belongs into a context, where it is set up.",
        "Move the clause into a context.",
    ),
    check(
        "happy-path-first",
        7,
        true,
        "Readers want to know first how it works.",
        "Put the happy path before the corner cases.",
    ),
    check(
        "context-setup",
        9,
        false,
        "A context without setup of its own claims a difference that is not there.",
        "Set up in the context what its text says.",
    ),
    check(
        "duplicate-let",
        6,
        false,
        "What is the same everywhere is no part of a state.",
        "Move it up to the group around.",
    ),
    check(
        "duplicate-before",
        6,
        false,
        "What is the same everywhere is no part of a state.",
        "Move it up to the group around.",
    ),
    check(
        "invariant-example",
        6,
        false,
        "What holds in every state is told once.",
        "Use shared examples, or an example in the group around.",
    ),
    check(
        "both-directions",
        8,
        false,
        "One variation shows that it works, two show why.",
        "Add the opposite state.",
    ),
    check(
        "named-subject",
        10,
        false,
        "A name says what is tested; in a context it hides what is.",
        "Write `subject(:name)` once, in the method's group.",
    ),
    check(
        "phases",
        11,
        true,
        "Setup, action and expectation mixed cannot be told apart.",
        "Set up in let, act in subject, expect in it.",
    ),
    check(
        "stub-own-method",
        1,
        true,
        "It tests how the object works, not what it does.",
        "Stub collaborators, never the object under test.",
    ),
    check(
        "one-behaviour",
        3,
        true,
        "When it fails, nobody knows which behaviour broke.",
        "One example per behaviour, or aggregate_failures.",
    ),
    check(
        "create-in-unit",
        14,
        false,
        "A database row costs a hundred times what a stub does.",
        "Use build_stubbed.",
    ),
    check(
        "plain-double",
        24,
        false,
        "It goes on working when the real object has changed.",
        "Use instance_double.",
    ),
    check(
        "logic-in-test",
        15,
        false,
        "A test with branches needs a test itself.",
        "Write the cases out.",
    ),
    check(
        "controller-spec",
        26,
        false,
        "It goes past routing and middleware.",
        "Write a request spec.",
    ),
    check(
        "frozen-time",
        27,
        false,
        "The test fails on another day.",
        "Freeze the time, and give it back.",
    ),
    check(
        "json-string",
        28,
        false,
        "Order and spaces of JSON say nothing.",
        "Parse the body and compare values.",
    ),
    check(
        "order-bound-array",
        1,
        true,
        "The order may be no part of the behaviour.",
        "Use match_array where order does not matter.",
    ),
    check(
        "depth",
        0,
        false,
        "Nobody keeps that many states in mind.",
        "Split the method, or flatten the contexts.",
    ),
    check(
        "long-example",
        0,
        false,
        "More than ten lines are more than one behaviour.",
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
            "Nothing in it runs, and little of it can be reviewed.",
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
        "It reads the time in the machine's zone.",
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
        "Between 0 and 3 o'clock an hour may come twice or never.",
        "Travel to noon.",
    ),
    check(
        "time-precision",
        0,
        false,
        "Databases keep fewer digits than Ruby.",
        "Use be_within, or freeze the time.",
    ),
];
