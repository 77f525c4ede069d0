//! Queries on the examples of a run, shared by all reports.

use std::cmp::Reverse;
use std::collections::HashMap;

use casebook_record::{ExampleData, INTERRUPTED, RunData, Status};
use serde_json::Value;

/// The failed examples in the run's order.
pub(crate) fn failed(run: &RunData) -> impl Iterator<Item = &ExampleData> {
    run.examples
        .values()
        .map(AsRef::as_ref)
        .filter(|example: &&ExampleData| example.status == Status::Failed)
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

/// The examples grouped by file, files in the order of their first example.
pub(crate) fn by_file(run: &RunData) -> Vec<(&str, Vec<&ExampleData>)> {
    let mut files: Vec<(&str, Vec<&ExampleData>)> = Vec::new();
    let mut indexes = HashMap::new();
    for example in run.examples.values() {
        let file = example.metadata.get("file").and_then(Value::as_str);
        let file = file.unwrap_or(&example.file);
        let index = *indexes.entry(file).or_insert_with(|| {
            files.push((file, Vec::new()));
            files.len() - 1
        });
        files[index].1.push(example);
    }
    files
}

/// The slowest examples with their durations in milliseconds. Equal ones are in the run's order.
///
/// Examples without a duration and those of 0 ms are skipped.
pub(crate) fn slowest(run: &RunData, count: usize) -> Vec<(&ExampleData, i64)> {
    let mut timed: Vec<_> = run
        .examples
        .values()
        .filter_map(|example| Some((&**example, example.duration_ms.filter(|ms| *ms > 0)?)))
        .collect();
    timed.sort_by_key(|(_, ms)| Reverse(*ms));
    timed.truncate(count);
    timed
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
