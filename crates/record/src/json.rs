//! A JSON value that remains text until it is read.
//!
//! Most tool arguments, results and metadata are copied and never read. As text, a copy is cheap, order is preserved,
//! and numbers keep all their digits.

use std::fmt;
use std::ops::Deref;
use std::sync::OnceLock;

use indexmap::IndexMap;
use memchr::memchr2;
use serde::de::{self, Deserialize, Deserializer};
use serde::ser::{Serialize, Serializer};
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};

use crate::layout;

/// Any JSON value. Reading it (it dereferences to [`Value`]) parses it once.
///
/// ```
/// use casebook_record::Json;
/// use serde_json::json;
///
/// let arguments = Json::from(json!({"query": "venues"}));
/// assert_eq!(arguments.text(), r#"{"query":"venues"}"#);
/// assert_eq!(arguments["query"], "venues");
/// ```
pub struct Json {
    /// Always parses.
    text: Box<RawValue>,
    value: OnceLock<Box<Value>>,
}

impl Json {
    /// The value as JSON text, in its original form.
    pub fn text(&self) -> &str {
        self.text.get()
    }

    /// The value, parsed.
    pub fn value(&self) -> &Value {
        self.value
            .get_or_init(|| Box::new(parse(self.text()).expect("checked by the constructor")))
    }

    /// The value without white space between its tokens.
    #[must_use]
    pub fn on_one_line(self) -> Json {
        if !self.text().bytes().any(|byte| byte.is_ascii_whitespace()) {
            return self;
        }
        let line = tokens(self.text()).collect();
        Json::of(RawValue::from_string(line).expect("compact JSON is JSON"))
    }

    /// Whether the text certainly lacks this key, as far as can be determined without parsing.
    pub(crate) fn lacks(&self, key: &str) -> bool {
        let text = self.text();
        // Other keys can be written with escapes in too many forms to search for.
        let is_plain = key
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        is_plain && self.value.get().is_none() && !text.contains(key) && !text.contains("\\u00")
    }

    /// Changes the value in place.
    pub(crate) fn change(&mut self, change: impl FnOnce(&mut Value)) {
        let mut value = Value::from(std::mem::take(self));
        change(&mut value);
        *self = value.into();
    }

    /// The data as a value, or as a string with its JSON text if it could not be read again with `around` levels
    /// around it.
    pub(crate) fn nested(data: &impl Serialize, around: usize) -> Value {
        let text = layout::to_line(data).expect("run data has only text keys");
        parse(&text)
            .ok()
            .filter(|value| depth(value) + around <= MAX_DEPTH)
            .unwrap_or_else(|| String::from(text).into())
    }

    /// The data as text; `None` if it could not be read again.
    pub(crate) fn readable(data: &impl Serialize) -> Option<Json> {
        Json::check(to_raw_value(data).ok()?).ok()
    }

    fn of(text: Box<RawValue>) -> Json {
        Json {
            text,
            value: OnceLock::new(),
        }
    }

    fn check(text: Box<RawValue>) -> Result<Json, serde_json::Error> {
        if may_not_parse(text.get()) {
            parse(text.get())?;
        }
        Ok(Json::of(text))
    }
}

fn parse(text: &str) -> Result<Value, serde_json::Error> {
    if may_have_reserved_key(text) {
        parse_literally(text, MAX_DEPTH)
    } else {
        serde_json::from_str(text)
    }
}

/// The maximum nesting of lists and maps: the limit of `serde_json`.
const MAX_DEPTH: usize = 127;

/// `serde_json` marks numbers and raw text with reserved keys, so `Value` reads `{"$serde_json::private::Number":
/// "1"}` as the number 1. Here they must be read as ordinary keys.
fn may_have_reserved_key(text: &str) -> bool {
    const RESERVED: &str = "$serde_json::private::";
    let unescaped = |token| serde_json::from_str::<String>(token).unwrap_or_default();
    text.contains(RESERVED)
        || text.contains("\\u00")
            && tokens(text)
                .filter(|token| token.contains("\\u00"))
                .any(|token| unescaped(token).starts_with(RESERVED))
}

/// Reads maps as maps, including reserved keys. Slower, because every level scans the text within it again.
fn parse_literally(text: &str, depth: usize) -> Result<Value, serde_json::Error> {
    let deeper = |inner: &RawValue| parse_literally(inner.get(), depth - 1);
    match text.as_bytes().first() {
        Some(b'{' | b'[') if depth == 0 => Err(de::Error::custom("recursion limit exceeded")),
        Some(b'{') => serde_json::from_str::<IndexMap<String, &RawValue>>(text)?
            .into_iter()
            .map(|(key, inner)| Ok((key, deeper(inner)?)))
            .collect(),
        Some(b'[') => serde_json::from_str::<Vec<&RawValue>>(text)?
            .into_iter()
            .map(deeper)
            .collect(),
        _ => serde_json::from_str(text),
    }
}

/// Raw text has already been scanned. The scan accepts two things that a parser rejects: half of a surrogate pair,
/// and unlimited nesting.
fn may_not_parse(text: &str) -> bool {
    let opening = text.bytes().filter(|byte| matches!(byte, b'{' | b'['));
    text.contains("\\u") || (opening.count() > MAX_DEPTH && nesting(text) > MAX_DEPTH)
}

/// The nesting depth of lists and maps.
fn nesting(text: &str) -> usize {
    let (mut depth, mut deepest) = (0_usize, 0);
    for token in tokens(text) {
        match token {
            "{" | "[" => depth += 1,
            "}" | "]" => depth = depth.saturating_sub(1),
            _ => continue,
        }
        deepest = deepest.max(depth);
    }
    deepest
}

fn depth(value: &Value) -> usize {
    match value {
        Value::Array(list) => 1 + list.iter().map(depth).max().unwrap_or(0),
        Value::Object(map) => 1 + map.values().map(depth).max().unwrap_or(0),
        _ => 0,
    }
}

/// Splits valid JSON text into strings, other words and single punctuation marks (`{`, `,`, …), without white space.
pub(crate) fn tokens(json: &str) -> impl Iterator<Item = &str> {
    let bytes = json.as_bytes();
    let mut end = 0;
    std::iter::from_fn(move || {
        let rest = &bytes[end..];
        let start = end + rest.iter().position(|byte| !byte.is_ascii_whitespace())?;
        let rest = &bytes[start..];
        let length = match rest[0] {
            b'"' => string_length(rest),
            b'{' | b'}' | b'[' | b']' | b',' | b':' => 1,
            _ => rest
                .iter()
                .position(|byte| ends_word(*byte))
                .unwrap_or(rest.len()),
        };
        end = start + length;
        // All tokens start and end at ASCII characters, so `get` never splits a character.
        json.get(start..end)
    })
}

fn ends_word(byte: u8) -> bool {
    matches!(byte, b',' | b':' | b'}' | b']') || byte.is_ascii_whitespace()
}

/// The length of the string literal that the text begins with, quotes included.
fn string_length(text: &[u8]) -> usize {
    let mut index = 1;
    while let Some(found) = text
        .get(index..)
        .and_then(|rest| memchr2(b'"', b'\\', rest))
    {
        match text[index + found] {
            b'"' => return index + found + 1,
            _ => index += found + 2,
        }
    }
    text.len()
}

impl Default for Json {
    fn default() -> Json {
        Json::of(RawValue::NULL.to_owned())
    }
}

impl Clone for Json {
    fn clone(&self) -> Json {
        Json::of(self.text.clone())
    }
}

/// Equality is by content: `{"a":1,"b":2}` equals `{"b":2,"a":1}`.
impl PartialEq for Json {
    fn eq(&self, other: &Json) -> bool {
        self.text() == other.text() || self.value() == other.value()
    }
}

impl Deref for Json {
    type Target = Value;

    fn deref(&self) -> &Value {
        self.value()
    }
}

impl fmt::Debug for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// On one line, without white space between the tokens.
impl fmt::Display for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        tokens(self.text()).try_for_each(|token| f.write_str(token))
    }
}

impl From<Value> for Json {
    fn from(value: Value) -> Json {
        Json::of(to_raw_value(&value).expect("the keys of a value are strings"))
    }
}

impl From<Json> for Value {
    fn from(json: Json) -> Value {
        match json.value.into_inner() {
            Some(value) => *value,
            None => parse(json.text.get()).expect("checked by the constructor"),
        }
    }
}

impl Serialize for Json {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.text.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Json, D::Error> {
        let text = Box::<RawValue>::deserialize(deserializer)?;
        Json::check(text).map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Json, serde_json::Error> {
        serde_json::from_str(text)
    }

    #[test]
    fn text_is_preserved_exactly() {
        for text in [
            "null",
            "false",
            r#"{"b":1,"a":{"z":[],"y":{}}}"#,
            "[123456789012345678901234567890,1e999,1.10,-0]",
            r#""\u00e9 \ud83d\ude00 \"quoted\" \\""#,
        ] {
            let json = read(text).unwrap();
            assert_eq!(serde_json::to_string(&json).unwrap(), text);
            assert_eq!(Json::from(json.value().clone()), json);
        }
    }

    #[test]
    fn text_is_split_into_tokens() {
        let pretty =
            "{\n  \"a b\" : [ 1 ,\r\n\t2 ],\n  \"c\\\"\\\\\": \"x \\n y\",\n \"d\": true\n}";
        let joined: String = tokens(pretty).collect();
        assert_eq!(joined, r#"{"a b":[1,2],"c\"\\":"x \n y","d":true}"#);
    }

    #[test]
    fn text_that_cannot_be_parsed_is_rejected_when_read() {
        assert!(read(r#"{"a":"\ud800"}"#).is_err());
        let nested = |depth| "[".repeat(depth) + &"]".repeat(depth);
        assert!(read(&nested(MAX_DEPTH)).is_ok());
        assert!(read(&nested(MAX_DEPTH + 1)).is_err());
        assert!(
            read(&format!("[{}]", "[],".repeat(500) + "[]")).is_ok(),
            "many elements on one level are not nesting"
        );
    }

    #[test]
    fn keys_reserved_by_serde_json_are_ordinary_keys() {
        for text in [
            r#"{"$serde_json::private::Number":"1"}"#,
            r#"{"$serde_json::private::Number":"x","a":[1.10]}"#,
            r#"{"$serde_json::private::RawValue":"[1"}"#,
            r#"[{"$serde_json::private::RawValue":{}}]"#,
        ] {
            let json = read(text).unwrap();
            assert_eq!(Json::from(json.value().clone()).text(), text);
        }
        let escaped = read(r#"{"\u0024serde_json::private::Number":"1"}"#).unwrap();
        assert!(escaped.is_object());
        let nested =
            |depth| r#"{"$serde_json::private::Number":"#.repeat(depth) + "1" + &"}".repeat(depth);
        assert!(read(&nested(MAX_DEPTH)).is_ok());
        assert!(read(&nested(MAX_DEPTH + 1)).is_err());
    }

    #[test]
    fn equality_is_by_content() {
        assert_eq!(
            read(r#"{"a":1,"b":[2]}"#).unwrap(),
            read(r#"{ "b": [2], "a": 1 }"#).unwrap()
        );
        assert_ne!(read("[1]").unwrap(), read("[2]").unwrap());
    }
}
