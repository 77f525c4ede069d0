//! The end of a run: its last events, and its outcome.

use std::time::Instant;

use casebook_record::event::{GroupFinished, SuiteStopped, SuiteSummary};
use casebook_run::RunOutcome;

use super::{ClusterOutcome, Controller};
use crate::error::ClusterError;
use crate::progress::Outcome;

impl Controller<'_> {
    /// Publishes the last events of the run.
    pub(super) fn finish(self, started: Instant, error: Option<ClusterError>) -> ClusterOutcome {
        if error.is_some() {
            self.stop_workers();
        }
        self.publish_end(started);
        if self.server.is_connected() {
            let (server, run) = (self.server.clone(), self.cluster.run_id.clone());
            self.bridge.call(async move { server.clean_up(&run).await });
        }
        ClusterOutcome {
            run: RunOutcome {
                failed: self.progress.count(Outcome::Failed),
                interrupted: self.progress.running(),
                not_started: self.not_started(),
                spent_budgets: Vec::new(),
                kept: None,
            },
            redelivered: self.progress.redelivered,
            error,
        }
    }

    /// Closes the suites and the run.
    fn publish_end(&self, started: Instant) {
        let (clock, sink) = (&self.context.system.clock, self.context.sink);
        for suite in self.progress.unclosed_suites() {
            let description = self.work.group_name(suite).to_owned();
            let time = clock.now();
            sink.publish(GroupFinished { time, description }.into());
        }
        let count = |outcome| self.progress.count(outcome);
        let [passed, failed, pending] =
            [Outcome::Passed, Outcome::Failed, Outcome::Pending].map(count);
        let summary = SuiteSummary {
            time: clock.now(),
            duration: (self.now() - started).as_secs_f64(),
            example_count: (passed + failed + pending) as u64,
            failure_count: failed as u64,
            pending_count: pending as u64,
        };
        sink.publish(SuiteStopped { time: summary.time }.into());
        sink.publish(summary.into());
    }

    /// The location and title of each test that no worker started.
    fn not_started(&self) -> Vec<String> {
        let tests = self.tests.iter();
        let mut missing: Vec<_> = tests
            .filter(|(id, _)| !self.progress.has_started(id))
            .map(|(_, test)| *test)
            .collect();
        missing.sort_unstable();
        missing
            .into_iter()
            .map(|test| self.work.name(test))
            .collect()
    }
}
