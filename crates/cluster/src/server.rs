//! [`Server`]: a connection to the queue, and the streams of a cluster on it.

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;
use std::{fs, io};

use async_nats::connection::State;
use async_nats::jetstream::consumer::pull;
use async_nats::jetstream::consumer::{AckPolicy, PullConsumer};
use async_nats::jetstream::context::{GetStreamError, GetStreamErrorKind};
use async_nats::jetstream::kv::{self, Store};
use async_nats::jetstream::message::PublishMessage;
use async_nats::jetstream::object_store::{self, Object, ObjectStore};
use async_nats::jetstream::stream::RawMessageErrorKind;
use async_nats::jetstream::stream::{Config, DiscardPolicy, RetentionPolicy, Stream};
use async_nats::jetstream::{self, Context, ErrorCode};
use async_nats::{Client, ConnectErrorKind, ConnectOptions, HeaderMap};
use casebook_record::io_reason;
use tokio::io::AsyncReadExt as _;
use tokio::time::timeout;

use crate::address::{Credentials, QueueAddress};
use crate::bridge::Bridge;
use crate::error::ClusterError;
use crate::full_store::FullStore;
use crate::names::{CONSUMER, Names};

/// How long events and results stay on the server.
pub(crate) const KEEP: Duration = Duration::from_secs(24 * 60 * 60);
/// How long a key stays on the server after its last change.
const KEEP_KEYS: Duration = Duration::from_secs(60 * 60);
/// How long to wait before the second attempt to connect.
const RECONNECT: Duration = Duration::from_millis(100);
/// How long the server may be silent while it sends an object. The client itself waits forever.
pub(crate) const OBJECT_SILENCE: Duration = Duration::from_secs(3);
/// How often an object is read before it counts as missing.
const OBJECT_TRIES: usize = 5;
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

    /// Creates the streams that do not exist yet.
    pub(crate) async fn create_streams(&self, lease: Duration) -> Result<(), ClusterError> {
        let failed = |error: &dyn std::fmt::Display| {
            ClusterError::request("create the streams of the cluster", error)
        };
        let replicas = self.replicas();
        let work = self
            .jetstream
            .get_or_create_stream(Config {
                name: self.names.work_stream(),
                subjects: vec![self.names.work("*", "*")],
                retention: RetentionPolicy::WorkQueue,
                discard: DiscardPolicy::New,
                max_age: KEEP,
                num_replicas: replicas,
                ..Config::default()
            })
            .await
            .map_err(|error| failed(&error))?;
        work.create_consumer(pull::Config {
            durable_name: Some(CONSUMER.to_owned()),
            ack_policy: AckPolicy::Explicit,
            ack_wait: lease,
            max_deliver: MAX_DELIVERIES,
            max_ack_pending: 100_000,
            max_waiting: 100_000,
            ..pull::Config::default()
        })
        .await
        .map_err(|error| failed(&error))?;
        self.jetstream
            .get_or_create_stream(Config {
                name: self.names.event_stream(),
                subjects: vec![self.names.events("*", "*", "*"), self.names.done("*", "*")],
                discard: DiscardPolicy::New,
                max_age: KEEP,
                num_replicas: replicas,
                allow_direct: true,
                ..Config::default()
            })
            .await
            .map_err(|error| failed(&error))?;
        if self.bucket().await.is_err() {
            self.jetstream
                .create_object_store(object_store::Config {
                    bucket: self.names.bucket(),
                    max_age: KEEP,
                    num_replicas: replicas,
                    ..object_store::Config::default()
                })
                .await
                .map_err(|error| failed(&error))?;
        }
        if self.keys().await.is_err() {
            self.jetstream
                .create_key_value(kv::Config {
                    bucket: self.names.bucket(),
                    max_age: KEEP_KEYS,
                    num_replicas: replicas,
                    ..kv::Config::default()
                })
                .await
                .map_err(|error| failed(&error))?;
        }
        Ok(())
    }

    /// Streams survive the loss of a node if the server has at least three.
    fn replicas(&self) -> usize {
        let info = self.client.server_info();
        if info.cluster.is_some() && info.connect_urls.len() >= 3 {
            3
        } else {
            1
        }
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
            let found = work
                .raw_message_builder()
                .sequence(next)
                .next_by_subject(&subject)
                .send()
                .await;
            let message = match found {
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

    /// Stores an object of a run. Returns whether that succeeded.
    pub(crate) async fn put(&self, id: &str, mut bytes: &[u8]) -> bool {
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
        for _ in 0..OBJECT_TRIES {
            let object = timeout(OBJECT_SILENCE, self.open_object(name)).await;
            if let Ok(object) = object
                && let Some(bytes) = read_all(object?).await
            {
                return Some(bytes);
            }
        }
        None
    }

    async fn open_object(&self, name: &str) -> Option<Object> {
        self.bucket().await.ok()?.get(name).await.ok()
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

    /// How many bytes a message may have, with some room for its headers.
    pub(crate) fn max_message(&self) -> usize {
        let limit = self.client.server_info().max_payload;
        limit.saturating_sub(4096).max(1024)
    }
}

fn is_missing(error: &GetStreamError) -> bool {
    let GetStreamErrorKind::JetStream(error) = error.kind() else {
        return false;
    };
    error.error_code() == ErrorCode::STREAM_NOT_FOUND
}

fn connect_error(server: &str, error: &async_nats::ConnectError) -> ClusterError {
    let (server, reason) = (server.to_owned(), connect_reason(error));
    match error.kind() {
        ConnectErrorKind::AuthorizationViolation | ConnectErrorKind::Authentication => {
            ClusterError::Credentials(server)
        }
        ConnectErrorKind::Tls => ClusterError::Tls { server, reason },
        _ if reason.contains("certificate") => ClusterError::Tls { server, reason },
        _ => ClusterError::Unreachable { server, reason },
    }
}

/// The reason of the system without those around it, which only repeat that there was an error.
fn connect_reason(error: &async_nats::ConnectError) -> String {
    let mut cause: Option<&dyn Error> = Some(error);
    while let Some(error) = cause {
        if let Some(error) = error.downcast_ref::<io::Error>()
            && error.raw_os_error().is_some()
        {
            return io_reason(error);
        }
        cause = error.source();
    }
    error.to_string()
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

/// How long to wait before the next attempt to connect.
fn reconnect_delay(attempts: usize) -> Duration {
    let factor = u32::try_from(attempts).unwrap_or(u32::MAX);
    RECONNECT.saturating_mul(factor).min(RECONNECT * 20)
}

fn options(address: &QueueAddress) -> Result<ConnectOptions, ClusterError> {
    let options = ConnectOptions::new()
        .name("casebook")
        .connection_timeout(Duration::from_secs(5))
        .max_reconnects(None)
        .reconnect_delay_callback(reconnect_delay)
        .require_tls(address.url.scheme() == "tls");
    let options = match &address.certificates {
        None => options,
        Some(file) => options.add_root_certificates(file.clone()),
    };
    Ok(match &address.credentials {
        Credentials::None => options,
        Credentials::User(user, password) => {
            options.user_and_password(user.clone(), password.clone())
        }
        Credentials::Token(token) => options.token(token.clone()),
        Credentials::Nkey(seed) => options.nkey(seed.clone()),
        Credentials::File(path) => {
            let text = fs::read_to_string(path);
            let options = text.and_then(|text| options.credentials(&text));
            options.map_err(|error| {
                ClusterError::Address(format!(
                    "cannot read the credentials in {}: {}",
                    path.display(),
                    io_reason(&error)
                ))
            })?
        }
    })
}
