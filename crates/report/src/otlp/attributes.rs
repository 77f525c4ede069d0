//! Attributes of spans, metrics and resources.

use serde_json::{Value, json};

/// A list of keys and values. Values that are missing are left out.
#[derive(Debug, Clone, Default)]
pub(super) struct Attributes(Vec<Value>);

impl Attributes {
    pub(super) fn text(&mut self, key: &str, value: Option<&str>) -> &mut Attributes {
        let value = value.filter(|text| !text.is_empty());
        self.add(key, value.map(|text| json!({"stringValue": text})))
    }

    /// A 64-bit integer is written as text, because JSON numbers are not exact.
    pub(super) fn int(&mut self, key: &str, value: Option<i64>) -> &mut Attributes {
        self.add(
            key,
            value.map(|number| json!({"intValue": number.to_string()})),
        )
    }

    pub(super) fn double(&mut self, key: &str, value: Option<f64>) -> &mut Attributes {
        self.add(key, value.map(|number| json!({"doubleValue": number})))
    }

    pub(super) fn bool(&mut self, key: &str, value: bool) -> &mut Attributes {
        self.add(key, Some(json!({"boolValue": value})))
    }

    fn add(&mut self, key: &str, value: Option<Value>) -> &mut Attributes {
        let attribute = value.map(|value| json!({"key": key, "value": value}));
        self.0.extend(attribute);
        self
    }

    pub(super) fn into_json(self) -> Value {
        Value::Array(self.0)
    }
}
