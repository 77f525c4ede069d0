//! A JSON object whose values stay text, for whoever needs some of them.

use std::borrow::Cow;
use std::collections::HashSet;
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
pub struct RawObject<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

impl<'a> RawObject<'a> {
    /// One member; of several with that name the last one counts, as everywhere in JSON.
    pub fn get(&self, key: &str) -> Option<&'a RawValue> {
        let member = self.0.iter().rfind(|(own, _)| own == key)?;
        Some(member.1)
    }

    /// The names of the members.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(key, _)| &**key)
    }

    /// The members of both, if no two have the same name.
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

/// A text, in the JSON it was read from unless that has escapes.
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
    fn of_members_with_one_name_the_last_counts() {
        let object = read(r#"{"a": 1, "b": 2, "\u0061": 3}"#);
        assert_eq!(object.get("a").unwrap().get(), "3");
        assert!(object.get("c").is_none());
    }

    #[test]
    fn only_what_has_no_name_twice_is_joined() {
        let joined = |mine: &str, theirs: &str| {
            let both = read(mine).joined(read(theirs))?;
            Some(serde_json::to_string(&both).unwrap())
        };
        let both = Some(r#"{"a":{"b":1},"b":2}"#.to_owned());
        assert_eq!(joined(r#"{"a":{"b":1}}"#, r#"{"b":2}"#), both);
        assert_eq!(joined(r#"{"a":1}"#, r#"{"a":2}"#), None);
        assert_eq!(joined(r#"{"a":1,"a":2}"#, r#"{"b":2}"#), None);
    }
}
