//! [`RunLocks`]: who holds the locks of a run. Times are milliseconds of the server's clock.

use std::collections::BTreeMap;
use std::time::Duration;

use casebook_suite::model::Lock;
use serde::{Deserialize, Serialize};

use crate::keys::ServerTime;

/// How long a test that wants a lock for itself keeps others from sharing it, after it last asked for it.
const WAITING: Duration = Duration::from_secs(1);

/// The value of the key.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct RunLocks {
    /// By the id of the acquisition.
    holders: BTreeMap<String, LockHolder>,
    /// Chunks that wait until those that share a lock have ended.
    waiting: BTreeMap<String, Waiting>,
}

/// The locks of one running test.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct LockHolder {
    chunk: String,
    attempt: u64,
    locks: Vec<HeldLock>,
    expiry: u64,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct HeldLock {
    name: String,
    is_shared: bool,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct Waiting {
    locks: Vec<String>,
    expiry: u64,
}

/// What became of an attempt to acquire locks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Acquisition {
    Acquired,
    /// They are held, and it was noted that someone waits for them.
    Noted,
    /// They are held, and nothing has changed.
    Unchanged,
}

impl LockHolder {
    pub(super) fn new(chunk: &str, attempt: u64, locks: &[Lock]) -> LockHolder {
        let locks = locks.iter().map(|lock| HeldLock {
            name: lock.name.clone(),
            is_shared: lock.is_shared,
        });
        LockHolder {
            chunk: chunk.to_owned(),
            attempt,
            locks: locks.collect(),
            expiry: 0,
        }
    }
}

impl RunLocks {
    /// Acquires all locks of `holder`, if they are free.
    pub(super) fn acquire(
        &mut self,
        now: ServerTime,
        id: &str,
        holder: &LockHolder,
        lease: Duration,
    ) -> Acquisition {
        // An earlier attempt to run the same chunk has ended, or its worker is dead.
        self.holders.retain(|_, other| {
            let is_earlier = other.chunk == holder.chunk && other.attempt < holder.attempt;
            other.expiry > now.earliest && !is_earlier
        });
        self.waiting
            .retain(|_, waiting| waiting.expiry > now.earliest);
        let mut locks = holder.locks.iter();
        if !locks.all(|lock| self.is_free(lock, &holder.chunk)) {
            return self.note_waiting(now, holder);
        }
        self.waiting.remove(&holder.chunk);
        let expiry = now.latest.saturating_add(millis(lease));
        let holder = LockHolder {
            expiry,
            ..holder.clone()
        };
        self.holders.insert(id.to_owned(), holder);
        Acquisition::Acquired
    }

    fn is_free(&self, lock: &HeldLock, chunk: &str) -> bool {
        let mut waiting = self.waiting.iter();
        let is_awaited =
            waiting.any(|(other, waiting)| other != chunk && waiting.locks.contains(&lock.name));
        let mut held = self.held(&lock.name);
        if lock.is_shared {
            !is_awaited && held.all(|held| held.is_shared)
        } else {
            held.next().is_none()
        }
    }

    fn held<'t>(&'t self, name: &'t str) -> impl Iterator<Item = &'t HeldLock> {
        let locks = self.holders.values().flat_map(|holder| &holder.locks);
        locks.filter(move |lock| lock.name == name)
    }

    /// Keeps others from sharing the locks that this one waits for, so that it does not wait forever.
    fn note_waiting(&mut self, now: ServerTime, holder: &LockHolder) -> Acquisition {
        let is_shared_by_others =
            |lock: &&HeldLock| !lock.is_shared && self.held(&lock.name).any(|held| held.is_shared);
        let locks = holder.locks.iter().filter(is_shared_by_others);
        let locks: Vec<_> = locks.map(|lock| lock.name.clone()).collect();
        if locks.is_empty() {
            return Acquisition::Unchanged;
        }
        let waiting = self.waiting.entry(holder.chunk.clone()).or_default();
        let is_known = locks.iter().all(|lock| waiting.locks.contains(lock));
        // Not at every attempt: others would have to read and write the value again.
        if is_known && waiting.expiry > now.latest.saturating_add(millis(WAITING) / 2) {
            return Acquisition::Unchanged;
        }
        *waiting = Waiting {
            locks,
            expiry: now.latest.saturating_add(millis(WAITING)),
        };
        Acquisition::Noted
    }

    /// Extends the lease. Locks that were lost stay lost: another test may hold them.
    pub(super) fn renew(&mut self, now: ServerTime, id: &str, lease: Duration) {
        if let Some(holder) = self.holders.get_mut(id) {
            holder.expiry = now.latest.saturating_add(millis(lease));
        }
    }

    pub(super) fn release(&mut self, id: &str) {
        self.holders.remove(id);
    }
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEASE: Duration = Duration::from_secs(30);

    /// A time that is known to 10 ms.
    fn at(millis: u64) -> ServerTime {
        ServerTime {
            earliest: 1_000_000 + millis,
            latest: 1_000_010 + millis,
        }
    }

    /// `db` for itself, `db*` shared.
    fn holder(chunk: &str, attempt: u64, locks: &str) -> LockHolder {
        let locks = locks.split(' ').map(|lock| Lock {
            name: lock.trim_end_matches('*').to_owned(),
            is_shared: lock.ends_with('*'),
        });
        LockHolder::new(chunk, attempt, &locks.collect::<Vec<_>>())
    }

    /// Acquires locks for a chunk, with the chunk's name as the id.
    fn acquire(table: &mut RunLocks, time: u64, chunk: &str, locks: &str) -> Acquisition {
        table.acquire(at(time), chunk, &holder(chunk, 1, locks), LEASE)
    }

    #[test]
    fn all_locks_or_none() {
        let mut table = RunLocks::default();
        assert_eq!(
            acquire(&mut table, 0, "a", "db room"),
            Acquisition::Acquired
        );
        assert_eq!(
            acquire(&mut table, 0, "b", "api db"),
            Acquisition::Unchanged
        );
        assert_eq!(acquire(&mut table, 0, "c", "api"), Acquisition::Acquired);
        table.release("a");
        assert_eq!(
            acquire(&mut table, 0, "b", "db room*"),
            Acquisition::Acquired
        );
    }

    #[test]
    fn a_lock_ends_with_its_lease_unless_it_is_renewed() {
        let mut table = RunLocks::default();
        assert_eq!(acquire(&mut table, 0, "a", "db"), Acquisition::Acquired);
        table.renew(at(20_000), "a", LEASE);
        assert_eq!(
            acquire(&mut table, 50_000, "b", "db"),
            Acquisition::Unchanged
        );
        assert_eq!(
            acquire(&mut table, 50_010, "b", "db"),
            Acquisition::Acquired
        );
        table.renew(at(50_020), "a", LEASE);
        table.release("b");
        assert_eq!(
            acquire(&mut table, 50_030, "c", "db"),
            Acquisition::Acquired
        );
    }

    #[test]
    fn a_chunk_that_runs_again_does_not_wait_for_its_dead_worker() {
        let mut table = RunLocks::default();
        assert_eq!(acquire(&mut table, 0, "a", "db"), Acquisition::Acquired);
        let again = table.acquire(at(1), "x", &holder("a", 2, "db"), LEASE);
        assert_eq!(again, Acquisition::Acquired);
        assert_eq!(acquire(&mut table, 2, "b", "db"), Acquisition::Unchanged);
    }

    #[test]
    fn a_writer_does_not_wait_forever_behind_readers() {
        let mut table = RunLocks::default();
        assert_eq!(acquire(&mut table, 0, "r1", "db*"), Acquisition::Acquired);
        assert_eq!(acquire(&mut table, 0, "r2", "db*"), Acquisition::Acquired);
        assert_eq!(acquire(&mut table, 10, "w", "db"), Acquisition::Noted);
        assert_eq!(acquire(&mut table, 60, "w", "db"), Acquisition::Unchanged);
        assert_eq!(acquire(&mut table, 70, "r3", "db*"), Acquisition::Unchanged);
        table.release("r1");
        assert_eq!(acquire(&mut table, 600, "w", "db"), Acquisition::Noted);
        table.release("r2");
        assert_eq!(
            acquire(&mut table, 650, "r3", "db*"),
            Acquisition::Unchanged
        );
        assert_eq!(acquire(&mut table, 660, "w", "db"), Acquisition::Acquired);
        table.release("w");
        assert_eq!(acquire(&mut table, 670, "r3", "db*"), Acquisition::Acquired);
    }

    #[test]
    fn a_writer_that_no_longer_asks_keeps_nobody_waiting() {
        let mut table = RunLocks::default();
        assert_eq!(acquire(&mut table, 0, "r1", "db*"), Acquisition::Acquired);
        assert_eq!(acquire(&mut table, 0, "w", "db"), Acquisition::Noted);
        assert_eq!(
            acquire(&mut table, 1_020, "r2", "db*"),
            Acquisition::Acquired
        );
    }
}
