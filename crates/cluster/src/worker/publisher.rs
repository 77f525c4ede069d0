//! [`Publisher`]: sends the events of one attempt, in numbered batches.

use std::sync::Arc;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::time::Duration;

use casebook_record::{Event, encode_line};
use parking_lot::Mutex;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::oneshot;
use tokio::task::AbortHandle;

use super::RETRY;
use crate::bridge::Bridge;
use crate::names::Names;
use crate::server::Server;
use crate::wire::{Chunk, Note};

/// How long an event waits for others. Each message costs the server and the controller more than an event does.
pub(crate) const DELAY: Duration = Duration::from_millis(50);
/// A batch of this size is sent at once.
const FULL: usize = 64 << 10;

/// Sends the events of one attempt.
pub(crate) struct Publisher {
    /// Whether a test begins only when its start is stored. Earlier attempts did not finish, so a test may kill its
    /// worker, and without its start, no one would know which.
    pub(super) confirms_starts: bool,
    batch: Arc<Mutex<Batch>>,
    timer: AbortHandle,
    finished: oneshot::Receiver<u64>,
    pub(super) objects: ObjectWriter,
}

struct Batch {
    lines: Vec<u8>,
    out: Option<UnboundedSender<Outgoing>>,
}

struct Outgoing {
    lines: Vec<u8>,
    /// Dropped when the lines are stored on the server.
    stored: Option<SyncSender<()>>,
}

impl Batch {
    fn note(&mut self, note: &Note) {
        self.lines
            .extend(serde_json::to_vec(note).unwrap_or_default());
        self.lines.push(b'\n');
        self.send_if_full();
    }

    fn send_if_full(&mut self) {
        if self.lines.len() > FULL {
            self.send(None);
        }
    }

    fn send(&mut self, stored: Option<SyncSender<()>>) {
        if !self.lines.is_empty()
            && let Some(out) = &self.out
        {
            let lines = std::mem::take(&mut self.lines);
            let _ = out.send(Outgoing { lines, stored });
        }
    }
}

/// Writes objects of an attempt.
#[derive(Clone)]
pub(super) struct ObjectWriter {
    handle: tokio::runtime::Handle,
    server: Server,
    prefix: String,
}

impl ObjectWriter {
    /// Stores bytes under a name that is unique in the cluster; `None` if the server does not store them.
    pub(super) fn write(&self, name: &str, bytes: Vec<u8>) -> Option<String> {
        let object = format!("{}/{name}", self.prefix);
        let (sender, receiver) = sync_channel(1);
        let (server, key) = (self.server.clone(), object.clone());
        self.handle.spawn(async move {
            let _ = sender.send(server.store(&key, &bytes).await);
        });
        receiver.recv().is_ok_and(|stored| stored).then_some(object)
    }
}

impl Publisher {
    pub(super) fn start(
        bridge: &Bridge,
        server: &Server,
        chunk: &Chunk,
        attempt: u64,
    ) -> Publisher {
        let (out, batches) = unbounded_channel();
        let (report, finished) = oneshot::channel();
        let destination = Destination {
            server: server.clone(),
            subject: server
                .names
                .events(&chunk.run, &chunk.id, &attempt.to_string()),
            prefix: format!("{}/{}/{attempt}", chunk.run, chunk.id),
        };
        let objects = ObjectWriter {
            handle: bridge.handle(),
            server: server.clone(),
            prefix: destination.prefix.clone(),
        };
        bridge.spawn(async move {
            let _ = report.send(send_all(destination, batches).await);
        });
        let batch = Arc::new(Mutex::new(Batch {
            lines: Vec::new(),
            out: Some(out),
        }));
        let waiting = batch.clone();
        let timer = bridge.spawn(async move {
            loop {
                tokio::time::sleep(DELAY).await;
                waiting.lock().send(None);
            }
        });
        Publisher {
            confirms_starts: attempt > 1,
            batch,
            timer,
            finished,
            objects,
        }
    }

    pub(super) fn event(&self, event: &Event) {
        let mut batch = self.batch.lock();
        encode_line(event, &mut batch.lines);
        if self.confirms_starts && matches!(event, Event::ExampleStarted(_)) {
            let (sender, stored) = sync_channel(1);
            batch.send(Some(sender));
            drop(batch);
            let _ = stored.recv();
        } else {
            batch.send_if_full();
        }
    }

    pub(super) fn note(&self, note: &Note) {
        self.batch.lock().note(note);
    }

    /// Sends notes from other threads.
    pub(super) fn notes(&self) -> impl Fn(&Note) + Send + Sync + 'static {
        let batch = self.batch.clone();
        move |note| batch.lock().note(note)
    }

    /// Sends what is left. The number of batches arrives when all of them are stored on the server.
    pub(super) fn finish(self) -> oneshot::Receiver<u64> {
        self.timer.abort();
        let mut batch = self.batch.lock();
        batch.send(None);
        batch.out = None;
        drop(batch);
        self.finished
    }
}

struct Destination {
    server: Server,
    subject: String,
    prefix: String,
}

/// Sends batches until there are no more. Returns how many there were.
async fn send_all(destination: Destination, mut batches: UnboundedReceiver<Outgoing>) -> u64 {
    let mut sequence = 0;
    let mut unconfirmed = tokio::task::JoinSet::new();
    while let Some(batch) = batches.recv().await {
        unconfirmed.spawn(send(
            destination.server.clone(),
            destination.subject.clone(),
            format!("{}/{sequence}", destination.prefix),
            batch,
        ));
        sequence += 1;
    }
    while unconfirmed.join_next().await.is_some() {}
    sequence
}

/// Sends one batch until the server has confirmed it. A batch that is too large for a message becomes an object.
async fn send(server: Server, subject: String, id: String, batch: Outgoing) {
    let Outgoing {
        lines: batch,
        stored,
    } = batch;
    loop {
        if let Some(message) = server.message(&id, batch.clone()).await
            && let Ok(confirmation) = server
                .jetstream
                .send_publish(subject.clone(), message)
                .await
        {
            match confirmation.await {
                Ok(_) => {
                    drop(stored);
                    return server.full_store.stored();
                }
                Err(error) => server
                    .full_store
                    .rejected(Names::run_of(&id), &error.to_string()),
            }
        }
        if server.full_store.is_hopeless(Names::run_of(&id)) {
            return;
        }
        tokio::time::sleep(RETRY).await;
    }
}
