//! What every report asks of a run's examples.

use std::cmp::Reverse;
use std::collections::HashMap;

use casebook_record::{ExampleData, INTERRUPTED, RunData, Status};
use serde_json::Value;

/// The examples that failed, in the run's order.
pub(crate) fn failed(run: &RunData) -> impl Iterator<Item = &ExampleData> {
    run.examples
        .values()
        .map(AsRef::as_ref)
        .filter(|example: &&ExampleData| example.status == Status::Failed)
}

/// Whether an example failed of nothing but the end of its run.
pub(crate) fn is_interrupted(example: &ExampleData) -> bool {
    let exception = example.exception.as_ref();
    exception.is_some_and(|exception| is_interruption(exception.class_name.as_deref()))
}

/// Whether that is the class of a failure that is none.
pub(crate) fn is_interruption(class: Option<&str>) -> bool {
    class == Some(INTERRUPTED)
}

/// Where a failed example failed, as closely as that is known.
pub(crate) fn failed_at(example: &ExampleData) -> &str {
    example
        .exception
        .as_ref()
        .and_then(|exception| exception.location.as_deref())
        .unwrap_or(&example.location)
}

/// Why an example failed: the first line of its message.
pub(crate) fn reason(example: &ExampleData) -> Option<&str> {
    let message = example.exception.as_ref()?.message.as_deref()?;
    message.trim().lines().next()
}

/// Why an example was skipped.
pub(crate) fn skip_reason(example: &ExampleData) -> Option<&str> {
    example.metadata.get("pending_message")?.as_str()
}

/// The groups around an example, from the outermost inwards, joined by `::`.
pub(crate) fn groups(example: &ExampleData) -> Option<&str> {
    let path = example.canonical_path.as_deref()?;
    path.strip_suffix(&example.description)
        .and_then(|groups| groups.strip_suffix("::"))
        .or_else(|| path.rsplit_once("::").map(|(groups, _)| groups))
}

/// The examples by file, files in the order of their first example.
pub(crate) fn by_file(run: &RunData) -> Vec<(&str, Vec<&ExampleData>)> {
    let mut files: Vec<(&str, Vec<&ExampleData>)> = Vec::new();
    let mut places = HashMap::new();
    for example in run.examples.values() {
        let file = example.metadata.get("file").and_then(Value::as_str);
        let file = file.unwrap_or(&example.file);
        let place = *places.entry(file).or_insert_with(|| {
            files.push((file, Vec::new()));
            files.len() - 1
        });
        files[place].1.push(example);
    }
    files
}

/// The slowest examples with their milliseconds, slowest first, equally slow ones in the run's order.
///
/// An example without a duration is left out, and so is one of 0 ms: a list of those would say nothing.
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

/// The file and the line of `file:line` or `file:line:column`.
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

/// Seconds as whole milliseconds.
#[expect(
    clippy::cast_possible_truncation,
    reason = "`as` saturates, which is what an absurd duration deserves"
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
