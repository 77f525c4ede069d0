//! The messages that a controller receives.

use std::sync::mpsc::Sender;
use std::time::Duration;

use async_nats::Subscriber;
use async_nats::jetstream::consumer::{AckPolicy, DeliverPolicy, pull};
use futures_util::StreamExt as _;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::error::ClusterError;
use crate::names::RunSubject;
use crate::presence::Heartbeat;
use crate::server::Server;
use crate::wire::Done;

/// The server shows with this interval that it is there.
const HEARTBEAT: Duration = Duration::from_secs(1);
/// How long to wait before reading is tried again.
const RETRY: Duration = Duration::from_millis(200);

/// A message for the controller.
pub(super) enum Message {
    Present(Heartbeat),
    Batch {
        chunk: String,
        attempt: u64,
        sequence: u64,
        bytes: Vec<u8>,
    },
    Done {
        chunk: String,
        done: Done,
    },
    /// A chunk was given to workers as often as allowed; `sequence` is its place in the stream.
    Exhausted {
        sequence: u64,
    },
    /// Everything was received that was stored at the beginning.
    CaughtUp,
}

/// Starts to listen to the workers, the server and the events of the run.
pub(super) async fn listen(
    server: Server,
    run: String,
    sender: Sender<Message>,
) -> Result<(), ClusterError> {
    let failed =
        |error: &dyn std::fmt::Display| ClusterError::request("listen to the workers", error);
    let presences = server.client.subscribe(server.names.presence("*")).await;
    let presences = presences.map_err(|error| failed(&error))?;
    forward(presences, sender.clone(), Message::Present);
    let advisories = server.client.subscribe(server.names.max_deliveries());
    let advisories = advisories.await.map_err(|error| failed(&error))?;
    forward(advisories, sender.clone(), |advisory: Advisory| {
        Message::Exhausted {
            sequence: advisory.stream_seq,
        }
    });
    let ping = server.names.ping();
    let client = server.client.clone();
    tokio::spawn(async move {
        let mut reader = EventReader {
            server,
            run,
            sender,
            next: 1,
            has_caught_up: false,
        };
        while reader.read().await.is_some() {
            tokio::time::sleep(RETRY).await;
        }
    });
    let pinged = client.publish(ping, "".into()).await;
    pinged.map_err(|error| failed(&error))
}

/// Passes what is received on to the controller.
fn forward<T: DeserializeOwned + Send>(
    mut received: Subscriber,
    sender: Sender<Message>,
    message: impl Fn(T) -> Message + Send + 'static,
) {
    tokio::spawn(async move {
        while let Some(received) = received.next().await {
            if let Ok(content) = serde_json::from_slice(&received.payload) {
                let _ = sender.send(message(content));
            }
        }
    });
}

#[derive(Deserialize)]
struct Advisory {
    stream_seq: u64,
}

/// Reads the events of a run, each once and in order, across reconnections.
struct EventReader {
    server: Server,
    run: String,
    sender: Sender<Message>,
    /// The first place in the stream that was not read.
    next: u64,
    has_caught_up: bool,
}

impl EventReader {
    /// Reads until a message is missing. Returns `None` when the controller has ended.
    async fn read(&mut self) -> Option<()> {
        let Ok(stream) = self.server.events().await else {
            return Some(());
        };
        let Ok(consumer) = stream.create_consumer(self.consumer()).await else {
            return Some(());
        };
        let mut stored = consumer.cached_info().num_pending;
        if stored == 0 {
            self.caught_up()?;
        }
        let messages = consumer
            .stream()
            .heartbeat(HEARTBEAT)
            .expires(HEARTBEAT * 10)
            .messages();
        let Ok(mut messages) = messages.await else {
            return Some(());
        };
        let mut expected = 1;
        while let Some(Ok(message)) = messages.next().await {
            let info = message.info().ok()?;
            if info.consumer_sequence != expected {
                return Some(());
            }
            let next = info.stream_sequence + 1;
            match parse(&self.server, &message).await {
                Ok(Some(message)) => self.sender.send(message).ok()?,
                Ok(None) => {}
                Err(NoObject) => return Some(()),
            }
            self.next = next;
            expected += 1;
            stored = stored.saturating_sub(1);
            if stored == 0 {
                self.caught_up()?;
            }
        }
        Some(())
    }

    /// Receives the events that were not read.
    fn consumer(&self) -> pull::Config {
        pull::Config {
            filter_subjects: vec![
                self.server.names.events(&self.run, "*", "*"),
                self.server.names.done(&self.run, "*"),
            ],
            deliver_policy: DeliverPolicy::ByStartSequence {
                start_sequence: self.next,
            },
            ack_policy: AckPolicy::None,
            memory_storage: true,
            num_replicas: 1,
            inactive_threshold: Duration::from_secs(60),
            ..pull::Config::default()
        }
    }

    fn caught_up(&mut self) -> Option<()> {
        if !std::mem::replace(&mut self.has_caught_up, true) {
            self.sender.send(Message::CaughtUp).ok()?;
        }
        Some(())
    }
}

/// The object store cannot be read at the moment.
struct NoObject;

/// What a message says; `None` if it is not for a controller.
async fn parse(
    server: &Server,
    message: &async_nats::Message,
) -> Result<Option<Message>, NoObject> {
    let headers = message.headers.as_ref();
    let id = headers.and_then(Server::message_id);
    Ok(match (RunSubject::parse(&message.subject), id) {
        (Some(RunSubject::Done { chunk }), _) => {
            let chunk = chunk.to_owned();
            let done = serde_json::from_slice(&message.payload);
            done.ok().map(|done| Message::Done { chunk, done })
        }
        (Some(RunSubject::Events { chunk, attempt }), Some(id)) => {
            let bytes = server.payload(id, &message.payload).await;
            let bytes = bytes.ok_or(NoObject)?;
            Server::batch_number(id).map(|sequence| Message::Batch {
                chunk: chunk.to_owned(),
                attempt,
                sequence,
                bytes,
            })
        }
        _ => None,
    })
}
