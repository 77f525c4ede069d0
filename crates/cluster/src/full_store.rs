//! A full store on the server: how a worker notices it, and what the controller makes of it.

use std::collections::{BTreeMap, HashSet};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use tokio::sync::Notify;

use crate::presence;

/// What the server answers when it stores no more messages.
const ANSWERS: [&str; 4] = [
    "insufficient",
    "resource limits exceeded",
    "maximum bytes exceeded",
    "maximum messages exceeded",
];

/// Whether the server rejected a message because it has no room for it.
pub(crate) fn is_full(reason: &str) -> bool {
    ANSWERS.iter().any(|answer| reason.contains(answer))
}

/// A message of a run that the server did not store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Rejection {
    pub(crate) run: String,
    pub(crate) reason: String,
}

/// The last rejection, until a message is stored again.
#[derive(Debug, Default)]
pub(crate) struct FullStore {
    rejection: Mutex<Option<Rejection>>,
    stopped_runs: Mutex<HashSet<String>>,
    changed: Notify,
}

impl FullStore {
    pub(crate) fn stored(&self) {
        if self.rejection.lock().take().is_some() {
            self.changed.notify_one();
        }
    }

    /// Remembers why a message was not stored, if the reason is a full store.
    pub(crate) fn rejected(&self, run: &str, reason: &str) {
        if !is_full(reason) {
            return;
        }
        let rejection = Rejection {
            run: run.to_owned(),
            reason: reason.to_owned(),
        };
        if self.rejection.lock().replace(rejection).is_none() {
            self.changed.notify_one();
        }
    }

    pub(crate) fn rejection(&self) -> Option<Rejection> {
        self.rejection.lock().clone()
    }

    pub(crate) fn run_stopped(&self, run: &str) {
        self.stopped_runs.lock().insert(run.to_owned());
    }

    /// Another controller continues a stopped run.
    pub(crate) fn run_continued(&self, run: &str) {
        self.stopped_runs.lock().remove(run);
    }

    /// Whether the server has no room for the results of a run that has ended, so they are not sent again.
    pub(crate) fn is_hopeless(&self, run: &str) -> bool {
        let is_hopeless = self.rejection.lock().is_some() && self.stopped_runs.lock().contains(run);
        if is_hopeless {
            self.stored();
        }
        is_hopeless
    }

    /// Waits for the next rejection, or for its end.
    pub(crate) async fn changed(&self) {
        self.changed.notified().await;
    }
}

/// The workers of a run that wait for room on the server.
#[derive(Debug, Default)]
pub(crate) struct WaitingWorkers {
    workers: BTreeMap<String, Waiting>,
}

#[derive(Debug)]
struct Waiting {
    since: Instant,
    last_seen: Instant,
    reason: String,
}

impl WaitingWorkers {
    /// Notes the sign of life of a worker. Returns whether it is the first one that waits.
    pub(crate) fn update(&mut self, worker: &str, reason: Option<&str>, now: Instant) -> bool {
        let Some(reason) = reason else {
            self.workers.remove(worker);
            return false;
        };
        let is_first = self.workers.is_empty();
        let waiting = self.workers.entry(worker.to_owned()).or_insert(Waiting {
            since: now,
            last_seen: now,
            reason: reason.to_owned(),
        });
        waiting.last_seen = now;
        is_first
    }

    /// A worker that has waited for longer than `limit`, and the server's reason.
    pub(crate) fn longer_than(&mut self, limit: Duration, now: Instant) -> Option<(&str, &str)> {
        let is_alive =
            |waiting: &Waiting| now.duration_since(waiting.last_seen) < presence::TIMEOUT;
        self.workers.retain(|_, waiting| is_alive(waiting));
        let mut workers = self.workers.iter();
        let (worker, waiting) =
            workers.find(|(_, waiting)| now.duration_since(waiting.since) > limit)?;
        Some((worker, &waiting.reason))
    }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a test may read the clock")]
mod tests {
    use super::*;

    #[test]
    fn a_worker_that_waits_is_reported_once_and_forgotten_when_it_goes_on_or_dies() {
        let start = Instant::now();
        let at = |seconds| start + Duration::from_secs(seconds);
        let limit = Duration::from_secs(30);
        let mut waiting = WaitingWorkers::default();
        assert!(waiting.update("a", Some("full"), at(0)));
        assert!(!waiting.update("b", Some("full"), at(1)));
        for second in [5, 10, 15, 20, 25, 31] {
            waiting.update("a", Some("full"), at(second));
        }
        assert_eq!(waiting.longer_than(limit, at(31)), Some(("a", "full")));
        waiting.update("a", None, at(32));
        assert_eq!(waiting.longer_than(limit, at(60)), None);
    }
}
