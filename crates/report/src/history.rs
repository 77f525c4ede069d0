//! What the recorded runs tell together: trends, flaky and slow tests, and what broke when.
//!
//! [`Trends::of`] finds it in a [`History`]; [`terminal::history`](crate::terminal::history) and [`html`] show it, and
//! serializing it gives the JSON form.

mod broken;
mod flaky;
pub mod html;
mod run_row;
mod slow;
pub(crate) mod sparkline;

use casebook_record::{History, RunEntry, TestName, TestResult};
use serde::Serialize;

pub use broken::Broken;
pub use flaky::Flaky;
pub use run_row::RunRow;
pub use slow::Slow;

/// A test that is in none of so many newest runs is taken to be gone.
const CURRENT: usize = 20;

/// What to look at.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Only so many runs, the newest.
    pub limit: Option<usize>,
    /// Only tests whose title or id contains this, whatever the case.
    pub test: Option<String>,
    /// How many of the slowest tests to list.
    pub slowest: usize,
}

/// What the recorded runs tell.
#[derive(Debug, Serialize)]
pub struct Trends<'h> {
    /// The runs, the oldest first.
    pub runs: Vec<RunRow<'h>>,
    /// The tests that fail now, and since when.
    pub broken: Vec<Broken<'h>>,
    /// The tests whose verdict changed by itself, the worst first.
    pub flaky: Vec<Flaky<'h>>,
    /// The tests that take longest.
    pub slowest: Vec<Slow<'h>>,
    /// Each test that was asked for, run by run.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tests: Vec<TestHistory<'h>>,
    /// Folders of runs that could not be read.
    pub damaged: Vec<UnreadableRun<'h>>,
}

/// One test through all its runs.
#[derive(Debug, Serialize)]
pub struct TestHistory<'h> {
    /// Which test.
    #[serde(flatten)]
    pub test: Test<'h>,
    /// What became of it, the oldest first.
    pub runs: Vec<HistoryEntry<'h>>,
}

/// One test in one run.
#[derive(Debug, Serialize)]
pub struct HistoryEntry<'h> {
    /// The run.
    #[serde(flatten)]
    pub run: RunRef<'h>,
    /// What the test came to.
    pub outcome: casebook_record::TestOutcome,
    /// Whether it passed only after another attempt, or its trials disagree.
    pub flaky: bool,
    /// How long it took when it passed.
    pub duration_ms: Option<u32>,
}

/// Which test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[expect(missing_docs, reason = "the fields are those of the record")]
pub struct Test<'h> {
    pub id: &'h str,
    pub title: &'h str,
    pub location: &'h str,
}

/// Which run, and when.
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
    /// Its folder.
    pub folder: &'h str,
    /// What is wrong with it.
    pub reason: &'h str,
}

/// What became of one test, run by run, the oldest first: places in the list of runs, and results.
type Timeline<'h> = Vec<(usize, &'h TestResult)>;

impl<'h> Trends<'h> {
    /// Looks at a history.
    pub fn of(history: &'h History, options: &Options) -> Trends<'h> {
        let wanted = wanted(history, options.test.as_deref());
        let skipped = options
            .limit
            .map_or(0, |limit| history.runs.len().saturating_sub(limit));
        let is_wanted = |result: &&TestResult| wanted[result.test];
        let runs: Vec<&RunEntry> = history.runs[skipped..]
            .iter()
            .filter(|run| {
                options.test.is_none() || run.results.iter().any(|result| is_wanted(&result))
            })
            .collect();
        let mut timelines: Vec<Timeline> = vec![Timeline::new(); history.tests.len()];
        for (place, run) in runs.iter().enumerate() {
            for result in run.results.iter().filter(is_wanted) {
                timelines[result.test].push((place, result));
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
                .map(|run| RunRow::of(run, run.results.iter().filter(is_wanted)))
                .collect(),
            broken: broken::find(&current, &runs),
            flaky: flaky::find(&current, &runs),
            slowest: slow::find(&current, options.slowest),
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

fn wanted(history: &History, pattern: Option<&str>) -> Vec<bool> {
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
        .map(|(folder, reason)| UnreadableRun { folder, reason })
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
}

impl<'h> TestHistory<'h> {
    fn of(test: Test<'h>, timeline: &Timeline, runs: &[&'h RunEntry]) -> TestHistory<'h> {
        let chapter = |(place, result): &(usize, &TestResult)| HistoryEntry {
            run: RunRef::of(runs[*place]),
            outcome: result.outcome,
            flaky: result.flaky,
            duration_ms: result.duration_ms,
        };
        TestHistory {
            test,
            runs: timeline.iter().map(chapter).collect(),
        }
    }
}
