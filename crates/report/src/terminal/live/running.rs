//! The running tests.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use casebook_record::event::ExampleStarted;
use casebook_record::{Event, Metadata, Time, TrialThreshold};
use serde_json::Value;

use crate::examples::split_location;
use crate::terminal::title::{rename, started_test_title, started_title};

/// Without drawn progress, a test is reported after this many milliseconds, and again whenever the time doubles.
const SLOW: i64 = 10_000;

/// One test, from the start of its first attempt to the end of its last.
pub(in crate::terminal) struct Test {
    pub(in crate::terminal) title: String,
    /// Its name at the start, without its groups.
    description: String,
    pub(in crate::terminal) location: String,
    pub(in crate::terminal) file: String,
    /// Its position in the plan.
    pub(in crate::terminal) position: u64,
    pub(in crate::terminal) began: Time,
    /// The number of earlier attempts that failed. One that was lost with its worker is none of them.
    pub(in crate::terminal) earlier: usize,
    /// The id and title of the test of which this is a trial.
    pub(super) trial_of: Option<(String, String)>,
    /// How many trials of it must pass, if not all.
    pub(super) threshold: Option<TrialThreshold>,
    /// The age in milliseconds at which it is reported next.
    named_at: i64,
}

#[derive(Default)]
pub(in crate::terminal) struct Running {
    tests: HashMap<String, Test>,
    ended: HashSet<String>,
}

impl Running {
    /// Adds a test or starts its next attempt.
    pub(in crate::terminal) fn begin(&mut self, event: &ExampleStarted) -> &Test {
        let began = event.time;
        self.tests
            .entry(event.example_id.clone())
            .and_modify(|test| {
                test.began = began;
                test.named_at = SLOW;
            })
            .or_insert_with(|| Test::of(event))
    }

    /// An attempt failed, and another one follows.
    pub(in crate::terminal) fn attempt_failed(&mut self, id: &str) {
        if let Some(test) = self.tests.get_mut(id) {
            test.earlier += 1;
        }
    }

    /// Removes the test that ends with this event. A test without a start event is created, so that its result is not
    /// lost. Returns `None` for a second end.
    pub(in crate::terminal) fn end(&mut self, id: &str, event: &Event) -> Option<Test> {
        let first = self.ended.insert(id.to_owned());
        let mut test = self.tests.remove(id);
        if let (Some(test), Some(name)) = (&mut test, name_at_end(event)) {
            rename(&mut test.title, &test.description, name);
        }
        test.or_else(|| first.then(|| Test::without_start(id, event)))
    }

    pub(in crate::terminal) fn count(&self) -> usize {
        self.tests.len()
    }

    /// The running tests of a file, in the order of the plan.
    pub(in crate::terminal) fn in_file(&self, file: &str) -> Vec<&Test> {
        let tests = self.tests.values().filter(|test| test.file == file);
        let mut tests: Vec<_> = tests.collect();
        tests.sort_by_key(|test| test.position);
        tests
    }

    /// The tests that have run for at least `millis`, oldest first.
    pub(in crate::terminal) fn older_than(&self, millis: i64, now: Time) -> Vec<&Test> {
        let mut tests: Vec<_> = self
            .tests
            .values()
            .filter(|test| test.age(now) >= millis)
            .collect();
        tests.sort_by_key(|test| (test.began, test.position));
        tests
    }

    /// The slow tests to report now, oldest first. Each is reported again at twice its age.
    pub(in crate::terminal) fn slow(&mut self, now: Time) -> Vec<&Test> {
        let mut slow: Vec<&Test> = self
            .tests
            .values_mut()
            .filter(|test| test.age(now) >= test.named_at)
            .map(|test| {
                while test.named_at <= test.age(now) {
                    test.named_at = test.named_at.saturating_mul(2);
                }
                &*test
            })
            .collect();
        slow.sort_by_key(|test| (test.began, test.position));
        slow
    }
}

impl Test {
    fn of(event: &ExampleStarted) -> Test {
        let file = event.metadata.text("file");
        let trial_of = event.metadata.dig("trial.test").and_then(Value::as_str);
        Test {
            title: started_title(event),
            description: event.description.clone(),
            location: event.location.clone(),
            file: file.map_or_else(
                || split_location(&event.location).0.to_owned(),
                Cow::into_owned,
            ),
            position: event.position.unwrap_or(u64::MAX),
            began: event.time,
            earlier: 0,
            threshold: TrialThreshold::of(&event.metadata),
            trial_of: trial_of.map(|test| (test.to_owned(), started_test_title(event))),
            named_at: SLOW,
        }
    }

    fn without_start(id: &str, event: &Event) -> Test {
        let (title, location) = match event {
            Event::ExamplePassed(event) => (&event.full_description, ""),
            Event::ExampleFailed(event) => (&event.full_description, event.location.as_str()),
            Event::ExamplePending(event) => (&event.full_description, ""),
            _ => unreachable!("other events do not end a test"),
        };
        let started = ExampleStarted {
            time: event.time(),
            example_id: id.to_owned(),
            stable_id: None,
            canonical_path: None,
            description: title.clone(),
            full_description: title.clone(),
            location: location.to_owned(),
            scenario: None,
            position: None,
            metadata: Metadata::new(),
        };
        Test::of(&started)
    }

    /// The milliseconds since it started.
    pub(in crate::terminal) fn age(&self, now: Time) -> i64 {
        now.millis_since(self.began)
    }
}

/// The name of an example in its final event; RSpec may set it while the example runs.
fn name_at_end(event: &Event) -> Option<&str> {
    match event {
        Event::ExamplePassed(event) => Some(&event.description),
        Event::ExampleFailed(event) => Some(&event.description),
        Event::ExamplePending(event) => Some(&event.description),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn started(id: &str, time: i64) -> ExampleStarted {
        ExampleStarted {
            time: Time::from_millis(time),
            example_id: id.into(),
            stable_id: None,
            canonical_path: None,
            description: id.into(),
            full_description: id.into(),
            location: format!("{id}.yml:7"),
            scenario: None,
            position: None,
            metadata: Metadata::new(),
        }
    }

    #[test]
    fn a_slow_test_is_reported_at_doubling_ages() {
        let mut running = Running::default();
        running.begin(&started("a", 0));
        let reported: Vec<i64> = (0..100)
            .filter(|second| !running.slow(Time::from_millis(second * 1_000)).is_empty())
            .collect();
        assert_eq!(reported, [10, 20, 40, 80]);
    }

    #[test]
    fn the_oldest_comes_first_and_a_retry_restarts_the_clock() {
        let mut running = Running::default();
        running.begin(&started("a", 0));
        running.attempt_failed("a");
        for (id, time) in [("b", 1), ("c", 900), ("a", 2), ("b", 1)] {
            running.begin(&started(id, time));
        }
        let older: Vec<_> = running
            .older_than(500, Time::from_millis(1_000))
            .into_iter()
            .map(|test| (test.file.as_str(), test.earlier))
            .collect();
        assert_eq!(older, [("b.yml", 0), ("a.yml", 1)]);
    }
}
