//! [`OutputBudget`]: limits how much output a record keeps. It must fit in memory, however many tests there are.

use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::Value;

use crate::excerpt::{LIMIT, excerpt_of};

/// Pairs of byte counts: once the record has the first number of bytes, each text is limited to the second.
const LIMITS_BY_TOTAL: [(usize, usize); 4] = [
    (0, LIMIT),
    (8 << 20, 8 << 10),
    (16 << 20, 1 << 10),
    (32 << 20, 1 << 8),
];

/// Counts the bytes of output in the record.
#[derive(Debug, Default)]
pub(crate) struct OutputBudget(AtomicUsize);

/// See [`OutputBudget::fork`].
pub(crate) struct ForkedBudget {
    pub(crate) budget: OutputBudget,
    begin: usize,
}

impl OutputBudget {
    /// Returns an excerpt of the text within the current limit, and whether it was truncated.
    pub(crate) fn excerpt(&self, text: &[u8]) -> (String, bool) {
        let (text, is_truncated) = excerpt_of(text, self.limit());
        self.0.fetch_add(text.len(), Ordering::Relaxed);
        (text, is_truncated)
    }

    /// A budget that starts with the same limit, for output that may not be recorded.
    pub(crate) fn fork(&self) -> ForkedBudget {
        let total = self.total();
        ForkedBudget {
            budget: OutputBudget(AtomicUsize::new(total)),
            begin: total,
        }
    }

    /// Counts the output of a fork, because it is recorded.
    pub(crate) fn join(&self, fork: &ForkedBudget) {
        let used = fork.budget.total() - fork.begin;
        self.0.fetch_add(used, Ordering::Relaxed);
    }

    /// Returns the value, or an excerpt of its JSON if that is too long, and whether it was truncated.
    pub(crate) fn value(&self, value: &Value) -> (Value, bool) {
        match self.excerpt(value.to_string().as_bytes()) {
            (_, false) => (value.clone(), false),
            (text, true) => (text.into(), true),
        }
    }

    fn total(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }

    fn limit(&self) -> usize {
        let total = self.total();
        let reached = LIMITS_BY_TOTAL
            .iter()
            .rev()
            .find(|(from, _)| total >= *from);
        reached.map_or(LIMIT, |(_, limit)| *limit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn excerpts_get_shorter_as_the_record_grows() {
        let budget = OutputBudget::default();
        let text = vec![b'x'; 1 << 20];
        let kept: Vec<_> = (0..50_000).map(|_| budget.excerpt(&text).0.len()).collect();
        assert!(kept[0] > LIMIT - 64 && kept[0] <= LIMIT, "{}", kept[0]);
        assert!(kept.is_sorted_by(|before, after| before >= after));
        assert!(kept[49_999] <= 1 << 8);
        assert!(kept.iter().sum::<usize>() < 48 << 20);
    }

    #[test]
    fn output_that_is_not_recorded_does_not_count() {
        let budget = OutputBudget::default();
        let text = vec![b'x'; 1 << 20];
        for _ in 0..10_000 {
            budget.fork().budget.excerpt(&text);
        }
        assert!(budget.excerpt(&text).0.len() > LIMIT - 64);
        let fork = budget.fork();
        fork.budget.excerpt(&text);
        let before = budget.total();
        budget.join(&fork);
        assert!(budget.total() - before > LIMIT - 64);
    }

    #[test]
    fn a_long_value_becomes_an_excerpt_of_its_json() {
        let long = Value::from(vec!["word"; 100_000]);
        let (kept, is_truncated) = OutputBudget::default().value(&long);
        assert!(is_truncated && kept.as_str().unwrap().starts_with("[\"word\""));
        assert_eq!(
            OutputBudget::default().value(&1.into()),
            (Value::from(1), false)
        );
    }
}
