//! The row of one run.

use casebook_record::{RunEntry, TestOutcome, TestResult};
use serde::Serialize;

use super::RunRef;

/// The counts of one run.
#[derive(Debug, Serialize)]
pub struct RunRow<'h> {
    /// Its directory.
    #[serde(rename = "folder")]
    pub dir: &'h str,
    /// Its id and time.
    #[serde(flatten)]
    pub run: RunRef<'h>,
    /// The branch that was checked out.
    pub git_branch: Option<&'h str>,
    /// Whether it was recorded to its end.
    pub finished: bool,
    /// The wall-clock duration.
    pub duration_ms: Option<i64>,
    /// Tests that passed.
    pub passed: usize,
    /// Tests that failed.
    pub failed: usize,
    /// Tests that were skipped.
    pub skipped: usize,
    /// Tests without a result.
    pub unfinished: usize,
    /// Tests that passed or failed and needed a retry or whose trials differ.
    pub flaky: usize,
    /// Passed tests divided by passed and failed tests; `None` if there are none.
    pub pass_rate: Option<f64>,
}

impl<'h> RunRow<'h> {
    pub(super) fn of<'r>(
        run: &'h RunEntry,
        results: impl Iterator<Item = &'r TestResult>,
    ) -> RunRow<'h> {
        let mut row = RunRow {
            dir: &run.dir,
            run: RunRef::of(run),
            git_branch: run.git_branch.as_deref(),
            finished: run.finished,
            duration_ms: run.finished_at.map(|end| end.millis_since(run.started_at)),
            passed: 0,
            failed: 0,
            skipped: 0,
            unfinished: 0,
            flaky: 0,
            pass_rate: None,
        };
        for result in results {
            row.count(result);
        }
        row.pass_rate = share(row.passed, row.passed + row.failed);
        row
    }

    fn count(&mut self, result: &TestResult) {
        *match result.outcome {
            TestOutcome::Passed => &mut self.passed,
            TestOutcome::Failed => &mut self.failed,
            TestOutcome::Skipped => &mut self.skipped,
            TestOutcome::Unfinished => &mut self.unfinished,
        } += 1;
        self.flaky += usize::from(result.flaky);
    }

    /// `51 passed, 1 failed`: counts that are not 0.
    pub fn counts(&self) -> String {
        let parts = [
            (self.passed, "passed"),
            (self.failed, "failed"),
            (self.skipped, "skipped"),
            (self.unfinished, "interrupted"),
        ];
        let parts: Vec<_> = parts
            .iter()
            .filter(|(number, _)| *number > 0)
            .map(|(number, word)| format!("{number} {word}"))
            .collect();
        if parts.is_empty() {
            return "no tests".into();
        }
        parts.join(", ")
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts of tests stay below 2⁵³")]
pub(super) fn share(part: usize, total: usize) -> Option<f64> {
    (total > 0).then(|| part as f64 / total as f64)
}
