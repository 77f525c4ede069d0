//! Demands as data, as they are written in a suite.

use casebook_suite::model::conversation::{Bounds, CallCheck, Pattern};
use serde_json::{Map, Value, json};

use super::format;

/// The demand as data: the tool's name alone, or with what else is said of it.
pub(super) fn call(check: &CallCheck) -> Value {
    let mut fields = Map::new();
    let mut put = |key: &str, value: Option<Value>| {
        if let Some(value) = value {
            fields.insert(key.to_owned(), value);
        }
    };
    put("with", check.call.with.as_ref().map(as_json));
    put("failed", check.call.failed.map(Value::from));
    put("times", check.times.map(bounds));
    put("before", check.before.as_deref().map(Value::from));
    put("after", check.after.as_deref().map(Value::from));
    let tool = Value::from(check.call.tool.as_str());
    if fields.is_empty() {
        return tool;
    }
    let mut all = Map::from_iter([("tool".to_owned(), tool)]);
    all.append(&mut fields);
    all.into()
}

/// The pattern as it is written in a suite.
fn as_json(pattern: &Pattern) -> Value {
    match pattern {
        Pattern::Is(value) => value.clone(),
        Pattern::Has(fields) => fields
            .iter()
            .map(|(key, pattern)| (key.clone(), as_json(pattern)))
            .collect(),
        Pattern::List(items) => items.iter().map(as_json).collect(),
        Pattern::Matches(pattern) => json!({"matches": pattern}),
        Pattern::Within(bounds) => limits(*bounds),
        Pattern::OneOf(values) => json!({"oneOf": values}),
        Pattern::Absent => json!({"absent": true}),
    }
}

/// The bounds as they are written in a suite.
pub(super) fn bounds(bounds: Bounds) -> Value {
    match (bounds.min, bounds.max) {
        (Some(min), Some(max)) if min.total_cmp(&max).is_eq() => number(min),
        _ => limits(bounds),
    }
}

fn limits(bounds: Bounds) -> Value {
    let limits = [("min", bounds.min), ("max", bounds.max)];
    let limits = limits
        .into_iter()
        .filter_map(|(key, limit)| Some((key.to_owned(), number(limit?))));
    limits.collect::<Map<_, _>>().into()
}

/// A whole number without a fraction.
pub(super) fn number(number: f64) -> Value {
    serde_json::from_str(&format::number(number)).unwrap_or(Value::Null)
}
