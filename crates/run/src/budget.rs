//! How much of what tests write a record keeps: it must fit in memory, however many tests there are.

use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::Value;

use crate::excerpt::{LIMIT, excerpt_of};

/// The more a record holds, the less it takes of each text: from so many bytes on no more than so many.
const LIMITS_BY_TOTAL: [(usize, usize); 4] = [
    (0, LIMIT),
    (8 << 20, 8 << 10),
    (16 << 20, 1 << 10),
    (32 << 20, 1 << 8),
];

/// How much the record of a run holds already.
#[derive(Debug, Default)]
pub(crate) struct OutputBudget(AtomicUsize);

impl OutputBudget {
    /// As much of the text as is kept, and whether that is not all of it.
    pub(crate) fn excerpt(&self, text: &[u8]) -> (String, bool) {
        let (text, is_cut) = excerpt_of(text, self.limit());
        self.0.fetch_add(text.len(), Ordering::Relaxed);
        (text, is_cut)
    }

    /// The value, or an excerpt of its JSON if that is too long.
    pub(crate) fn value(&self, value: &Value) -> (Value, bool) {
        match self.excerpt(value.to_string().as_bytes()) {
            (_, false) => (value.clone(), false),
            (text, true) => (text.into(), true),
        }
    }

    fn limit(&self) -> usize {
        let held = self.0.load(Ordering::Relaxed);
        let reached = LIMITS_BY_TOTAL.iter().rev().find(|(from, _)| held >= *from);
        reached.map_or(LIMIT, |(_, limit)| *limit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_that_holds_plenty_takes_little_more() {
        let budget = OutputBudget::default();
        let text = vec![b'x'; 1 << 20];
        let kept: Vec<_> = (0..50_000).map(|_| budget.excerpt(&text).0.len()).collect();
        assert!(kept[0] > LIMIT - 64 && kept[0] <= LIMIT, "{}", kept[0]);
        assert!(kept.is_sorted_by(|before, after| before >= after));
        assert!(kept[49_999] <= 1 << 8);
        assert!(kept.iter().sum::<usize>() < 48 << 20);
    }

    #[test]
    fn a_long_value_is_kept_as_a_part_of_its_text() {
        let long = Value::from(vec!["word"; 100_000]);
        let (kept, is_cut) = OutputBudget::default().value(&long);
        assert!(is_cut && kept.as_str().unwrap().starts_with("[\"word\""));
        assert_eq!(
            OutputBudget::default().value(&1.into()),
            (Value::from(1), false)
        );
    }
}
