//! Unknown fields of a file: kept and written back.

use serde::de::{Deserialize, Deserializer};
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::{Map, Value};

/// The fields of one object that this version does not define.
// One pointer keeps the model small, because there are rarely any.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct UnknownFields(Option<Box<Map<String, Value>>>);

impl UnknownFields {
    /// The value of one field.
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.0.as_ref()?.get(key)
    }

    pub(crate) fn values_mut(&mut self) -> impl Iterator<Item = &mut Value> {
        self.0.iter_mut().flat_map(|map| map.values_mut())
    }
}

impl From<Map<String, Value>> for UnknownFields {
    fn from(map: Map<String, Value>) -> UnknownFields {
        UnknownFields((!map.is_empty()).then(|| Box::new(map)))
    }
}

impl Serialize for UnknownFields {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.0 {
            Some(map) => map.serialize(serializer),
            None => serializer.serialize_map(Some(0))?.end(),
        }
    }
}

impl<'de> Deserialize<'de> for UnknownFields {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<UnknownFields, D::Error> {
        Map::deserialize(deserializer).map(UnknownFields::from)
    }
}
