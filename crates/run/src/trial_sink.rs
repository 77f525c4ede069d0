//! [`TrialSink`]: decides whether the failed trials of a test with a threshold fail it.
//!
//! The result of a failed trial is held back until enough trials have passed or too many have failed. If enough have passed, it is
//! published as an expected failure, so that all reports and exit codes agree that the test passed.

use std::collections::HashMap;

use casebook_record::event::{ExampleFailed, ExamplePending};
use casebook_record::{Event, INTERRUPTED, TrialThreshold, is_unreachable};
use parking_lot::Mutex;
use serde_json::{Value, json};

use crate::event_sink::EventSink;

/// Publishes the events of a run, the results of failed trials when they are decided.
pub struct TrialSink<'a> {
    sink: &'a dyn EventSink,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    tests: HashMap<String, TestTrials>,
    /// The test and the threshold of each trial that has started, by example.
    trials: HashMap<String, (String, TrialThreshold)>,
    tolerated: usize,
}

#[derive(Default)]
struct TestTrials {
    passed: u64,
    failed: u64,
    held: Vec<ExampleFailed>,
}

impl<'a> TrialSink<'a> {
    /// Publishes to `sink`. `earlier` are the results of trials in the run that is resumed: their tests, and whether they passed.
    pub fn new(
        sink: &'a dyn EventSink,
        earlier: impl IntoIterator<Item = (String, bool)>,
    ) -> TrialSink<'a> {
        let mut state = State::default();
        for (test, passed) in earlier {
            let trials = state.tests.entry(test).or_default();
            *(if passed {
                &mut trials.passed
            } else {
                &mut trials.failed
            }) += 1;
        }
        TrialSink {
            sink,
            state: Mutex::new(state),
        }
    }

    /// How many trials failed whose tests passed.
    pub fn tolerated(&self) -> usize {
        self.state.lock().tolerated
    }

    fn passed(&self, event: Event, id: &str) {
        self.sink.publish(event);
        let mut state = self.state.lock();
        let Some((test, threshold)) = state.trials.get(id).cloned() else {
            return;
        };
        let trials = state.tests.entry(test).or_default();
        trials.passed += 1;
        if trials.passed == threshold.needs {
            let held = std::mem::take(&mut trials.held);
            state.tolerated += held.len();
            for event in held {
                self.sink.publish(tolerated(event, threshold));
            }
        }
    }

    fn failed(&self, event: ExampleFailed) {
        let is_result = event.exception_class.as_deref() != Some(INTERRUPTED);
        let mut state = self.state.lock();
        let trial = state.trials.get(&event.example_id).cloned();
        let trial = trial.filter(|_| is_result && !is_unreachable(&event.metadata));
        let Some((test, threshold)) = trial else {
            return self.sink.publish(event.into());
        };
        let trials = state.tests.entry(test).or_default();
        trials.failed += 1;
        if trials.passed >= threshold.needs {
            state.tolerated += 1;
            return self.sink.publish(tolerated(event, threshold));
        }
        trials.held.push(event);
        if trials.failed > threshold.of.saturating_sub(threshold.needs) {
            let held = trials.held.drain(..);
            held.for_each(|event| self.sink.publish(event.into()));
        }
    }

    /// Publishes the failed trials of tests that are not decided: some of their trials were not run.
    fn flush(&self) {
        let mut state = self.state.lock();
        let held = state
            .tests
            .values_mut()
            .flat_map(|trials| trials.held.drain(..));
        held.for_each(|event| self.sink.publish(event.into()));
    }
}

/// The result of a failed trial of a test that passed.
fn tolerated(event: ExampleFailed, threshold: TrialThreshold) -> Event {
    let TrialThreshold { needs, of } = threshold;
    let reason = format!("the test passed: it needs {needs} of {of} trials");
    let mut metadata = event.metadata;
    let expected = json!({"reason": reason, "message": event.message, "trial": true});
    metadata.set("expected_failure", expected);
    ExamplePending {
        time: event.time,
        example_id: event.example_id,
        stable_id: event.stable_id,
        description: event.description,
        full_description: event.full_description,
        message: Some(format!("failed trial: {reason}")),
        metadata,
    }
    .into()
}

impl EventSink for TrialSink<'_> {
    fn publish(&self, event: Event) {
        match event {
            Event::ExampleStarted(event) => {
                let test = event.metadata.dig("trial.test").and_then(Value::as_str);
                let trial = test.zip(TrialThreshold::of(&event.metadata));
                if let Some((test, threshold)) = trial {
                    let trial = (test.to_owned(), threshold);
                    let id = event.example_id.clone();
                    self.state.lock().trials.insert(id, trial);
                }
                self.sink.publish(event.into());
            }
            Event::ExamplePassed(ref passed) => {
                let id = passed.example_id.clone();
                self.passed(event, &id);
            }
            Event::ExampleFailed(event) => self.failed(event),
            Event::SuiteStopped(_) => {
                self.flush();
                self.sink.publish(event);
            }
            Event::SuiteSummary(mut summary) => {
                let tolerated = self.tolerated() as u64;
                summary.failure_count = summary.failure_count.saturating_sub(tolerated);
                summary.pending_count += tolerated;
                self.sink.publish(summary.into());
            }
            event => self.sink.publish(event),
        }
    }

    fn wants_full_output(&self) -> bool {
        self.sink.wants_full_output()
    }

    fn save_output(&self, example_id: &str, streams: &[(&str, &[u8])]) -> Option<String> {
        self.sink.save_output(example_id, streams)
    }

    fn output_so_far(&self, example_id: &str, streams: &[(&str, &[u8])]) {
        self.sink.output_so_far(example_id, streams);
    }

    fn warn(&self, message: &str) {
        self.sink.warn(message);
    }

    fn register_secrets(&self, exported: &[(String, String)]) {
        self.sink.register_secrets(exported);
    }
}
