//! What a test came to, over all its trials.

use serde::Serialize;

use crate::model::{ExampleData, INTERRUPTED, Status};
use crate::trials::TrialScore;

/// What a test came to. One with trials passes when all of them do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TestOutcome {
    /// All that came to an end passed.
    Passed,
    /// At least one failed.
    Failed,
    /// None was run.
    Skipped,
    /// It was interrupted, or never ended.
    Unfinished,
}

/// The examples of one test, counted: its trials, or the one that there is.
#[derive(Debug, Clone, Default)]
pub struct TestTally {
    /// Those with a verdict.
    pub score: TrialScore,
    /// Whether any was skipped.
    skipped: bool,
    /// Whether any passed only after another attempt.
    retried: bool,
    /// Of those that passed.
    durations: Vec<i64>,
}

/// What an example says about its test.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ExampleFacts<'e> {
    pub(crate) status: Status,
    pub(crate) exception_class: Option<&'e str>,
    pub(crate) retried: bool,
    pub(crate) duration_ms: Option<i64>,
}

impl TestTally {
    /// Counts one more example.
    pub fn add(&mut self, example: &ExampleData) {
        let flag = example.metadata.dig("command.flaky");
        self.count(ExampleFacts {
            retried: example.is_flaky() || flag.is_some_and(|flag| flag == true),
            ..example.said()
        });
    }

    pub(crate) fn count(&mut self, said: ExampleFacts) {
        self.skipped |= said.status == Status::Pending;
        match said.passed() {
            None => {}
            Some(false) => self.score.add(false),
            Some(true) => {
                self.score.add(true);
                self.retried |= said.retried;
                self.durations.extend(said.duration_ms);
            }
        }
    }

    /// What the test came to.
    pub fn outcome(&self) -> TestOutcome {
        match self.score {
            TrialScore { trials: 0, .. } if self.skipped => TestOutcome::Skipped,
            TrialScore { trials: 0, .. } => TestOutcome::Unfinished,
            TrialScore { trials, passed } if passed == trials => TestOutcome::Passed,
            _ => TestOutcome::Failed,
        }
    }

    /// Whether it passed only after another attempt, or its trials disagree.
    pub fn is_flaky(&self) -> bool {
        self.retried || self.score.is_mixed()
    }

    /// How long it took when it passed: the median.
    pub fn duration_ms(&self) -> Option<i64> {
        let mut durations = self.durations.clone();
        durations.sort_unstable();
        durations.get(durations.len() / 2).copied()
    }
}

impl ExampleFacts<'_> {
    /// Whether it passed; nothing where it was not let come to its end.
    pub(crate) fn passed(self) -> Option<bool> {
        match self.status {
            Status::Passed => Some(true),
            Status::Failed if self.exception_class == Some(INTERRUPTED) => None,
            Status::Failed => Some(false),
            Status::Pending | Status::Running => None,
        }
    }
}

impl ExampleData {
    fn said(&self) -> ExampleFacts<'_> {
        let exception = self.exception.as_ref();
        ExampleFacts {
            status: self.status,
            exception_class: exception.and_then(|exception| exception.class_name.as_deref()),
            retried: false,
            duration_ms: self.duration_ms,
        }
    }

    /// Whether it passed; nothing where it was skipped or not let come to its end.
    pub fn passed(&self) -> Option<bool> {
        self.said().passed()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tally(examples: &[(Status, Option<&str>)]) -> TestTally {
        let mut tally = TestTally::default();
        for (status, exception_class) in examples {
            tally.count(ExampleFacts {
                status: *status,
                exception_class: *exception_class,
                retried: false,
                duration_ms: Some(10),
            });
        }
        tally
    }

    #[test]
    fn trials_come_to_one_outcome() {
        use Status::{Failed, Passed, Pending, Running};
        let interrupted = (Failed, Some("Casebook::Interrupted"));
        for (examples, outcome, flaky) in [
            (vec![(Passed, None)], TestOutcome::Passed, false),
            (
                vec![(Passed, None), (Failed, None)],
                TestOutcome::Failed,
                true,
            ),
            (
                vec![(Failed, None), (Failed, None)],
                TestOutcome::Failed,
                false,
            ),
            (
                vec![(Passed, None), (Pending, None)],
                TestOutcome::Passed,
                false,
            ),
            (vec![(Pending, None)], TestOutcome::Skipped, false),
            (vec![(Running, None)], TestOutcome::Unfinished, false),
            (vec![interrupted], TestOutcome::Unfinished, false),
            (
                vec![(Passed, None), interrupted],
                TestOutcome::Passed,
                false,
            ),
        ] {
            let tally = tally(&examples);
            assert_eq!(
                (tally.outcome(), tally.is_flaky()),
                (outcome, flaky),
                "{examples:?}"
            );
        }
    }

    #[test]
    fn the_median_of_those_that_passed() {
        let mut tally = TestTally::default();
        for (status, duration) in [
            (Status::Passed, 30),
            (Status::Failed, 9_000),
            (Status::Passed, 10),
            (Status::Passed, 20),
        ] {
            tally.count(ExampleFacts {
                status,
                exception_class: None,
                retried: false,
                duration_ms: Some(duration),
            });
        }
        assert_eq!(tally.duration_ms(), Some(20));
        assert_eq!(TestTally::default().duration_ms(), None);
    }
}
