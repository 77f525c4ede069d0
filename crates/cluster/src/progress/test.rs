//! [`TestProgress`]: which attempt of a test counts, and its result.

use casebook_record::{Event, INTERRUPTED};
use serde_json::Value;

/// The result of a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    Passed,
    Failed,
    Pending,
}

/// What is known of a test.
#[derive(Debug, Default)]
pub(super) struct TestProgress {
    /// The generation of the chunk and its attempt, from which events are accepted.
    pub(super) rank: (u64, u64),
    pub(super) outcome: Option<Outcome>,
    /// How many attempts started and did not end.
    pub(super) lost: u32,
    pub(super) running: bool,
}

impl TestProgress {
    /// Takes an event into account. Returns false if it is from an attempt that does not count.
    pub(super) fn accept(&mut self, rank: (u64, u64), event: &Event) -> bool {
        if self.outcome.is_some() || rank < self.rank {
            return false;
        }
        if matches!(event, Event::ExampleStarted(_)) {
            // A retry of a failed test starts in the same attempt.
            if rank > self.rank && self.running {
                self.lost += 1;
            }
            self.rank = rank;
            self.running = true;
        } else {
            self.outcome = outcome(event);
            self.running &= self.outcome.is_none();
        }
        true
    }
}

/// The test that was running at the end of these events.
pub(crate) fn running_test(events: &[Event]) -> Option<&str> {
    let last = events.iter().rev().find_map(|event| match event {
        Event::ExampleStarted(started) => Some(Some(started.example_id.as_str())),
        event => outcome(event).map(|_| None),
    });
    last.flatten()
}

/// The result of a test, if the event is its last.
pub(crate) fn outcome(event: &Event) -> Option<Outcome> {
    match event {
        event if event.will_repeat() => None,
        Event::ExamplePassed(_) => Some(Outcome::Passed),
        Event::ExamplePending(_) => Some(Outcome::Pending),
        Event::ExampleFailed(failed)
            if failed.metadata.get("will_retry") != Some(&Value::Bool(true))
                && failed.exception_class.as_deref() != Some(INTERRUPTED) =>
        {
            Some(Outcome::Failed)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use casebook_record::decode;

    use super::*;

    fn event(kind: &str, metadata: &str) -> Event {
        let line = format!(
            r#"{{"event_type":"{kind}","payload":{{"time":"2026-11-15T08:40:51Z","example_id":"1","description":"d",
            "full_description":"d","location":"a:1","duration":0.1,"metadata":{{{metadata}}}}}}}"#
        );
        decode(&line).unwrap()
    }

    #[test]
    fn a_repeated_test_ends_with_its_last_repetition() {
        let mut progress = TestProgress::default();
        let events = [
            event("ExampleStarted", r#""repeated":true"#),
            event("ExampleStarted", r#""repetition":1"#),
            event("ExamplePassed", r#""will_repeat":true"#),
            event("ExampleStarted", r#""repetition":2"#),
            event("ExampleFailed", r#""will_repeat":true"#),
        ];
        for event in &events {
            assert!(progress.accept((1, 1), event));
        }
        assert_eq!((progress.outcome, progress.running), (None, true));
        assert_eq!(running_test(&events), Some("1"));
        assert!(progress.accept((1, 1), &event("ExampleStarted", r#""repetition":3"#)));
        assert!(progress.accept((1, 1), &event("ExampleFailed", "")));
        assert_eq!(
            (progress.outcome, progress.lost),
            (Some(Outcome::Failed), 0)
        );
    }
}
