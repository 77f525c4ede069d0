//! The controller's side of the work queue: chunks are published, taken over from an earlier controller, and replaced
//! when no worker could finish them.

use std::collections::HashSet;
use std::time::Duration;

use async_nats::jetstream::context::PublishErrorKind;

use super::Controller;
use crate::error::ClusterError;
use crate::schedule::Slice;
use crate::server::Server;
use crate::wire::{Chunk, VERSION};

/// How long to wait before chunks are published again that the server has not confirmed.
const RETRY: Duration = Duration::from_millis(500);

/// A chunk in the work queue.
pub(super) struct QueuedChunk {
    pub(super) sequence: u64,
    pub(super) chunk: Chunk,
}

/// The chunks of a run that are in the queue.
pub(super) async fn read(server: Server, run: &str) -> Result<Vec<QueuedChunk>, ClusterError> {
    let mut queued = Vec::new();
    for (sequence, payload) in server.queued(run).await? {
        let chunk = serde_json::from_slice(&payload)
            .map_err(|error| ClusterError::request("read the work queue", error))?;
        queued.push(QueuedChunk { sequence, chunk });
    }
    Ok(queued)
}

impl Controller<'_> {
    /// Takes over the chunks of an earlier controller. Those that are neither finished nor in the queue are lost.
    pub(super) fn adopt(&mut self) {
        let queued = std::mem::take(&mut self.adopted);
        let ids: HashSet<_> = queued.iter().map(|queued| &queued.chunk.id).collect();
        let unfinished = self.progress.unfinished();
        let lost: Vec<_> = unfinished
            .filter(|id| !ids.iter().any(|queued| queued == id))
            .map(str::to_owned)
            .collect();
        for id in lost {
            self.progress.abandon(&id);
        }
        for queued in queued {
            self.add(queued);
        }
    }

    fn add(&mut self, queued: QueuedChunk) {
        let chunk = &queued.chunk;
        let ids = chunk.task.ids();
        if let Some((suite, _)) = ids.first().and_then(|id| self.tests.get(*id)) {
            let ids = ids.into_iter().map(str::to_owned).collect();
            self.progress.add_chunk(&chunk.id, *suite, ids);
            let now = self.now();
            self.watch.saw_chunk(&queued.chunk.id, now);
            self.queued.insert(queued.chunk.id.clone(), queued);
        }
    }

    /// Puts all tests into the queue that have no result and are in no chunk.
    pub(super) fn publish_left_over(&mut self) -> Result<(), ClusterError> {
        let assigned = self.progress.assigned();
        let is_left = |id: &&String| !assigned.contains(*id) && !self.progress.has_result(id);
        let left: HashSet<_> = self.tests.keys().filter(is_left).cloned().collect();
        let (given_up, left): (HashSet<_>, HashSet<_>) = left
            .into_iter()
            .partition(|id| self.progress.lost(id) > self.cluster.lost_retries);
        for id in given_up {
            self.give_up(&id);
        }
        let workers = self.present_workers.count(self.now());
        let slices = self.work.divide(workers, &|id| left.contains(id));
        let generation = self.progress.next_generation();
        let chunks = slices.iter().enumerate().map(|(number, slice)| {
            // The server drops messages of which it has seen the id, so no two controllers use the same ids.
            let id = format!("c{number}_{}", self.id);
            let id = match generation {
                0 => id,
                generation => format!("{id}-{generation}"),
            };
            self.chunk(id, slice)
        });
        let chunks: Vec<_> = chunks.collect();
        self.publish(&chunks)
    }

    fn chunk(&self, id: String, slice: &Slice) -> Chunk {
        let chunk_tests = self.work.chunk_tests(slice);
        let ids = chunk_tests.task.ids().into_iter();
        let lost = ids.map(|id| (id.to_owned(), self.progress.lost(id)));
        let lost = lost.filter(|(_, lost)| *lost > 0).collect();
        let bundle = self.cluster.bundle.as_ref();
        Chunk {
            version: VERSION,
            run: self.cluster.run_id.clone(),
            controller: self.id.clone(),
            id,
            suite: chunk_tests.file,
            digest: chunk_tests.digest,
            commit: self.cluster.commit.clone(),
            bundle: bundle.map(|bundle| bundle.digest().to_owned()),
            whole: chunk_tests.whole,
            redact: self.cluster.redact.clone(),
            keeps_output: self.context.sink.wants_full_output(),
            lease: self.cluster.lease,
            lost_retries: self.cluster.lost_retries,
            lost,
            task: chunk_tests.task,
        }
    }

    /// Puts chunks into the queue. Waits for a server that cannot be reached, or whose nodes elect a leader.
    fn publish(&mut self, chunks: &[Chunk]) -> Result<(), ClusterError> {
        let until = self.now() + self.cluster.no_server_timeout;
        loop {
            let (server, chunks) = (self.server.clone(), chunks.to_vec());
            match self.bridge.call(publish(server, chunks)) {
                Ok(published) => {
                    published.into_iter().for_each(|queued| self.add(queued));
                    return Ok(());
                }
                Err(error) if !error.is_temporary || self.now() > until => {
                    return Err(error.into());
                }
                Err(_) => {
                    self.check_server()?;
                    std::thread::sleep(RETRY);
                }
            }
        }
    }

    /// The chunk at this place of the queue was given to workers as often as allowed.
    pub(super) fn exhausted(&mut self, sequence: u64) -> Result<(), ClusterError> {
        let mut queued = self.queued.values();
        match queued.find(|queued| queued.sequence == sequence) {
            Some(queued) => {
                let id = queued.chunk.id.clone();
                self.replace(&id)
            }
            None => Ok(()),
        }
    }

    /// Replaces a chunk that no worker could finish.
    pub(super) fn replace(&mut self, id: &str) -> Result<(), ClusterError> {
        let Some(queued) = self.take_out(id).filter(|_| !self.watch.is_stopping()) else {
            self.progress.abandon(id);
            return Ok(());
        };
        let replaced = self.progress.replace(id, self.cluster.lost_retries);
        for id in &replaced.given_up {
            self.give_up(id);
        }
        let Some(replacement) = replaced.replacement else {
            return Ok(());
        };
        let mut task = queued.chunk.task;
        task.retain(|id| replacement.tests.contains_key(id));
        let lost = replacement.tests.into_iter().filter(|(_, lost)| *lost > 0);
        self.publish(&[Chunk {
            id: replacement.id,
            lost: lost.collect(),
            task,
            ..queued.chunk
        }])
    }

    /// Takes a chunk out of the queue.
    fn take_out(&mut self, id: &str) -> Option<QueuedChunk> {
        let queued = self.queued.remove(id)?;
        let (server, sequence) = (self.server.clone(), queued.sequence);
        self.bridge
            .call(async move { server.delete_work(sequence).await });
        Some(queued)
    }

    /// Offers a refused chunk again, unless all workers have refused its suite.
    pub(super) fn refused(
        &mut self,
        chunk: &str,
        worker: &str,
        reason: &str,
    ) -> Result<(), ClusterError> {
        let Some(queued) = self.queued.get(chunk) else {
            return Ok(());
        };
        let name = queued.chunk.suite.clone();
        let ids = queued.chunk.task.ids();
        let suite = ids.first().and_then(|id| self.tests.get(*id));
        let suite = suite.map_or(0, |(suite, _)| *suite);
        let refusals = self.refusals.entry(suite).or_default();
        let is_new = refusals.values().all(|known| known != reason);
        refusals.insert(worker.to_owned(), reason.to_owned());
        if is_new {
            (self.cluster.say)(&format!("worker {worker} cannot run {name}: {reason}"));
        }
        let now = (self.context.system.instant)();
        let has_refused = |worker| refusals.contains_key(worker);
        if self.present_workers.workers(now).all(has_refused) {
            return Err(ClusterError::refused(
                name,
                refusals,
                self.cluster.bundle.is_some(),
            ));
        }
        self.replace(chunk)
    }
}

/// The server did not accept a chunk.
struct PublishError {
    reason: String,
    /// Whether the server may accept it later.
    is_temporary: bool,
}

impl From<async_nats::jetstream::context::PublishError> for PublishError {
    fn from(error: async_nats::jetstream::context::PublishError) -> PublishError {
        let is_temporary = matches!(
            error.kind(),
            PublishErrorKind::TimedOut
                | PublishErrorKind::StreamNotFound
                | PublishErrorKind::BrokenPipe
                | PublishErrorKind::MaxAckPending
        );
        PublishError {
            reason: error.to_string(),
            is_temporary,
        }
    }
}

impl From<PublishError> for ClusterError {
    fn from(error: PublishError) -> ClusterError {
        ClusterError::request("put tests into the work queue", error.reason)
    }
}

/// Publishes chunks. One that is too large for a message becomes an object.
async fn publish(server: Server, chunks: Vec<Chunk>) -> Result<Vec<QueuedChunk>, PublishError> {
    let mut confirmations = Vec::with_capacity(chunks.len());
    for chunk in &chunks {
        let payload = serde_json::to_vec(chunk).unwrap_or_default();
        let id = format!("{}/{}", chunk.run, chunk.id);
        let message = server.message(&id, payload).await;
        let message = message.ok_or_else(|| not_stored(&server))?;
        let subject = server.names.work(&chunk.run, &chunk.id);
        confirmations.push(server.jetstream.send_publish(subject, message).await?);
    }
    let mut published = Vec::with_capacity(chunks.len());
    for (chunk, confirmation) in chunks.into_iter().zip(confirmations) {
        published.push(QueuedChunk {
            sequence: confirmation.await?.sequence,
            chunk,
        });
    }
    Ok(published)
}

/// Why a chunk that is too large for a message could not be stored.
fn not_stored(server: &Server) -> PublishError {
    match server.full_store.rejection() {
        Some(rejection) => PublishError {
            reason: rejection.reason,
            is_temporary: false,
        },
        None => PublishError {
            reason: "the object store cannot be written".to_owned(),
            is_temporary: !server.is_connected(),
        },
    }
}
