//! Checks of the text of replies.

use std::path::Path;

use casebook_suite::model::TextCheck;
use serde_json::Value;

use crate::assertions::{CheckResult, Normalizers, Subject, expected_text, find_in_text, verb};
use crate::budget::OutputBudget;
use crate::shell::capture::trimmed;
use crate::transcript::{Reply, Scope};

/// A negated check must pass for every reply, any other for at least one.
pub(super) fn evaluate(check: &TextCheck, scope: Scope<'_>) -> CheckResult {
    let replies = numbered_replies(scope);
    let evaluate_reply = |(turn, reply): &(usize, &Reply)| {
        let text = trimmed(reply.text.as_bytes());
        let reply = Subject {
            name: &reply_name(*turn, &replies),
            text,
            ignore_case: false,
            suite_dir: Path::new(""),
            normalizers: &Normalizers::none(),
        };
        find_in_text(&reply, check, &OutputBudget::default())
    };
    let passed = |result: &CheckResult| result.problem.is_none();
    let mut results = replies.iter().map(evaluate_reply);
    match (check, replies.as_slice()) {
        (TextCheck::NotContains(_) | TextCheck::NotMatches(_), _) => {
            results.find(|result| !passed(result)).unwrap_or_default()
        }
        (_, []) => CheckResult {
            problem: Some("the agent has not replied".to_owned()),
            ..CheckResult::default()
        },
        (_, [only]) => evaluate_reply(only),
        (_, [.., last]) => results.find(passed).unwrap_or_else(|| CheckResult {
            problem: Some(no_reply_message(check)),
            ..evaluate_reply(last)
        }),
    }
}

/// Checks that no reply is longer than `max` characters.
pub(super) fn max_length(max: u32, scope: Scope<'_>) -> CheckResult {
    let replies = numbered_replies(scope);
    let lengths = replies
        .iter()
        .map(|(turn, reply)| (*turn, reply.text.chars().count()));
    let longest = lengths.max_by_key(|(_, length)| *length);
    let too_long = longest.filter(|(_, length)| *length > max as usize);
    CheckResult {
        problem: too_long.map(|(turn, length)| {
            let reply_name = reply_name(turn, &replies);
            format!("{reply_name} has {length} characters instead of at most {max}")
        }),
        expected: Some(max.into()),
        actual: longest.map(|(_, length)| Value::from(length)),
        ..CheckResult::default()
    }
}

/// The replies of the scope, with their turn numbers.
pub(super) fn numbered_replies(scope: Scope<'_>) -> Vec<(usize, &Reply)> {
    let first = scope.turn_index.unwrap_or(0) + 1;
    let turns = scope.turns().iter().zip(first..);
    turns
        .filter_map(|(turn, number)| Some((number, turn.reply.as_ref()?)))
        .collect()
}

/// The name of a reply in messages: with the turn number, unless there is only one reply.
pub(super) fn reply_name(turn: usize, replies: &[(usize, &Reply)]) -> String {
    if replies.len() == 1 {
        "the reply".to_owned()
    } else {
        format!("the reply in turn {turn}")
    }
}

fn no_reply_message(check: &TextCheck) -> String {
    format!("no reply {} {}", verb(check), expected_text(check))
}
