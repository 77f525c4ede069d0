//! The totals of a run: computed on request, never stored.

use serde::Serialize;

use crate::model::{ExampleData, RunData, Status};

/// Counts by status and the total duration of the examples.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Summary {
    /// All examples.
    pub example_count: usize,
    /// Those that passed, flaky ones included.
    pub passed_count: usize,
    /// Those that failed.
    pub failed_count: usize,
    /// Those that were skipped or not started.
    pub pending_count: usize,
    /// Those that have not ended.
    pub running_count: usize,
    /// Those that passed only on a retry.
    pub flaky_count: usize,
    /// The sum of the examples' durations.
    pub total_duration_ms: i64,
}

impl Summary {
    /// Counts one more example.
    pub fn add(&mut self, example: &ExampleData) {
        self.example_count += 1;
        *match example.status {
            Status::Passed => &mut self.passed_count,
            Status::Failed => &mut self.failed_count,
            Status::Pending => &mut self.pending_count,
            Status::Running => &mut self.running_count,
        } += 1;
        self.flaky_count += usize::from(example.is_flaky());
        self.total_duration_ms = self
            .total_duration_ms
            .saturating_add(example.duration_ms.unwrap_or(0));
    }
}

impl RunData {
    /// Counts the run's examples.
    pub fn summary(&self) -> Summary {
        let mut summary = Summary::default();
        self.examples
            .values()
            .for_each(|example| summary.add(example));
        summary
    }
}
