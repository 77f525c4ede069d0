//! The repetitions of a test (`run --repeat`, `--until-fail`, `--stress`): how many passed, and the slowest.
//!
//! Each recorded repetition is an attempt of the example. The end event of every repetition but the last recorded one has
//! `will_repeat` in its metadata; that of the last has the counts of all repetitions, including those not recorded.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::event::Event;
use crate::metadata::Metadata;
use crate::model::ExampleData;
use crate::trials::TrialScore;

/// The counts of a test's repetitions, in the metadata of its example.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Repetitions {
    /// Repetitions that passed.
    pub passed: u64,
    /// Repetitions that failed.
    pub failed: u64,
    /// The duration of the slowest one, in milliseconds.
    pub slowest_ms: i64,
    /// The number of the slowest one, from 1.
    pub slowest: u32,
    /// The number of repetitions in the record.
    pub recorded: u64,
}

impl Repetitions {
    /// The key in the metadata of an example.
    pub const KEY: &str = "repetitions";
    /// The key in the metadata of a repetition that another one follows in the record.
    pub const WILL_REPEAT: &str = "will_repeat";
    /// The key of the number of a repetition, from 1.
    pub const NUMBER: &str = "repetition";
    /// The key of the first start event of a repeated test, which belongs to no repetition.
    pub const ANNOUNCED: &str = "repeated";

    /// The counts in the metadata of an example; `None` if it was not repeated.
    pub fn of(metadata: &Metadata) -> Option<Repetitions> {
        Repetitions::deserialize(metadata.get(Repetitions::KEY)?).ok()
    }

    /// Counts one more repetition.
    pub fn add(&mut self, number: u32, passed: bool, millis: i64) {
        *(if passed {
            &mut self.passed
        } else {
            &mut self.failed
        }) += 1;
        if self.slowest == 0 || millis > self.slowest_ms {
            (self.slowest, self.slowest_ms) = (number, millis);
        }
    }

    /// The score, for the pass rate and its interval.
    pub fn score(self) -> TrialScore {
        TrialScore {
            trials: self.passed + self.failed,
            passed: self.passed,
        }
    }
}

impl ExampleData {
    /// The counts of its repetitions; `None` if it was not repeated.
    pub fn repetitions(&self) -> Option<Repetitions> {
        Repetitions::of(&self.metadata)
    }
}

impl Event {
    /// Whether this ends a repetition of a test that is not the last recorded one.
    pub fn will_repeat(&self) -> bool {
        let metadata = match self {
            Event::ExamplePassed(event) => &event.metadata,
            Event::ExampleFailed(event) => &event.metadata,
            _ => return false,
        };
        metadata.get(Repetitions::WILL_REPEAT) == Some(&Value::Bool(true))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_equally_slow_repetitions_is_the_slowest() {
        let mut counts = Repetitions::default();
        for (number, passed, millis) in [(1, true, 0), (2, false, 7), (3, true, 7), (4, true, 6)] {
            counts.add(number, passed, millis);
        }
        assert_eq!((counts.passed, counts.failed), (3, 1));
        assert_eq!((counts.slowest, counts.slowest_ms), (2, 7));
        let (low, high) = counts.score().interval().unwrap();
        assert!(
            low > 0.30 && low < 0.31 && high > 0.95 && high < 0.96,
            "{low} {high}"
        );
    }
}
