//! Trends over recorded runs: counts, flaky and slow tests, and since when tests fail or are slower.
//!
//! [`Trends::of`] computes them from a [`History`]. [`terminal::history`](crate::terminal::history) and [`html`] show
//! them, and serializing [`Trends`] gives the JSON.

mod broken;
mod flaky;
mod grid;
pub mod html;
mod run_row;
mod slow;
mod slower;
pub(crate) mod sparkline;

use casebook_record::{History, RunEntry, TestName, TestResult};
use serde::Serialize;

pub use broken::BrokenTest;
pub use flaky::Flaky;
pub use grid::{Grid, GridRow};
pub use run_row::RunRow;
pub use slow::SlowTest;
pub use slower::SlowerTest;

/// A test that is in none of this many newest runs counts as removed.
const CURRENT: usize = 20;

/// Options of the trends.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Use only this many runs, the newest.
    pub limit: Option<usize>,
    /// Use only tests whose title or id contains this, ignoring case.
    pub test: Option<String>,
    /// The number of slowest tests to list.
    pub slowest: usize,
}

/// Trends over recorded runs.
#[derive(Debug, Serialize)]
pub struct Trends<'h> {
    /// The runs, oldest first.
    pub runs: Vec<RunRow<'h>>,
    /// Tests that fail now, and since when.
    pub broken: Vec<BrokenTest<'h>>,
    /// Tests whose outcome changed without a change of code, the flakiest first.
    pub flaky: Vec<Flaky<'h>>,
    /// The slowest tests.
    pub slowest: Vec<SlowTest<'h>>,
    /// Tests that have become slower, and since when.
    pub slower: Vec<SlowerTest<'h>>,
    /// Each selected test, run by run; empty without a selection.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tests: Vec<TestHistory<'h>>,
    /// Run directories that could not be read.
    pub damaged: Vec<UnreadableRun<'h>>,
    /// All results of the newest runs, for pages.
    #[serde(skip)]
    pub grid: Grid<'h>,
}

/// One test in all runs that contain it.
#[derive(Debug, Serialize)]
pub struct TestHistory<'h> {
    /// The test.
    #[serde(flatten)]
    pub test: Test<'h>,
    /// Its outcomes, oldest first.
    pub runs: Vec<HistoryEntry<'h>>,
}

/// One test in one run.
#[derive(Debug, Serialize)]
pub struct HistoryEntry<'h> {
    /// The run.
    #[serde(flatten)]
    pub run: RunRef<'h>,
    /// The test's outcome.
    pub outcome: casebook_record::TestOutcome,
    /// Whether it passed only on a retry, or its trials have different outcomes.
    pub flaky: bool,
    /// Its duration in milliseconds if it passed.
    pub duration_ms: Option<u32>,
}

/// Identifies a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[expect(missing_docs, reason = "the fields are those of the record")]
pub struct Test<'h> {
    pub id: &'h str,
    pub title: &'h str,
    pub location: &'h str,
}

/// Identifies a run and its time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[expect(missing_docs, reason = "the fields are those of the record")]
pub struct RunRef<'h> {
    pub run_id: &'h str,
    pub started_at: casebook_record::Time,
    pub git_commit: Option<&'h str>,
}

/// A run that could not be read.
#[derive(Debug, Serialize)]
pub struct UnreadableRun<'h> {
    /// Its directory.
    #[serde(rename = "folder")]
    pub dir: &'h str,
    /// Why it could not be read.
    pub reason: &'h str,
}

/// The results of one test with the index of their run, oldest first.
type Timeline<'h> = Vec<(usize, &'h TestResult)>;

impl<'h> Trends<'h> {
    /// Computes the trends of a history.
    pub fn of(history: &'h History, options: &Options) -> Trends<'h> {
        let selected = selected(history, options.test.as_deref());
        let skipped = options
            .limit
            .map_or(0, |limit| history.runs.len().saturating_sub(limit));
        let is_selected = |result: &&TestResult| selected[result.test];
        let runs: Vec<&RunEntry> = history.runs[skipped..]
            .iter()
            .filter(|run| {
                options.test.is_none() || run.results.iter().any(|result| is_selected(&result))
            })
            .collect();
        let mut timelines: Vec<Timeline> = vec![Timeline::new(); history.tests.len()];
        for (index, run) in runs.iter().enumerate() {
            for result in run.results.iter().filter(is_selected) {
                timelines[result.test].push((index, result));
            }
        }
        let tests: Vec<(Test, Timeline)> = timelines
            .into_iter()
            .zip(&history.tests)
            .filter(|(timeline, _)| !timeline.is_empty())
            .map(|(timeline, name)| (Test::of(name), timeline))
            .collect();
        let current: Vec<_> = tests
            .iter()
            .filter(|(_, timeline)| is_current(timeline, runs.len()))
            .collect();
        Trends {
            runs: runs
                .iter()
                .map(|run| RunRow::of(run, run.results.iter().filter(is_selected)))
                .collect(),
            broken: broken::find(&current, &runs),
            flaky: flaky::find(&current, &runs),
            slowest: slow::find(&current, options.slowest),
            slower: slower::find(&current, &runs),
            grid: Grid::of(&runs, &tests),
            tests: match options.test {
                Some(_) => tests
                    .iter()
                    .map(|(test, timeline)| TestHistory::of(*test, timeline, &runs))
                    .collect(),
                None => Vec::new(),
            },
            damaged: damaged(history),
        }
    }
}

fn selected(history: &History, pattern: Option<&str>) -> Vec<bool> {
    let pattern = pattern.map(str::to_lowercase);
    let matches = |test: &TestName| {
        let pattern = pattern.as_deref().unwrap_or_default();
        test.title.to_lowercase().contains(pattern) || test.id.contains(pattern)
    };
    history.tests.iter().map(matches).collect()
}

fn is_current(timeline: &Timeline, runs: usize) -> bool {
    timeline
        .last()
        .is_some_and(|(place, _)| place + CURRENT >= runs)
}

fn damaged(history: &History) -> Vec<UnreadableRun<'_>> {
    let damaged = history.damaged.iter();
    damaged
        .map(|(dir, reason)| UnreadableRun { dir, reason })
        .collect()
}

impl<'h> Test<'h> {
    fn of(name: &'h TestName) -> Test<'h> {
        Test {
            id: &name.id,
            title: &name.title,
            location: &name.location,
        }
    }
}

impl<'h> RunRef<'h> {
    fn of(run: &'h RunEntry) -> RunRef<'h> {
        RunRef {
            run_id: &run.run_id,
            started_at: run.started_at,
            git_commit: run.git_commit.as_deref(),
        }
    }

    /// Whether both runs have the same known commit.
    fn has_commit_of(&self, other: &RunRef) -> bool {
        self.git_commit.is_some() && self.git_commit == other.git_commit
    }
}

impl<'h> TestHistory<'h> {
    fn of(test: Test<'h>, timeline: &Timeline, runs: &[&'h RunEntry]) -> TestHistory<'h> {
        let entry = |(index, result): &(usize, &TestResult)| HistoryEntry {
            run: RunRef::of(runs[*index]),
            outcome: result.outcome,
            flaky: result.flaky,
            duration_ms: result.duration_ms,
        };
        TestHistory {
            test,
            runs: timeline.iter().map(entry).collect(),
        }
    }
}
