//! [`TypedValue`]: a value of a matrix or of a scenario, which keeps its type where a field accepts any value.

use serde_json::Value;

/// A value with its type, and what it is in a longer text.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct TypedValue {
    pub(crate) text: String,
    pub(crate) json: Value,
}

impl TypedValue {
    /// The value of a JSON document. A list of strings, numbers and booleans is one text, separated by commas; other lists and
    /// mappings are JSON. `None` for null, which has no text.
    pub(crate) fn of(value: &Value) -> Option<TypedValue> {
        let text = match value {
            Value::Null => return None,
            Value::Array(list) => list
                .iter()
                .map(scalar_text)
                .collect::<Option<Vec<_>>>()
                .map(|texts| texts.join(", ")),
            other => scalar_text(other),
        };
        Some(TypedValue {
            text: text.unwrap_or_else(|| value.to_string()),
            json: value.clone(),
        })
    }
}

/// A string, number or boolean as text.
pub(crate) fn scalar_text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(_) | Value::Bool(_) => Some(value.to_string()),
        _ => None,
    }
}
