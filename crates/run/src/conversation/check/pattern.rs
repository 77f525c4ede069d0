//! Matches a value against a pattern, leaf by leaf.

use casebook_suite::model::conversation::Pattern;
use serde_json::Value;

use super::format;
use crate::assertions::{matches_value, shortened};
use crate::numbers::{counted, format_bounds};

/// The result of a pattern at one location in a value.
pub(super) struct PatternLeaf {
    /// The location as a JSON Pointer.
    pub(super) pointer: String,
    /// `capacity at least 10`.
    pub(super) expected: String,
    /// `capacity 8`.
    pub(super) actual: String,
    pub(super) is_match: bool,
    /// Whether the pattern is a mapping with entries, but the value is none.
    pub(super) is_other_kind: bool,
}

/// The results of all leaves of the pattern for the arguments of a call.
pub(super) fn leaves(pattern: &Pattern, value: Option<&Value>) -> Vec<PatternLeaf> {
    leaves_of("the arguments", pattern, value)
}

/// The results of all leaves of the pattern; `root` is the name of the whole value in messages.
pub(super) fn leaves_of(root: &str, pattern: &Pattern, value: Option<&Value>) -> Vec<PatternLeaf> {
    let mut leaves = Vec::new();
    collect(pattern, value, (root, ""), &mut leaves);
    leaves
}

/// What does not match: `capacity 8; expected capacity at least 10`. `None` if everything matches.
pub(super) fn mismatch(root: &str, pattern: &Pattern, value: Option<&Value>) -> Option<String> {
    let leaf = leaves_of(root, pattern, value);
    let leaf = leaf.into_iter().find(|leaf| !leaf.is_match)?;
    Some(format!("{}; expected {}", leaf.actual, leaf.expected))
}

fn collect(
    pattern: &Pattern,
    value: Option<&Value>,
    (root, pointer): (&str, &str),
    leaves: &mut Vec<PatternLeaf>,
) {
    match (pattern, value) {
        (Pattern::Has(fields), None | Some(Value::Object(_))) if !fields.is_empty() => {
            for (key, pattern) in fields {
                let inner = value.and_then(|value| value.get(key));
                let pointer = child_pointer(pointer, key);
                collect(pattern, inner, (root, &pointer), leaves);
            }
        }
        (Pattern::List(items), Some(Value::Array(values))) if items.len() == values.len() => {
            for (place, (pattern, value)) in items.iter().zip(values).enumerate() {
                let pointer = child_pointer(pointer, &place.to_string());
                collect(pattern, Some(value), (root, &pointer), leaves);
            }
        }
        (Pattern::All(parts), value) => {
            for part in parts {
                collect(part, value, (root, pointer), leaves);
            }
        }
        _ => leaves.push(leaf(pattern, value, (root, pointer))),
    }
}

/// `~` and `/` are written `~0` and `~1` in a JSON Pointer.
fn child_pointer(pointer: &str, key: &str) -> String {
    format!("{pointer}/{}", key.replace('~', "~0").replace('/', "~1"))
}

fn leaf(pattern: &Pattern, value: Option<&Value>, (root, pointer): (&str, &str)) -> PatternLeaf {
    let full;
    let name = match pointer.strip_prefix('/') {
        None => root,
        // The value of a JSON Pointer.
        Some(_) if root.starts_with('/') => {
            full = format!("{root}{pointer}");
            &full
        }
        Some(name) => name,
    };
    let actual = match (pattern, value) {
        (_, None) => format!("no {name}"),
        (Pattern::List(_), Some(Value::Array(values))) => {
            format!("{name} with {}", counted(values.len(), "element"))
        }
        (_, Some(value)) => format!("{name} {}", shortened(&value.to_string())),
    };
    PatternLeaf {
        pointer: pointer.to_owned(),
        expected: describe(pattern, name),
        actual,
        is_match: matches_value(pattern, value),
        is_other_kind: matches!(pattern, Pattern::Has(_))
            && value.is_some_and(|value| !value.is_object()),
    }
}

fn describe(pattern: &Pattern, name: &str) -> String {
    match pattern {
        Pattern::Is(value) => format!("{name} {}", shortened(&value.to_string())),
        Pattern::Has(fields) if fields.is_empty() => format!("{name} as a mapping"),
        Pattern::Has(fields) => {
            let keys: Vec<_> = fields.iter().map(|(key, _)| key.as_str()).collect();
            format!("{name} as a mapping with {}", format::list(&keys))
        }
        Pattern::List(items) => {
            format!("{name} with {}", counted(items.len(), "element"))
        }
        Pattern::Matches(pattern) => format!("{name} matching {}", shortened(pattern)),
        Pattern::Within(bounds) => format!("{name} {}", format_bounds(*bounds)),
        Pattern::OneOf(values) => {
            let values: Vec<_> = values.iter().map(Value::to_string).collect();
            format!("{name} one of {}", format::list(&values))
        }
        Pattern::Absent => format!("no {name}"),
        Pattern::Type(json_type) => format!("{name} of type {}", json_type.name()),
        Pattern::Length(bounds) => format!("{name} with length {}", format_bounds(*bounds)),
        Pattern::Contains(value) => {
            format!("{name} containing {}", shortened(&value.to_string()))
        }
        Pattern::All(parts) => {
            let parts: Vec<_> = parts.iter().map(|part| describe(part, name)).collect();
            format::and(&parts)
        }
    }
}
