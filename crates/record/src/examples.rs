//! The examples of a run, wherever they are: in memory, in a `run.json`, or in a journal.
//!
//! A record can be larger than the memory, so reports read one example at a time and keep what they show.

use std::borrow::Cow;
use std::io;

use serde::ser::{Error as _, Serialize, SerializeMap as _, Serializer};

use crate::model::{ExampleData, Examples, RunData};

/// A run with its examples in memory or in a file. A reference to a [`RunData`] is also a reference to a `Run`.
pub type Run = RunData<dyn ExampleSource>;

/// Reads the examples of a run by their index in the planned order.
pub trait ExampleSource: Send + Sync {
    /// The number of examples.
    fn count(&self) -> usize;

    /// Reads one example. `index` is less than [`count`](ExampleSource::count).
    fn read(&self, index: usize) -> io::Result<Cow<'_, ExampleData>>;
}

impl ExampleSource for Examples {
    fn count(&self) -> usize {
        self.len()
    }

    fn read(&self, index: usize) -> io::Result<Cow<'_, ExampleData>> {
        Ok(Cow::Borrowed(&self[index]))
    }
}

impl<E: ExampleSource + ?Sized> RunData<E> {
    /// Reads the examples in the planned order, one at a time.
    pub fn each_example(&self) -> impl Iterator<Item = io::Result<Cow<'_, ExampleData>>> {
        (0..self.examples.count()).map(|index| self.examples.read(index))
    }
}

impl Serialize for dyn ExampleSource {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.count()))?;
        for index in 0..self.count() {
            let example = self.read(index).map_err(S::Error::custom)?;
            map.serialize_entry(&example.id, &*example)?;
        }
        map.end()
    }
}
