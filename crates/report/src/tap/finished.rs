//! Writes a finished run as TAP, with the same lines as during the run.

use std::io;

use casebook_record::event::{ExampleFailed, ExamplePassed, ExamplePending};
use casebook_record::{ExampleData, Run, Status};
use serde_json::Value;

use super::{Options, PointResult, Tap, Test};
use crate::examples::{failed_at, skip_reason};

use crate::terminal::title;
use crate::{failures, locks};

/// Writes a run from its record.
pub fn write(run: &Run, options: Options, out: &mut dyn io::Write) -> io::Result<()> {
    let mut tap = Tap::new(options, out);
    let planned = run.metadata.get("example_count").and_then(Value::as_u64);
    let recorded = run.examples.count() as u64;
    tap.plan(planned.unwrap_or_default().max(recorded))?;
    for example in run.each_example() {
        let example = &*example?;
        if let Some(outcome) = outcome(example, options.trace) {
            tap.write((test(run, example), outcome))?;
        }
    }
    tap.end()
}

fn test(run: &Run, example: &ExampleData) -> Test {
    let text = |field| example.metadata.get(field).and_then(Value::as_str);
    Test {
        name: match text("suite") {
            Some(_) => example.description.clone(),
            None => title(run, example),
        },
        description: example.description.clone(),
        position: None,
        file: text("file").unwrap_or(&example.file).to_owned(),
        location: example.location.clone(),
        earlier: attempts(example),
        locks: locks::shown(&example.metadata),
        failed_checks: Vec::new(),
    }
}

/// The number of failed attempts before the last one.
fn attempts(example: &ExampleData) -> usize {
    let attempts = example.metadata.get("attempts").and_then(Value::as_array);
    attempts.map_or(0, Vec::len)
}

/// The result; `None` for an example that has not finished.
fn outcome(example: &ExampleData, trace: bool) -> Option<PointResult> {
    match example.status {
        Status::Passed => Some(PointResult::passed(
            &passed(example),
            attempts(example),
            trace,
        )),
        Status::Failed => {
            let checks = failures::checks(example, false).collect();
            let locks = locks::shown(&example.metadata);
            Some(PointResult::failed(&failed(example), checks, locks, trace))
        }
        Status::Pending => Some(PointResult::skipped(&pending(example))),
        Status::Running => None,
    }
}

fn passed(example: &ExampleData) -> ExamplePassed {
    ExamplePassed {
        time: example.finished_at.unwrap_or(example.started_at),
        example_id: example.id.clone(),
        stable_id: None,
        description: example.description.clone(),
        full_description: String::new(),
        duration: seconds(example),
        metadata: example.metadata.clone(),
    }
}

fn failed(example: &ExampleData) -> ExampleFailed {
    let exception = example.exception.as_ref();
    ExampleFailed {
        time: example.finished_at.unwrap_or(example.started_at),
        example_id: example.id.clone(),
        stable_id: None,
        description: example.description.clone(),
        full_description: String::new(),
        location: failed_at(example).to_owned(),
        duration: seconds(example),
        message: exception.and_then(|exception| exception.message.clone()),
        backtrace: None,
        exception_class: exception.and_then(|exception| exception.class_name.clone()),
        metadata: example.metadata.clone(),
    }
}

fn pending(example: &ExampleData) -> ExamplePending {
    ExamplePending {
        time: example.finished_at.unwrap_or(example.started_at),
        example_id: example.id.clone(),
        stable_id: None,
        description: example.description.clone(),
        full_description: String::new(),
        message: skip_reason(example).map(str::to_owned),
        metadata: example.metadata.clone(),
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "a duration stays below 2⁵³ milliseconds"
)]
fn seconds(example: &ExampleData) -> f64 {
    example.duration_ms.unwrap_or_default() as f64 / 1000.0
}
