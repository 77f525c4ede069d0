//! Queries on the examples of a run, shared by all reports.

use std::cmp::Reverse;
use std::io;

use casebook_record::{ExampleData, INTERRUPTED, Metadata, Run, Status, Summary, Time};
use indexmap::IndexMap;
use serde_json::Value;

/// What most reports need of all examples of a run, found in one pass over them. Examples are referred to by index.
#[derive(Default)]
pub(crate) struct ExampleIndex {
    pub(crate) summary: Summary,
    /// Whether these are tests of suites.
    pub(crate) are_tests: bool,
    /// Those that failed only because the run was interrupted, in the run's order.
    pub(crate) interrupted: Vec<usize>,
    /// How many are failed hooks and not tests.
    pub(crate) hooks: usize,
    /// How many failed as expected. They are pending.
    pub(crate) expected_failures: usize,
    /// The failed examples in the run's order, including the interrupted ones.
    pub(crate) failed: Vec<usize>,
    /// Durations in milliseconds that are greater than 0.
    durations: Vec<(usize, i64)>,
}

impl ExampleIndex {
    pub(crate) fn of(run: &Run) -> io::Result<ExampleIndex> {
        let mut index = ExampleIndex::default();
        for example in run.each_example() {
            index.add(&*example?);
        }
        Ok(index)
    }

    /// Adds the next example of the run.
    pub(crate) fn add(&mut self, example: &ExampleData) {
        let index = self.summary.example_count;
        self.summary.add(example);
        self.are_tests = self.are_tests || example.metadata.get("suite").is_some();
        if example.status == Status::Failed {
            self.failed.push(index);
            if is_interrupted(example) {
                self.interrupted.push(index);
            } else if is_failed_hook(&example.metadata) {
                self.hooks += 1;
            }
        }
        let is_pending = example.status == Status::Pending;
        if is_pending && expected_failure(&example.metadata).is_some() {
            self.expected_failures += 1;
        }
        let duration = example.duration_ms.filter(|ms| *ms > 0);
        self.durations.extend(duration.map(|ms| (index, ms)));
    }

    /// The failed examples without the interrupted ones.
    pub(crate) fn failures(&self) -> Vec<usize> {
        let is_failure = |index: &usize| self.interrupted.binary_search(index).is_err();
        self.failed.iter().copied().filter(is_failure).collect()
    }

    /// The slowest examples with their durations in milliseconds. Equal ones are in the run's order.
    ///
    /// Examples without a duration and those of 0 ms are skipped.
    pub(crate) fn slowest(&self, count: usize) -> Vec<(usize, i64)> {
        let mut slowest = self.durations.clone();
        slowest.sort_by_key(|(_, ms)| Reverse(*ms));
        slowest.truncate(count);
        slowest
    }
}

/// Whether a failed example is a `teardownFile`, which belongs to no test.
pub(crate) fn is_failed_hook(metadata: &Metadata) -> bool {
    metadata
        .dig("hook.name")
        .is_some_and(|name| name == "teardownFile")
}

/// Whether an example failed only because its run was interrupted.
pub(crate) fn is_interrupted(example: &ExampleData) -> bool {
    let exception = example.exception.as_ref();
    exception.is_some_and(|exception| is_interruption(exception.class_name.as_deref()))
}

/// Whether the exception class marks an interruption and not a failure.
pub(crate) fn is_interruption(class: Option<&str>) -> bool {
    class == Some(INTERRUPTED)
}

/// The most precise known location of a failure.
pub(crate) fn failed_at(example: &ExampleData) -> &str {
    example
        .exception
        .as_ref()
        .and_then(|exception| exception.location.as_deref())
        .unwrap_or(&example.location)
}

/// The first line of the failure message.
pub(crate) fn reason(example: &ExampleData) -> Option<&str> {
    let message = example.exception.as_ref()?.message.as_deref()?;
    message.trim().lines().next()
}

/// Why an example was expected to fail, if it did.
pub(crate) fn expected_failure(metadata: &Metadata) -> Option<&str> {
    metadata.dig("expected_failure.reason")?.as_str()
}

/// Why an example was skipped.
pub(crate) fn skip_reason(example: &ExampleData) -> Option<&str> {
    example.metadata.get("pending_message")?.as_str()
}

/// The groups around an example, outermost first, joined by `::`.
pub(crate) fn groups(example: &ExampleData) -> Option<&str> {
    groups_of(example.canonical_path.as_deref()?, &example.description)
}

/// The groups in a canonical path.
pub(crate) fn groups_of<'p>(path: &'p str, description: &str) -> Option<&'p str> {
    path.strip_suffix(description)
        .and_then(|groups| groups.strip_suffix("::"))
        .or_else(|| path.rsplit_once("::").map(|(groups, _)| groups))
}

/// The examples of one file.
pub(crate) struct FileExamples {
    /// Their indexes in the run.
    pub(crate) indexes: Vec<usize>,
    pub(crate) passed: usize,
    /// Failed or not finished.
    pub(crate) failed: usize,
    pub(crate) pending: usize,
    /// The sum of their durations.
    pub(crate) millis: i64,
    /// The suite of the first example.
    pub(crate) suite: Option<String>,
    /// The start of the first example.
    pub(crate) started_at: Time,
}

/// The examples grouped by file, files in the order of their first example.
pub(crate) fn by_file(run: &Run) -> io::Result<IndexMap<String, FileExamples>> {
    let mut files: IndexMap<String, FileExamples> = IndexMap::new();
    for (index, example) in run.each_example().enumerate() {
        let example = example?;
        let file = example.metadata.get("file").and_then(Value::as_str);
        let file = file.unwrap_or(&example.file);
        if !files.contains_key(file) {
            files.insert(file.to_owned(), FileExamples::starting_with(&example));
        }
        files[file].add(index, &example);
    }
    Ok(files)
}

impl FileExamples {
    fn starting_with(first: &ExampleData) -> FileExamples {
        let suite = first.metadata.get("suite").and_then(Value::as_str);
        FileExamples {
            indexes: Vec::new(),
            passed: 0,
            failed: 0,
            pending: 0,
            millis: 0,
            suite: suite.map(str::to_owned),
            started_at: first.started_at,
        }
    }

    fn add(&mut self, index: usize, example: &ExampleData) {
        self.indexes.push(index);
        *match example.status {
            Status::Passed => &mut self.passed,
            Status::Failed | Status::Running => &mut self.failed,
            Status::Pending => &mut self.pending,
        } += 1;
        let millis = example.duration_ms.unwrap_or(0);
        self.millis = self.millis.saturating_add(millis);
    }
}

/// Splits `file:line` or `file:line:column` into file and line.
pub(crate) fn split_location(location: &str) -> (&str, Option<u64>) {
    let mut split = (location, None);
    while let Some((file, number)) = split.0.rsplit_once(':')
        && !file.is_empty()
        && let Ok(number) = number.parse()
    {
        split = (file, Some(number));
    }
    split
}

/// Seconds as integer milliseconds.
#[expect(
    clippy::cast_possible_truncation,
    reason = "`as` saturates, which suits an absurd duration"
)]
pub(crate) fn millis(seconds: f64) -> i64 {
    (seconds * 1000.0).round() as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_location_is_a_file_and_a_line() {
        for (location, split) in [
            ("a.yml:7", ("a.yml", Some(7))),
            ("src/lib.rs:3:14", ("src/lib.rs", Some(3))),
            ("C:/x.rb:7", ("C:/x.rb", Some(7))),
            ("plain", ("plain", None)),
            (":7", (":7", None)),
            ("", ("", None)),
        ] {
            assert_eq!(split_location(location), split, "{location}");
        }
    }
}
