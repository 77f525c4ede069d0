//! [`WorkerPool`]: all workers of a run.

use std::path::Path;
use std::time::{Duration, Instant};

use super::handle::WorkerHandle;
use super::link::Transport;
use crate::emitter::EventEmitter;
use crate::options::Options;
use crate::spending::Spending;
use crate::stop::StopToken;

/// How workers are started, and what all of them share.
pub(crate) struct WorkerPool<'a> {
    pub(crate) transport: &'a dyn Transport,
    pub(crate) options: &'a Options,
    pub(crate) emitter: &'a EventEmitter<'a>,
    pub(crate) stop: &'a StopToken,
    /// What conversations have spent.
    pub(crate) spending: &'a Spending,
    /// The temporary directory of the run.
    pub(crate) scratch: &'a Path,
    /// A worker that sends nothing for this long is considered dead.
    pub(crate) heartbeat_timeout: Duration,
    pub(crate) instant: fn() -> Instant,
}

impl WorkerPool<'_> {
    /// The worker of one of the controller's threads. Its process is started with its first test.
    pub(crate) fn handle(&self, number: usize) -> WorkerHandle<'_> {
        WorkerHandle::new(self, number)
    }
}
