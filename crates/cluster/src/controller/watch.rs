//! Notices lost servers, missing workers, lost chunks and stop requests.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use super::Controller;
use crate::error::ClusterError;
use crate::full_store::Rejection;
use crate::wire::Stop;

/// How often a missing worker is reported.
const REMINDER: Duration = Duration::from_secs(60);
/// How long an interrupted run waits for the end of its chunks, and after the second request.
const WRAP_UP: [Duration; 2] = [Duration::from_secs(30), Duration::from_secs(5)];
/// How often stop requests are sent, because a worker may have no connection for a moment.
const RESEND: Duration = Duration::from_secs(1);

/// When something was seen last.
pub(super) struct Watch {
    last_worker: Instant,
    reminded: Option<Instant>,
    disconnected: Option<Instant>,
    queue_checked: Instant,
    /// The last sign of life of each chunk.
    chunks: HashMap<String, Instant>,
    stop: Option<StopProgress>,
    /// How often the tests without a result are put into the queue again at the end.
    offers: u32,
}

/// The state of a run that the user stopped.
struct StopProgress {
    requests: usize,
    deadline: Instant,
    sent: Instant,
}

impl Watch {
    pub(super) fn new(now: Instant) -> Watch {
        Watch {
            last_worker: now,
            reminded: None,
            disconnected: None,
            queue_checked: now,
            chunks: HashMap::new(),
            stop: None,
            offers: 3,
        }
    }

    pub(super) fn is_stopping(&self) -> bool {
        self.stop.is_some()
    }

    /// Counts down, so that a test that never gets a result does not keep the run from ending.
    pub(super) fn may_offer_again(&mut self) -> bool {
        self.offers = self.offers.saturating_sub(1);
        self.offers > 0
    }

    pub(super) fn saw_chunk(&mut self, chunk: &str, now: Instant) {
        match self.chunks.get_mut(chunk) {
            Some(seen) => *seen = now,
            None => drop(self.chunks.insert(chunk.to_owned(), now)),
        }
    }
}

impl Controller<'_> {
    pub(super) fn check_server(&mut self) -> Result<(), ClusterError> {
        let (now, say) = (self.now(), self.cluster.say);
        let server = self.cluster.address.server();
        if self.server.is_connected() {
            if self.watch.disconnected.take().is_some() {
                say(&format!("connected to {server} again"));
                // Their signs of life could not arrive.
                self.watch.last_worker = now;
                self.watch.queue_checked = now;
            }
            return Ok(());
        }
        if self.watch.disconnected.is_none() {
            say(&format!("the connection to {server} is lost; reconnecting"));
        }
        let since = *self.watch.disconnected.get_or_insert(now);
        if now - since > self.cluster.no_server_timeout {
            return Err(ClusterError::ServerLost {
                server,
                seconds: self.cluster.no_server_timeout.as_secs(),
            });
        }
        Ok(())
    }

    pub(super) fn check_workers(&mut self) -> Result<(), ClusterError> {
        let now = self.now();
        let watch = &mut self.watch;
        if self.present_workers.count(now) > 0 || watch.disconnected.is_some() {
            watch.last_worker = now;
            watch.reminded = None;
            return Ok(());
        }
        if now - watch.last_worker > self.cluster.no_worker_timeout {
            let seconds = self.cluster.no_worker_timeout.as_secs();
            return Err(ClusterError::NoWorkers(seconds));
        }
        if watch.reminded.is_none_or(|at| now - at > REMINDER) {
            watch.reminded = Some(now);
            (self.cluster.say)(
                "no worker is connected; start one with `casebook worker --connect URL`",
            );
        }
        Ok(())
    }

    /// Notes whether the server has room for the results of a worker.
    pub(super) fn saw_full_store(
        &mut self,
        worker: &str,
        rejection: Option<Rejection>,
        now: Instant,
    ) {
        let reason = rejection
            .filter(|rejection| rejection.run == self.cluster.run_id)
            .map(|rejection| rejection.reason);
        if self.waiting.update(worker, reason.as_deref(), now)
            && let Some(reason) = reason
        {
            (self.cluster.say)(&format!(
                "worker {worker} waits: the store of the server is full ({reason})"
            ));
        }
    }

    /// Ends the run if the server has had no room for results for as long as a lease.
    pub(super) fn check_store(&mut self) -> Result<(), ClusterError> {
        let now = self.now();
        match self.waiting.longer_than(self.cluster.lease, now) {
            None => Ok(()),
            Some((worker, reason)) => Err(ClusterError::FullStore {
                action: format!("store the results of worker {worker}"),
                reason: reason.to_owned(),
            }),
        }
    }

    /// Replaces chunks that are lost although the server has reported nothing: its message was missed, or the server
    /// lost the chunk in a power failure.
    pub(super) fn check_queue(&mut self) -> Result<(), ClusterError> {
        let (now, lease) = (self.now(), self.cluster.lease);
        let is_due = now - self.watch.queue_checked >= lease;
        if !is_due || self.watch.stop.is_some() || self.present_workers.count(now) == 0 {
            return Ok(());
        }
        self.watch.queue_checked = now;
        let server = self.server.clone();
        let Some(counts) = self.bridge.call(async move { server.queue_counts().await }) else {
            return Ok(());
        };
        if counts.waiting > 0 {
            return Ok(());
        }
        // A leased chunk may wait for a worker that is busy.
        let patience = if counts.leased > 0 { lease * 4 } else { lease };
        let is_silent = |id: &&str| {
            let seen = self.watch.chunks.get(*id);
            seen.is_none_or(|seen| now - *seen > patience)
        };
        let unfinished = self.progress.unfinished().filter(is_silent);
        let lost: Vec<_> = unfinished.map(str::to_owned).collect();
        lost.iter().try_for_each(|chunk| self.replace(chunk))
    }

    /// Passes stop requests of the user or of RSpec to the workers. Returns whether the run is over.
    pub(super) fn is_stopped(&mut self) -> bool {
        let requests = self.context.stop.request_count();
        let requests = requests.max(usize::from(self.quits()));
        let now = self.now();
        if requests == 0 {
            return false;
        }
        let stop = match &mut self.watch.stop {
            Some(stop) if stop.requests == requests && now - stop.sent < RESEND => {
                return now > stop.deadline;
            }
            Some(stop) if stop.requests == requests => {
                stop.sent = now;
                // Until now, a worker may have begun a chunk without our knowledge.
                let chunks = self.progress.unfinished();
                let waiting = chunks.filter(|chunk| !self.progress.has_begun(chunk));
                let waiting: Vec<_> = waiting.map(str::to_owned).collect();
                for chunk in waiting {
                    self.progress.abandon(&chunk);
                }
                now > stop.deadline
            }
            stop => {
                *stop = Some(StopProgress {
                    requests,
                    deadline: now + WRAP_UP[usize::from(requests > 1)],
                    sent: now,
                });
                false
            }
        };
        self.stop_workers();
        stop
    }

    /// Takes everything that has not begun out of the queue, and asks the workers to stop.
    pub(super) fn stop_workers(&self) {
        if !self.server.is_connected() {
            return;
        }
        let (server, run) = (self.server.clone(), self.cluster.run_id.clone());
        let stop = Stop {
            controller: self.id.clone(),
            now: self.context.stop.request_count() > 1,
        };
        self.bridge.call(async move {
            server.withdraw(&run).await;
            let subject = server.names.stop(&run);
            let payload = serde_json::to_vec(&stop).unwrap_or_default();
            let _ = server.client.publish(subject, payload.into()).await;
            let _ = server.client.flush().await;
        });
    }
}
