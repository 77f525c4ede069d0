//! Checks of the text of replies.

use std::path::Path;

use casebook_suite::model::TextCheck;
use serde_json::Value;

use crate::assertions::{CheckResult, Normalizers, Subject, expected_text, find_in_text, verb};
use crate::budget::OutputBudget;
use crate::numbers::counted;
use crate::shell::capture::trimmed;
use crate::transcript::{Reply, Scope};

/// A negated check must pass for every reply, any other for at least one.
pub(super) fn evaluate(check: &TextCheck, ignore_case: bool, scope: Scope<'_>) -> CheckResult {
    let replies = numbered_replies(scope);
    let evaluate_reply = |(turn, reply): &(usize, &Reply)| {
        let text = trimmed(reply.text.as_bytes());
        let reply = Subject {
            name: &reply_name(*turn, &replies),
            text,
            ignore_case,
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
        (_, []) => no_reply(),
        (_, [only]) => evaluate_reply(only),
        (_, [.., last]) => {
            let mut is_undecided = false;
            let result = results.find(|result| {
                is_undecided |= result.is_undecided;
                passed(result)
            });
            result.unwrap_or_else(|| CheckResult {
                problem: Some(no_reply_message(check)),
                is_undecided,
                ..evaluate_reply(last)
            })
        }
    }
}

/// The result of a check that requires a reply, if there is none.
pub(super) fn no_reply() -> CheckResult {
    CheckResult::undecided("the agent has not replied".to_owned())
}

/// Checks that no reply is longer than `max` characters.
pub(super) fn max_length(max: u32, scope: Scope<'_>) -> CheckResult {
    let replies = numbered_replies(scope);
    let longest = lengths(&replies).max_by_key(|(_, length)| *length);
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

/// Checks that no reply is shorter than `min` characters.
pub(super) fn min_length(min: u32, scope: Scope<'_>) -> CheckResult {
    let replies = numbered_replies(scope);
    let Some((turn, length)) = lengths(&replies).min_by_key(|(_, length)| *length) else {
        return no_reply();
    };
    let is_short = length < min as usize;
    let name = reply_name(turn, &replies);
    let length_text = counted(length, "character");
    CheckResult {
        problem: is_short.then(|| format!("{name} has {length_text} instead of at least {min}")),
        expected: Some(min.into()),
        actual: Some(length.into()),
        ..CheckResult::default()
    }
}

/// The number of characters of each reply, with its turn.
fn lengths(replies: &[(usize, &Reply)]) -> impl Iterator<Item = (usize, usize)> {
    let replies = replies.iter();
    replies.map(|(turn, reply)| (*turn, reply.text.chars().count()))
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
