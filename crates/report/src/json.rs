//! A run as JSON for scripts: its counts and every test, without transcripts.

mod trials;

use std::io;

use casebook_record::{ExampleData, Repetitions, Run, Status, Summary, Time, TrialsByTest};
use serde::ser::{Error as _, SerializeSeq as _};
use serde::{Serialize, Serializer};
use serde_json::{Number, Value};

use crate::examples::{self, ExampleIndex, skip_reason, split_location};
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
    failures: Failures<'r>,
    slowest: Vec<SlowTest>,
    #[serde(skip_serializing_if = "Option::is_none")]
    trials: Option<Trials>,
    tests: Tests<'r>,
}

/// The failed examples, each read when it is written.
struct Failures<'r> {
    run: &'r Run,
    failed: Vec<usize>,
}

/// All examples, each read when it is written.
struct Tests<'r>(&'r Run);

#[derive(Serialize)]
struct FailedTest<'r> {
    id: &'r str,
    stable_id: Option<&'r str>,
    title: &'r str,
    location: &'r str,
    exception_class: Option<&'r str>,
    message: Option<&'r str>,
    failures: Vec<Failure<'r>>,
    /// What services wrote while the test ran.
    #[serde(skip_serializing_if = "Option::is_none")]
    services: Option<&'r Value>,
}

#[derive(Serialize)]
struct SlowTest {
    id: String,
    title: String,
    location: String,
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
    #[serde(skip_serializing_if = "Option::is_none")]
    temp_dir: Option<&'r str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    locks: Option<&'r Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    repetitions: Option<RepetitionRates>,
    failures: Vec<Failure<'r>>,
    /// Soft checks that failed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    soft: Vec<Failure<'r>>,
}

/// The counts of a test's repetitions, and the rate computed from them.
#[derive(Serialize)]
struct RepetitionRates {
    #[serde(flatten)]
    repetitions: Repetitions,
    pass_rate: Option<f64>,
    interval: Option<(f64, f64)>,
}

impl RepetitionRates {
    fn of(repetitions: Repetitions) -> RepetitionRates {
        let score = repetitions.score();
        RepetitionRates {
            repetitions,
            pass_rate: score.rate(),
            interval: score.interval(),
        }
    }
}

/// Counts, failures, the `slowest` slowest examples, and every test of a run. `k` are the numbers of trials for pass@k and pass^k.
///
/// Lists are complete and texts are as recorded; JSON escapes control characters.
pub fn summary<'r>(
    run: &'r Run,
    slowest: usize,
    k: &[u64],
) -> io::Result<impl Serialize + use<'r>> {
    let mut index = ExampleIndex::default();
    let mut trials = TrialsByTest::default();
    for example in run.each_example() {
        let example = &*example?;
        index.add(example);
        trials.add(example, || example.title().to_owned());
    }
    Ok(RunSummary {
        counts: index.summary,
        run_id: &run.run_id,
        started_at: run.started_at,
        finished_at: run.finished_at,
        seed: run.seed.as_ref(),
        git_commit: run.git_commit.as_deref(),
        slowest: self::slowest(run, &index, slowest)?,
        trials: trials::of(trials, k),
        failures: Failures {
            run,
            failed: index.failed,
        },
        tests: Tests(run),
    })
}

impl Serialize for Failures<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(Some(self.failed.len()))?;
        for index in &self.failed {
            let example = self.run.examples.read(*index);
            list.serialize_element(&failure(&*example.map_err(S::Error::custom)?))?;
        }
        list.end()
    }
}

impl Serialize for Tests<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(Some(self.0.examples.count()))?;
        for example in self.0.each_example() {
            list.serialize_element(&test(&*example.map_err(S::Error::custom)?))?;
        }
        list.end()
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
        services: example.metadata.get("services"),
    }
}

fn slowest(run: &Run, index: &ExampleIndex, count: usize) -> io::Result<Vec<SlowTest>> {
    let slow = |(example, duration_ms)| {
        let example = run.examples.read(example)?;
        Ok(SlowTest {
            id: example.id.clone(),
            title: example.title().to_owned(),
            location: example.location.clone(),
            duration_ms,
        })
    };
    index.slowest(count).into_iter().map(slow).collect()
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
        temp_dir: text("temp_dir"),
        locks: example.metadata.get("locks"),
        repetitions: example.repetitions().map(RepetitionRates::of),
        failures: if example.status == Status::Failed {
            failures::of(example)
        } else {
            Vec::new()
        },
        soft: failures::checks(example, true).collect(),
    }
}
