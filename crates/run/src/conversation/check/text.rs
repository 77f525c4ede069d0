//! Whether what the agent said is as demanded.

use casebook_suite::model::TextCheck;
use serde_json::Value;

use crate::assertions::{CheckResult, expected_text, find_in_text, verb};
use crate::budget::OutputBudget;
use crate::shell::capture::trimmed;
use crate::transcript::{Reply, Scope};

/// What must be there may be in any reply; what must not be there is in none.
pub(super) fn find(check: &TextCheck, scope: Scope<'_>) -> CheckResult {
    let replies = numbered(scope);
    let look = |(turn, reply): &(usize, &Reply)| {
        let text = trimmed(reply.text.as_bytes());
        find_in_text(
            &name(*turn, &replies),
            check,
            text,
            &OutputBudget::default(),
        )
    };
    let is_met = |finding: &CheckResult| finding.problem.is_none();
    let mut findings = replies.iter().map(look);
    match (check, replies.as_slice()) {
        (TextCheck::NotContains(_) | TextCheck::NotMatches(_), _) => findings
            .find(|finding| !is_met(finding))
            .unwrap_or_default(),
        (_, []) => CheckResult {
            problem: Some("the agent has not answered".to_owned()),
            ..CheckResult::default()
        },
        (_, [only]) => look(only),
        (_, [.., last]) => findings.find(is_met).unwrap_or_else(|| CheckResult {
            problem: Some(in_none(check)),
            ..look(last)
        }),
    }
}

/// Whether no reply is longer.
pub(super) fn max_length(max: u32, scope: Scope<'_>) -> CheckResult {
    let replies = numbered(scope);
    let lengths = replies
        .iter()
        .map(|(turn, reply)| (*turn, reply.text.chars().count()));
    let longest = lengths.max_by_key(|(_, length)| *length);
    let too_long = longest.filter(|(_, length)| *length > max as usize);
    CheckResult {
        problem: too_long.map(|(turn, length)| {
            let name = name(turn, &replies);
            format!("{name} has {length} characters instead of at most {max}")
        }),
        expected: Some(max.into()),
        actual: longest.map(|(_, length)| Value::from(length)),
        ..CheckResult::default()
    }
}

/// The replies of the scope, with the turns they belong to.
pub(super) fn numbered(scope: Scope<'_>) -> Vec<(usize, &Reply)> {
    let first = scope.exchange.unwrap_or(0) + 1;
    let turns = scope.turns().iter().zip(first..);
    turns
        .filter_map(|(exchange, turn)| Some((turn, exchange.reply.as_ref()?)))
        .collect()
}

/// What a reply is called: there is no need to say which if there is one.
pub(super) fn name(turn: usize, replies: &[(usize, &Reply)]) -> String {
    if replies.len() == 1 {
        "the reply".to_owned()
    } else {
        format!("the reply in turn {turn}")
    }
}

fn in_none(check: &TextCheck) -> String {
    format!("no reply {} {}", verb(check), expected_text(check))
}
