//! The tests whose verdict changed by itself.

use casebook_record::{RunEntry, TestOutcome};
use serde::Serialize;

use super::{Test, Timeline};

/// A flaky test, and what shows it.
#[derive(Debug, Serialize)]
pub struct Flaky<'h> {
    /// Which test.
    #[serde(flatten)]
    pub test: Test<'h>,
    /// How often its verdict changed from one run to the next although the commit was the same.
    pub flips: usize,
    /// The commit at which that happened last.
    pub flipped_at: Option<&'h str>,
    /// In how many runs it passed only after another attempt.
    pub retried_runs: usize,
    /// In how many runs its trials disagreed.
    pub disagreeing_runs: usize,
    /// In how many runs it passed or failed.
    pub runs: usize,
    /// In how many of them it failed.
    pub failed_runs: usize,
}

impl Flaky<'_> {
    fn evidence(&self) -> usize {
        self.flips + self.retried_runs + self.disagreeing_runs
    }

    /// What shows it, each in a few words.
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
                    "changed its verdict {} without a new commit, last at {at}",
                    times(self.flips)
                ),
            ),
            (
                self.retried_runs,
                format!("passed only after a retry {}", times(self.retried_runs)),
            ),
            (
                self.disagreeing_runs,
                format!("its trials disagreed {}", times(self.disagreeing_runs)),
            ),
        ]
        .into_iter()
        .filter(|(number, _)| *number > 0)
        .map(|(_, sign)| sign)
        .collect()
    }
}

/// The most evidence first.
pub(super) fn find<'h>(
    tests: &[&(Test<'h>, Timeline<'h>)],
    runs: &[&'h RunEntry],
) -> Vec<Flaky<'h>> {
    let mut flaky: Vec<_> = tests
        .iter()
        .map(|(test, timeline)| of(*test, timeline, runs))
        .filter(|test| test.evidence() > 0)
        .collect();
    flaky.sort_by_key(|test| std::cmp::Reverse(test.evidence()));
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
        // What trials say is told by the trials.
        if same_commit && !disagrees && before.is_some_and(|(outcome, _)| outcome != result.outcome)
        {
            flaky.flips += 1;
            flaky.flipped_at = commit;
        }
        before = Some((result.outcome, commit));
    }
    flaky
}
