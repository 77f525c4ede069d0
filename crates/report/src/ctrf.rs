//! Writes a run in the Common Test Report Format (CTRF): JSON that many services and chat integrations read.

use std::io;

use casebook_record::{ExampleData, Run, Time};
use serde::ser::{Error as _, SerializeSeq as _};
use serde::{Serialize, Serializer};
use serde_json::json;

use crate::examples::groups;
use crate::terminal::{self, failure_text};
use crate::test_row::{RowStatus, TestRow, earlier_attempts, end_of, streams};

/// Writes the run as one CTRF document.
pub fn write(run: &Run, out: &mut dyn io::Write) -> io::Result<()> {
    let results = Results {
        tool: json!({"name": "casebook", "version": env!("CARGO_PKG_VERSION")}),
        summary: Summary::of(run)?,
        tests: Tests(run),
        environment: run
            .git_commit
            .as_ref()
            .map(|commit| json!({"commit": commit})),
    };
    let report = Report {
        format: "CTRF",
        spec_version: "0.0.0",
        run_id: &run.run_id,
        timestamp: run.started_at,
        generated_by: "casebook",
        results,
    };
    serde_json::to_writer_pretty(&mut *out, &report)?;
    writeln!(out)
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Report<'r> {
    #[serde(rename = "reportFormat")]
    format: &'static str,
    spec_version: &'static str,
    #[serde(skip_serializing_if = "str::is_empty")]
    run_id: &'r str,
    timestamp: Time,
    generated_by: &'static str,
    results: Results<'r>,
}

#[derive(Serialize)]
struct Results<'r> {
    tool: serde_json::Value,
    summary: Summary,
    tests: Tests<'r>,
    #[serde(skip_serializing_if = "Option::is_none")]
    environment: Option<serde_json::Value>,
}

#[derive(Default, Serialize)]
struct Summary {
    tests: usize,
    passed: usize,
    failed: usize,
    skipped: usize,
    pending: usize,
    other: usize,
    flaky: usize,
    start: i64,
    stop: i64,
}

/// All tests, each read when it is written.
struct Tests<'r>(&'r Run);

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Test<'e> {
    #[serde(rename = "testId", skip_serializing_if = "Option::is_none")]
    id: Option<&'e str>,
    name: &'e str,
    status: &'static str,
    raw_status: &'static str,
    duration: i64,
    start: i64,
    stop: i64,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    suite: Vec<&'e str>,
    #[serde(flatten)]
    failure: FailureTexts<'e>,
    #[serde(skip_serializing_if = "str::is_empty")]
    file_path: &'e str,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u64>,
    retries: usize,
    flaky: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    retry_attempts: Vec<serde_json::Value>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    stdout: Vec<&'e str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    stderr: Vec<&'e str>,
}

#[derive(Serialize)]
struct FailureTexts<'e> {
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<&'e str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    trace: Option<String>,
}

/// One of several attempts; the last one is the test's own result.
#[derive(Serialize)]
struct Attempt<'e> {
    #[serde(rename = "attempt")]
    number: usize,
    status: &'static str,
    duration: i64,
    start: i64,
    stop: i64,
    #[serde(flatten)]
    failure: FailureTexts<'e>,
}

impl Summary {
    fn of(run: &Run) -> io::Result<Summary> {
        let mut summary = Summary {
            start: run.started_at.as_millis(),
            stop: end_of(run)?.as_millis(),
            ..Summary::default()
        };
        for example in run.each_example() {
            summary.add(&TestRow::of(&*example?));
        }
        Ok(summary)
    }

    fn add(&mut self, test: &TestRow<'_>) {
        self.tests += 1;
        self.flaky += usize::from(test.is_flaky);
        *match test.status {
            RowStatus::Passed => &mut self.passed,
            RowStatus::Failed => &mut self.failed,
            RowStatus::Skipped => &mut self.skipped,
            RowStatus::Unfinished => &mut self.other,
        } += 1;
    }
}

impl Serialize for Tests<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(Some(self.0.examples.count()))?;
        for example in self.0.each_example() {
            let example = example.map_err(S::Error::custom)?;
            list.serialize_element(&test(&example).map_err(S::Error::custom)?)?;
        }
        list.end()
    }
}

fn test(example: &ExampleData) -> serde_json::Result<Test<'_>> {
    let row = TestRow::of(example);
    let lines = |names: &[&str]| {
        let texts = streams(example).filter(|(name, _)| names.contains(name));
        texts.flat_map(|(_, text)| text.lines()).collect()
    };
    Ok(Test {
        id: example.stable_id.as_deref().filter(|id| !id.is_empty()),
        name: named(row.name),
        status: status(row.status),
        raw_status: row.status.name(),
        duration: row.duration_ms.unwrap_or(0).max(0),
        start: row.started_at.as_millis(),
        stop: row.stop_millis(),
        suite: suite(&row, example),
        failure: failure(example),
        file_path: row.file,
        line: row.line,
        retries: example.attempts().len(),
        flaky: row.is_flaky,
        retry_attempts: retry_attempts(example)?,
        stdout: lines(&["output", "stdout"]),
        stderr: lines(&["stderr"]),
    })
}

/// The format requires a name.
fn named(name: &str) -> &str {
    if name.is_empty() { "(no name)" } else { name }
}

fn suite<'e>(row: &TestRow<'e>, example: &'e ExampleData) -> Vec<&'e str> {
    match (groups(example), row.suite) {
        (Some(groups), _) => groups.split("::").collect(),
        (None, suite) => suite.into_iter().collect(),
    }
}

fn status(status: RowStatus) -> &'static str {
    match status {
        RowStatus::Unfinished => "other",
        known => known.name(),
    }
}

fn failure(example: &ExampleData) -> FailureTexts<'_> {
    let row = TestRow::of(example);
    let has_failed = row.status == RowStatus::Failed;
    FailureTexts {
        message: row.message,
        trace: has_failed.then(|| failure_text(example, &terminal::Options::default())),
    }
}

/// The attempts of a test that was retried, the last one included.
fn retry_attempts(example: &ExampleData) -> serde_json::Result<Vec<serde_json::Value>> {
    let earlier = earlier_attempts(example);
    if earlier.is_empty() {
        return Ok(Vec::new());
    }
    let attempts = earlier.iter().chain([example]).zip(1..);
    attempts
        .map(|(attempt, number)| serde_json::to_value(self::attempt(attempt, number)))
        .collect()
}

fn attempt(example: &ExampleData, number: usize) -> Attempt<'_> {
    let row = TestRow::of(example);
    Attempt {
        number,
        status: status(row.status),
        duration: row.duration_ms.unwrap_or(0).max(0),
        start: row.started_at.as_millis(),
        stop: row.stop_millis(),
        failure: failure(example),
    }
}
