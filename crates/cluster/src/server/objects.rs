//! Messages of any size: those that are too large for a message are objects.

use std::time::Duration;

use async_nats::HeaderMap;
use async_nats::jetstream::message::PublishMessage;
use async_nats::jetstream::object_store::Object;
use tokio::io::AsyncReadExt as _;
use tokio::time::{sleep, timeout};

use super::Server;
use crate::names::Names;

/// How long the server may be silent while it sends an object. The client itself waits forever.
pub(crate) const OBJECT_SILENCE: Duration = Duration::from_secs(3);
/// How long writing or reading an object is tried again. After the loss of a node, the others need seconds to elect a leader.
const OBJECT_PATIENCE: Duration = Duration::from_secs(30);
/// How long to wait before the next attempt.
const RETRY: Duration = Duration::from_millis(500);

impl Server {
    /// A message with these bytes. If they are too large for a message, they become an object with its id; `None` if
    /// that fails.
    pub(crate) async fn message(&self, id: &str, bytes: Vec<u8>) -> Option<PublishMessage> {
        let is_large = bytes.len() > self.max_message();
        if is_large && !self.put(id, &bytes).await {
            return None;
        }
        let bytes = if is_large { Vec::new() } else { bytes };
        Some(PublishMessage::build().payload(bytes.into()).message_id(id))
    }

    /// Stores an object of a run. Waits for a server that cannot be reached, or whose nodes elect a leader. Returns whether
    /// that succeeded.
    pub(crate) async fn store(&self, id: &str, bytes: &[u8]) -> bool {
        let mut failures = 0;
        // The first one may have ended a moment after the server was back.
        while failures < 2 {
            if let Ok(stored) = timeout(OBJECT_PATIENCE, self.store_now(id, bytes)).await {
                return stored;
            }
            failures = if self.is_connected() { failures + 1 } else { 0 };
        }
        false
    }

    /// Tries until the object is stored. Returns false if the store is full.
    async fn store_now(&self, id: &str, bytes: &[u8]) -> bool {
        while !self.put(id, bytes).await {
            if self.full_store.rejection().is_some() {
                return false;
            }
            sleep(RETRY).await;
        }
        true
    }

    /// Tries once to store an object of a run. Returns whether that succeeded.
    async fn put(&self, id: &str, mut bytes: &[u8]) -> bool {
        let Ok(bucket) = self.bucket().await else {
            return false;
        };
        match bucket.put(id, &mut bytes).await {
            Ok(_) => self.full_store.stored(),
            Err(error) => {
                self.full_store
                    .rejected(Names::run_of(id), &error.to_string());
                return false;
            }
        }
        true
    }

    /// The id under which a message was sent.
    pub(crate) fn message_id(headers: &HeaderMap) -> Option<&str> {
        let id = headers.get(async_nats::header::NATS_MESSAGE_ID);
        id.map(async_nats::HeaderValue::as_str)
    }

    /// The number of a batch in its attempt, from 0.
    pub(crate) fn batch_number(id: &str) -> Option<u64> {
        id.rsplit('/').next()?.parse().ok()
    }

    /// The bytes of a message, see [`Server::message`].
    pub(crate) async fn payload(&self, id: &str, payload: &[u8]) -> Option<Vec<u8>> {
        if payload.is_empty() {
            Box::pin(self.object(id)).await
        } else {
            Some(payload.to_vec())
        }
    }

    /// The bytes of an object.
    pub(crate) async fn object(&self, name: &str) -> Option<Vec<u8>> {
        let read = async {
            loop {
                let object = timeout(OBJECT_SILENCE, self.open_object(name)).await;
                if let Ok(Some(object)) = object
                    && let Some(bytes) = read_all(object).await
                {
                    return bytes;
                }
                sleep(RETRY).await;
            }
        };
        timeout(OBJECT_PATIENCE, read).await.ok()
    }

    async fn open_object(&self, name: &str) -> Option<Object> {
        self.bucket().await.ok()?.get(name).await.ok()
    }

    /// How many bytes a message may have, with some room for its headers.
    pub(crate) fn max_message(&self) -> usize {
        let limit = self.client.server_info().max_payload;
        limit.saturating_sub(4096).max(1024)
    }
}

/// The bytes of an object; `None` if the server stops sending them.
async fn read_all(mut object: Object) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    loop {
        let read = timeout(OBJECT_SILENCE, object.read_buf(&mut bytes)).await;
        if read.ok()?.ok()? == 0 {
            return Some(bytes);
        }
    }
}
