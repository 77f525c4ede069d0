//! The outcome of a test over all its trials.

use serde::Serialize;

use crate::metadata::Metadata;
use crate::model::{ExampleData, INTERRUPTED, Status};
use crate::trials::{TrialResult, TrialScore, TrialThreshold};

/// The outcome of a test. A test with trials passes when all of them pass, or as many as it needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TestOutcome {
    /// All finished examples passed.
    Passed,
    /// At least one failed.
    Failed,
    /// No example ran.
    Skipped,
    /// It was interrupted or did not finish.
    Unfinished,
}

/// The counted examples of one test: its trials, or its only example.
#[derive(Debug, Clone, Default)]
pub struct TestTally {
    /// Those that passed or failed.
    pub score: TrialScore,
    /// How many of them must pass, if not all.
    pub threshold: Option<TrialThreshold>,
    /// How many could not be run, because the agent could not be reached.
    pub not_run: u64,
    /// Whether any was skipped.
    skipped: bool,
    /// Whether any passed only on a retry.
    retried: bool,
    /// Durations of the passed examples.
    durations: Vec<i64>,
}

/// The fields of an example that determine its test's outcome.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ExampleFacts<'e> {
    pub(crate) status: Status,
    pub(crate) exception_class: Option<&'e str>,
    /// Whether it is a failed trial of a test that passed.
    pub(crate) is_tolerated: bool,
    /// Whether the agent could not be reached.
    pub(crate) is_unreachable: bool,
    pub(crate) retried: bool,
    pub(crate) duration_ms: Option<i64>,
}

impl TestTally {
    /// The tally of a test without results, of whose trials this many must pass.
    pub fn new(threshold: Option<TrialThreshold>) -> TestTally {
        TestTally {
            threshold,
            ..TestTally::default()
        }
    }

    /// Adds one example.
    pub fn add(&mut self, example: &ExampleData) {
        let flag = example.metadata.dig("command.flaky");
        self.threshold = self
            .threshold
            .or_else(|| TrialThreshold::of(&example.metadata));
        self.count(ExampleFacts {
            retried: example.is_flaky() || flag.is_some_and(|flag| flag == true),
            ..example.facts()
        });
    }

    pub(crate) fn count(&mut self, facts: ExampleFacts) {
        self.skipped |= facts.status == Status::Pending && !facts.is_tolerated;
        let result = facts.result();
        self.add_result(result);
        if result == Some(TrialResult::Passed) {
            self.retried |= facts.retried;
            self.durations.extend(facts.duration_ms);
        }
    }

    /// Adds the result of a trial; `None` if it has none.
    pub fn add_result(&mut self, result: Option<TrialResult>) {
        match result {
            None => {}
            Some(TrialResult::NotRun) => self.not_run += 1,
            Some(result) => self.score.add(result == TrialResult::Passed),
        }
    }

    /// The test's outcome.
    pub fn outcome(&self) -> TestOutcome {
        let needs = self.threshold.map(|threshold| threshold.needs);
        match self.score {
            _ if self.not_run > 0 => TestOutcome::Failed,
            TrialScore { trials: 0, .. } if self.skipped => TestOutcome::Skipped,
            TrialScore { trials: 0, .. } => TestOutcome::Unfinished,
            TrialScore { passed, .. } if needs.is_some_and(|needs| passed >= needs) => {
                TestOutcome::Passed
            }
            TrialScore { trials, passed } if passed < trials => TestOutcome::Failed,
            _ if needs.is_some() => TestOutcome::Unfinished,
            _ => TestOutcome::Passed,
        }
    }

    /// Whether it passed only on a retry, or some of its trials passed and some failed.
    pub fn is_flaky(&self) -> bool {
        self.retried || self.score.is_mixed()
    }

    /// The median duration of its passed examples.
    pub fn duration_ms(&self) -> Option<i64> {
        let mut durations = self.durations.clone();
        durations.sort_unstable();
        durations.get(durations.len() / 2).copied()
    }
}

impl ExampleFacts<'_> {
    /// What became of it; `None` if it was skipped or did not finish.
    pub(crate) fn result(self) -> Option<TrialResult> {
        match self.status {
            Status::Passed => Some(TrialResult::Passed),
            Status::Failed if self.exception_class == Some(INTERRUPTED) => None,
            Status::Failed if self.is_unreachable => Some(TrialResult::NotRun),
            Status::Failed => Some(TrialResult::Failed),
            Status::Pending if self.is_tolerated => Some(TrialResult::Failed),
            Status::Pending | Status::Running => None,
        }
    }
}

impl ExampleData {
    fn facts(&self) -> ExampleFacts<'_> {
        let exception = self.exception.as_ref();
        ExampleFacts {
            status: self.status,
            exception_class: exception.and_then(|exception| exception.class_name.as_deref()),
            is_tolerated: is_tolerated(&self.metadata),
            is_unreachable: is_unreachable(&self.metadata),
            retried: false,
            duration_ms: self.duration_ms,
        }
    }

    /// Whether it passed; `None` if it was skipped or did not finish.
    pub fn passed(&self) -> Option<bool> {
        let result = self.facts().result();
        result.map(|result| result == TrialResult::Passed)
    }
}

/// Whether an example is a failed trial of a test that passed. It is recorded as an expected failure.
pub fn is_tolerated(metadata: &Metadata) -> bool {
    metadata
        .dig("expected_failure.trial")
        .is_some_and(|value| value == true)
}

/// Whether a conversation failed because its agent could not be reached.
pub fn is_unreachable(metadata: &Metadata) -> bool {
    metadata
        .dig("conversation.unreachable")
        .is_some_and(|value| value == true)
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
                is_tolerated: false,
                is_unreachable: false,
                retried: false,
                duration_ms: Some(10),
            });
        }
        tally
    }

    #[test]
    fn trials_are_combined_into_one_outcome() {
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
    fn the_duration_is_the_median_of_the_passed_examples() {
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
                is_tolerated: false,
                is_unreachable: false,
                retried: false,
                duration_ms: Some(duration),
            });
        }
        assert_eq!(tally.duration_ms(), Some(20));
        assert_eq!(TestTally::default().duration_ms(), None);
    }
}
