//! Checks of replies that are JSON.

use casebook_suite::model::conversation::Pattern;
use serde_json::Value;

use super::text::{no_reply, numbered_replies, reply_name};
use super::{data, format, pattern};
use crate::assertions::{CheckResult, shortened};
use crate::transcript::Scope;

/// `/total at least 10`.
pub(super) fn describe(pointer: &str, pattern: &Pattern) -> String {
    let leaves = pattern::leaves_of(name(pointer), pattern, None);
    let expected: Vec<_> = leaves.into_iter().map(|leaf| leaf.expected).collect();
    shortened(&format::and(&expected))
}

/// At least one reply must be JSON with a value that matches. A reply that is not JSON leaves open whether it would.
pub(super) fn evaluate(pointer: &str, pattern: &Pattern, scope: Scope<'_>) -> CheckResult {
    let replies = numbered_replies(scope);
    let mut result = no_reply();
    let mut is_undecided = replies.is_empty();
    for (turn, reply) in &replies {
        result = examine(&reply_name(*turn, &replies), &reply.text, pointer, pattern);
        if result.problem.is_none() {
            break;
        }
        is_undecided |= result.is_undecided;
    }
    CheckResult {
        is_undecided: is_undecided && result.problem.is_some(),
        expected: Some(data::pattern_json(pattern)),
        more: vec![("pointer", pointer.into())],
        ..result
    }
}

fn examine(reply: &str, text: &str, pointer: &str, pattern: &Pattern) -> CheckResult {
    let document: Value = match serde_json::from_str(text) {
        Ok(document) => document,
        Err(_) if text.trim().is_empty() => {
            return CheckResult::undecided(format!("{reply} is empty, so it is not JSON"));
        }
        Err(_) => {
            let text = shortened(text);
            return CheckResult::undecided(format!("{reply} is not JSON: {text}"));
        }
    };
    let value = document.pointer(pointer);
    let mismatch = pattern::mismatch(name(pointer), pattern, value);
    CheckResult {
        problem: mismatch.map(|mismatch| format!("{reply} has {mismatch}")),
        actual: value.cloned(),
        ..CheckResult::default()
    }
}

fn name(pointer: &str) -> &str {
    match pointer {
        "" => "the document",
        pointer => pointer,
    }
}
