//! What every report asks of a run's examples.

use std::cmp::Reverse;

use casebook_record::{ExampleData, RunData, Status};

/// The examples that failed, in the run's order.
pub(crate) fn failed(run: &RunData) -> impl Iterator<Item = &ExampleData> {
    run.examples
        .values()
        .filter(|example| example.status == Status::Failed)
}

/// Where a failed example failed, as closely as that is known.
pub(crate) fn failed_at(example: &ExampleData) -> &str {
    example
        .exception
        .as_ref()
        .and_then(|exception| exception.location.as_deref())
        .unwrap_or(&example.location)
}

/// The slowest examples with their milliseconds, slowest first, equally slow ones in the run's order.
///
/// An example without a duration is left out, and so is one of 0 ms: a list of those would say nothing.
pub(crate) fn slowest(run: &RunData, count: usize) -> Vec<(&ExampleData, i64)> {
    let mut timed: Vec<_> = run
        .examples
        .values()
        .filter_map(|example| Some((example, example.duration_ms.filter(|ms| *ms > 0)?)))
        .collect();
    timed.sort_by_key(|(_, ms)| Reverse(*ms));
    timed.truncate(count);
    timed
}
