//! All the workers of a run.

use std::path::Path;
use std::time::{Duration, Instant};

use super::handle::WorkerHandle;
use super::link::Transport;
use crate::emitter::EventEmitter;
use crate::options::Options;
use crate::stop::StopToken;

/// Where workers come from and what they all need to know.
pub(crate) struct WorkerPool<'a> {
    pub(crate) transport: &'a dyn Transport,
    pub(crate) options: &'a Options,
    pub(crate) emitter: &'a EventEmitter<'a>,
    pub(crate) stop: &'a StopToken,
    /// The temporary folder of the run.
    pub(crate) scratch: &'a Path,
    /// A worker that says nothing for so long is dead.
    pub(crate) heartbeat_timeout: Duration,
    pub(crate) instant: fn() -> Instant,
}

impl WorkerPool<'_> {
    /// A worker for one of the controller's threads. It is started when there is something to do.
    pub(crate) fn handle(&self, number: usize) -> WorkerHandle<'_> {
        WorkerHandle::new(self, number)
    }
}
