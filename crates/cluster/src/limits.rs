//! [`ClusterLimiter`]: the workers of a cluster share the limits of models, through the keys on the server.

mod clock;
mod usage;

use std::time::Duration;

use async_nats::jetstream::kv::{Store, UpdateErrorKind};
use casebook_record::hex_of_sha256;
use casebook_run::{RequestLimits, SharedLimiter, SharedStart};
use parking_lot::Mutex;
use tokio::runtime::Handle;
use tokio::task::AbortHandle;

use crate::server::Server;
use clock::{Now, ServerClock};
use usage::Usage;

/// How often a change is tried again at once if other workers change the same key.
const MAX_CONFLICTS: u32 = 20;
/// How long to wait after these conflicts.
const AFTER_CONFLICTS: Duration = Duration::from_millis(100);

/// The limits of all models, for one chunk.
pub(crate) struct ClusterLimiter {
    handle: Handle,
    server: Server,
    /// How long a call counts as running after the last sign of life of its worker.
    lease: Duration,
    keys: Mutex<Option<Keys>>,
}

/// The keys on the server, and its clock.
#[derive(Clone)]
struct Keys {
    store: Store,
    clock: ServerClock,
}

/// Why a key was not changed.
enum NotChanged {
    /// A request may start after this time.
    Wait(Duration),
    Unavailable,
}

impl ClusterLimiter {
    pub(crate) fn new(handle: Handle, server: Server, lease: Duration) -> ClusterLimiter {
        ClusterLimiter {
            handle,
            server,
            lease,
            keys: Mutex::default(),
        }
    }

    async fn start(
        &self,
        key: &str,
        limits: RequestLimits,
        permit: Option<&str>,
    ) -> Result<Keys, NotChanged> {
        let keys = self.keys().await?;
        let permit = permit.map(|id| (id, self.lease));
        keys.change(key, |usage, now| usage.start(now, limits, permit))
            .await?;
        Ok(keys)
    }

    /// Opens the keys, and again from time to time because clocks drift apart.
    async fn keys(&self) -> Result<Keys, NotChanged> {
        let known = self.keys.lock().clone();
        if let Some(keys) = known.filter(|keys| !keys.clock.is_old()) {
            return Ok(keys);
        }
        let keys = Keys {
            store: self.server.keys().await.map_err(NotChanged::unavailable)?,
            clock: ServerClock::read(&self.server)
                .await
                .ok_or(NotChanged::Unavailable)?,
        };
        *self.keys.lock() = Some(keys.clone());
        Ok(keys)
    }
}

impl SharedLimiter for ClusterLimiter {
    fn try_start(&self, url: &str, model: &str, limits: RequestLimits) -> SharedStart {
        if !self.server.is_connected() {
            return SharedStart::Unavailable;
        }
        let key = key(url, model);
        let id = limits.concurrency.map(|_| self.server.client.new_inbox());
        let started = self
            .handle
            .block_on(self.start(&key, limits, id.as_deref()));
        match (started, id) {
            (Ok(keys), Some(id)) => {
                let (handle, lease) = (self.handle.clone(), self.lease);
                let renewal = handle.spawn(renew(keys.clone(), key.clone(), id.clone(), lease));
                SharedStart::Started(Box::new(Permit {
                    handle,
                    keys,
                    key,
                    id,
                    renewal: renewal.abort_handle(),
                }))
            }
            (Ok(_), None) => SharedStart::Started(Box::new(())),
            (Err(NotChanged::Wait(time)), _) => SharedStart::Wait(time),
            (Err(NotChanged::Unavailable), _) => SharedStart::Unavailable,
        }
    }
}

impl NotChanged {
    fn unavailable<E>(_: E) -> NotChanged {
        NotChanged::Unavailable
    }
}

impl Keys {
    /// Changes the usage of a model, unless `change` fails. Starts again if another worker has changed it meanwhile.
    async fn change(
        &self,
        key: &str,
        change: impl Fn(&mut Usage, Now) -> Result<(), Duration>,
    ) -> Result<(), NotChanged> {
        for _ in 0..MAX_CONFLICTS {
            let entry = self.store.entry(key).await;
            let entry = entry.map_err(NotChanged::unavailable)?;
            let revision = entry.as_ref().map_or(0, |entry| entry.revision);
            let usage = entry.and_then(|entry| serde_json::from_slice(&entry.value).ok());
            let mut usage: Usage = usage.unwrap_or_default();
            change(&mut usage, self.clock.now()).map_err(NotChanged::Wait)?;
            let value = serde_json::to_vec(&usage).map_err(NotChanged::unavailable)?;
            match self.store.update(key, value.into(), revision).await {
                Ok(_) => return Ok(()),
                Err(error) if error.kind() == UpdateErrorKind::WrongLastRevision => {}
                Err(_) => return Err(NotChanged::Unavailable),
            }
        }
        Err(NotChanged::Wait(AFTER_CONFLICTS))
    }
}

/// A running call. It ends when this is dropped.
struct Permit {
    handle: Handle,
    keys: Keys,
    key: String,
    id: String,
    renewal: AbortHandle,
}

impl Drop for Permit {
    fn drop(&mut self) {
        self.renewal.abort();
        let (keys, key, id) = (self.keys.clone(), self.key.clone(), self.id.clone());
        self.handle.spawn(async move {
            let end = |usage: &mut Usage, _| {
                usage.end(&id);
                Ok(())
            };
            while let Err(NotChanged::Wait(time)) = keys.change(&key, end).await {
                tokio::time::sleep(time).await;
            }
        });
    }
}

/// Renews a permit until it is aborted.
async fn renew(keys: Keys, key: String, id: String, lease: Duration) {
    loop {
        tokio::time::sleep(lease / 3).await;
        let renew = |usage: &mut Usage, now| {
            usage.renew(now, &id, lease);
            Ok(())
        };
        let _ = keys.change(&key, renew).await;
    }
}

/// URLs contain characters that keys must not contain, and sometimes secrets.
fn key(url: &str, model: &str) -> String {
    let name = format!("{url}\n{model}");
    format!("limits.{}", hex_of_sha256(name.as_bytes(), 32))
}
