//! [`Keys`]: values on the server that the workers of a cluster change together, with compare-and-set.

mod clock;

use std::time::Duration;

use async_nats::jetstream::kv::{Store, UpdateErrorKind};
use parking_lot::Mutex;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::server::Server;
use clock::ServerClock;
pub(crate) use clock::ServerTime;

/// How often a change is tried again at once if other workers change the same key.
const MAX_CONFLICTS: u32 = 20;
/// How long to wait after these conflicts.
const AFTER_CONFLICTS: Duration = Duration::from_millis(100);

/// The keys on the server, and its clock.
#[derive(Clone)]
pub(crate) struct Keys {
    store: Store,
    clock: ServerClock,
}

/// Why a key was not changed.
pub(crate) enum NotChanged {
    /// It may be changed after this time.
    Wait(Duration),
    Unavailable,
}

impl NotChanged {
    fn unavailable<E>(_: E) -> NotChanged {
        NotChanged::Unavailable
    }
}

impl Keys {
    async fn open(server: &Server) -> Result<Keys, NotChanged> {
        Ok(Keys {
            store: server.keys().await.map_err(NotChanged::unavailable)?,
            clock: ServerClock::read(server)
                .await
                .ok_or(NotChanged::Unavailable)?,
        })
    }

    /// Changes the value of a key, unless `change` fails. Starts again if another worker has changed it meanwhile.
    pub(crate) async fn change<V: Default + Serialize + DeserializeOwned, T>(
        &self,
        key: &str,
        change: impl Fn(&mut V, ServerTime) -> Result<T, Duration>,
    ) -> Result<T, NotChanged> {
        for _ in 0..MAX_CONFLICTS {
            let entry = self.store.entry(key).await;
            let entry = entry.map_err(NotChanged::unavailable)?;
            let revision = entry.as_ref().map_or(0, |entry| entry.revision);
            let value = entry.and_then(|entry| serde_json::from_slice(&entry.value).ok());
            let mut value: V = value.unwrap_or_default();
            let changed = change(&mut value, self.clock.now()).map_err(NotChanged::Wait)?;
            let value = serde_json::to_vec(&value).map_err(NotChanged::unavailable)?;
            match self.store.update(key, value.into(), revision).await {
                Ok(_) => return Ok(changed),
                Err(error) if error.kind() == UpdateErrorKind::WrongLastRevision => {}
                Err(_) => return Err(NotChanged::Unavailable),
            }
        }
        Err(NotChanged::Wait(AFTER_CONFLICTS))
    }
}

/// The keys, opened on first use.
#[derive(Default)]
pub(crate) struct OpenKeys(Mutex<Option<Keys>>);

impl OpenKeys {
    /// Opens the keys, and again from time to time because clocks drift apart.
    pub(crate) async fn get(&self, server: &Server) -> Result<Keys, NotChanged> {
        let known = self.0.lock().clone();
        if let Some(keys) = known.filter(|keys| !keys.clock.is_old()) {
            return Ok(keys);
        }
        let keys = Keys::open(server).await?;
        *self.0.lock() = Some(keys.clone());
        Ok(keys)
    }
}
