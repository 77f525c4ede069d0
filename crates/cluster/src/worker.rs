//! [`serve`]: takes chunks from the queue and runs them, one at a time.

mod files;
mod history;
mod publisher;
mod sink;
mod suite_cache;
mod task;

use std::collections::HashSet;
use std::fs;
use std::path::Path;
use std::pin::pin;
use std::sync::Arc;
use std::sync::mpsc::Receiver;
use std::thread;
use std::time::Duration;

use async_nats::jetstream::consumer::PullConsumer;
use async_nats::jetstream::context::PublishErrorKind;
use async_nats::jetstream::message::PublishMessage;
use async_nats::jetstream::{self, AckKind};
use casebook_run::{PlannedSuite, StopToken, SystemContext};
use casebook_suite::Suite;
use futures_util::StreamExt as _;
use futures_util::future::select;
use parking_lot::Mutex;

use crate::address::QueueAddress;
use crate::bridge::Bridge;
use crate::bundle::BundleStore;
use crate::error::ClusterError;
use crate::names::Names;
use crate::presence::{Heartbeat, INTERVAL};
use crate::server::Server;
use crate::wire::{Chunk, Done, Note, Stop, Task, VERSION, digest, is_inside, spec_digest};
#[cfg(test)]
pub(crate) use history::{EarlierAttempts, TestAction};
#[cfg(test)]
pub(crate) use publisher::DELAY;
use publisher::Publisher;
use suite_cache::SuiteCache;
use task::Attempt;

/// How long to wait for a chunk before asking again.
const TAKE: Duration = Duration::from_secs(1);
/// How long to wait before asking for a stream that does not exist yet.
const NO_STREAM: Duration = Duration::from_millis(500);
/// How long to wait before a message is sent again.
const RETRY: Duration = Duration::from_millis(500);
/// How long to wait after a chunk that this worker cannot run, so that others can take it.
const REFUSED: Duration = Duration::from_secs(1);
/// How often the worker looks for its own stop requests.
const STOP_CHECK: Duration = Duration::from_millis(100);

/// Reads and checks a suite below a directory, or returns why it cannot be run.
pub type SuiteReader<'a> = &'a dyn Fn(&Path, &str) -> Result<Suite, String>;

/// One worker.
pub struct Worker<'a> {
    /// Where the queue is.
    pub address: QueueAddress,
    /// The name of the worker in messages.
    pub name: String,
    /// Its number among the workers of this machine.
    pub slot: usize,
    /// The commit of its checkout.
    pub commit: Option<String>,
    /// Environment, directories and clocks.
    pub system: &'a SystemContext,
    /// Reads suites.
    pub read: SuiteReader<'a>,
    /// Ends the worker: the first request after its chunk, the second immediately.
    pub stop: Arc<StopToken>,
    /// Shows a message.
    pub say: &'a dyn Fn(&str),
}

/// A chunk that this worker may run until its lease ends.
struct Lease {
    message: jetstream::Message,
    chunk: Chunk,
    attempt: u64,
}

/// Runs chunks until a stop is requested.
pub fn serve(worker: &Worker<'_>) -> Result<(), ClusterError> {
    let bridge = Bridge::start()?;
    let server = connect(worker, &bridge)?;
    let state: Arc<Mutex<State>> = Arc::default();
    bridge.spawn(send_presence(
        server.clone(),
        worker.name.clone(),
        state.clone(),
    ));
    bridge.spawn(receive_stops(server.clone(), state.clone()));
    bridge.spawn(watch_stop(worker.stop.clone(), state.clone()));
    let bundles = BundleStore::new(worker.system);
    bundles.remove_unused();
    let mut session = Session {
        worker,
        bundles,
        bridge,
        server,
        state,
        suites: SuiteCache::default(),
    };
    session.serve()
}

/// Connects to the server. Waits for one that cannot be reached: a worker may be replaced while the server is restarted.
fn connect(worker: &Worker<'_>, bridge: &Bridge) -> Result<Server, ClusterError> {
    loop {
        match bridge.call(Server::connect(worker.address.clone())) {
            Err(ClusterError::Unreachable { .. }) if !worker.stop.is_requested() => {
                thread::sleep(RETRY);
            }
            connected => return connected,
        }
    }
}

/// A worker that is connected.
struct Session<'a> {
    worker: &'a Worker<'a>,
    bundles: BundleStore,
    bridge: Bridge,
    server: Server,
    state: Arc<Mutex<State>>,
    suites: SuiteCache,
}

impl Session<'_> {
    fn serve(&mut self) -> Result<(), ClusterError> {
        let mut consumer = None;
        let mut ran = Ok(());
        // The end of a chunk is committed while the next one runs.
        let mut committing = None;
        while ran.is_ok() && !self.worker.stop.is_requested() {
            let lease;
            (lease, consumer) = self.bridge.call(take(self.server.clone(), consumer));
            if let Some(lease) = lease {
                let commit;
                (commit, ran) = self.run(lease);
                wait(committing.replace(commit));
            }
        }
        wait(committing);
        ran
    }
}

fn wait(commit: Option<Receiver<()>>) {
    if let Some(commit) = commit {
        let _ = commit.recv();
    }
}

/// What other tasks must know of the worker.
#[derive(Default)]
struct State {
    running: Option<Running>,
    /// Controllers that asked to stop. Their chunks are not begun.
    stopped_controllers: HashSet<String>,
}

/// The chunk that is running.
struct Running {
    run: String,
    chunk: String,
    stop: Arc<StopToken>,
}

/// Sends signs of life, regularly and when asked.
async fn send_presence(server: Server, worker: String, state: Arc<Mutex<State>>) {
    let subject = server.names.presence(&worker);
    let Ok(mut pings) = server.client.subscribe(server.names.ping()).await else {
        return;
    };
    loop {
        let running = |running: &Running| (running.run.clone(), running.chunk.clone());
        let presence = Heartbeat {
            worker: worker.clone(),
            chunk: state.lock().running.as_ref().map(running),
            full_store: server.full_store.rejection(),
        };
        let payload = serde_json::to_vec(&presence).unwrap_or_default();
        let _ = server.client.publish(subject.clone(), payload.into()).await;
        let changed = pin!(server.full_store.changed());
        let _ = tokio::time::timeout(INTERVAL, select(pings.next(), changed)).await;
    }
}

/// Passes stop requests of a run to its chunk.
async fn receive_stops(server: Server, state: Arc<Mutex<State>>) {
    let Ok(mut stops) = server.client.subscribe(server.names.stop("*")).await else {
        return;
    };
    while let Some(message) = stops.next().await {
        let Some(run) = Names::run(&message.subject) else {
            continue;
        };
        let Ok(stop) = serde_json::from_slice::<Stop>(&message.payload) else {
            continue;
        };
        server.full_store.run_stopped(run);
        let mut state = state.lock();
        state.stopped_controllers.insert(stop.controller);
        if let Some(running) = state.running.as_ref().filter(|running| running.run == run) {
            request(&running.stop, 1 + usize::from(stop.now));
        }
    }
}

/// Requests a stop until there are this many requests.
fn request(stop: &StopToken, requests: usize) {
    while stop.request_count() < requests {
        stop.request();
    }
}

/// Stops the running chunk after the worker's second stop request.
async fn watch_stop(stop: Arc<StopToken>, state: Arc<Mutex<State>>) {
    loop {
        tokio::time::sleep(STOP_CHECK).await;
        if stop.request_count() > 1
            && let Some(running) = &state.lock().running
        {
            request(&running.stop, 2);
        }
    }
}

/// Takes the next chunk; `None` if there is none for a while. The consumer is opened only once.
async fn take(
    server: Server,
    consumer: Option<PullConsumer>,
) -> (Option<Lease>, Option<PullConsumer>) {
    let consumer = match consumer {
        Some(consumer) => Ok(consumer),
        None => server.consumer().await,
    };
    let Ok(consumer) = consumer else {
        tokio::time::sleep(NO_STREAM).await;
        return (None, None);
    };
    match next(&server, &consumer).await {
        Ok(lease) => (lease, Some(consumer)),
        // The stream may have been deleted.
        Err(()) => (None, None),
    }
}

async fn next(server: &Server, consumer: &PullConsumer) -> Result<Option<Lease>, ()> {
    let request = consumer.batch().max_messages(1).expires(TAKE);
    let mut batch = request.messages().await.map_err(drop)?;
    let Some(message) = batch.next().await else {
        return Ok(None);
    };
    let message = message.map_err(drop)?;
    let attempt = u64::try_from(message.info().map_err(drop)?.delivered).map_err(drop)?;
    let id = message.headers.as_ref().and_then(Server::message_id);
    let payload = server.payload(id.unwrap_or_default(), &message.payload);
    let payload = payload.await.ok_or(())?;
    let Ok(chunk) = serde_json::from_slice(&payload) else {
        let _ = message.ack_with(AckKind::Term).await;
        return Ok(None);
    };
    Ok(Some(Lease {
        message,
        chunk,
        attempt,
    }))
}

impl Session<'_> {
    /// Runs a chunk. Returns what to wait for until its end is committed.
    fn run(&mut self, lease: Lease) -> (Receiver<()>, Result<(), ClusterError>) {
        let Lease {
            message,
            chunk,
            attempt,
        } = lease;
        let message = Arc::new(message);
        if self
            .state
            .lock()
            .stopped_controllers
            .contains(&chunk.controller)
        {
            let refused = self.bridge.start_call(async move {
                let _ = message.ack_with(AckKind::Term).await;
            });
            return (refused, Ok(()));
        }
        self.server.full_store.run_continued(&chunk.run);
        let publisher = Publisher::start(&self.bridge, &self.server, &chunk, attempt);
        let renewal = self.bridge.spawn(renew(message.clone(), chunk.lease / 3));
        let ran = self.run_chunk(&chunk, attempt, &publisher);
        self.state.lock().running = None;
        let ran = match ran {
            Ok(Some(reason)) => {
                renewal.abort();
                return (self.refuse(reason, publisher, message), Ok(()));
            }
            ran => ran.map(drop),
        };
        let (server, worker) = (self.server.clone(), self.worker.name.clone());
        let (stored, is_complete) = (publisher.finish(), ran.is_ok() && !self.is_stopped_now());
        let committed = self.bridge.start_call(async move {
            let batches = stored.await.unwrap_or_default();
            if is_complete {
                let done = Done {
                    worker,
                    attempt,
                    batches,
                };
                commit(server, chunk, done).await;
                // Without a commit, another worker has finished the chunk, and it is no longer in the queue.
                let _ = message.double_ack().await;
            } else {
                // Another worker continues at once.
                let _ = message.ack_with(AckKind::Nak(None)).await;
            }
            renewal.abort();
        });
        (committed, ran)
    }

    /// Runs the tests of a chunk. Returns why this worker cannot run them.
    fn run_chunk(
        &mut self,
        chunk: &Chunk,
        attempt: u64,
        publisher: &Publisher,
    ) -> Result<Option<String>, ClusterError> {
        let stop = Arc::new(StopToken::new()?);
        self.state.lock().running = Some(Running {
            run: chunk.run.clone(),
            chunk: chunk.id.clone(),
            stop: stop.clone(),
        });
        let prepared = self.prepare(chunk);
        let accepted = prepared.and_then(|system| Ok((self.accept(chunk, &system.dir)?, system)));
        match accepted {
            Ok((suite, system)) => {
                let attempt = Attempt {
                    chunk,
                    number: attempt,
                    system: &system,
                    stop: &stop,
                    publisher,
                };
                self.run_task(&attempt, suite)
            }
            Err(reason) => Ok(Some(reason)),
        }
    }

    /// Whether the worker ends without finishing its chunk.
    fn is_stopped_now(&self) -> bool {
        self.worker.stop.request_count() > 1
    }

    /// Leaves a chunk to other workers.
    fn refuse(
        &self,
        reason: String,
        publisher: Publisher,
        message: Arc<jetstream::Message>,
    ) -> Receiver<()> {
        publisher.note(&Note::Refused {
            worker: self.worker.name.clone(),
            reason,
        });
        let stored = publisher.finish();
        let refused = self.bridge.start_call(async move {
            let _ = stored.await;
            let _ = message.ack_with(AckKind::Term).await;
        });
        thread::sleep(REFUSED);
        refused
    }

    /// Returns the suite of a chunk, if it has one, or why this worker cannot run it.
    fn accept(&mut self, chunk: &Chunk, dir: &Path) -> Result<Option<PlannedSuite>, String> {
        if chunk.version != VERSION {
            return Err(format!(
                "its protocol version is {VERSION}, that of the controller {}",
                chunk.version
            ));
        }
        if !is_inside(&chunk.suite) {
            return Err(format!("{} is outside its directory", chunk.suite));
        }
        match chunk.task {
            Task::Tests { .. } => {
                if let Some(suite) = self.suites.take(chunk) {
                    return Ok(Some(suite));
                }
                let suite = (self.worker.read)(dir, &chunk.suite)?;
                if digest(&suite) == chunk.digest {
                    return Ok(Some(PlannedSuite::new(suite, Vec::new())));
                }
            }
            Task::Examples { .. } => {
                let contents = fs::read(dir.join(&chunk.suite))
                    .map_err(|error| format!("cannot read {}: {error}", chunk.suite))?;
                // Specs test the code beside them.
                let commits = (&self.worker.commit, &chunk.commit);
                let is_other = matches!(commits, (Some(here), Some(there)) if here != there);
                if spec_digest(&contents) == chunk.digest && (chunk.bundle.is_some() || !is_other) {
                    return Ok(None);
                }
            }
        }
        let commit = |commit: &Option<String>| commit.clone().unwrap_or_else(|| "no commit".into());
        Err(format!(
            "its file or a file that it reads differs from the controller's (worker at {}, controller at {})",
            commit(&self.worker.commit),
            commit(&chunk.commit)
        ))
    }
}

/// Renews a lease until it is aborted.
async fn renew(message: Arc<jetstream::Message>, interval: Duration) {
    loop {
        tokio::time::sleep(interval).await;
        let _ = message.ack_with(AckKind::Progress).await;
    }
}

/// Commits the end of a chunk, unless another worker has done so. Waits for a server that cannot be reached.
async fn commit(server: Server, chunk: Chunk, done: Done) {
    let subject = server.names.done(&chunk.run, &chunk.id);
    let payload = serde_json::to_vec(&done).unwrap_or_default();
    loop {
        let message = PublishMessage::build()
            .payload(payload.clone().into())
            .expected_last_subject_sequence(0)
            .message_id(format!("{}/{}/done/{}", chunk.run, chunk.id, done.attempt));
        let sent = server
            .jetstream
            .send_publish(subject.clone(), message)
            .await;
        if let Ok(confirmation) = sent {
            match confirmation.await {
                Ok(_) => return server.full_store.stored(),
                Err(error) if error.kind() == PublishErrorKind::WrongLastSequence => return,
                Err(error) => server.full_store.rejected(&chunk.run, &error.to_string()),
            }
        }
        if server.full_store.is_hopeless(&chunk.run) {
            return;
        }
        tokio::time::sleep(RETRY).await;
    }
}
