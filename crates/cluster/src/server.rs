//! [`Server`]: a connection to the queue, and the streams of a cluster on it.

mod connection;
mod create;
mod objects;

use std::sync::Arc;
use std::time::Duration;

use async_nats::Client;
use async_nats::connection::State;
use async_nats::jetstream::consumer::{PullConsumer, pull};
use async_nats::jetstream::context::{GetStreamError, GetStreamErrorKind};
use async_nats::jetstream::kv::Store;
use async_nats::jetstream::object_store::ObjectStore;
use async_nats::jetstream::stream::{RawMessageErrorKind, Stream};
use async_nats::jetstream::{self, Context, ErrorCode};

use crate::address::QueueAddress;
use crate::bridge::Bridge;
use crate::error::ClusterError;
use crate::full_store::FullStore;
use crate::names::{CONSUMER, Names};
use connection::{connect_error, options};
pub(crate) use objects::OBJECT_SILENCE;

/// How long events and results stay on the server.
pub(crate) const KEEP: Duration = Duration::from_secs(24 * 60 * 60);
/// How long a key stays on the server after its last change.
const KEEP_KEYS: Duration = Duration::from_secs(60 * 60);
/// How often a chunk is given to a worker.
pub(crate) const MAX_DELIVERIES: i64 = 3;

/// A connection to the queue.
#[derive(Clone)]
pub(crate) struct Server {
    pub(crate) client: Client,
    pub(crate) jetstream: Context,
    pub(crate) names: Names,
    pub(crate) full_store: Arc<FullStore>,
}

/// Returns why a cluster cannot be used.
pub fn check(address: QueueAddress) -> Result<(), ClusterError> {
    let bridge = Bridge::start()?;
    bridge.call(Server::connect(address)).map(drop)
}

/// How many chunks are in the work queue.
pub(crate) struct QueueCounts {
    pub(crate) waiting: u64,
    /// Taken by a worker, which may have died since.
    pub(crate) leased: u64,
}

impl Server {
    pub(crate) async fn connect(address: QueueAddress) -> Result<Server, ClusterError> {
        let server = address.server();
        let options = options(&address)?;
        let client = options
            .connect(address.url.as_str())
            .await
            .map_err(|error| connect_error(&server, &error))?;
        if !client.is_server_compatible(2, 10, 23) {
            return Err(ClusterError::TooOld {
                server,
                version: client.server_info().version,
            });
        }
        if !client.server_info().jetstream {
            return Err(ClusterError::NoJetStream(server));
        }
        Ok(Server {
            jetstream: jetstream::new(client.clone()),
            client,
            names: address.names,
            full_store: Arc::default(),
        })
    }

    pub(crate) async fn work(&self) -> Result<Stream, ClusterError> {
        self.stream(self.names.work_stream()).await
    }

    pub(crate) async fn events(&self) -> Result<Stream, ClusterError> {
        self.stream(self.names.event_stream()).await
    }

    /// The work queue, if a run has created it.
    pub(crate) async fn find_work(&self) -> Result<Option<(Stream, PullConsumer)>, ClusterError> {
        match self.find(self.names.work_stream()).await? {
            Some(work) => Ok(Some((work, self.consumer().await?))),
            None => Ok(None),
        }
    }

    /// The events, if a run has created them.
    pub(crate) async fn find_events(&self) -> Result<Option<Stream>, ClusterError> {
        self.find(self.names.event_stream()).await
    }

    async fn find(&self, name: String) -> Result<Option<Stream>, ClusterError> {
        match self.jetstream.get_stream(name).await {
            Ok(stream) => Ok(Some(stream)),
            Err(error) if is_missing(&error) => Ok(None),
            Err(error) => Err(ClusterError::request("open a stream of the cluster", error)),
        }
    }

    async fn stream(&self, name: String) -> Result<Stream, ClusterError> {
        let stream = self.jetstream.get_stream(name).await;
        stream.map_err(|error| ClusterError::request("open a stream of the cluster", error))
    }

    pub(crate) async fn bucket(&self) -> Result<ObjectStore, ClusterError> {
        let bucket = self.jetstream.get_object_store(self.names.bucket()).await;
        bucket.map_err(|error| ClusterError::request("open the object store of the cluster", error))
    }

    /// The keys that workers share.
    pub(crate) async fn keys(&self) -> Result<Store, ClusterError> {
        let keys = self.jetstream.get_key_value(self.names.bucket()).await;
        keys.map_err(|error| ClusterError::request("open the keys of the cluster", error))
    }

    /// The consumer from which chunks are taken.
    pub(crate) async fn consumer(&self) -> Result<PullConsumer, ClusterError> {
        let work = self.work().await?;
        let consumer = work.get_consumer::<pull::Config>(CONSUMER).await;
        consumer.map_err(|error| ClusterError::request("open the work queue", error))
    }

    /// An id that no other process has.
    pub(crate) fn unique_id(&self) -> String {
        let inbox = self.client.new_inbox();
        inbox.rsplit('.').next().unwrap_or_default().to_owned()
    }

    pub(crate) fn is_connected(&self) -> bool {
        self.client.connection_state() == State::Connected
    }

    /// How many chunks, of all runs, wait or are leased; `None` if the server does not answer.
    pub(crate) async fn queue_counts(&self) -> Option<QueueCounts> {
        let consumer = self.consumer().await.ok()?;
        let info = consumer.cached_info();
        Some(QueueCounts {
            waiting: info.num_pending,
            leased: info.num_ack_pending as u64,
        })
    }

    /// The chunks of a run in the work queue: place in the stream, and bytes.
    pub(crate) async fn queued(&self, run: &str) -> Result<Vec<(u64, Vec<u8>)>, ClusterError> {
        let failed =
            |error: &dyn std::fmt::Display| ClusterError::request("read the work queue", error);
        let (work, subject) = (self.work().await?, self.names.work(run, "*"));
        let mut queued = Vec::new();
        let mut next = 1;
        loop {
            let request = work.raw_message_builder().sequence(next);
            let message = match request.next_by_subject(&subject).send().await {
                Ok(message) => message,
                Err(error) if error.kind() == RawMessageErrorKind::NoMessageFound => {
                    return Ok(queued);
                }
                Err(error) => return Err(failed(&error)),
            };
            let id = Server::message_id(&message.headers).unwrap_or_default();
            let payload = self.payload(id, &message.payload).await;
            let payload = payload.ok_or_else(|| failed(&"the object store cannot be read"))?;
            queued.push((message.sequence, payload));
            next = message.sequence + 1;
        }
    }

    /// Removes a chunk from the work queue.
    pub(crate) async fn delete_work(&self, sequence: u64) {
        if let Ok(work) = self.work().await {
            let _ = work.delete_message(sequence).await;
        }
    }

    /// Removes all chunks of a run from the work queue.
    pub(crate) async fn withdraw(&self, run: &str) {
        if let Ok(work) = self.work().await {
            let _ = work.purge().filter(self.names.work(run, "*")).await;
        }
    }

    /// Removes everything of a finished run.
    pub(crate) async fn clean_up(&self, run: &str) {
        self.withdraw(run).await;
        if let Ok(events) = self.events().await {
            let _ = events
                .purge()
                .filter(self.names.events(run, "*", "*"))
                .await;
            let _ = events.purge().filter(self.names.done(run, "*")).await;
        }
    }
}

fn is_missing(error: &GetStreamError) -> bool {
    let GetStreamErrorKind::JetStream(error) = error.kind() else {
        return false;
    };
    error.error_code() == ErrorCode::STREAM_NOT_FOUND
}
