//! The slowest tests.

use serde::Serialize;

use super::{Test, Timeline};

/// The median is taken over this many newest runs in which the test passed.
const RUNS: usize = 20;

/// A test and its durations.
#[derive(Debug, Serialize)]
pub struct SlowTest<'h> {
    /// The test.
    #[serde(flatten)]
    pub test: Test<'h>,
    /// The median over its newest runs.
    pub median_ms: u32,
    /// The durations in those runs, oldest first.
    pub newest_ms: Vec<u32>,
}

/// Finds the slowest tests, slowest first. Tests with a median of 0 ms are skipped.
pub(super) fn find<'h>(tests: &[&(Test<'h>, Timeline<'h>)], count: usize) -> Vec<SlowTest<'h>> {
    let mut slow: Vec<_> = tests
        .iter()
        .filter_map(|(test, timeline)| of(*test, timeline))
        .filter(|test| test.median_ms > 0)
        .collect();
    slow.sort_by_key(|test| std::cmp::Reverse(test.median_ms));
    slow.truncate(count);
    slow
}

fn of<'h>(test: Test<'h>, timeline: &Timeline) -> Option<SlowTest<'h>> {
    let durations = timeline
        .iter()
        .rev()
        .filter_map(|(_, result)| result.duration_ms);
    let mut newest_ms: Vec<u32> = durations.take(RUNS).collect();
    newest_ms.reverse();
    let mut sorted = newest_ms.clone();
    sorted.sort_unstable();
    Some(SlowTest {
        test,
        median_ms: *sorted.get(sorted.len() / 2)?,
        newest_ms,
    })
}
