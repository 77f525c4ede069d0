//! [`ClusterLimiter`]: the workers of a cluster share the limits of models, through the keys on the server.

mod usage;

use std::time::Duration;

use casebook_record::hex_of_sha256;
use casebook_run::{RequestLimits, SharedLimiter, SharedStart};
use tokio::runtime::Handle;
use tokio::task::AbortHandle;

use crate::keys::{Keys, NotChanged, OpenKeys};
use crate::server::Server;
use usage::Usage;

/// The limits of all models, for one chunk.
pub(crate) struct ClusterLimiter {
    handle: Handle,
    server: Server,
    /// How long a call counts as running after the last sign of life of its worker.
    lease: Duration,
    keys: OpenKeys,
}

impl ClusterLimiter {
    pub(crate) fn new(handle: Handle, server: Server, lease: Duration) -> ClusterLimiter {
        ClusterLimiter {
            handle,
            server,
            lease,
            keys: OpenKeys::default(),
        }
    }

    async fn start(
        &self,
        key: &str,
        limits: RequestLimits,
        permit: Option<&str>,
    ) -> Result<Keys, NotChanged> {
        let keys = self.keys.get(&self.server).await?;
        let permit = permit.map(|id| (id, self.lease));
        keys.change(key, |usage: &mut Usage, now| {
            usage.start(now, limits, permit)
        })
        .await?;
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
