//! JSON values as text.

use casebook_record::Metadata;
use serde_json::Value;

/// A string without quotes, any other value as compact JSON.
pub(super) fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// The text at a dotted path of the metadata; `None` if it is missing or `null`.
pub(super) fn text_at(metadata: &Metadata, path: &str) -> Option<String> {
    metadata
        .dig(path)
        .filter(|value| !value.is_null())
        .map(text)
}
