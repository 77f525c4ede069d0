//! Whether tools were called as demanded.

mod closest;

use casebook_record::event::ToolCall;
use casebook_suite::model::conversation::{Bounds, CallCheck, CallPattern};
use serde_json::{Value, json};

use super::{data, format, is_like, pattern};
use crate::assertions::{CheckResult, shortened};
use crate::transcript::Scope;
pub(super) use closest::is_as_wanted;
use closest::{closest_call, described, nearest_of};

/// A call and its place among all calls of the conversation.
type Placed<'a> = (usize, &'a ToolCall);

/// Whether the calls that are meant are there, as often as demanded, and where they are demanded.
pub(super) fn called(check: &CallCheck, scope: Scope<'_>) -> CheckResult {
    let calls = placed(scope);
    let meant: Vec<Placed<'_>> = meant(check, &calls);
    let wanted = wanted(check.times);
    let count = format::float(meant.len());
    let problem = if wanted.contains(count) {
        misplaced(check, &meant, scope)
    } else if wanted.min.is_some_and(|min| count < min) {
        Some(too_few(check, meant.len(), &calls))
    } else {
        Some(times_called(check, meant.len()))
    };
    let near = problem
        .is_some()
        .then(|| closest_call(&check.call, all(&calls)))
        .flatten();
    finding(data::call(check), problem, scope, near)
}

/// Whether no call that is meant is there.
pub(super) fn not_called(check: &CallCheck, scope: Scope<'_>) -> CheckResult {
    let calls = placed(scope);
    let before = check.before.as_deref().map(|tool| first(tool, scope));
    let after = check.after.as_deref().map(|tool| first(tool, scope));
    let unwanted = meant(check, &calls).into_iter().find(|(place, _)| {
        let is_before = before.is_none_or(|other| other.is_none_or(|other| *place < other));
        let is_after = after.is_none_or(|other| other.is_some_and(|other| *place > other));
        is_before && is_after
    });
    let problem = unwanted.map(|(_, call)| {
        let arguments = shortened(call.arguments.text());
        format!("{} was called, with {arguments}", call.name)
    });
    let near = unwanted.map(|(_, call)| described(call, &[]));
    finding(data::call(check), problem, scope, near)
}

/// Whether no other tool was called.
pub(super) fn only_called(tools: &[String], scope: Scope<'_>) -> CheckResult {
    let mut others: Vec<&str> = Vec::new();
    for call in scope.calls() {
        if !tools.contains(&call.name) && !others.contains(&call.name.as_str()) {
            others.push(&call.name);
        }
    }
    let problem = match others.as_slice() {
        [] => None,
        [one] => Some(format!("{one} was called")),
        others => Some(format!("{} were called", format::list(others))),
    };
    finding(json!(tools), problem, scope, None)
}

/// Whether the tools were called in this order, others between them or not.
pub(super) fn in_order(tools: &[String], exact: bool, scope: Scope<'_>) -> CheckResult {
    let names: Vec<_> = scope.calls().map(|call| call.name.as_str()).collect();
    let problem = if exact {
        (names != tools).then(|| format!("the calls were {}", join_names(&names)))
    } else {
        let mut rest = names.iter();
        let missing = tools.iter().position(|tool| !rest.any(|name| name == tool));
        missing.map(|place| match place {
            0 => format!("{} was not called", tools[0]),
            _ => format!("{} was not called after {}", tools[place], tools[place - 1]),
        })
    };
    finding(json!(tools), problem, scope, None)
}

/// The calls of the scope, with their places among all calls so far.
fn placed(scope: Scope<'_>) -> Vec<Placed<'_>> {
    let earlier = so_far(scope).count() - scope.calls().count();
    scope
        .calls()
        .zip(earlier..)
        .map(|(call, place)| (place, call))
        .collect()
}

/// All calls up to the scope's end: what a call comes before or after may be in an earlier turn.
fn so_far(scope: Scope<'_>) -> impl Iterator<Item = &ToolCall> {
    let end = scope.exchange.map_or(usize::MAX, |place| place + 1);
    let turns = scope.transcript.turns.iter().take(end);
    turns
        .filter_map(|exchange| exchange.reply.as_ref())
        .flat_map(|reply| &reply.calls)
}

fn first(tool: &str, scope: Scope<'_>) -> Option<usize> {
    so_far(scope).position(|call| call.name == tool)
}

fn all<'a>(calls: &[Placed<'a>]) -> impl Iterator<Item = &'a ToolCall> + Clone {
    calls.iter().map(|(_, call)| *call)
}

fn meant<'a>(check: &CallCheck, calls: &[Placed<'a>]) -> Vec<Placed<'a>> {
    let calls = calls.iter().copied();
    calls
        .filter(|(_, call)| is_like(&check.call, call))
        .collect()
}

/// Who says how often at most still wants it called.
fn wanted(times: Option<Bounds>) -> Bounds {
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

fn misplaced(check: &CallCheck, meant: &[Placed<'_>], scope: Scope<'_>) -> Option<String> {
    let tool = &check.call.tool;
    let wrong = |other: &Option<String>, word: &str, is_wrong: fn(usize, usize) -> bool| {
        let other = other.as_ref().filter(|_| !meant.is_empty())?;
        match first(other, scope) {
            None => Some(format!(
                "{tool} was called, and {other}, which it should be {word}, was not"
            )),
            Some(first) => meant
                .iter()
                .any(|(place, _)| is_wrong(*place, first))
                .then(|| format!("{tool} was not called {word} {other}")),
        }
    };
    wrong(&check.before, "before", |place, first| place >= first)
        .or_else(|| wrong(&check.after, "after", |place, first| place <= first))
}

fn too_few(check: &CallCheck, count: usize, calls: &[Placed<'_>]) -> String {
    let CallPattern { tool, .. } = &check.call;
    let mut names: Vec<&str> = Vec::new();
    for (_, call) in calls {
        if !names.contains(&call.name.as_str()) {
            names.push(&call.name);
        }
    }
    if !names.contains(&tool.as_str()) {
        return match names.as_slice() {
            [] => format!("{tool} was not called; no tool was"),
            names => format!(
                "{tool} was not called; the agent called {}",
                join_names(names)
            ),
        };
    }
    if count > 0 {
        return times_called(check, count);
    }
    let nearest = nearest_of(&check.call, all(calls)).map_or_else(String::new, |(_, unlike)| {
        let actual = unlike.leaves.iter().map(|leaf| leaf.actual.clone());
        format!("; the nearest {}", has(actual, unlike.failed))
    });
    let with = check.call.with.as_ref();
    let demands = with.map_or_else(Vec::new, |with| pattern::leaves(with, None));
    let demands = demands.into_iter().map(|leaf| leaf.demand);
    format!(
        "no call of {tool} {}{nearest}",
        has(demands, check.call.failed)
    )
}

/// `has capacity 8 and failed`.
fn has(leaves: impl Iterator<Item = String>, failed: Option<bool>) -> String {
    let leaves: Vec<_> = leaves.collect();
    let outcome = failed.map(|failed| if failed { "failed" } else { "succeeded" });
    match (leaves.is_empty(), outcome) {
        (true, outcome) => outcome.unwrap_or("is as demanded").to_owned(),
        (false, None) => format!("has {}", format::and(&leaves)),
        (false, Some(outcome)) => format!("has {} and {outcome}", format::and(&leaves)),
    }
}

fn times_called(check: &CallCheck, count: usize) -> String {
    let tool = &check.call.tool;
    let wanted = wanted(check.times);
    if check.call.with.is_none() && check.call.failed.is_none() {
        let times = match count {
            1 => "once".to_owned(),
            _ => format!("{count} times"),
        };
        return format!(
            "{tool} was called {times} instead of {}",
            format::times(wanted)
        );
    }
    let are = if count == 1 { "is" } else { "are" };
    let calls = format::counted(count, "call");
    let wanted = format::bounds(wanted);
    format!("{calls} of {tool} {are} as demanded instead of {wanted}")
}

fn join_names(names: &[&str]) -> String {
    if names.is_empty() {
        "none".to_owned()
    } else {
        format::list(names)
    }
}

fn finding(
    expected: Value,
    problem: Option<String>,
    scope: Scope<'_>,
    nearest: Option<Value>,
) -> CheckResult {
    let names: Vec<_> = scope.calls().map(|call| call.name.as_str()).collect();
    CheckResult {
        problem,
        expected: Some(expected),
        actual: Some(names.into()),
        more: nearest
            .map(|call| ("nearest_call", call))
            .into_iter()
            .collect(),
        ..CheckResult::default()
    }
}
