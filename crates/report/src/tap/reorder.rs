//! Restores the planned order of results.

use std::collections::BTreeMap;

/// Items that arrive in any order and are taken by position. An item without a position follows the one before it.
pub(super) struct ReorderBuffer<T> {
    /// Items by position, then by arrival.
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

    /// The next item, if no earlier position is missing.
    pub(super) fn take_next(&mut self) -> Option<T> {
        let (position, _) = *self.waiting.first_key_value()?.0;
        if position > self.next {
            return None;
        }
        self.next = self.next.max(position.saturating_add(1));
        self.take_any()
    }

    /// The next item of those that have arrived.
    pub(super) fn take_any(&mut self) -> Option<T> {
        self.waiting.pop_first().map(|(_, thing)| thing)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(buffer: &mut ReorderBuffer<u64>, position: Option<u64>, item: u64) -> Vec<u64> {
        buffer.put(position, item);
        std::iter::from_fn(|| buffer.take_next()).collect()
    }

    #[test]
    fn early_items_wait() {
        let mut buffer = ReorderBuffer::default();
        assert_eq!(taken(&mut buffer, Some(2), 2), [0; 0]);
        assert_eq!(taken(&mut buffer, Some(0), 0), [0]);
        assert_eq!(taken(&mut buffer, None, 7), [7]);
        assert_eq!(taken(&mut buffer, Some(1), 1), [1, 2]);
        assert_eq!(
            taken(&mut buffer, Some(1), 11),
            [11],
            "a late item is not lost"
        );
        assert_eq!(taken(&mut buffer, Some(9), 9), [0; 0]);
        assert_eq!(buffer.take_any(), Some(9));
        assert_eq!(buffer.take_any(), None);
    }
}
