//! A JSON object whose values remain unparsed text.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde::ser::{Serialize, Serializer};
use serde_json::value::RawValue;

/// The members of an object in order, each as the text it was read from.
///
/// ```
/// use casebook_record::RawObject;
///
/// let call: RawObject = serde_json::from_str(r#"{"name": "search", "arguments": {"people": 10}}"#)?;
/// assert_eq!(call.get("arguments").unwrap().get(), r#"{"people": 10}"#);
/// assert_eq!(call.keys().collect::<Vec<_>>(), ["name", "arguments"]);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct RawObject<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

impl<'a> RawObject<'a> {
    /// Returns one member. If a name occurs more than once, the last one is used, as is usual in JSON.
    pub fn get(&self, key: &str) -> Option<&'a RawValue> {
        let member = self.0.iter().rfind(|(own, _)| own == key)?;
        Some(member.1)
    }

    /// The names of the members.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(key, _)| &**key)
    }

    /// Returns the members of both, or `None` if any name occurs more than once.
    pub(crate) fn joined(mut self, other: RawObject<'a>) -> Option<RawObject<'a>> {
        let mut seen = HashSet::new();
        if !self.keys().chain(other.keys()).all(|key| seen.insert(key)) {
            return None;
        }
        self.0.extend(other.0);
        Some(self)
    }
}

impl Serialize for RawObject<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(key, value)| (key, value)))
    }
}

/// A string, borrowed from the JSON text unless it has escapes.
#[derive(serde::Deserialize)]
pub(crate) struct Text<'a>(#[serde(borrow)] pub(crate) Cow<'a, str>);

impl<'de> Deserialize<'de> for RawObject<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<RawObject<'de>, D::Error> {
        struct Members;
        impl<'de> Visitor<'de> for Members {
            type Value = RawObject<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a JSON object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<RawObject<'de>, A::Error> {
                let mut object = RawObject::default();
                while let Some((Text(key), value)) = map.next_entry::<Text<'de>, &RawValue>()? {
                    object.0.push((key, value));
                }
                Ok(object)
            }
        }
        deserializer.deserialize_map(Members)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> RawObject<'_> {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn the_last_of_members_with_the_same_name_is_used() {
        let object = read(r#"{"a": 1, "b": 2, "\u0061": 3}"#);
        assert_eq!(object.get("a").unwrap().get(), "3");
        assert!(object.get("c").is_none());
    }

    #[test]
    fn objects_with_a_duplicate_name_are_not_joined() {
        let joined = |left: &str, right: &str| {
            let both = read(left).joined(read(right))?;
            Some(serde_json::to_string(&both).unwrap())
        };
        let both = Some(r#"{"a":{"b":1},"b":2}"#.to_owned());
        assert_eq!(joined(r#"{"a":{"b":1}}"#, r#"{"b":2}"#), both);
        assert_eq!(joined(r#"{"a":1}"#, r#"{"a":2}"#), None);
        assert_eq!(joined(r#"{"a":1,"a":2}"#, r#"{"b":2}"#), None);
    }
}
