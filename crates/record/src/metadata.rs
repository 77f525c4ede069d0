//! Open, nested, ordered data that every level of a record can carry.

use std::borrow::Cow;
use std::fmt;

use serde::de::{self, Deserialize, Deserializer};
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::{Map, Value};

use crate::json::Json;
use crate::object::{RawObject, Text};
use crate::pick;

/// An open, ordered map of JSON values: LLM tracing, the command of a test, anything a user adds.
///
/// ```
/// use casebook_record::Metadata;
///
/// let mut metadata = Metadata::new();
/// let mut tracing = metadata.scope("tracing")?;
/// tracing.set("model", "small");
/// tracing.scope("tokens")?.set("input", 12);
///
/// assert_eq!(metadata.dig("tracing.tokens.input"), Some(&12.into()));
/// assert_eq!(metadata.dig("tracing.tokens.output"), None);
/// assert!(metadata.scope("tracing")?.scope("model").is_err());
/// # Ok::<(), casebook_record::ScopeError>(())
/// ```
// One pointer keeps the model small, because most metadata is empty.
#[derive(Clone, Default)]
pub struct Metadata(Option<Box<Fields>>);

#[derive(Clone)]
enum Fields {
    /// JSON text until the fields are changed. Always an object.
    Read(Json),
    Map(Map<String, Value>),
}

/// The value to open a scope over is not a map, so opening it would lose the value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("cannot open scope `{key}`: it already contains {found}")]
pub struct ScopeError {
    key: String,
    found: &'static str,
}

/// A map within a [`Metadata`] to set fields in.
pub struct Scope<'a>(&'a mut Map<String, Value>);

impl Metadata {
    /// Metadata without fields.
    pub fn new() -> Metadata {
        Metadata(None)
    }

    /// The fields of `data`, which must serialize as a map. Cheaper than setting fields one by one if they are not
    /// changed before they are written.
    ///
    /// ```
    /// use casebook_record::Metadata;
    ///
    /// #[derive(serde::Serialize)]
    /// struct Location<'a> {
    ///     file: &'a str,
    ///     line: u32,
    /// }
    ///
    /// let metadata = Metadata::of(&Location { file: "a.yaml", line: 7 });
    /// assert_eq!(metadata.dig("line"), Some(&7.into()));
    /// ```
    pub fn of(data: &impl Serialize) -> Metadata {
        let text = Json::readable(data);
        if let Some(text) = text.filter(|json| json.text().starts_with("{\"")) {
            return Metadata(Some(Box::new(Fields::Read(text))));
        }
        match serde_json::to_value(data) {
            Ok(Value::Object(map)) => map.into(),
            _ => Metadata::new(),
        }
    }

    /// Whether it has no fields.
    pub fn is_empty(&self) -> bool {
        self.map().is_none_or(Map::is_empty)
    }

    /// The value of one key. Dots in the key have no special meaning.
    pub fn get(&self, key: &str) -> Option<&Value> {
        match self.0.as_deref()? {
            Fields::Read(json) if json.lacks(key) => None,
            _ => self.map()?.get(key),
        }
    }

    /// The string value of one key; other fields are not parsed. Dots in the key have no special meaning.
    ///
    /// ```
    /// use casebook_record::Metadata;
    ///
    /// let read: Metadata = serde_json::from_str(r#"{"file": "a\"b", "line": 7}"#)?;
    /// let set: Metadata = [("file", "a\"b")].into_iter().collect();
    /// assert_eq!(read.text("file").as_deref(), Some("a\"b"));
    /// assert_eq!(set.text("file"), read.text("file"));
    /// assert_eq!(read.text("line").or(read.text("other")), None);
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn text(&self, key: &str) -> Option<Cow<'_, str>> {
        if let Fields::Read(json) = self.0.as_deref()?
            && let Ok(object) = serde_json::from_str::<RawObject>(json.text())
        {
            let text: Text = serde_json::from_str(object.get(key)?.get()).ok()?;
            return Some(text.0);
        }
        self.get(key)?.as_str().map(Cow::Borrowed)
    }

    /// Only the fields at these dotted paths, within their parent maps. The others are skipped, which is much cheaper
    /// than reading them, however large they are.
    #[must_use]
    pub fn pick(&self, paths: &[&str]) -> Metadata {
        let picked = match self.0.as_deref() {
            None => return Metadata::new(),
            Some(Fields::Read(json)) => pick::from_text(json.text(), paths),
            Some(Fields::Map(map)) => pick::from_map(map, paths),
        };
        // Text that only the slower parser in `json` accepts is returned with all fields.
        picked.map_or_else(|_| self.clone(), Metadata::from)
    }

    /// Sets one key and returns its previous value. Dots in the key have no special meaning.
    pub fn set(&mut self, key: impl Into<String>, value: impl Into<Value>) -> Option<Value> {
        self.map_mut().insert(key.into(), value.into())
    }

    /// Removes one key, keeping the order of the others.
    pub fn remove(&mut self, key: &str) -> Option<Value> {
        self.get(key)?;
        self.map_mut().shift_remove(key)
    }

    /// The value at a dotted path such as `tracing.tokens.input`. A number is an index into a list.
    pub fn dig(&self, path: &str) -> Option<&Value> {
        let mut keys = path.split('.');
        let first = self.get(keys.next()?)?;
        keys.try_fold(first, |value, key| match value {
            Value::Object(map) => map.get(key),
            Value::Array(list) => list.get(key.parse::<usize>().ok()?),
            _ => None,
        })
    }

    /// Sets the value at a dotted path; creates scopes where needed.
    pub fn set_path(&mut self, path: &str, value: impl Into<Value>) -> Result<(), ScopeError> {
        let mut scope = Scope(self.map_mut());
        let mut rest = path;
        while let Some((key, deeper)) = rest.split_once('.') {
            scope = scope.into_scope(key)?;
            rest = deeper;
        }
        scope.set(rest, value);
        Ok(())
    }

    /// Opens the scope with that name; creates it if it is missing.
    pub fn scope(&mut self, key: &str) -> Result<Scope<'_>, ScopeError> {
        Scope(self.map_mut()).into_scope(key)
    }

    /// Adds every field of `other`. Maps are merged at every level; other values are replaced.
    pub fn merge(&mut self, other: Metadata) {
        if let (Some(Fields::Read(left)), Some(Fields::Read(right))) =
            (self.0.as_deref(), other.0.as_deref())
            && let Some(joined) = join(left, right)
        {
            *self = Metadata(Some(Box::new(Fields::Read(joined))));
        } else if self.0.is_none() {
            *self = other;
        } else if other.0.is_some() {
            merge_maps(self.map_mut(), other.into_map());
        }
    }

    /// Serializes the fields, as if they had just been read. They are not changed any more, and as text all later
    /// steps cost one copy.
    pub(crate) fn freeze(&mut self) {
        if let Some(Fields::Map(map)) = self.0.as_deref()
            && let Some(text) = Json::readable(map)
        {
            self.0 = (!map.is_empty()).then(|| Box::new(Fields::Read(text)));
        }
    }

    /// The fields in order.
    pub fn iter(&self) -> impl Iterator<Item = (&String, &Value)> {
        self.map().into_iter().flatten()
    }

    /// Changes the fields, except text for which `needs_no_change` is true.
    pub(crate) fn change(
        &mut self,
        change: impl FnOnce(&mut Map<String, Value>),
        needs_no_change: impl FnOnce(&str) -> bool,
    ) {
        match self.0.as_deref() {
            None => {}
            Some(Fields::Read(json)) if needs_no_change(json.text()) => {}
            Some(_) => change(self.map_mut()),
        }
    }

    fn map(&self) -> Option<&Map<String, Value>> {
        Some(match self.0.as_deref()? {
            Fields::Read(json) => json
                .value()
                .as_object()
                .expect("`Read` is always an object"),
            Fields::Map(map) => map,
        })
    }

    fn map_mut(&mut self) -> &mut Map<String, Value> {
        let map = std::mem::take(self).into_map();
        let fields = self.0.insert(Box::new(Fields::Map(map)));
        match &mut **fields {
            Fields::Map(map) => map,
            Fields::Read(_) => unreachable!("converted to a map above"),
        }
    }

    fn into_map(self) -> Map<String, Value> {
        match self.0.map(|fields| *fields) {
            None => Map::new(),
            Some(Fields::Map(map)) => map,
            Some(Fields::Read(json)) => match json.into() {
                Value::Object(map) => map,
                _ => unreachable!("`Read` is always an object"),
            },
        }
    }
}

impl<'a> Scope<'a> {
    /// Sets one field of this scope and returns its previous value.
    pub fn set(&mut self, key: impl Into<String>, value: impl Into<Value>) -> Option<Value> {
        self.0.insert(key.into(), value.into())
    }

    /// Opens a scope within this one.
    pub fn scope(&mut self, key: &str) -> Result<Scope<'_>, ScopeError> {
        Scope(self.0).into_scope(key)
    }

    fn into_scope(self, key: &str) -> Result<Scope<'a>, ScopeError> {
        match self
            .0
            .entry(key)
            .or_insert_with(|| Value::Object(Map::new()))
        {
            Value::Object(map) => Ok(Scope(map)),
            other => Err(ScopeError {
                key: key.into(),
                found: kind_of(other),
            }),
        }
    }
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "a map",
    }
}

/// Joins two objects as text if they have no field in common, which is much cheaper than parsing them.
fn join(left: &Json, right: &Json) -> Option<Json> {
    let left: RawObject = serde_json::from_str(left.text()).ok()?;
    let right = serde_json::from_str(right.text()).ok()?;
    Json::readable(&left.joined(right)?)
}

fn merge_maps(into: &mut Map<String, Value>, from: Map<String, Value>) {
    for (key, value) in from {
        match (into.get_mut(&key), value) {
            (Some(Value::Object(old)), Value::Object(new)) => merge_maps(old, new),
            (_, value) => {
                into.insert(key, value);
            }
        }
    }
}

/// Equality is by content: order is ignored, and an empty map equals no metadata.
impl PartialEq for Metadata {
    fn eq(&self, other: &Metadata) -> bool {
        match (self.map(), other.map()) {
            (Some(left), Some(right)) => left == right,
            _ => self.is_empty() && other.is_empty(),
        }
    }
}

impl fmt::Debug for Metadata {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

impl From<Map<String, Value>> for Metadata {
    fn from(map: Map<String, Value>) -> Metadata {
        Metadata((!map.is_empty()).then(|| Box::new(Fields::Map(map))))
    }
}

impl From<Metadata> for Value {
    fn from(metadata: Metadata) -> Value {
        Value::Object(metadata.into_map())
    }
}

impl<K: Into<String>, V: Into<Value>> FromIterator<(K, V)> for Metadata {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(fields: I) -> Metadata {
        let map: Map<String, Value> = fields
            .into_iter()
            .map(|(key, value)| (key.into(), value.into()))
            .collect();
        map.into()
    }
}

impl Serialize for Metadata {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0.as_deref() {
            Some(Fields::Read(json)) => json.serialize(serializer),
            Some(Fields::Map(map)) => map.serialize(serializer),
            None => serializer.serialize_map(Some(0))?.end(),
        }
    }
}

/// `null` is read as no fields, because other writers use it for empty metadata.
impl<'de> Deserialize<'de> for Metadata {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Metadata, D::Error> {
        let json = Json::deserialize(deserializer)?;
        match json.text() {
            "{}" | "null" => Ok(Metadata::new()),
            text if text.starts_with('{') => Ok(Metadata(Some(Box::new(Fields::Read(json))))),
            _ => Err(de::Error::custom(format!(
                "expected a map, found {}",
                kind_of(&json)
            ))),
        }
    }
}
