//! Decodes patterns for the arguments of calls.
//!
//! A mapping whose keys are all among `matches`, `min`, `max`, `oneOf` and `absent` is a condition. Any other mapping is
//! a list of entries that the value must contain, and so are the arguments of a call.

use casebook_source::yaml::{Entry, Node, NodeKind};

use super::bounds::{Unit, bounds};
use crate::codes::{CONFLICT, VACUOUS};
use crate::fields::conversation::PATTERN;
use crate::model::conversation::Pattern;
use crate::reader::Reader;

/// Decodes `with`: the arguments that a call must have.
pub(super) fn arguments(node: &Node, reader: &mut Reader<'_, '_>) -> Option<Pattern> {
    let entries = reader.map("with", node);
    node.as_map()?;
    has(entries, reader)
}

fn has(entries: &[Entry], reader: &mut Reader<'_, '_>) -> Option<Pattern> {
    let fields: Vec<_> = entries
        .iter()
        .map(|entry| Some((entry.key.to_string(), pattern(&entry.value, reader)?)))
        .collect();
    fields.into_iter().collect::<Option<_>>().map(Pattern::Has)
}

fn pattern(node: &Node, reader: &mut Reader<'_, '_>) -> Option<Pattern> {
    match &node.kind {
        NodeKind::Scalar(_) => reader.json(node).map(Pattern::Is),
        NodeKind::List(nodes) => {
            let items: Vec<_> = nodes.iter().map(|node| pattern(node, reader)).collect();
            items.into_iter().collect::<Option<_>>().map(Pattern::List)
        }
        NodeKind::Map(entries) if is_condition(entries) => condition(node, entries, reader),
        NodeKind::Map(entries) => has(entries, reader),
    }
}

fn is_condition(entries: &[Entry]) -> bool {
    let is_known = |entry: &Entry| PATTERN.iter().any(|known| known.name == entry.key);
    !entries.is_empty() && entries.iter().all(is_known)
}

fn condition(node: &Node, entries: &[Entry], reader: &mut Reader<'_, '_>) -> Option<Pattern> {
    let is_bound = |entry: &Entry| matches!(&*entry.key, "min" | "max");
    if entries.iter().all(is_bound) {
        return bounds("with", node, Unit::Number, reader).map(Pattern::Within);
    }
    let [entry] = entries else {
        let keys: Vec<_> = entries
            .iter()
            .map(|entry| format!("`{}`", entry.key))
            .collect();
        let message = format!("{} cannot be combined", keys.join(" and "));
        reader
            .note(CONFLICT, entries[1].key_span, message)
            .help_last("only `min` and `max` can be combined; write a literal mapping with these keys as `oneOf: [{…}]`");
        return None;
    };
    let value = &entry.value;
    match &*entry.key {
        "matches" => {
            reader.text("matches", value)?;
            let patterns = reader.patterns("matches", value);
            let pattern = patterns.into_iter().next()?;
            Some(Pattern::Matches(pattern.text))
        }
        "oneOf" => one_of(value, reader),
        _ => absent(value, reader),
    }
}

fn absent(node: &Node, reader: &mut Reader<'_, '_>) -> Option<Pattern> {
    if reader.bool("absent", node)? {
        return Some(Pattern::Absent);
    }
    reader
        .type_error(node, "`absent` can only be true".to_owned())
        .help_last("to require a value, write the value or a condition on it");
    None
}

fn one_of(node: &Node, reader: &mut Reader<'_, '_>) -> Option<Pattern> {
    let NodeKind::List(nodes) = &node.kind else {
        let message = format!("`oneOf` must be a list, not {}", node.describe());
        reader.type_error(node, message);
        return None;
    };
    if nodes.is_empty() {
        reader.note(VACUOUS, node.span, "`oneOf` is empty and can never match");
        return None;
    }
    let values: Vec<_> = nodes.iter().map(|node| reader.json(node)).collect();
    values
        .into_iter()
        .collect::<Option<_>>()
        .map(Pattern::OneOf)
}
