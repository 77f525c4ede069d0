//! [`TestRow`]: a test of a run as one flat row, for the formats of other tools.

use casebook_record::{ExampleData, Repetitions, Run, Status, Time};
use serde::Deserialize as _;
use serde_json::Value;

use crate::examples::{is_interrupted, skip_reason, split_location};
use crate::flag;

/// What the formats of other tools have in common.
pub(crate) struct TestRow<'e> {
    pub(crate) suite: Option<&'e str>,
    pub(crate) name: &'e str,
    pub(crate) file: &'e str,
    pub(crate) line: Option<u64>,
    pub(crate) status: RowStatus,
    pub(crate) started_at: Time,
    pub(crate) duration_ms: Option<i64>,
    pub(crate) is_flaky: bool,
    /// How often it was run; 0 for a skipped test.
    pub(crate) attempts: usize,
    pub(crate) exit_code: Option<i64>,
    pub(crate) failure_class: Option<&'e str>,
    /// Why it failed or was skipped.
    pub(crate) message: Option<&'e str>,
}

/// The result of a test. One that was interrupted is not a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RowStatus {
    Passed,
    Failed,
    Skipped,
    Unfinished,
}

impl RowStatus {
    pub(crate) fn of(example: &ExampleData) -> RowStatus {
        match example.status {
            Status::Passed => RowStatus::Passed,
            Status::Pending => RowStatus::Skipped,
            Status::Failed if !is_interrupted(example) => RowStatus::Failed,
            Status::Failed | Status::Running => RowStatus::Unfinished,
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            RowStatus::Passed => "passed",
            RowStatus::Failed => "failed",
            RowStatus::Skipped => "skipped",
            RowStatus::Unfinished => "unfinished",
        }
    }
}

impl<'e> TestRow<'e> {
    pub(crate) fn of(example: &'e ExampleData) -> TestRow<'e> {
        let text = |key: &str| example.metadata.get(key).and_then(Value::as_str);
        let (file, line) = split_location(&example.location);
        let status = RowStatus::of(example);
        let exception = example.exception.as_ref();
        let is_empty = example.description.is_empty();
        TestRow {
            suite: text("suite"),
            name: if is_empty {
                example.title()
            } else {
                &example.description
            },
            file: text("file").unwrap_or(file),
            line,
            status,
            started_at: example.started_at,
            duration_ms: example.duration_ms,
            is_flaky: example.is_flaky() || flag(&example.metadata, "command.flaky"),
            attempts: example.attempts().len() + usize::from(status != RowStatus::Skipped),
            exit_code: example
                .metadata
                .dig("command.exit_code")
                .and_then(Value::as_i64),
            failure_class: exception.and_then(|exception| exception.class_name.as_deref()),
            message: exception
                .and_then(|exception| exception.message.as_deref())
                .or_else(|| skip_reason(example)),
        }
    }

    /// Its end in milliseconds since 1970.
    pub(crate) fn stop_millis(&self) -> i64 {
        let duration = self.duration_ms.unwrap_or(0);
        self.started_at.as_millis().saturating_add(duration)
    }
}

/// The end of a run. One that was interrupted ends with its last test.
pub(crate) fn end_of(run: &Run) -> std::io::Result<Time> {
    if let Some(end) = run.finished_at {
        return Ok(end);
    }
    let mut end = run.started_at.as_millis();
    for example in run.each_example() {
        end = end.max(TestRow::of(&*example?).stop_millis());
    }
    Ok(Time::from_millis(end))
}

/// The earlier attempts that can be deserialized. Of repetitions, only those that failed.
pub(crate) fn earlier_attempts(example: &ExampleData) -> Vec<ExampleData> {
    let read = |attempt: &Value| match attempt {
        // Attempts nested too deeply for JSON values were recorded as text.
        Value::String(text) => serde_json::from_str(text).ok(),
        other => ExampleData::deserialize(other).ok(),
    };
    let mut attempts: Vec<_> = example.attempts().iter().filter_map(read).collect();
    if Repetitions::of(&example.metadata).is_some() {
        attempts.retain(|attempt| attempt.status == Status::Failed);
    }
    attempts
}

/// The recorded streams of a test's command, `output` if they were captured together.
pub(crate) fn streams(example: &ExampleData) -> impl Iterator<Item = (&'static str, &str)> {
    ["output", "stdout", "stderr"]
        .into_iter()
        .filter_map(|name| {
            let text = example.metadata.get("command")?.get(name)?.as_str()?;
            (!text.is_empty()).then_some((name, text))
        })
}
