//! JSON values as text.

use casebook_record::Metadata;
use serde_json::Value;

/// A text as it is, anything else as compact JSON.
pub(super) fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// The text at a dotted path of the metadata, where there is one. `null` is none.
pub(super) fn text_at(metadata: &Metadata, path: &str) -> Option<String> {
    metadata
        .dig(path)
        .filter(|value| !value.is_null())
        .map(text)
}
