//! What the tests of a suite say alike, kept once.

use std::sync::Arc;

use crate::model::conversation::{Agent, Criterion, Llm, Topic};

/// What the last test said. Most tests say nothing of their own, so that the next one says the same.
#[derive(Debug, Default)]
pub(crate) struct Interned {
    pub(super) agent: Last<Agent>,
    pub(super) llm: Last<Llm>,
    pub(super) criteria: Last<Vec<Criterion>>,
    pub(super) topics: Last<Vec<Topic>>,
}

/// The last of its kind.
#[derive(Debug)]
pub(super) struct Last<T>(Option<Arc<T>>);

impl<T: PartialEq> Last<T> {
    /// The last one again, if it is the same.
    pub(super) fn or(&mut self, new: T) -> Arc<T> {
        match &self.0 {
            Some(last) if **last == new => Arc::clone(last),
            _ => Arc::clone(self.0.insert(Arc::new(new))),
        }
    }
}

impl<T> Default for Last<T> {
    fn default() -> Last<T> {
        Last(None)
    }
}
