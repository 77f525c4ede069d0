//! [`LockTable`]: which locks the running jobs hold.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use casebook_suite::model::Lock;

/// A lock that a job needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct LockRequest {
    lock: usize,
    is_shared: bool,
}

/// All locks that a job needs. It gets all of them or none, so no job waits while it holds a lock.
pub(super) type LockSet = Arc<[LockRequest]>;

/// The locks of a plan.
#[derive(Default)]
pub(super) struct LockTable {
    names: Vec<String>,
    ids: HashMap<String, usize>,
    held: Vec<LockState>,
    /// Locks for which a job waits until those that share them have ended. No further job gets a share, so that it does not wait
    /// forever.
    reserved: HashSet<usize>,
    /// Locks that another process holds.
    held_elsewhere: HashSet<usize>,
}

/// How a lock is held.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum LockState {
    #[default]
    Free,
    /// By this many jobs that share it.
    Shared(usize),
    Exclusively,
}

impl LockTable {
    /// The locks with these names.
    pub(super) fn set(&mut self, locks: &[Lock]) -> LockSet {
        let needs = locks.iter().map(|lock| LockRequest {
            lock: self.id(&lock.name),
            is_shared: lock.is_shared,
        });
        needs.collect()
    }

    fn id(&mut self, name: &str) -> usize {
        if let Some(id) = self.ids.get(name) {
            return *id;
        }
        self.ids.insert(name.to_owned(), self.names.len());
        self.names.push(name.to_owned());
        self.held.push(LockState::Free);
        self.names.len() - 1
    }

    /// The names and modes of locks, for other processes.
    pub(super) fn named(&self, needs: &[LockRequest]) -> Vec<Lock> {
        let locks = needs.iter().map(|need| Lock {
            name: self.names[need.lock].clone(),
            is_shared: need.is_shared,
        });
        locks.collect()
    }

    /// Forgets which jobs wait. Called before the jobs are asked in order.
    pub(super) fn begin_scan(&mut self) {
        self.reserved.clear();
    }

    /// Acquires all locks if they are free.
    pub(super) fn try_acquire(&mut self, needs: &[LockRequest]) -> bool {
        if !needs.iter().all(|need| self.is_free(*need)) {
            let is_blocked_by_shares = |need: &&LockRequest| {
                !need.is_shared && matches!(self.held[need.lock], LockState::Shared(_))
            };
            let blocked = needs.iter().filter(is_blocked_by_shares);
            let blocked: Vec<_> = blocked.map(|need| need.lock).collect();
            self.reserved.extend(blocked);
            return false;
        }
        for need in needs {
            let held = &mut self.held[need.lock];
            *held = match (*held, need.is_shared) {
                (_, false) => LockState::Exclusively,
                (LockState::Shared(count), true) => LockState::Shared(count + 1),
                (_, true) => LockState::Shared(1),
            };
        }
        true
    }

    fn is_free(&self, need: LockRequest) -> bool {
        let is_free = match self.held[need.lock] {
            LockState::Free => true,
            LockState::Shared(_) => need.is_shared && !self.reserved.contains(&need.lock),
            LockState::Exclusively => false,
        };
        is_free && !self.held_elsewhere.contains(&need.lock)
    }

    pub(super) fn release(&mut self, needs: &[LockRequest]) {
        for need in needs {
            let held = &mut self.held[need.lock];
            *held = match *held {
                LockState::Shared(count) if count > 1 => LockState::Shared(count - 1),
                _ => LockState::Free,
            };
        }
    }

    /// Remembers that another process holds one of these locks.
    pub(super) fn add_held_elsewhere(&mut self, needs: &[LockRequest]) {
        let locks = needs.iter().map(|need| need.lock);
        self.held_elsewhere.extend(locks);
    }

    /// Forgets which locks other processes hold, so that they are tried again.
    pub(super) fn forget_held_elsewhere(&mut self) {
        self.held_elsewhere.clear();
    }
}
