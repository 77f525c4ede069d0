//! Marker comments that describe examples for the next step: rule S12. A finished spec has none.

use super::examples::Leaf;
use super::tree::is_positive;
use crate::characteristic::Kind;
use crate::metadata::read::{Behavior, Entry, Plan};

const MARK: &str = "# rspec-testing:";

/// Whether a line is a marker.
pub(crate) fn is_marker(line: &str) -> bool {
    line.trim_start().starts_with(MARK)
}

/// Whether a line marks the begin of this method's block. Unknown keys are ignored.
pub(super) fn begins(line: &str, plan: &Plan) -> bool {
    let id = format!("method_id=\"{}\"", plan.id());
    is_begin(line) && line.contains(&id)
}

/// Whether a line marks the begin of a method's block.
pub(super) fn is_begin(line: &str) -> bool {
    line.trim_start()
        .starts_with(&format!("{MARK}method_begin "))
}

/// Whether a line marks the end of a method's block.
pub(super) fn is_end(line: &str) -> bool {
    line.trim_start().starts_with(&format!("{MARK}method_end "))
}

/// The markers at the begin and the end of a method's block.
pub(super) fn pair(plan: &Plan) -> [String; 2] {
    ["method_begin", "method_end"]
        .map(|tag| marker(tag, &[("method", &plan.short()), ("method_id", &plan.id())]))
}

/// The marker of one example; without a leaf, of shared examples.
pub(super) fn example(plan: &Plan, behavior: &Behavior, leaf: Option<&Leaf<'_>>) -> String {
    let path = leaf.map_or_else(String::new, |leaf| path(plan, leaf));
    let mut keys = vec![
        ("behavior_id", behavior.id.as_str()),
        ("kind", behavior.kind.as_str()),
        ("path", &path),
    ];
    if leaf.is_none() {
        keys.push(("template", "true"));
    }
    marker("example", &keys)
}

/// Builds a marker; the keys keep their order.
fn marker(tag: &str, keys: &[(&str, &str)]) -> String {
    let keys: Vec<_> = keys
        .iter()
        .map(|(key, value)| {
            let value = value.replace('\\', "\\\\").replace('"', "\\\"");
            format!("{key}=\"{value}\"")
        })
        .collect();
    format!("{MARK}{tag} {}", keys.join(" "))
}

/// The states of a leaf: `1:user_active=true,2:user_role=:admin`.
fn path(plan: &Plan, leaf: &Leaf<'_>) -> String {
    let steps: Vec<_> = leaf
        .iter()
        .enumerate()
        .map(|(index, context)| {
            let entry = &plan.entries[context.entry];
            let value = value(entry, &context.state);
            format!("{}:{}={value}", index + 1, entry.name)
        })
        .collect();
    steps.join(",")
}

/// A state as a Ruby literal.
fn value(entry: &Entry, state: &str) -> String {
    if let Some(literal) = entry
        .state_text(state)
        .and_then(|text| text.literal.clone())
    {
        return literal;
    }
    let is_first = is_positive(entry, state);
    match entry.kind {
        Some(Kind::Binary) if entry.is_presence() && !is_first => "nil".to_owned(),
        Some(Kind::Binary) if !entry.is_presence() => is_first.to_string(),
        _ => super::values::symbol(state),
    }
}
