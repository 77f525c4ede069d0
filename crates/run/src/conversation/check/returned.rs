//! Checks of the results of tools.

use std::borrow::Cow;

use casebook_record::event::ToolCall;
use casebook_suite::model::conversation::{Pattern, is_tool};
use serde_json::{Value, json};

use super::{data, format, pattern};
use crate::assertions::{CheckResult, shortened};
use crate::transcript::Scope;

const ROOT: &str = "the result";

/// `search with the result containing "Blue Room"`.
pub(super) fn describe(tool: &str, with: &Pattern) -> String {
    let leaves = pattern::leaves_of(ROOT, with, None);
    let expected: Vec<_> = leaves.into_iter().map(|leaf| leaf.expected).collect();
    format!("{tool} with {}", shortened(&format::and(&expected)))
}

/// Checks that at least one call of the tool returned a result that matches.
pub(super) fn evaluate(tool: &str, with: &Pattern, scope: Scope<'_>) -> CheckResult {
    let calls: Vec<_> = scope
        .calls()
        .filter(|call| is_tool(tool, &call.name))
        .collect();
    let mut result = CheckResult {
        problem: Some(format!("{tool} was not called")),
        ..CheckResult::default()
    };
    let mut is_undecided = false;
    for call in calls {
        result = examine(call, with);
        if result.problem.is_none() {
            break;
        }
        is_undecided |= result.is_undecided;
    }
    CheckResult {
        is_undecided: is_undecided && result.problem.is_some(),
        expected: Some(json!({"tool": tool, "with": data::pattern_json(with)})),
        ..result
    }
}

fn examine(call: &ToolCall, with: &Pattern) -> CheckResult {
    let name = &call.name;
    if let Some(error) = &call.error {
        return CheckResult {
            problem: Some(format!("{name} failed: {}", shortened(error))),
            ..CheckResult::default()
        };
    }
    let Some(result) = &call.result else {
        return CheckResult::undecided(format!("the agent did not report the result of {name}"));
    };
    let value = value(result.value(), with);
    let mismatch = pattern::mismatch(ROOT, with, Some(&value));
    CheckResult {
        problem: mismatch.map(|mismatch| format!("{name} returned {mismatch}")),
        actual: Some(value.into_owned()),
        ..CheckResult::default()
    }
}

/// The result; if it is JSON in a string, as many tools return it, and a mapping or list is expected, the value of that JSON.
fn value<'v>(result: &'v Value, with: &Pattern) -> Cow<'v, Value> {
    let is_structure = matches!(with, Pattern::Has(_) | Pattern::List(_));
    let text = result.as_str().filter(|_| is_structure);
    let parsed = text.and_then(|text| serde_json::from_str(text).ok());
    parsed.map_or(Cow::Borrowed(result), Cow::Owned)
}
