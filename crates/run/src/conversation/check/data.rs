//! Checks as JSON, in the format of suites.

use casebook_suite::model::conversation::{Bounds, CallCheck, Pattern};
use serde_json::{Map, Value};

use super::format;

/// The check as JSON: the tool's name, or an object if there are other fields.
pub(super) fn call(check: &CallCheck) -> Value {
    let mut fields = Map::new();
    let mut insert = |key: &str, value: Option<Value>| {
        if let Some(value) = value {
            fields.insert(key.to_owned(), value);
        }
    };
    insert("with", check.call.with.as_ref().map(pattern_json));
    insert("failed", check.call.failed.map(Value::from));
    insert("times", check.times.map(bounds));
    insert("before", check.before.as_deref().map(Value::from));
    insert("after", check.after.as_deref().map(Value::from));
    let tool = Value::from(check.call.tool.as_str());
    if fields.is_empty() {
        return tool;
    }
    let mut object = Map::from_iter([("tool".to_owned(), tool)]);
    object.append(&mut fields);
    object.into()
}

/// The pattern in the format of suites.
pub(super) fn pattern_json(pattern: &Pattern) -> Value {
    match pattern {
        // A mapping without `equals` would be a subset.
        Pattern::Is(value) if !value.is_object() => value.clone(),
        Pattern::Has(fields) => fields
            .iter()
            .map(|(key, pattern)| (key.clone(), pattern_json(pattern)))
            .collect(),
        Pattern::List(items) => items.iter().map(pattern_json).collect(),
        condition => condition.to_fields().into(),
    }
}

/// The bounds in the format of suites.
pub(super) fn bounds(bounds: Bounds) -> Value {
    match (bounds.min, bounds.max) {
        (Some(min), Some(max)) if min.total_cmp(&max).is_eq() => number(min),
        _ => bounds.to_fields().into(),
    }
}

/// The number as JSON; an integer has no fraction.
pub(super) fn number(number: f64) -> Value {
    serde_json::from_str(&format::number(number)).unwrap_or(Value::Null)
}
