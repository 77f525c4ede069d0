//! The totals of a run: computed on request, never stored.

use serde::Serialize;

use crate::model::{RunData, Status};

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

impl RunData {
    /// Counts the run's examples.
    pub fn summary(&self) -> Summary {
        let mut summary = Summary {
            example_count: self.examples.len(),
            ..Summary::default()
        };
        for example in self.examples.values() {
            *match example.status {
                Status::Passed => &mut summary.passed_count,
                Status::Failed => &mut summary.failed_count,
                Status::Pending => &mut summary.pending_count,
                Status::Running => &mut summary.running_count,
            } += 1;
            summary.flaky_count += usize::from(example.is_flaky());
            summary.total_duration_ms = summary
                .total_duration_ms
                .saturating_add(example.duration_ms.unwrap_or(0));
        }
        summary
    }
}
