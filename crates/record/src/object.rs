//! A JSON object whose values stay text, for whoever needs some of them.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde::ser::{Serialize, Serializer};

use crate::json::Json;

/// The members of an object, in order.
///
/// ```
/// use casebook_record::Object;
///
/// let mut call: Object = serde_json::from_str(r#"{"name": "search", "arguments": {"people": 10}}"#)?;
/// assert_eq!(call.remove("arguments").unwrap().text(), r#"{"people": 10}"#);
/// assert_eq!(call.keys().collect::<Vec<_>>(), ["name"]);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Object(Vec<(String, Json)>);

impl Object {
    /// One member.
    pub fn get(&self, key: &str) -> Option<&Json> {
        let member = self.0.iter().find(|(own, _)| own == key)?;
        Some(&member.1)
    }

    /// Takes one member out.
    pub fn remove(&mut self, key: &str) -> Option<Json> {
        let place = self.0.iter().position(|(own, _)| own == key)?;
        Some(self.0.remove(place).1)
    }

    /// The names of the members.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(key, _)| key.as_str())
    }

    /// The members of both, if no two have the same name.
    pub(crate) fn joined(mut self, other: Object) -> Option<Object> {
        if other.keys().any(|key| self.get(key).is_some()) {
            return None;
        }
        self.0.extend(other.0);
        Some(self)
    }
}

impl Serialize for Object {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(key, value)| (key, value)))
    }
}

/// Of members with the same name the last one counts, as everywhere in JSON.
impl<'de> Deserialize<'de> for Object {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Object, D::Error> {
        struct Members;
        impl<'de> Visitor<'de> for Members {
            type Value = Object;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a JSON object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Object, A::Error> {
                let mut object = Object::default();
                while let Some((key, value)) = map.next_entry::<String, Json>()? {
                    let earlier = object.0.iter_mut().find(|(own, _)| *own == key);
                    match earlier {
                        Some((_, earlier)) => *earlier = value,
                        None => object.0.push((key, value)),
                    }
                }
                Ok(object)
            }
        }
        deserializer.deserialize_map(Members)
    }
}
