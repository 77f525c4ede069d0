//! Tests whose outcome changed without a change of code.

use casebook_record::{RunEntry, TestOutcome};
use serde::Serialize;

use super::{Test, Timeline};

/// A flaky test and the signs of it.
#[derive(Debug, Serialize)]
pub struct Flaky<'h> {
    /// The test.
    #[serde(flatten)]
    pub test: Test<'h>,
    /// How often its outcome changed between consecutive runs of the same commit.
    pub flips: usize,
    /// The commit of the last such change.
    pub flipped_at: Option<&'h str>,
    /// The number of runs in which it passed only on a retry.
    pub retried_runs: usize,
    /// The number of runs in which its trials had different outcomes.
    pub disagreeing_runs: usize,
    /// The number of runs in which it passed or failed.
    pub runs: usize,
    /// The number of those in which it failed.
    pub failed_runs: usize,
}

impl Flaky<'_> {
    fn sign_count(&self) -> usize {
        self.flips + self.retried_runs + self.disagreeing_runs
    }

    /// The signs, such as `passed only on a retry twice`.
    pub fn signs(&self) -> Vec<String> {
        let times = |number: usize| match number {
            1 => "once".to_owned(),
            number => format!("{number} times"),
        };
        let at = self
            .flipped_at
            .map(crate::terminal::short_commit)
            .unwrap_or_default();
        [
            (
                self.flips,
                format!(
                    "changed its outcome {} without a new commit, last at {at}",
                    times(self.flips)
                ),
            ),
            (
                self.retried_runs,
                format!("passed only on a retry {}", times(self.retried_runs)),
            ),
            (
                self.disagreeing_runs,
                format!("its trials differed {}", times(self.disagreeing_runs)),
            ),
        ]
        .into_iter()
        .filter(|(number, _)| *number > 0)
        .map(|(_, sign)| sign)
        .collect()
    }
}

/// Finds flaky tests, those with most signs first.
pub(super) fn find<'h>(
    tests: &[&(Test<'h>, Timeline<'h>)],
    runs: &[&'h RunEntry],
) -> Vec<Flaky<'h>> {
    let mut flaky: Vec<_> = tests
        .iter()
        .map(|(test, timeline)| of(*test, timeline, runs))
        .filter(|test| test.sign_count() > 0)
        .collect();
    flaky.sort_by_key(|test| std::cmp::Reverse(test.sign_count()));
    flaky
}

fn of<'h>(test: Test<'h>, timeline: &Timeline, runs: &[&'h RunEntry]) -> Flaky<'h> {
    let mut flaky = Flaky {
        test,
        flips: 0,
        flipped_at: None,
        retried_runs: 0,
        disagreeing_runs: 0,
        runs: 0,
        failed_runs: 0,
    };
    let mut before: Option<(TestOutcome, Option<&str>)> = None;
    for (place, result) in timeline {
        if !matches!(result.outcome, TestOutcome::Passed | TestOutcome::Failed) {
            continue;
        }
        flaky.runs += 1;
        flaky.failed_runs += usize::from(result.outcome == TestOutcome::Failed);
        let disagrees = result
            .trials
            .is_some_and(casebook_record::TrialScore::is_mixed);
        flaky.disagreeing_runs += usize::from(disagrees);
        flaky.retried_runs += usize::from(result.flaky && !disagrees);
        let commit = runs[*place].git_commit.as_deref();
        let same_commit = commit.is_some() && before.is_some_and(|(_, earlier)| earlier == commit);
        // Flaky trials are counted in `disagreeing_runs`.
        if same_commit && !disagrees && before.is_some_and(|(outcome, _)| outcome != result.outcome)
        {
            flaky.flips += 1;
            flaky.flipped_at = commit;
        }
        before = Some((result.outcome, commit));
    }
    flaky
}
