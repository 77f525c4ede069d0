//! Tests that fail now: since which run and commit.

use casebook_record::{RunEntry, TestOutcome};
use serde::Serialize;

use super::{RunRef, Test, Timeline};

/// A test whose newest outcome is failed.
#[derive(Debug, Serialize)]
pub struct BrokenTest<'h> {
    /// The test.
    #[serde(flatten)]
    pub test: Test<'h>,
    /// The run since which it has failed.
    pub since: RunRef<'h>,
    /// The last run before that in which it passed; `None` if it passed in none.
    pub last_passed: Option<RunRef<'h>>,
    /// The number of runs in which it has failed since.
    pub failed_runs: usize,
}

impl BrokenTest<'_> {
    /// Whether it started to fail without a new commit.
    pub fn without_commit(&self) -> bool {
        self.last_passed
            .is_some_and(|passed| self.since.has_commit_of(&passed))
    }
}

/// Finds them, the most recently broken first.
pub(super) fn find<'h>(
    tests: &[&(Test<'h>, Timeline<'h>)],
    runs: &[&'h RunEntry],
) -> Vec<BrokenTest<'h>> {
    let mut broken: Vec<_> = tests
        .iter()
        .filter(|(test, _)| !is_load_error(test))
        .filter_map(|(test, timeline)| of(*test, timeline, runs))
        .collect();
    broken.sort_by_key(|one| std::cmp::Reverse(one.since.started_at));
    broken
}

/// Whether this is the error of a file that RSpec could not load, such as a wrong path. It is not a test, and would never
/// be seen to pass.
fn is_load_error(test: &Test) -> bool {
    test.title.starts_with("error while loading ")
}

fn of<'h>(test: Test<'h>, timeline: &Timeline, runs: &[&'h RunEntry]) -> Option<BrokenTest<'h>> {
    // Runs that skipped the test or were interrupted do not count.
    let mut verdicts = timeline
        .iter()
        .rev()
        .filter(|(_, result)| matches!(result.outcome, TestOutcome::Passed | TestOutcome::Failed));
    let mut since = None;
    let mut failed_runs = 0;
    let mut last_passed = None;
    for (place, result) in verdicts.by_ref() {
        if result.outcome == TestOutcome::Passed {
            last_passed = Some(RunRef::of(runs[*place]));
            break;
        }
        since = Some(RunRef::of(runs[*place]));
        failed_runs += 1;
    }
    Some(BrokenTest {
        test,
        since: since?,
        last_passed,
        failed_runs,
    })
}
