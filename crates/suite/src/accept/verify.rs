//! Compares the tree of an edited file with the original.

use std::collections::HashMap;

use casebook_source::Span;
use casebook_source::yaml::{Node, NodeKind, Scalar};
use serde_json::Value;

use crate::expand::escaped;
use crate::reader::plain_json;

/// What a new value must mean.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Expected {
    /// This string, before variables are substituted, whatever the number of newlines at its end.
    Text(String),
    /// This value, whose strings are escaped where they contain variables.
    Json(Value),
}

/// Whether two trees are the same, except for the values with these spans in the old one, which must be as expected.
pub(super) fn is_same_except(old: &Node, new: &Node, changed: &HashMap<Span, &Expected>) -> bool {
    if let Some(expected) = changed.get(&old.span) {
        return expected.is(new);
    }
    match (&old.kind, &new.kind) {
        (NodeKind::Scalar(old), NodeKind::Scalar(new)) => old == new,
        (NodeKind::List(old), NodeKind::List(new)) => {
            let mut both = old.iter().zip(new);
            old.len() == new.len() && both.all(|(old, new)| is_same_except(old, new, changed))
        }
        (NodeKind::Map(old), NodeKind::Map(new)) => {
            let mut both = old.iter().zip(new);
            old.len() == new.len()
                && both.all(|(old, new)| {
                    old.key == new.key && is_same_except(&old.value, &new.value, changed)
                })
        }
        _ => false,
    }
}

impl Expected {
    fn is(&self, node: &Node) -> bool {
        match self {
            Expected::Text(text) => {
                let found = node.as_text().filter(|_| !node.is_null());
                found.is_some_and(|found| found.trim_end_matches('\n') == text)
            }
            Expected::Json(value) => is_json(node, value),
        }
    }
}

/// Whether the checker reads this value from the node.
pub(super) fn is_json(node: &Node, value: &Value) -> bool {
    match (&node.kind, value) {
        (NodeKind::List(nodes), Value::Array(values)) => {
            let mut both = nodes.iter().zip(values);
            nodes.len() == values.len() && both.all(|(node, value)| is_json(node, value))
        }
        (NodeKind::Map(entries), Value::Object(values)) => {
            let mut both = entries.iter().zip(values);
            entries.len() == values.len()
                && both
                    .all(|(entry, (key, value))| entry.key == *key && is_json(&entry.value, value))
        }
        (NodeKind::Scalar(scalar), value) => scalar_value(node, scalar) == raw(value),
        _ => false,
    }
}

fn scalar_value(node: &Node, scalar: &Scalar<'_>) -> Value {
    if node.is_null() {
        Value::Null
    } else if scalar.plain {
        plain_json(&scalar.text)
    } else {
        (*scalar.text).into()
    }
}

fn raw(value: &Value) -> Value {
    match value {
        Value::String(text) => escaped(text).into_owned().into(),
        other => other.clone(),
    }
}
