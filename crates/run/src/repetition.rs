//! [`RepeatedTest`]: collects the repetitions of a test, counts all of them and publishes some.
//!
//! A test may be repeated very often, so a record has only its first passed repetitions, its first failed ones, and the
//! last. The events of a repetition are published together, because repetitions may run at the same time. The last
//! published one decides about the status of the test, so a failed one comes last if there is any.

use std::path::Path;

use casebook_record::event::{ExampleFailed, ExamplePassed};
use casebook_record::{Event, Metadata, Repetitions};
use parking_lot::Mutex;
use serde_json::{Value, json};

use crate::attempt::TestEnd;
use crate::emitter::TEMP_DIR;
use crate::event_sink::EventSink;
use crate::scratch;

/// How many passed repetitions of a test are recorded, besides the last.
pub(crate) const MAX_PASSED: u64 = 10;
/// How many failed repetitions of a test are recorded, besides the last.
const MAX_FAILED: u64 = 100;

/// The repetitions of one test.
#[derive(Debug, Default)]
pub(crate) struct RepeatedTest(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    counts: Repetitions,
    announced: bool,
    /// Whether the test has its final result.
    finished: bool,
    /// The first passed repetitions, published before a failed one or at the end.
    passed: Vec<Vec<Event>>,
    /// The last passed repetition, if it is none of the first.
    last_passed: Option<Vec<Event>>,
    /// The last failed repetition.
    last_failed: Option<Vec<Event>>,
    /// How often a condition was not met, or the test failed as expected.
    skipped: u64,
    /// The last of these repetitions, published if all are.
    last_skipped: Option<Vec<Event>>,
    /// A repetition that was stopped with the run.
    interrupted: Option<Vec<Event>>,
}

impl RepeatedTest {
    /// Calls `announce` before the first repetition, so that the test is shown as running.
    pub(crate) fn begin(&self, announce: impl FnOnce()) {
        let mut state = self.0.lock();
        if !std::mem::replace(&mut state.announced, true) {
            announce();
        }
    }

    /// Whether the complete output of a failed repetition is saved.
    pub(crate) fn saves_output(&self) -> bool {
        self.0.lock().counts.failed < MAX_FAILED
    }

    /// Adds a repetition with its events. Returns the number of finished ones.
    pub(crate) fn add(
        &self,
        number: u32,
        end: TestEnd,
        events: Vec<Event>,
        sink: &dyn EventSink,
    ) -> u64 {
        let mut state = self.0.lock();
        match end {
            TestEnd::Interrupted => state.interrupted = Some(events),
            TestEnd::Skipped => state.add_skipped(events),
            TestEnd::Passed => state.add_passed(number, events),
            TestEnd::Failed => state.add_failed(number, events, sink),
        }
        state.counts.passed + state.counts.failed + state.skipped
    }

    /// Publishes the result of the test. `None` if it already was, or if the test was never started.
    pub(crate) fn finish(&self, sink: &dyn EventSink) -> Option<TestEnd> {
        let mut state = self.0.lock();
        if !state.announced || std::mem::replace(&mut state.finished, true) {
            return None;
        }
        Some(state.finish(sink))
    }
}

impl State {
    fn add_passed(&mut self, number: u32, events: Vec<Event>) {
        self.counts.add(number, true, duration_ms(&events));
        if self.counts.passed <= MAX_PASSED {
            self.passed.push(events);
        } else {
            let unrecorded = self.last_passed.replace(events);
            unrecorded.iter().for_each(|events| remove_dir(events));
        }
    }

    fn add_skipped(&mut self, events: Vec<Event>) {
        self.skipped += 1;
        let unrecorded = self.last_skipped.replace(events);
        unrecorded.iter().for_each(|events| remove_dir(events));
    }

    fn add_failed(&mut self, number: u32, events: Vec<Event>, sink: &dyn EventSink) {
        self.counts.add(number, false, duration_ms(&events));
        let Some(earlier) = self.last_failed.replace(events) else {
            return;
        };
        if self.counts.failed <= MAX_FAILED + 1 {
            self.publish_passed(sink);
            self.publish(earlier, sink);
        } else {
            remove_dir(&earlier);
        }
    }

    fn finish(&mut self, sink: &dyn EventSink) -> TestEnd {
        let last_passed = self.last_passed.take();
        let failed = self.last_failed.take();
        let (last, end) = if let Some(failed) = failed {
            self.passed.extend(last_passed);
            (failed, TestEnd::Failed)
        } else if let Some(passed) = last_passed.or_else(|| self.passed.pop()) {
            (passed, TestEnd::Passed)
        } else if let Some(skipped) = self.last_skipped.take() {
            skipped.into_iter().for_each(|event| sink.publish(event));
            return TestEnd::Skipped;
        } else {
            let interrupted = self.interrupted.take().into_iter().flatten();
            interrupted.for_each(|event| sink.publish(event));
            return TestEnd::Interrupted;
        };
        self.publish_passed(sink);
        self.publish_last(last, sink);
        end
    }

    fn publish_passed(&mut self, sink: &dyn EventSink) {
        for events in std::mem::take(&mut self.passed) {
            self.publish(events, sink);
        }
    }

    /// Publishes a repetition that another one follows.
    fn publish(&mut self, mut events: Vec<Event>, sink: &dyn EventSink) {
        if let Some(metadata) = events.last_mut().and_then(end_metadata) {
            metadata.set(Repetitions::WILL_REPEAT, true);
        }
        self.counts.recorded += 1;
        events.into_iter().for_each(|event| sink.publish(event));
    }

    /// Publishes the repetition that ends the test, with the counts of all.
    fn publish_last(&mut self, mut events: Vec<Event>, sink: &dyn EventSink) {
        self.counts.recorded += 1;
        if let Some(metadata) = events.last_mut().and_then(end_metadata) {
            metadata.set(Repetitions::KEY, json!(self.counts));
        }
        events.into_iter().for_each(|event| sink.publish(event));
    }
}

/// The metadata of the event that ends a repetition.
fn end_metadata(event: &mut Event) -> Option<&mut Metadata> {
    match event {
        Event::ExamplePassed(ExamplePassed { metadata, .. })
        | Event::ExampleFailed(ExampleFailed { metadata, .. }) => Some(metadata),
        _ => None,
    }
}

fn duration_ms(events: &[Event]) -> i64 {
    let seconds = match events.last() {
        Some(Event::ExamplePassed(event)) => event.duration,
        Some(Event::ExampleFailed(event)) => event.duration,
        _ => 0.0,
    };
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a duration stays below 2⁶³ milliseconds"
    )]
    let millis = (seconds * 1000.0).round() as i64;
    millis
}

/// Removes the directory that was kept for a repetition that is not recorded.
fn remove_dir(events: &[Event]) {
    let metadata = match events.last() {
        Some(Event::ExamplePassed(event)) => &event.metadata,
        Some(Event::ExampleFailed(event)) => &event.metadata,
        Some(Event::ExamplePending(event)) => &event.metadata,
        _ => return,
    };
    if let Some(dir) = metadata.get(TEMP_DIR).and_then(Value::as_str) {
        scratch::remove(Path::new(dir));
    }
}

/// Receives the events of one repetition, which are published when it has ended.
pub(crate) struct RepetitionBuffer<'a> {
    sink: &'a dyn EventSink,
    saves_output: bool,
    events: Mutex<Vec<Event>>,
}

impl<'a> RepetitionBuffer<'a> {
    pub(crate) fn new(sink: &'a dyn EventSink, test: &RepeatedTest) -> RepetitionBuffer<'a> {
        RepetitionBuffer {
            sink,
            saves_output: test.saves_output(),
            events: Mutex::default(),
        }
    }

    pub(crate) fn into_events(self) -> Vec<Event> {
        self.events.into_inner()
    }
}

impl EventSink for RepetitionBuffer<'_> {
    fn publish(&self, event: Event) {
        self.events.lock().push(event);
    }

    fn wants_full_output(&self) -> bool {
        self.saves_output && self.sink.wants_full_output()
    }

    fn save_output(&self, example_id: &str, streams: &[(&str, &[u8])]) -> Option<String> {
        self.saves_output
            .then(|| self.sink.save_output(example_id, streams))?
    }

    fn warn(&self, message: &str) {
        self.sink.warn(message);
    }

    fn register_secrets(&self, exported: &[(String, String)]) {
        self.sink.register_secrets(exported);
    }
}

#[cfg(test)]
mod tests;
