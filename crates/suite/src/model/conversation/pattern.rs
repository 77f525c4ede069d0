//! [`Pattern`]: a condition on a JSON value, for tool calls and for the output of commands.

use serde_json::{Map, Value};

use super::Bounds;

/// A condition on a JSON value.
#[derive(Debug, Clone, PartialEq)]
pub enum Pattern {
    /// Equals this value.
    Is(Value),
    /// A mapping that contains at least these entries.
    Has(Vec<(String, Pattern)>),
    /// A list whose elements match these patterns one by one.
    List(Vec<Pattern>),
    /// A string that this POSIX ERE matches.
    Matches(String),
    /// A number within these bounds.
    Within(Bounds),
    /// One of these values.
    OneOf(Vec<Value>),
    /// The value does not exist.
    Absent,
    /// A value of this type.
    Type(JsonType),
    /// A string with this number of characters, or a list or mapping with this number of entries.
    Length(Bounds),
    /// A string that contains this string, or a list that has this element.
    Contains(Value),
    /// All of these match.
    All(Vec<Pattern>),
}

/// A type of JSON values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JsonType {
    /// A string.
    String,
    /// Any number.
    Number,
    /// A number without a fraction.
    Integer,
    /// `true` or `false`.
    Boolean,
    /// A list.
    Array,
    /// A mapping.
    Object,
    /// `null`.
    Null,
}

impl JsonType {
    /// The names of all types.
    pub const NAMES: &'static [&'static str] = &[
        "string", "number", "integer", "boolean", "array", "object", "null",
    ];

    const ALL: [JsonType; 7] = [
        JsonType::String,
        JsonType::Number,
        JsonType::Integer,
        JsonType::Boolean,
        JsonType::Array,
        JsonType::Object,
        JsonType::Null,
    ];

    /// The type with this name.
    pub fn from_name(name: &str) -> Option<JsonType> {
        JsonType::ALL.into_iter().find(|one| one.name() == name)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        JsonType::NAMES[self as usize]
    }

    /// Whether the value has this type. Numbers such as `1.0` are integers.
    pub fn contains(self, value: &Value) -> bool {
        match self {
            JsonType::String => value.is_string(),
            JsonType::Number => value.is_number(),
            JsonType::Integer => {
                let is_whole = |number: f64| number.fract() == 0.0;
                value.is_i64() || value.is_u64() || value.as_f64().is_some_and(is_whole)
            }
            JsonType::Boolean => value.is_boolean(),
            JsonType::Array => value.is_array(),
            JsonType::Object => value.is_object(),
            JsonType::Null => value.is_null(),
        }
    }
}

impl Pattern {
    /// The pattern itself, or those that must all match.
    pub fn parts(&self) -> &[Pattern] {
        match self {
            Pattern::All(parts) => parts,
            one => std::slice::from_ref(one),
        }
    }

    /// The condition as the fields of a suite; empty for patterns that are written without any.
    pub fn to_fields(&self) -> Map<String, Value> {
        let field = |name: &str, value: Value| Map::from_iter([(name.to_owned(), value)]);
        match self {
            Pattern::Has(_) | Pattern::List(_) => Map::new(),
            Pattern::Is(value) => field("equals", value.clone()),
            Pattern::Matches(pattern) => field("matches", pattern.as_str().into()),
            Pattern::Within(bounds) => bounds.to_fields(),
            Pattern::OneOf(values) => field("oneOf", values.clone().into()),
            Pattern::Absent => field("absent", true.into()),
            Pattern::Type(json_type) => field("type", json_type.name().into()),
            Pattern::Length(bounds) => field("length", bounds.to_fields().into()),
            Pattern::Contains(value) => field("contains", value.clone()),
            Pattern::All(parts) => parts.iter().flat_map(Pattern::to_fields).collect(),
        }
    }
}
