//! Writes a run as CSV: one row per test, for spreadsheets and data frames.

use std::io;

use casebook_record::{ExampleData, Run};

use crate::test_row::TestRow;

const COLUMNS: [&str; 16] = [
    "run_id",
    "stable_id",
    "suite",
    "name",
    "title",
    "file",
    "line",
    "status",
    "started_at",
    "duration_ms",
    "flaky",
    "attempts",
    "exit_code",
    "failure_class",
    "message",
    "git_commit",
];

/// Writes the run as CSV with a header row. A missing value is an empty field.
pub fn write(run: &Run, out: &mut dyn io::Write) -> io::Result<()> {
    let mut table = ::csv::Writer::from_writer(out);
    table.write_record(COLUMNS)?;
    for example in run.each_example() {
        table.write_record(row(run, &*example?))?;
    }
    table.flush()
}

fn row(run: &Run, example: &ExampleData) -> [String; COLUMNS.len()] {
    let test = TestRow::of(example);
    [
        run.run_id.clone(),
        text(example.stable_id.as_deref()),
        text(test.suite),
        test.name.to_owned(),
        example.title().to_owned(),
        test.file.to_owned(),
        text(test.line),
        test.status.name().to_owned(),
        test.started_at.to_string(),
        text(test.duration_ms),
        test.is_flaky.to_string(),
        test.attempts.to_string(),
        text(test.exit_code),
        text(test.failure_class),
        text(test.message),
        text(run.git_commit.as_deref()),
    ]
}

fn text(value: Option<impl ToString>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}
