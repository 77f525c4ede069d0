//! Builds the JSON Schemas of the tools.

use serde_json::{Map, Value, json};

/// An object with these properties, and no others.
pub(super) fn closed_object(properties: &[(&str, Value)], required: &[&str]) -> Value {
    let mut schema = object(properties, required);
    schema["additionalProperties"] = json!(false);
    schema
}

/// An object with at least these properties.
pub(super) fn object(properties: &[(&str, Value)], required: &[&str]) -> Value {
    let properties = properties.iter();
    let properties: Map<_, _> = properties
        .map(|(name, schema)| ((*name).to_owned(), schema.clone()))
        .collect();
    json!({ "type": "object", "properties": properties, "required": required })
}

pub(super) fn text(description: &str) -> Value {
    json!({ "type": "string", "description": description })
}

pub(super) fn optional_text() -> Value {
    json!({ "type": ["string", "null"] })
}

pub(super) fn flag(description: &str) -> Value {
    json!({ "type": "boolean", "description": description })
}

pub(super) fn number(description: &str) -> Value {
    json!({ "type": "integer", "minimum": 0, "description": description })
}

/// A number of things of which at least one is wanted.
pub(super) fn positive(description: &str) -> Value {
    json!({ "type": "integer", "minimum": 1, "description": description })
}

pub(super) fn texts(description: &str) -> Value {
    json!({ "type": "array", "items": { "type": "string" }, "description": description })
}

pub(super) fn choice(description: &str, values: &[&str]) -> Value {
    json!({ "type": "string", "enum": values, "description": description })
}

pub(super) fn count() -> Value {
    json!({ "type": "integer", "minimum": 0 })
}

pub(super) fn list(items: &Value) -> Value {
    json!({ "type": "array", "items": items })
}
