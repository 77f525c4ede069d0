//! Reads selected fields of a JSON map and skips the others.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

/// The fields at these dotted paths, read from a map's JSON text.
pub(crate) fn from_text(
    text: &str,
    paths: &[&str],
) -> Result<Map<String, Value>, serde_json::Error> {
    let mut reader = serde_json::Deserializer::from_str(text);
    require_map(PathSelection(paths.to_vec()).deserialize(&mut reader)?)
}

/// The fields at these dotted paths.
pub(crate) fn from_map(
    map: &Map<String, Value>,
    paths: &[&str],
) -> Result<Map<String, Value>, serde_json::Error> {
    require_map(PathSelection(paths.to_vec()).deserialize(map)?)
}

fn require_map(picked: Option<Value>) -> Result<Map<String, Value>, serde_json::Error> {
    match picked {
        Some(Value::Object(map)) => Ok(map),
        _ => Err(serde_json::Error::custom("not a map")),
    }
}

/// Paths relative to the current value. An empty path selects the complete value.
struct PathSelection<'p>(Vec<&'p str>);

impl<'p> PathSelection<'p> {
    /// The rest of the paths that lead into this field.
    fn within(&self, key: &str) -> PathSelection<'p> {
        let rest = |path: &&'p str| {
            let rest = path.strip_prefix(key)?;
            if rest.is_empty() {
                Some(rest)
            } else {
                rest.strip_prefix('.')
            }
        };
        PathSelection(self.0.iter().filter_map(rest).collect())
    }
}

impl<'de> DeserializeSeed<'de> for PathSelection<'_> {
    type Value = Option<Value>;

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<Option<Value>, D::Error> {
        if self.0.contains(&"") {
            serde::Deserialize::deserialize(reader).map(Some)
        } else {
            reader.deserialize_any(self)
        }
    }
}

/// Values other than maps that no path selects are skipped and become `None`.
impl<'de> Visitor<'de> for PathSelection<'_> {
    type Value = Option<Value>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("any JSON value")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Option<Value>, A::Error> {
        let mut picked = Map::new();
        while let Some(key) = fields.next_key::<String>()? {
            let deeper = self.within(&key);
            if deeper.0.is_empty() {
                fields.next_value::<IgnoredAny>()?;
            } else if let Some(value) = fields.next_value_seed(deeper)? {
                picked.insert(key, value);
            }
        }
        Ok(Some(Value::Object(picked)))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Option<Value>, A::Error> {
        while items.next_element::<IgnoredAny>()?.is_some() {}
        Ok(None)
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<Option<Value>, E> {
        Ok(None)
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<Option<Value>, E> {
        Ok(None)
    }

    fn visit_u64<E: Error>(self, _: u64) -> Result<Option<Value>, E> {
        Ok(None)
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<Option<Value>, E> {
        Ok(None)
    }

    fn visit_str<E: Error>(self, _: &str) -> Result<Option<Value>, E> {
        Ok(None)
    }

    fn visit_unit<E: Error>(self) -> Result<Option<Value>, E> {
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_selected_fields_are_read() {
        let text = r#"{"command": {"output": "long", "flaky": true, "n": 1.5}, "tags": ["a"], "trial": {"of": 5}, "x": [1, {"y": 2}], "s": "t", "z": null}"#;
        for (paths, picked) in [
            (
                &["tags", "trial"][..],
                json!({"tags": ["a"], "trial": {"of": 5}}),
            ),
            (&["command.flaky"], json!({"command": {"flaky": true}})),
            (&["command.absent"], json!({"command": {}})),
            (
                &["command", "command.flaky", "comma"],
                json!({"command": {"output": "long", "flaky": true, "n": 1.5}}),
            ),
            (&["x.y", "s.t", "z.a", "nothing"], json!({})),
            (&[], json!({})),
        ] {
            let from_text = from_text(text, paths).unwrap();
            let map: Map<String, Value> = serde_json::from_str(text).unwrap();
            assert_eq!(Value::Object(from_text.clone()), picked, "{paths:?}");
            assert_eq!(from_map(&map, paths).unwrap(), from_text, "{paths:?}");
        }
        assert!(from_text("[1]", &["a"]).is_err());
    }
}
