//! Comments that tell the next step what an example is about: rule S12. None is left in a finished spec.

use super::examples::Leaf;
use super::tree::is_positive;
use crate::characteristic::Kind;
use crate::metadata::read::{Behaviour, Entry, Plan};

const MARK: &str = "# rspec-testing:";

/// Whether a line is such a comment.
pub(crate) fn is_marker(line: &str) -> bool {
    line.trim_start().starts_with(MARK)
}

/// Whether a line says that the block of a method begins; keys that are not known do not matter.
pub(super) fn is_begin(line: &str, plan: &Plan) -> bool {
    let begin = format!("{MARK}method_begin ");
    let id = format!("method_id=\"{}\"", plan.id());
    line.trim_start().starts_with(&begin) && line.contains(&id)
}

/// Whether a line says that the block of a method ends.
pub(super) fn is_end(line: &str) -> bool {
    line.trim_start().starts_with(&format!("{MARK}method_end "))
}

/// Before and behind the block of a method.
pub(super) fn around(plan: &Plan) -> [String; 2] {
    ["method_begin", "method_end"]
        .map(|tag| marker(tag, &[("method", &plan.short()), ("method_id", &plan.id())]))
}

/// For one example; without a leaf, for a template of several.
pub(super) fn example(plan: &Plan, behaviour: &Behaviour, leaf: Option<&Leaf<'_>>) -> String {
    let path = leaf.map_or_else(String::new, |leaf| path(plan, leaf));
    let mut keys = vec![
        ("behavior_id", behaviour.id.as_str()),
        ("kind", behaviour.kind.as_str()),
        ("path", &path),
    ];
    if leaf.is_none() {
        keys.push(("template", "true"));
    }
    marker("example", &keys)
}

/// Keys are given in their order.
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

/// `1:user_active=true,2:user_role=:admin`.
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

/// As Ruby writes it.
fn value(entry: &Entry, state: &str) -> String {
    if let Some(literal) = entry
        .state_text(state)
        .and_then(|said| said.literal.clone())
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
