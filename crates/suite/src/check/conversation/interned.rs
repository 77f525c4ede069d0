//! Stores values that are equal in consecutive tests once.

use std::sync::Arc;

use crate::model::conversation::{Agent, Criterion, Llm, Topic};

/// The values of the last test. Most tests only have the suite's settings, so their values are equal.
#[derive(Debug, Default)]
pub(crate) struct Interned {
    pub(super) agent: LastValue<Agent>,
    pub(super) judges: LastValue<Vec<Llm>>,
    pub(super) user_model: LastValue<Llm>,
    pub(super) criteria: LastValue<Vec<Criterion>>,
    pub(super) topics: LastValue<Vec<Topic>>,
}

/// The value of the last test.
#[derive(Debug)]
pub(super) struct LastValue<T>(Option<Arc<T>>);

impl<T: PartialEq> LastValue<T> {
    /// Returns the last value if it equals `new`, otherwise stores `new`.
    pub(super) fn or(&mut self, new: T) -> Arc<T> {
        match &self.0 {
            Some(last) if **last == new => Arc::clone(last),
            _ => Arc::clone(self.0.insert(Arc::new(new))),
        }
    }
}

impl<T> Default for LastValue<T> {
    fn default() -> LastValue<T> {
        LastValue(None)
    }
}
