//! Workers that exited or were killed: their running example fails, and others run the rest.

use std::time::Duration;

use casebook_record::Metadata;
use casebook_record::event::{ExampleFailed, ExampleStarted};

use super::{Controller, MAX_EARLY_EXITS};
use crate::rspec::worker::{KillReason, Worker};
use crate::seconds::seconds;

impl Controller<'_> {
    /// Removes a dead worker: fails its running example and requeues the rest.
    pub(super) fn remove_worker(&mut self, number: u64) {
        if !self.workers.get(&number).is_some_and(Worker::is_gone) {
            return;
        }
        let Some(mut worker) = self.workers.remove(&number) else {
            return;
        };
        let exit = worker.exit_description();
        if let Some(running) = worker.running.take() {
            // Its children may still be running.
            worker.kill();
            worker.assigned.retain(|id| *id != running.example_id);
            self.fail_running(running, &worker);
        }
        let is_stopping = worker.is_leaving || self.stop_requests > 0;
        self.early_exits += usize::from(!worker.was_useful);
        if !is_stopping && !worker.was_useful {
            self.retry_or_fail_next(&mut worker);
        }
        if is_stopping {
            self.not_run += worker.assigned.len();
        } else {
            self.queue.put_back(worker.assigned);
        }
        self.last_end = Some(exit);
        let may_replace =
            worker.was_useful || worker.has_loaded && self.early_exits < MAX_EARLY_EXITS;
        if !is_stopping && may_replace && !self.queue.is_empty() {
            // If it cannot be started, the remaining workers run the examples.
            let _ = self.start_one(worker.slot);
        }
        self.assign_examples();
    }

    /// For a worker that exited before running any example. Its next example gets a second chance; after a second exit,
    /// it fails with all examples that share its setup.
    fn retry_or_fail_next(&mut self, worker: &mut Worker) {
        let Some(next) = worker.assigned.first().cloned() else {
            return;
        };
        if self.suspects.insert(next.clone()) {
            return;
        }
        let unit = |id: &String| {
            self.planned
                .get(id)
                .and_then(|planned| planned.unit.clone())
        };
        let shared = unit(&next);
        let (failed, others) = std::mem::take(&mut worker.assigned)
            .into_iter()
            .partition(|id| *id == next || shared.is_some() && unit(id) == shared);
        worker.assigned = others;
        let reason = worker.death("before this example started");
        let failed: Vec<String> = failed;
        for id in failed {
            self.fail_unstarted(&id, worker.slot, "Casebook::WorkerDied", reason.clone());
        }
    }

    fn fail_running(&mut self, example: ExampleStarted, worker: &Worker) {
        let (class, message) = match worker.kill_reason {
            _ if self.stop_requests > 0 => {
                self.not_run += 1;
                (
                    "Casebook::Interrupted",
                    "the run was stopped before this example finished".to_owned(),
                )
            }
            Some(KillReason::Late(limit)) => (
                "Casebook::Timeout",
                format!("timed out after {}", seconds(limit)),
            ),
            _ => (
                "Casebook::WorkerDied",
                worker.death("while running this example"),
            ),
        };
        let time = self.start.system.clock.now();
        let millis = time.millis_since(example.time).unsigned_abs();
        let id = example.example_id.clone();
        let failed = ExampleFailed {
            time,
            duration: Duration::from_millis(millis).as_secs_f64(),
            ..failed_event(example, class, message)
        };
        self.finish_example(&id, failed.into());
    }

    pub(super) fn fail_unknown(&mut self, id: &str, slot: usize) {
        let message = format!(
            "worker {slot} has no such example; examples must be the same each time the specs are loaded"
        );
        self.fail_unstarted(id, slot, "Casebook::NotFound", message);
    }

    /// Fails an example that was never started.
    fn fail_unstarted(&mut self, id: &str, slot: usize, class: &str, message: String) {
        let Some(planned) = self.planned.get(id) else {
            return;
        };
        let mut started = planned.example.clone();
        started.time = self.start.system.clock.now();
        started.metadata.set("worker", slot as u64);
        self.start_example(started.clone());
        let failed = failed_event(started, class, message);
        self.finish_example(id, failed.into());
    }
}

/// A failure event with the data of the start event.
pub fn failed_event(example: ExampleStarted, class: &str, message: String) -> ExampleFailed {
    let rerun = format!("rspec '{}'", example.example_id);
    ExampleFailed {
        time: example.time,
        example_id: example.example_id,
        stable_id: example.stable_id,
        description: example.description,
        full_description: example.full_description,
        location: example.location,
        duration: 0.0,
        message: Some(message),
        backtrace: None,
        exception_class: Some(class.into()),
        metadata: Metadata::from_iter([("rerun", rerun)]),
    }
}
