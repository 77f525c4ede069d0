//! [`ClusterLocks`]: the workers of a cluster share the locks of a run, through one key on the server.
//!
//! One key holds all locks of a run, so a test gets all of its locks or none. A lock is held for the length of a lease, which its worker
//! renews: the locks of a dead worker become free when the lease ends, or as soon as its chunk is run again.

mod table;

use std::time::Duration;

use casebook_run::{LockAttempt, SharedLocks};
use casebook_suite::model::Lock;
use tokio::runtime::Handle;
use tokio::task::AbortHandle;
use tokio::time::timeout;

use crate::keys::{Keys, NotChanged, OpenKeys};
use crate::server::Server;
use crate::wire::Chunk;
use table::{Acquisition, LockHolder, RunLocks};

/// How long to wait before asking again for a lock that another worker holds.
const HELD: Duration = Duration::from_millis(50);
/// How long to wait before asking a server again that cannot be reached. Without the server, it is unknown which locks are held.
const UNREACHABLE: Duration = Duration::from_millis(500);
/// How long a release may take. After that, the lease ends it.
const RELEASE: Duration = Duration::from_secs(5);

/// The locks of a run, for one attempt to run a chunk.
pub(crate) struct ClusterLocks {
    handle: Handle,
    server: Server,
    lease: Duration,
    key: String,
    chunk: String,
    attempt: u64,
    keys: OpenKeys,
}

impl ClusterLocks {
    pub(crate) fn new(handle: Handle, server: Server, chunk: &Chunk, attempt: u64) -> ClusterLocks {
        ClusterLocks {
            handle,
            server,
            lease: chunk.lease,
            key: format!("locks.{}", chunk.run),
            chunk: chunk.id.clone(),
            attempt,
            keys: OpenKeys::default(),
        }
    }

    async fn acquire(&self, id: &str, locks: &[Lock]) -> Result<Keys, NotChanged> {
        let keys = self.keys.get(&self.server).await?;
        let holder = LockHolder::new(&self.chunk, self.attempt, locks);
        let acquired = keys
            .change(&self.key, |table: &mut RunLocks, now| {
                match table.acquire(now, id, &holder, self.lease) {
                    Acquisition::Unchanged => Err(HELD),
                    changed => Ok(changed),
                }
            })
            .await?;
        match acquired {
            Acquisition::Acquired => Ok(keys),
            _ => Err(NotChanged::Wait(HELD)),
        }
    }
}

impl SharedLocks for ClusterLocks {
    fn try_acquire(&self, locks: &[Lock]) -> LockAttempt {
        if !self.server.is_connected() {
            return LockAttempt::Wait(UNREACHABLE);
        }
        let id = self.server.client.new_inbox();
        match self.handle.block_on(self.acquire(&id, locks)) {
            Ok(keys) => {
                let (handle, key) = (self.handle.clone(), self.key.clone());
                let renewal = renew(keys.clone(), key.clone(), id.clone(), self.lease);
                let renewal = handle.spawn(renewal).abort_handle();
                LockAttempt::Acquired(Box::new(HeldLocks {
                    handle,
                    keys,
                    key,
                    id,
                    renewal,
                }))
            }
            Err(NotChanged::Wait(time)) => LockAttempt::Wait(time),
            Err(NotChanged::Unavailable) => LockAttempt::Wait(UNREACHABLE),
        }
    }
}

/// Locks of a test, released when this is dropped.
struct HeldLocks {
    handle: Handle,
    keys: Keys,
    key: String,
    id: String,
    renewal: AbortHandle,
}

impl Drop for HeldLocks {
    /// Waits for the release: a worker that ends must not leave a lock behind.
    fn drop(&mut self) {
        self.renewal.abort();
        let release = |table: &mut RunLocks, _| {
            table.release(&self.id);
            Ok(())
        };
        let released = async {
            while let Err(NotChanged::Wait(time)) = self.keys.change(&self.key, release).await {
                tokio::time::sleep(time).await;
            }
        };
        // Inside of the block, because a timeout requires a runtime.
        let _ = self
            .handle
            .block_on(async { timeout(RELEASE, released).await });
    }
}

/// Renews locks until it is aborted.
async fn renew(keys: Keys, key: String, id: String, lease: Duration) {
    loop {
        tokio::time::sleep(lease / 3).await;
        let renew = |table: &mut RunLocks, now| {
            table.renew(now, &id, lease);
            Ok(())
        };
        let _ = keys.change(&key, renew).await;
    }
}
