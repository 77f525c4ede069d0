//! Ids derived from the names of examples, so that they do not change when a test moves to another line or file.

use std::borrow::Cow;
use std::collections::HashMap;

use serde_json::{Map, Value};
use sha2::{Digest, Sha256};
use unicode_normalization::UnicodeNormalization;

/// The descriptions from the outermost group to the example, joined by `::`, with `@<scenario id>` appended for a
/// scenario-driven example.
///
/// ```
/// use casebook_record::{canonical_path, stable_id};
///
/// let path = canonical_path(["Agent", "venue  search", "returns results"], None);
/// assert_eq!(path, "Agent::venue search::returns results");
/// assert_eq!(stable_id(&path), "example:924d5a71dde0");
/// ```
pub fn canonical_path<'a>(
    descriptions: impl IntoIterator<Item = &'a str>,
    scenario_id: Option<&str>,
) -> String {
    let mut path = descriptions
        .into_iter()
        .map(normalize)
        .collect::<Vec<_>>()
        .join("::");
    if let Some(id) = scenario_id {
        path.push('@');
        path.push_str(id);
    }
    path
}

/// The id of the example with that canonical path.
pub fn stable_id(canonical_path: &str) -> String {
    format!("example:{}", hex_of_sha256(canonical_path.as_bytes(), 12))
}

/// The scenario's own `id`, or one derived from its content.
pub fn scenario_id(scenario: &Value) -> String {
    match scenario.get("id") {
        Some(Value::String(id)) if !id.is_empty() => id.clone(),
        Some(id @ Value::Number(_)) => id.to_string(),
        _ => format!(
            "scenario_{}",
            hex_of_sha256(sorted(scenario).to_string().as_bytes(), 8)
        ),
    }
}

/// Assigns an id to each example of a planned run. If a canonical path repeats, later examples get `#2`, `#3` in call
/// order.
#[derive(Debug, Default)]
pub struct StableIds {
    seen: HashMap<String, u32>,
}

impl StableIds {
    /// The id for the next example with that canonical path.
    pub fn next(&mut self, canonical_path: &str) -> String {
        let id = stable_id(canonical_path);
        let count = self
            .seen
            .entry(id.clone())
            .and_modify(|count| *count += 1)
            .or_insert(1);
        if *count == 1 {
            id
        } else {
            format!("{id}#{count}")
        }
    }
}

fn normalize(description: &str) -> String {
    let composed: Cow<'_, str> = if description.is_ascii() {
        description.into()
    } else {
        description.nfc().collect()
    };
    let collapsed = composed.split_whitespace().collect::<Vec<_>>().join(" ");
    if collapsed.is_empty() {
        "(anonymous)".into()
    } else {
        collapsed
    }
}

fn sorted(value: &Value) -> Value {
    match value {
        Value::Object(map) => {
            let mut entries: Vec<_> = map.iter().collect();
            entries.sort_by_key(|(key, _)| *key);
            Value::Object(
                entries
                    .into_iter()
                    .map(|(key, value)| (key.clone(), sorted(value)))
                    .collect::<Map<_, _>>(),
            )
        }
        Value::Array(list) => Value::Array(list.iter().map(sorted).collect()),
        other => other.clone(),
    }
}

/// The first hexadecimal digits of a SHA-256 digest, at most 64.
pub fn hex_of_sha256(bytes: &[u8], digits: usize) -> String {
    hex(&Sha256::digest(bytes)).take(digits).collect()
}

/// The hexadecimal digits of some bytes.
pub fn hex(bytes: &[u8]) -> impl Iterator<Item = char> {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let halves = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    halves.map(|half| char::from(DIGITS[usize::from(half)]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn vectors_of_the_contract() {
        assert_eq!(
            stable_id("Agent::venue search::returns results"),
            "example:924d5a71dde0"
        );
        let scenario = json!({"name": "corporate event", "goal": "Find a venue for 50 people"});
        assert_eq!(scenario_id(&scenario), "scenario_b5e60561");
        assert_eq!(scenario_id(&json!({})), "scenario_44136fa3");
    }

    #[test]
    fn scenario_ids_do_not_depend_on_the_order_of_keys() {
        let one = json!({"a": {"x": 1, "y": [{"p": 1, "q": 2}]}, "b": 2});
        let other = json!({"b": 2, "a": {"y": [{"q": 2, "p": 1}], "x": 1}});
        assert_eq!(scenario_id(&one), scenario_id(&other));
        assert_eq!(scenario_id(&json!({"id": "vip", "goal": "g"})), "vip");
        assert_eq!(scenario_id(&json!({"id": 7})), "7");
    }

    #[test]
    fn paths_are_normalized() {
        assert_eq!(
            canonical_path([" a\t\n b ", "", "e\u{301}"], None),
            "a b::(anonymous)::é"
        );
        assert_eq!(
            canonical_path(["a", "b"], Some("scenario_44136fa3")),
            "a::b@scenario_44136fa3"
        );
    }

    #[test]
    fn repeated_paths_are_numbered_in_order() {
        let mut ids = StableIds::default();
        let first = ids.next("a::b");
        assert_eq!(ids.next("a::c"), stable_id("a::c"));
        assert_eq!(ids.next("a::b"), format!("{first}#2"));
        assert_eq!(ids.next("a::b"), format!("{first}#3"));
    }
}
