//! [`Heartbeat`]: the sign of life of a worker.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::full_store::Rejection;

/// How often a worker sends a sign of life.
pub(crate) const INTERVAL: Duration = Duration::from_secs(5);
/// A worker that sent none for this long is not counted.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(16);

/// The sign of life of a worker.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Heartbeat {
    pub(crate) worker: String,
    /// The run and the id of the chunk that it runs.
    pub(crate) chunk: Option<(String, String)>,
    /// A result that the server does not store.
    pub(crate) full_store: Option<Rejection>,
}

impl Heartbeat {
    /// The chunk that the worker runs, if it belongs to this run.
    pub(crate) fn chunk_of(&self, run: &str) -> Option<&str> {
        let (of, chunk) = self.chunk.as_ref()?;
        (of == run).then_some(chunk)
    }
}

/// The workers that are present.
#[derive(Debug, Default)]
pub(crate) struct PresentWorkers {
    last_seen: HashMap<String, Instant>,
}

impl PresentWorkers {
    pub(crate) fn saw(&mut self, worker: String, now: Instant) {
        self.last_seen.insert(worker, now);
    }

    pub(crate) fn workers(&self, now: Instant) -> impl Iterator<Item = &str> {
        let recent = move |seen: &Instant| now.saturating_duration_since(*seen) < TIMEOUT;
        let workers = self.last_seen.iter();
        workers.filter_map(move |(worker, seen)| recent(seen).then_some(worker.as_str()))
    }

    pub(crate) fn count(&self, now: Instant) -> usize {
        self.workers(now).count()
    }
}
