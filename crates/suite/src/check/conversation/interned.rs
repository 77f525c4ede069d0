//! Stores values that are equal in consecutive tests once.

use std::sync::Arc;

use crate::model::conversation::{Agent, Criterion, Llm, Topic};

/// The values of the last test. Most tests only have the suite's settings, so their values are equal.
#[derive(Debug, Default)]
pub(crate) struct Interned {
    pub(super) agent: Last<Agent>,
    pub(super) judges: Last<Vec<Llm>>,
    pub(super) user_model: Last<Llm>,
    pub(super) criteria: Last<Vec<Criterion>>,
    pub(super) topics: Last<Vec<Topic>>,
}

/// The value of the last test.
#[derive(Debug)]
pub(super) struct Last<T>(Option<Arc<T>>);

impl<T: PartialEq> Last<T> {
    /// Returns the last value if it equals `new`, otherwise stores `new`.
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
