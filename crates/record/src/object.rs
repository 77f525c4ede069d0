//! A JSON object whose values stay text, for whoever needs some of them.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde::ser::{Serialize, Serializer};
use serde_json::value::RawValue;

/// The members of an object, in order, in the text that they were read from.
///
/// ```
/// use casebook_record::Object;
///
/// let call: Object = serde_json::from_str(r#"{"name": "search", "arguments": {"people": 10}}"#)?;
/// assert_eq!(call.get("arguments").unwrap().get(), r#"{"people": 10}"#);
/// assert_eq!(call.keys().collect::<Vec<_>>(), ["name", "arguments"]);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Object<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

impl<'a> Object<'a> {
    /// One member.
    pub fn get(&self, key: &str) -> Option<&'a RawValue> {
        let member = self.0.iter().find(|(own, _)| own == key)?;
        Some(member.1)
    }

    /// The names of the members.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(key, _)| &**key)
    }

    /// The members of both, if no two have the same name.
    pub(crate) fn joined(mut self, other: Object<'a>) -> Option<Object<'a>> {
        if other.keys().any(|key| self.get(key).is_some()) {
            return None;
        }
        self.0.extend(other.0);
        Some(self)
    }
}

impl Serialize for Object<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(key, value)| (key, value)))
    }
}

/// A name, in the text it was read from unless that has escapes.
#[derive(serde::Deserialize)]
struct Key<'a>(#[serde(borrow)] Cow<'a, str>);

/// Of members with the same name the last one counts, as everywhere in JSON.
impl<'de> Deserialize<'de> for Object<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Object<'de>, D::Error> {
        struct Members;
        impl<'de> Visitor<'de> for Members {
            type Value = Object<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a JSON object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Object<'de>, A::Error> {
                let mut object = Object::default();
                while let Some((Key(key), value)) = map.next_entry::<Key<'de>, &RawValue>()? {
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
