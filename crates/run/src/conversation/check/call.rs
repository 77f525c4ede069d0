//! Checks of tool calls.

mod closest;

use casebook_record::event::ToolCall;
use casebook_suite::model::conversation::{Bounds, CallCheck, CallPattern, is_tool};
use serde_json::{Value, json};

use super::{data, format, matches_call, pattern};
use crate::assertions::{CheckResult, shortened};
use crate::transcript::Scope;
pub(super) use closest::matches_arguments;
use closest::{call_json, closest_call, closest_of};

/// A call and its index among all calls of the conversation.
type IndexedCall<'a> = (usize, &'a ToolCall);

/// Checks that matching calls were made, the required number of times and in the required order.
pub(super) fn called(check: &CallCheck, scope: Scope<'_>) -> CheckResult {
    let calls = indexed_calls(scope);
    let matching_calls: Vec<IndexedCall<'_>> = matching_calls(check, &calls);
    let required_times = required_times(check.times);
    let count = format::float(matching_calls.len());
    let mut misread = None;
    let problem = if required_times.contains(count) {
        order_problem(check, &matching_calls, scope)
    } else if required_times.min.is_some_and(|min| count < min) {
        misread = unknown_condition(&check.call, tool_calls(&calls));
        Some(too_few(check, matching_calls.len(), &calls))
    } else {
        Some(times_called(check, matching_calls.len()))
    };
    let closest = problem
        .is_some()
        .then(|| closest_call(&check.call, tool_calls(&calls)))
        .flatten();
    CheckResult {
        is_undecided: misread.is_some(),
        ..check_result(data::call(check), problem, scope, closest)
    }
}

/// Checks that no matching call was made.
pub(super) fn not_called(check: &CallCheck, scope: Scope<'_>) -> CheckResult {
    let calls = indexed_calls(scope);
    let before = check.before.as_deref().map(|tool| first_index(tool, scope));
    let after = check.after.as_deref().map(|tool| first_index(tool, scope));
    let forbidden = matching_calls(check, &calls)
        .into_iter()
        .find(|(index, _)| {
            let is_before = before.is_none_or(|other| other.is_none_or(|other| *index < other));
            let is_after = after.is_none_or(|other| other.is_some_and(|other| *index > other));
            is_before && is_after
        });
    let problem = forbidden.map(|(_, call)| {
        let arguments = shortened(call.arguments.text());
        format!("{} was called, with {arguments}", call.name)
    });
    let misread = unknown_condition(&check.call, tool_calls(&calls));
    let misread = misread.filter(|_| problem.is_none());
    let closest = forbidden.map(|(_, call)| call_json(call, &[]));
    CheckResult {
        is_undecided: misread.is_some(),
        ..check_result(data::call(check), problem.or(misread), scope, closest)
    }
}

/// The problem of a check that only excludes a call because a mapping in `with` was probably meant as a condition: `{minimum: 2}`.
fn unknown_condition<'a>(
    pattern: &CallPattern,
    calls: impl Iterator<Item = &'a ToolCall>,
) -> Option<String> {
    let (_, mismatch) = closest_of(pattern, calls)?;
    let is_other_kind = mismatch.leaves.iter().all(|leaf| leaf.is_other_kind);
    let leaf = mismatch
        .leaves
        .first()
        .filter(|_| is_other_kind && mismatch.failed.is_none())?;
    Some(format!(
        "the check requires {}, but {} was called with {}; for a condition, use its name, such as `min`",
        leaf.expected, pattern.tool, leaf.actual
    ))
}

/// Checks that no other tool was called.
pub(super) fn only_called(tools: &[String], scope: Scope<'_>) -> CheckResult {
    let mut other_tools: Vec<&str> = Vec::new();
    for call in scope.calls() {
        let is_allowed = tools.iter().any(|tool| is_tool(tool, &call.name));
        if !is_allowed && !other_tools.contains(&call.name.as_str()) {
            other_tools.push(&call.name);
        }
    }
    let problem = match other_tools.as_slice() {
        [] => None,
        [one] => Some(format!("{one} was called")),
        other_tools => Some(format!("{} were called", format::list(other_tools))),
    };
    check_result(json!(tools), problem, scope, None)
}

/// Checks that the tools were called in this order. Other calls may be between them unless `exact`.
pub(super) fn in_order(tools: &[String], exact: bool, scope: Scope<'_>) -> CheckResult {
    let names: Vec<_> = scope.calls().map(|call| call.name.as_str()).collect();
    let problem = if exact {
        let is_same = names.len() == tools.len()
            && tools
                .iter()
                .zip(&names)
                .all(|(tool, name)| is_tool(tool, name));
        (!is_same).then(|| format!("the calls were {}", join_names(&names)))
    } else {
        let mut rest = names.iter();
        let missing = tools
            .iter()
            .position(|tool| !rest.any(|name| is_tool(tool, name)));
        missing.map(|index| match index {
            0 => format!("{} was not called", tools[0]),
            _ => format!("{} was not called after {}", tools[index], tools[index - 1]),
        })
    };
    check_result(json!(tools), problem, scope, None)
}

/// The calls of the scope, with their indexes among all calls so far.
fn indexed_calls(scope: Scope<'_>) -> Vec<IndexedCall<'_>> {
    let earlier = calls_so_far(scope).count() - scope.calls().count();
    scope
        .calls()
        .zip(earlier..)
        .map(|(call, index)| (index, call))
        .collect()
}

/// All calls up to the end of the scope, because the call in `before` or `after` may be in an earlier turn.
fn calls_so_far(scope: Scope<'_>) -> impl Iterator<Item = &ToolCall> {
    let end = scope.turn_index.map_or(usize::MAX, |index| index + 1);
    let turns = scope.transcript.turns.iter().take(end);
    turns
        .filter_map(|turn| turn.reply.as_ref())
        .flat_map(|reply| &reply.calls)
}

fn first_index(tool: &str, scope: Scope<'_>) -> Option<usize> {
    calls_so_far(scope).position(|call| is_tool(tool, &call.name))
}

fn tool_calls<'a>(calls: &[IndexedCall<'a>]) -> impl Iterator<Item = &'a ToolCall> + Clone {
    calls.iter().map(|(_, call)| *call)
}

fn matching_calls<'a>(check: &CallCheck, calls: &[IndexedCall<'a>]) -> Vec<IndexedCall<'a>> {
    let calls = calls.iter().copied();
    calls
        .filter(|(_, call)| matches_call(&check.call, call))
        .collect()
}

/// The bounds of `times`. `called` with only a maximum still requires one call.
fn required_times(times: Option<Bounds>) -> Bounds {
    let times = times.unwrap_or_default();
    match (times.min, times.max) {
        (None, Some(max)) if max < 1.0 => times,
        (None, max) => Bounds {
            min: Some(1.0),
            max,
        },
        _ => times,
    }
}

fn order_problem(
    check: &CallCheck,
    matching_calls: &[IndexedCall<'_>],
    scope: Scope<'_>,
) -> Option<String> {
    let tool = &check.call.tool;
    let find_problem = |other: &Option<String>, word: &str, is_wrong: fn(usize, usize) -> bool| {
        let other = other.as_ref().filter(|_| !matching_calls.is_empty())?;
        match first_index(other, scope) {
            None => Some(format!(
                "{tool} must be called {word} {other}, but {other} was not called"
            )),
            Some(first_index) => matching_calls
                .iter()
                .any(|(index, _)| is_wrong(*index, first_index))
                .then(|| format!("{tool} was not called {word} {other}")),
        }
    };
    find_problem(&check.before, "before", |index, first_index| {
        index >= first_index
    })
    .or_else(|| {
        find_problem(&check.after, "after", |index, first_index| {
            index <= first_index
        })
    })
}

fn too_few(check: &CallCheck, count: usize, calls: &[IndexedCall<'_>]) -> String {
    let CallPattern { tool, .. } = &check.call;
    let mut names: Vec<&str> = Vec::new();
    for (_, call) in calls {
        if !names.contains(&call.name.as_str()) {
            names.push(&call.name);
        }
    }
    if !names.iter().any(|name| is_tool(tool, name)) {
        return match names.as_slice() {
            [] => format!("{tool} was not called; no tool was called"),
            names => format!(
                "{tool} was not called; the agent called {}",
                join_names(names)
            ),
        };
    }
    if count > 0 {
        return times_called(check, count);
    }
    let closest =
        closest_of(&check.call, tool_calls(calls)).map_or_else(String::new, |(_, mismatch)| {
            let actual = mismatch.leaves.iter().map(|leaf| leaf.actual.clone());
            format!("; the closest {}", describe_leaves(actual, mismatch.failed))
        });
    let with = check.call.with.as_ref();
    let expected = with.map_or_else(Vec::new, |with| pattern::leaves(with, None));
    let expected = expected.into_iter().map(|leaf| leaf.expected);
    format!(
        "no call of {tool} {}{closest}",
        describe_leaves(expected, check.call.failed)
    )
}

/// `has capacity 8 and failed`.
fn describe_leaves(leaves: impl Iterator<Item = String>, failed: Option<bool>) -> String {
    let leaves: Vec<_> = leaves.collect();
    let outcome = failed.map(|failed| if failed { "failed" } else { "succeeded" });
    match (leaves.is_empty(), outcome) {
        (true, outcome) => outcome.unwrap_or("matches").to_owned(),
        (false, None) => format!("has {}", format::and(&leaves)),
        (false, Some(outcome)) => format!("has {} and {outcome}", format::and(&leaves)),
    }
}

fn times_called(check: &CallCheck, count: usize) -> String {
    let tool = &check.call.tool;
    let required_times = required_times(check.times);
    if check.call.with.is_none() && check.call.failed.is_none() {
        let times = match count {
            1 => "once".to_owned(),
            _ => format!("{count} times"),
        };
        return format!(
            "{tool} was called {times} instead of {}",
            format::times(required_times)
        );
    }
    let verb = if count == 1 { "matches" } else { "match" };
    let calls = format::counted(count, "call");
    let required_times = format::bounds(required_times);
    format!("{calls} of {tool} {verb} instead of {required_times}")
}

fn join_names(names: &[&str]) -> String {
    if names.is_empty() {
        "none".to_owned()
    } else {
        format::list(names)
    }
}

fn check_result(
    expected: Value,
    problem: Option<String>,
    scope: Scope<'_>,
    closest: Option<Value>,
) -> CheckResult {
    let names: Vec<_> = scope.calls().map(|call| call.name.as_str()).collect();
    CheckResult {
        problem,
        expected: Some(expected),
        actual: Some(names.into()),
        more: closest
            .map(|call| ("nearest_call", call))
            .into_iter()
            .collect(),
        ..CheckResult::default()
    }
}
