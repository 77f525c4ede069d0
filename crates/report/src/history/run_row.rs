//! One run in a line.

use casebook_record::{RunEntry, TestOutcome, TestResult};
use serde::Serialize;

use super::RunRef;

/// What one run came to.
#[derive(Debug, Serialize)]
pub struct RunRow<'h> {
    /// Its folder.
    pub folder: &'h str,
    /// Which it is.
    #[serde(flatten)]
    pub run: RunRef<'h>,
    /// Whether it was recorded to its end.
    pub finished: bool,
    /// From its beginning to its end.
    pub duration_ms: Option<i64>,
    /// Tests that passed.
    pub passed: usize,
    /// Tests that failed.
    pub failed: usize,
    /// Tests that were skipped.
    pub skipped: usize,
    /// Tests without an end.
    pub unfinished: usize,
    /// Of those that passed or failed: the ones that needed another attempt, or whose trials disagree.
    pub flaky: usize,
    /// The share that passed of those that passed or failed.
    pub pass_rate: Option<f64>,
}

impl<'h> RunRow<'h> {
    pub(super) fn of<'r>(
        run: &'h RunEntry,
        results: impl Iterator<Item = &'r TestResult>,
    ) -> RunRow<'h> {
        let mut line = RunRow {
            folder: &run.folder,
            run: RunRef::of(run),
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
            *match result.outcome {
                TestOutcome::Passed => &mut line.passed,
                TestOutcome::Failed => &mut line.failed,
                TestOutcome::Skipped => &mut line.skipped,
                TestOutcome::Unfinished => &mut line.unfinished,
            } += 1;
            line.flaky += usize::from(result.flaky);
        }
        line.pass_rate = share(line.passed, line.passed + line.failed);
        line
    }

    /// `51 passed, 1 failed`: what there is.
    pub fn counts(&self) -> String {
        let parts = [
            (self.passed, "passed"),
            (self.failed, "failed"),
            (self.skipped, "skipped"),
            (self.unfinished, "unfinished"),
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

#[expect(clippy::cast_precision_loss, reason = "nobody has 2⁵³ tests")]
pub(super) fn share(part: usize, whole: usize) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}
