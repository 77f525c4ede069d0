//! The part of JSON Schema that the tools use.

use serde_json::Value;

/// Why the value does not match the schema.
pub(super) fn mismatch(value: &Value, schema: &Value, path: &str) -> Option<String> {
    let at = |problem: String| Some(format!("{path}: {problem}"));
    let types: Vec<&str> = match &schema["type"] {
        Value::String(name) => vec![name],
        Value::Array(names) => names.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    if !types.is_empty() && !types.iter().any(|name| is_of(value, name)) {
        return at(format!("{value} is not {types:?}"));
    }
    if let Some(values) = schema["enum"].as_array()
        && !values.contains(value)
    {
        return at(format!("{value} is not one of {values:?}"));
    }
    let required = schema["required"].as_array().into_iter().flatten();
    for name in required.filter_map(Value::as_str) {
        if value.get(name).is_none() {
            return at(format!("`{name}` is missing"));
        }
    }
    let properties = schema["properties"].as_object().into_iter().flatten();
    let in_properties = properties.filter_map(|(name, schema)| {
        let value = value.get(name)?;
        mismatch(value, schema, &format!("{path}.{name}"))
    });
    let items = value.as_array().into_iter().flatten();
    let in_items = items.filter_map(|item| mismatch(item, &schema["items"], &format!("{path}[]")));
    in_properties.chain(in_items).next()
}

fn is_of(value: &Value, name: &str) -> bool {
    match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_u64() || value.is_i64(),
        "null" => value.is_null(),
        name => panic!("the schema has an unknown type {name}"),
    }
}
