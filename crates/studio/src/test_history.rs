//! One test in all recorded runs.

use casebook_record::{History, RunEntry, TestOutcome};
use serde::Serialize;

/// A test in all recorded runs.
#[derive(Debug, Serialize)]
pub(crate) struct TestHistory<'h> {
    id: &'h str,
    title: &'h str,
    location: &'h str,
    /// Its results, oldest first.
    runs: Vec<Entry<'h>>,
}

#[derive(Debug, Serialize)]
struct Entry<'h> {
    folder: &'h str,
    started_at: casebook_record::Time,
    git_commit: Option<&'h str>,
    outcome: TestOutcome,
    flaky: bool,
    duration_ms: Option<u32>,
}

/// The history of the test with this stable id.
pub(crate) fn of<'h>(history: &'h History, id: &str) -> Option<TestHistory<'h>> {
    let index = history.tests.iter().position(|test| test.id == id)?;
    let test = &history.tests[index];
    let entry = |run: &'h RunEntry| {
        let result = run.results.iter().find(|result| result.test == index)?;
        Some(Entry {
            folder: &run.dir,
            started_at: run.started_at,
            git_commit: run.git_commit.as_deref(),
            outcome: result.outcome,
            flaky: result.flaky,
            duration_ms: result.duration_ms,
        })
    };
    Some(TestHistory {
        id: &test.id,
        title: &test.title,
        location: &test.location,
        runs: history.runs.iter().filter_map(entry).collect(),
    })
}
