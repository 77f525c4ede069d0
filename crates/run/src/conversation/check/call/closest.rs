//! Finds the call that is closest to a pattern.

use casebook_record::event::ToolCall;
use casebook_source::closest_match;
use casebook_suite::model::conversation::{CallPattern, is_tool};
use serde_json::{Value, json};

use super::super::pattern::{self, PatternLeaf};

/// The differences between a call and a pattern, except the tool's name.
pub(super) struct Mismatch {
    pub(super) leaves: Vec<PatternLeaf>,
    /// Whether the call failed, if the pattern requires the opposite.
    pub(super) failed: Option<bool>,
}

impl Mismatch {
    fn of(pattern: &CallPattern, call: &ToolCall) -> Mismatch {
        let mut leaves = pattern.with.as_ref().map_or_else(Vec::new, |with| {
            pattern::leaves(with, Some(call.arguments.value()))
        });
        leaves.retain(|leaf| !leaf.is_match);
        let failed = call_failed(call);
        Mismatch {
            leaves,
            failed: pattern
                .failed
                .filter(|required| *required != failed)
                .map(|_| failed),
        }
    }

    fn count(&self) -> usize {
        self.leaves.len() + usize::from(self.failed.is_some())
    }
}

/// Whether the call matches the pattern, except the tool's name.
pub(in super::super) fn matches_arguments(pattern: &CallPattern, call: &ToolCall) -> bool {
    Mismatch::of(pattern, call).count() == 0
}

fn call_failed(call: &ToolCall) -> bool {
    call.error.is_some() || call.metadata.get("failed") == Some(&Value::Bool(true))
}

/// The closest call of the tool or of a tool with a similar name, as JSON for the report.
pub(super) fn closest_call<'a>(
    pattern: &CallPattern,
    calls: impl Iterator<Item = &'a ToolCall> + Clone,
) -> Option<Value> {
    let names = calls.clone().map(|call| call.name.as_str());
    let mut same = names.clone().filter(|name| is_tool(&pattern.tool, name));
    let similar = || closest_match(&pattern.tool, names);
    let similar = CallPattern {
        tool: same.next().or_else(similar)?.to_owned(),
        ..pattern.clone()
    };
    closest_of(&similar, calls).map(|(call, mismatch)| call_json(call, &mismatch.leaves))
}

pub(super) fn closest_of<'a>(
    pattern: &CallPattern,
    calls: impl Iterator<Item = &'a ToolCall>,
) -> Option<(&'a ToolCall, Mismatch)> {
    calls
        .filter(|call| is_tool(&pattern.tool, &call.name))
        .map(|call| (call, Mismatch::of(pattern, call)))
        .min_by_key(|(_, mismatch)| mismatch.count())
}

/// The call as JSON for the report; `differs` contains JSON Pointers.
pub(super) fn call_json(call: &ToolCall, differs: &[PatternLeaf]) -> Value {
    let pointers: Vec<_> = differs.iter().map(|leaf| leaf.pointer.as_str()).collect();
    let mut call_json =
        json!({"name": call.name, "arguments": call.arguments.value(), "differs": pointers});
    if let Some(error) = &call.error {
        call_json["error"] = error.as_str().into();
    }
    call_json
}
