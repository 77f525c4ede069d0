//! Data that becomes text once nothing is added to it, and is read again only when someone looks inside.
//!
//! A run has very many conversations and evaluations, and most of them are written to a file and never looked at. As
//! text each is one piece of memory instead of a hundred, and is written without a walk through it.

use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::OnceLock;

use serde::de::{Deserialize, DeserializeOwned, Deserializer};
use serde::ser::{Serialize, Serializer};
use serde_json::value::RawValue;

use crate::json::Json;

/// A value that may be sealed. It dereferences to the value, which is read from the text once.
pub struct Sealed<T> {
    /// Known to be the value.
    text: Option<Box<RawValue>>,
    /// There, unless there is a text.
    value: OnceLock<Box<T>>,
}

impl<T: Serialize + DeserializeOwned> Sealed<T> {
    /// Makes a text of the value, if it can be read again.
    pub(crate) fn seal(&mut self) {
        if self.text.is_none()
            && let Some(value) = self.value.get()
            && let Some(text) = Json::raw(&**value)
        {
            *self = Sealed {
                text: Some(text),
                value: OnceLock::new(),
            };
        }
    }
}

impl<T: DeserializeOwned> Sealed<T> {
    /// Changes the value, unless it is text that needs no change.
    pub(crate) fn change(
        &mut self,
        change: impl FnOnce(&mut T),
        unneeded: impl FnOnce(&str) -> bool,
    ) {
        if !self.text.as_ref().is_some_and(|text| unneeded(text.get())) {
            change(self);
        }
    }
}

impl<T> From<T> for Sealed<T> {
    fn from(value: T) -> Sealed<T> {
        Sealed {
            text: None,
            value: OnceLock::from(Box::new(value)),
        }
    }
}

impl<T: DeserializeOwned> Deref for Sealed<T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.value.get_or_init(|| {
            let text = self.text.as_ref().expect("there is a text or a value");
            Box::new(serde_json::from_str(text.get()).expect("it was checked when it was sealed"))
        })
    }
}

/// Breaks the seal.
impl<T: DeserializeOwned> DerefMut for Sealed<T> {
    fn deref_mut(&mut self) -> &mut T {
        let _: &T = self;
        self.text = None;
        self.value.get_mut().expect("it was read just now")
    }
}

impl<'a, T: DeserializeOwned> IntoIterator for &'a Sealed<Vec<T>> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<T: Default> Default for Sealed<T> {
    fn default() -> Sealed<T> {
        T::default().into()
    }
}

impl<T: Clone> Clone for Sealed<T> {
    fn clone(&self) -> Sealed<T> {
        match &self.text {
            Some(text) => Sealed {
                text: Some(text.clone()),
                value: OnceLock::new(),
            },
            None => Sealed {
                text: None,
                value: self.value.clone(),
            },
        }
    }
}

impl<T: DeserializeOwned + PartialEq> PartialEq for Sealed<T> {
    fn eq(&self, other: &Sealed<T>) -> bool {
        **self == **other
    }
}

impl<T: DeserializeOwned + fmt::Debug> fmt::Debug for Sealed<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        T::fmt(self, f)
    }
}

impl<T: Serialize + DeserializeOwned> Serialize for Sealed<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.text {
            Some(text) => text.serialize(serializer),
            None => T::serialize(self, serializer),
        }
    }
}

/// What is read is checked whole, so that a file's faults are found when it is read.
impl<'de, T: Deserialize<'de>> Deserialize<'de> for Sealed<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Sealed<T>, D::Error> {
        T::deserialize(deserializer).map(Sealed::from)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn what_is_sealed_is_text_until_someone_looks_and_a_value_once_someone_changes_it() {
        let mut list = Sealed::from(vec![1, 2]);
        list.seal();
        let copy = list.clone();
        assert!(list.text.is_some() && list.value.get().is_none());
        assert_eq!(serde_json::to_string(&list).unwrap(), "[1,2]");
        assert_eq!(*list, [1, 2]);
        list.push(3);
        assert!(list.text.is_none(), "the seal is broken");
        assert_eq!(serde_json::to_string(&list).unwrap(), "[1,2,3]");
        assert!(copy.value.get().is_none() && copy != list);
        assert_eq!(copy.into_iter().count(), 2);
    }

    #[test]
    fn what_could_not_be_read_again_is_not_sealed() {
        let deep = (0..200).fold(json!(1), |inner, _| json!([inner]));
        let mut sealed = Sealed::<Value>::from(deep.clone());
        sealed.seal();
        assert_eq!(*sealed, deep);
    }
}
