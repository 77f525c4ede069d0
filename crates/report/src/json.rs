//! The machine-readable summary: what a script or a coding agent needs to know about a run, without its transcripts.

use casebook_record::{ExampleData, RunData, Summary, Time};
use serde::Serialize;
use serde_json::Number;

use crate::examples;

#[derive(Serialize)]
struct RunSummary<'r> {
    #[serde(flatten)]
    counts: Summary,
    run_id: &'r str,
    started_at: Time,
    finished_at: Option<Time>,
    seed: Option<&'r Number>,
    git_commit: Option<&'r str>,
    failures: Vec<Failure<'r>>,
    slowest: Vec<Slow<'r>>,
}

#[derive(Serialize)]
struct Failure<'r> {
    id: &'r str,
    stable_id: Option<&'r str>,
    title: &'r str,
    location: &'r str,
    exception_class: Option<&'r str>,
    message: Option<&'r str>,
}

#[derive(Serialize)]
struct Slow<'r> {
    id: &'r str,
    title: &'r str,
    location: &'r str,
    duration_ms: i64,
}

/// Counts, failures and the so many slowest examples of a run.
///
/// Every failure is listed, however many there are, and texts are as recorded: JSON escapes what a terminal must not see.
pub fn summary(run: &RunData, slowest: usize) -> impl Serialize {
    RunSummary {
        counts: run.summary(),
        run_id: &run.run_id,
        started_at: run.started_at,
        finished_at: run.finished_at,
        seed: run.seed.as_ref(),
        git_commit: run.git_commit.as_deref(),
        failures: examples::failed(run).map(failure).collect(),
        slowest: self::slowest(run, slowest),
    }
}

fn failure(example: &ExampleData) -> Failure<'_> {
    let exception = example.exception.as_ref();
    Failure {
        id: &example.id,
        stable_id: example.stable_id.as_deref(),
        title: example.title(),
        location: examples::failed_at(example),
        exception_class: exception.and_then(|exception| exception.class_name.as_deref()),
        message: exception.and_then(|exception| exception.message.as_deref()),
    }
}

fn slowest(run: &RunData, count: usize) -> Vec<Slow<'_>> {
    examples::slowest(run, count)
        .into_iter()
        .map(|(example, duration_ms)| Slow {
            id: &example.id,
            title: example.title(),
            location: &example.location,
            duration_ms,
        })
        .collect()
}
