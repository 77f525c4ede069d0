//! The tests that take longest.

use serde::Serialize;

use super::{Test, Timeline};

/// The median is of so many runs, the newest that passed.
const RUNS: usize = 20;

/// A test and what it takes.
#[derive(Debug, Serialize)]
pub struct Slow<'h> {
    /// Which test.
    #[serde(flatten)]
    pub test: Test<'h>,
    /// What it took in the middle of its newest runs.
    pub median_ms: u32,
    /// What it took in each of them, the oldest first.
    pub newest_ms: Vec<u32>,
}

/// The slowest first; what takes no time is no news.
pub(super) fn find<'h>(tests: &[&(Test<'h>, Timeline<'h>)], count: usize) -> Vec<Slow<'h>> {
    let mut slow: Vec<_> = tests
        .iter()
        .filter_map(|(test, timeline)| of(*test, timeline))
        .filter(|test| test.median_ms > 0)
        .collect();
    slow.sort_by_key(|test| std::cmp::Reverse(test.median_ms));
    slow.truncate(count);
    slow
}

fn of<'h>(test: Test<'h>, timeline: &Timeline) -> Option<Slow<'h>> {
    let durations = timeline
        .iter()
        .rev()
        .filter_map(|(_, result)| result.duration_ms);
    let mut newest_ms: Vec<u32> = durations.take(RUNS).collect();
    newest_ms.reverse();
    let mut sorted = newest_ms.clone();
    sorted.sort_unstable();
    Some(Slow {
        test,
        median_ms: *sorted.get(sorted.len() / 2)?,
        newest_ms,
    })
}
