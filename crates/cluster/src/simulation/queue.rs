//! [`Queue`]: a work queue with the semantics of JetStream.

use std::collections::{HashSet, VecDeque};

use crate::server::MAX_DELIVERIES;

/// How long a lease lasts, in milliseconds.
pub(super) const LEASE: u64 = 30_000;

/// Chunks, by the index of their item.
#[derive(Default)]
pub(super) struct Queue {
    items: Vec<Item>,
    /// Items whose lease ended are delivered before all others.
    again: VecDeque<usize>,
    new: VecDeque<usize>,
    committed: HashSet<String>,
}

struct Item {
    deliveries: u64,
    /// The end of the lease.
    deadline: u64,
    is_gone: bool,
}

/// What happens at the end of a lease.
pub(super) enum Expiry {
    /// The item is gone, or its lease was renewed until then.
    Later(Option<u64>),
    Redelivery,
    /// It was delivered as often as allowed.
    Exhausted,
}

impl Queue {
    pub(super) fn put(&mut self) -> usize {
        self.items.push(Item {
            deliveries: 0,
            deadline: 0,
            is_gone: false,
        });
        self.new.push_back(self.items.len() - 1);
        self.items.len() - 1
    }

    /// Leases the next item. Returns it with the number of the attempt.
    pub(super) fn take(&mut self, now: u64) -> Option<(usize, u64)> {
        loop {
            let item = self.again.pop_front().or_else(|| self.new.pop_front())?;
            let state = &mut self.items[item];
            if !state.is_gone {
                state.deliveries += 1;
                state.deadline = now + LEASE;
                return Some((item, state.deliveries));
            }
        }
    }

    /// Renews a lease, also if the renewal is from an earlier owner.
    pub(super) fn renew(&mut self, item: usize, now: u64) {
        self.items[item].deadline = now + LEASE;
    }

    /// Removes an item, also if the acknowledgment is from an earlier owner.
    pub(super) fn acknowledge(&mut self, item: usize) {
        self.items[item].is_gone = true;
    }

    /// Looks at the lease of a delivery.
    pub(super) fn expire(&mut self, item: usize, attempt: u64, now: u64) -> Expiry {
        let state = &self.items[item];
        if state.is_gone || state.deliveries != attempt {
            Expiry::Later(None)
        } else if state.deadline > now {
            Expiry::Later(Some(state.deadline))
        } else if i64::try_from(attempt).unwrap_or(i64::MAX) < MAX_DELIVERIES {
            self.again.push_back(item);
            Expiry::Redelivery
        } else {
            Expiry::Exhausted
        }
    }

    /// Commits the end of a chunk, unless that was done before.
    pub(super) fn commit(&mut self, chunk: &str) -> bool {
        self.committed.insert(chunk.to_owned())
    }
}
