//! How near a call comes to what is wanted.

use casebook_record::event::ToolCall;
use casebook_source::closest_match;
use casebook_suite::model::conversation::CallPattern;
use serde_json::{Value, json};

use super::super::pattern::{self, PatternLeaf};

/// Everything in which a call is not as the pattern wants it, the tool's name aside.
pub(super) struct Mismatch {
    pub(super) leaves: Vec<PatternLeaf>,
    /// Whether it failed, if that should be otherwise.
    pub(super) failed: Option<bool>,
}

impl Mismatch {
    fn of(pattern: &CallPattern, call: &ToolCall) -> Mismatch {
        let mut leaves = pattern.with.as_ref().map_or_else(Vec::new, |with| {
            pattern::leaves(with, Some(call.arguments.value()))
        });
        leaves.retain(|leaf| !leaf.holds);
        let failed = has_failed(call);
        Mismatch {
            leaves,
            failed: pattern
                .failed
                .filter(|wanted| *wanted != failed)
                .map(|_| failed),
        }
    }

    fn count(&self) -> usize {
        self.leaves.len() + usize::from(self.failed.is_some())
    }
}

/// Whether the call is as the pattern wants it, the tool's name aside.
pub(in super::super) fn is_as_wanted(pattern: &CallPattern, call: &ToolCall) -> bool {
    Mismatch::of(pattern, call).count() == 0
}

fn has_failed(call: &ToolCall) -> bool {
    call.error.is_some() || call.metadata.get("failed") == Some(&Value::Bool(true))
}

/// The call of that tool, or of one whose name is like it, that comes nearest to what is wanted.
pub(super) fn closest_call<'a>(
    pattern: &CallPattern,
    calls: impl Iterator<Item = &'a ToolCall> + Clone,
) -> Option<Value> {
    let names = calls.clone().map(|call| call.name.as_str());
    let meant = CallPattern {
        tool: closest_match(&pattern.tool, names)?.to_owned(),
        ..pattern.clone()
    };
    nearest_of(&meant, calls).map(|(call, unlike)| described(call, &unlike.leaves))
}

pub(super) fn nearest_of<'a>(
    pattern: &CallPattern,
    calls: impl Iterator<Item = &'a ToolCall>,
) -> Option<(&'a ToolCall, Mismatch)> {
    calls
        .filter(|call| call.name == pattern.tool)
        .map(|call| (call, Mismatch::of(pattern, call)))
        .min_by_key(|(_, unlike)| unlike.count())
}

/// The call as a report shows it.
pub(super) fn described(call: &ToolCall, differs: &[PatternLeaf]) -> Value {
    let pointers: Vec<_> = differs.iter().map(|leaf| leaf.pointer.as_str()).collect();
    let mut described =
        json!({"name": call.name, "arguments": call.arguments.value(), "differs": pointers});
    if let Some(error) = &call.error {
        described["error"] = error.as_str().into();
    }
    described
}
