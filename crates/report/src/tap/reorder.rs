//! The planned order, restored.

use std::collections::BTreeMap;

/// Things that come in any order and are wanted by position. What has none follows what came before it.
pub(super) struct ReorderBuffer<T> {
    /// By position, and by arrival where that is the same.
    waiting: BTreeMap<(u64, u64), T>,
    arrived: u64,
    next: u64,
}

impl<T> Default for ReorderBuffer<T> {
    fn default() -> ReorderBuffer<T> {
        ReorderBuffer {
            waiting: BTreeMap::new(),
            arrived: 0,
            next: 0,
        }
    }
}

impl<T> ReorderBuffer<T> {
    pub(super) fn put(&mut self, position: Option<u64>, thing: T) {
        let position = position.unwrap_or(self.next.saturating_sub(1));
        self.waiting.insert((position, self.arrived), thing);
        self.arrived += 1;
    }

    /// The next one, if nothing can come before it.
    pub(super) fn take_next(&mut self) -> Option<T> {
        let (position, _) = *self.waiting.first_key_value()?.0;
        if position > self.next {
            return None;
        }
        self.next = self.next.max(position.saturating_add(1));
        self.take_any()
    }

    /// The next one of those that have come.
    pub(super) fn take_any(&mut self) -> Option<T> {
        self.waiting.pop_first().map(|(_, thing)| thing)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(ordered: &mut ReorderBuffer<u64>, position: Option<u64>, thing: u64) -> Vec<u64> {
        ordered.put(position, thing);
        std::iter::from_fn(|| ordered.take_next()).collect()
    }

    #[test]
    fn what_is_early_waits() {
        let mut ordered = ReorderBuffer::default();
        assert_eq!(taken(&mut ordered, Some(2), 2), [0; 0]);
        assert_eq!(taken(&mut ordered, Some(0), 0), [0]);
        assert_eq!(taken(&mut ordered, None, 7), [7]);
        assert_eq!(taken(&mut ordered, Some(1), 1), [1, 2]);
        assert_eq!(taken(&mut ordered, Some(1), 11), [11], "late, and not lost");
        assert_eq!(taken(&mut ordered, Some(9), 9), [0; 0]);
        assert_eq!(ordered.take_any(), Some(9));
        assert_eq!(ordered.take_any(), None);
    }
}
