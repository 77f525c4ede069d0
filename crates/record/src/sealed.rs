//! Data that leaves memory once nothing is added to it, and is read again only when someone looks inside.
//!
//! A run has very many conversations and evaluations, and most of them are written to `run.json` and never looked at. So
//! each is put down as it will stand there as soon as it is complete.

use std::fmt;
use std::io;
use std::ops::{Deref, DerefMut};
use std::sync::{Arc, OnceLock};

use serde::de::{Deserialize, DeserializeOwned, Deserializer};
use serde::ser::{Serialize, Serializer};

use crate::json::Json;
use crate::layout;
use crate::spool::{Kept, Spool};

/// A value that may be sealed. It dereferences to the value, which is read once; what the disk does not give back any
/// more is as good as empty.
pub struct Sealed<T> {
    /// Known to be the value.
    text: Option<Kept>,
    /// There, unless there is a text.
    value: OnceLock<Box<T>>,
}

impl<T: Serialize> Sealed<T> {
    /// Puts the value down in a spool, if it can be read again.
    pub(crate) fn seal(&mut self, spool: &Arc<Spool>) {
        if self.text.is_none()
            && let Some(value) = self.value.get()
            && let Ok(Some(text)) = layout::in_place(&**value, |text| {
                Json::can_be_read(text).then(|| spool.keep(text)).flatten()
            })
        {
            *self = Sealed {
                text: Some(text),
                value: OnceLock::new(),
            };
        }
    }
}

impl<T> Sealed<T> {
    /// Why it is as good as empty.
    pub(crate) fn trouble(&self) -> Option<io::Error> {
        self.text.as_ref()?.trouble()
    }
}

impl<T: DeserializeOwned + Default> Sealed<T> {
    /// Changes the value, unless it is text that needs no change.
    pub(crate) fn change(
        &mut self,
        change: impl FnOnce(&mut T),
        unneeded: impl FnOnce(&str) -> bool,
    ) {
        let text = self.text.as_ref().and_then(Kept::read);
        if !text.is_some_and(|text| unneeded(&text)) {
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

impl<T: DeserializeOwned + Default> Deref for Sealed<T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.value.get_or_init(|| {
            let text = self.text.as_ref().and_then(Kept::read);
            let value = text.and_then(|text| serde_json::from_str(&text).ok());
            value.unwrap_or_default()
        })
    }
}

/// Breaks the seal.
impl<T: DeserializeOwned + Default> DerefMut for Sealed<T> {
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

impl<T: DeserializeOwned + Default + PartialEq> PartialEq for Sealed<T> {
    fn eq(&self, other: &Sealed<T>) -> bool {
        **self == **other
    }
}

impl<T: DeserializeOwned + Default + fmt::Debug> fmt::Debug for Sealed<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        T::fmt(self, f)
    }
}

impl<T: Serialize + DeserializeOwned + Default> Serialize for Sealed<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Some(text) = self.text.as_ref().and_then(Kept::read) else {
            return T::serialize(self, serializer);
        };
        layout::write_raw(&text, serializer)
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

    fn spool() -> Arc<Spool> {
        let folder = tempfile::tempdir().unwrap();
        Arc::new(Spool::within(folder.path()).unwrap())
    }

    #[test]
    fn what_is_sealed_is_text_until_someone_looks_and_a_value_once_someone_changes_it() {
        let mut list = Sealed::from(vec![1, 2]);
        list.seal(&spool());
        let copy = list.clone();
        assert!(list.text.is_some() && list.value.get().is_none());
        assert_eq!(serde_json::to_value(&list).unwrap(), json!([1, 2]));
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
        sealed.seal(&spool());
        assert_eq!(*sealed, deep);
    }
}
