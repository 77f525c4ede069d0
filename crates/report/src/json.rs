//! A run as JSON for scripts: its counts and every test, without transcripts.

mod trials;

use casebook_record::{ExampleData, RunData, Status, Summary, Time};
use serde::Serialize;
use serde_json::{Number, Value};

use crate::examples::{self, skip_reason, split_location};
use crate::failures::{self, Failure};
use crate::flag;
use trials::Trials;

#[derive(Serialize)]
struct RunSummary<'r> {
    #[serde(flatten)]
    counts: Summary,
    run_id: &'r str,
    started_at: Time,
    finished_at: Option<Time>,
    seed: Option<&'r Number>,
    git_commit: Option<&'r str>,
    failures: Vec<FailedTest<'r>>,
    slowest: Vec<Slow<'r>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    trials: Option<Trials<'r>>,
    tests: Vec<Test<'r>>,
}

#[derive(Serialize)]
struct FailedTest<'r> {
    id: &'r str,
    stable_id: Option<&'r str>,
    title: &'r str,
    location: &'r str,
    exception_class: Option<&'r str>,
    message: Option<&'r str>,
    failures: Vec<Failure<'r>>,
}

#[derive(Serialize)]
struct Slow<'r> {
    id: &'r str,
    title: &'r str,
    location: &'r str,
    duration_ms: i64,
}

#[derive(Serialize)]
struct Test<'r> {
    id: &'r str,
    suite: Option<&'r str>,
    name: &'r str,
    file: &'r str,
    line: Option<u64>,
    status: &'static str,
    duration_ms: Option<i64>,
    flaky: bool,
    exit_code: Option<&'r Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'r str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rerun: Option<&'r str>,
    failures: Vec<Failure<'r>>,
    /// Soft checks that failed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    soft: Vec<Failure<'r>>,
}

/// Counts, failures, the `slowest` slowest examples, and every test of a run.
///
/// Lists are complete and texts are as recorded; JSON escapes control characters.
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
        trials: trials::of(run),
        tests: run.examples.values().map(|example| test(example)).collect(),
    }
}

fn failure(example: &ExampleData) -> FailedTest<'_> {
    let exception = example.exception.as_ref();
    FailedTest {
        id: &example.id,
        stable_id: example.stable_id.as_deref(),
        title: example.title(),
        location: examples::failed_at(example),
        exception_class: exception.and_then(|exception| exception.class_name.as_deref()),
        message: exception.and_then(|exception| exception.message.as_deref()),
        failures: failures::of(example),
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

fn test(example: &ExampleData) -> Test<'_> {
    let text = |key: &str| example.metadata.get(key).and_then(Value::as_str);
    let (file, line) = split_location(&example.location);
    Test {
        id: &example.id,
        suite: text("suite"),
        name: &example.description,
        file: text("file").unwrap_or(file),
        line,
        status: example.status.name(),
        duration_ms: example.duration_ms,
        flaky: example.is_flaky() || flag(&example.metadata, "command.flaky"),
        exit_code: example.metadata.dig("command.exit_code"),
        reason: skip_reason(example),
        rerun: text("rerun"),
        failures: if example.status == Status::Failed {
            failures::of(example)
        } else {
            Vec::new()
        },
        soft: failures::checks(example, true).collect(),
    }
}
