//! Matches one JSON value against a pattern.

use casebook_suite::model::conversation::Pattern;
use serde_json::Value;

use super::{is_same, matches};
use crate::numbers::float;

/// Whether the value, or its absence, matches.
pub(crate) fn matches_value(pattern: &Pattern, value: Option<&Value>) -> bool {
    let Some(value) = value else {
        return matches!(pattern, Pattern::Absent);
    };
    match pattern {
        Pattern::Is(expected) => is_same(value, expected),
        // Patterns with fields or elements are split into leaves before.
        Pattern::Has(fields) => fields.is_empty() && value.is_object(),
        Pattern::List(items) => items.is_empty() && value.as_array().is_some_and(Vec::is_empty),
        Pattern::Matches(pattern) => value.as_str().is_some_and(|text| matches(pattern, text)),
        Pattern::Within(bounds) => value.as_f64().is_some_and(|number| bounds.contains(number)),
        Pattern::OneOf(values) => values.iter().any(|expected| is_same(value, expected)),
        Pattern::Absent => false,
        Pattern::Type(json_type) => json_type.contains(value),
        Pattern::Length(bounds) => {
            length(value).is_some_and(|length| bounds.contains(float(length)))
        }
        Pattern::Contains(part) => has_part(value, part),
        Pattern::All(parts) => parts.iter().all(|part| matches_value(part, Some(value))),
    }
}

/// The number of characters, elements or entries.
fn length(value: &Value) -> Option<usize> {
    match value {
        Value::String(text) => Some(text.chars().count()),
        Value::Array(values) => Some(values.len()),
        Value::Object(values) => Some(values.len()),
        Value::Null | Value::Bool(_) | Value::Number(_) => None,
    }
}

fn has_part(value: &Value, part: &Value) -> bool {
    match value {
        Value::String(text) => part.as_str().is_some_and(|part| text.contains(part)),
        Value::Array(values) => values.iter().any(|value| is_same(value, part)),
        _ => false,
    }
}
