//! Imports TAP, versions 12 to 14.
//!
//! A TAP stream may be live, so events are emitted as early as the format allows: those of a test after the line that
//! follows its diagnostics. [`line`] parses a single line, [`importer`] interprets it in its context, [`frame`]
//! counts the tests of a document or subtest, [`pending_point`] and [`report`] turn a test point and its diagnostics
//! into an outcome, [`block`] and [`yaml`] read its YAML block, [`stack`] reads JavaScript errors, and [`prove`] the
//! lines that prove adds.

mod block;
mod frame;
mod importer;
mod line;
mod pending_point;
mod prove;
mod report;
mod stack;
mod yaml;

use std::io::{self, BufRead};

use self::importer::Importer;
use super::ImportSource;
use crate::event::Event;
use crate::lines::{Lines, Problem};

/// Emits the events of the run in a TAP stream.
///
/// The closing point of a subtest is the subtest's result and not an example, unless it is the only one that reports
/// a failure. An unmet plan, a missing plan and `Bail out!` become failed examples named `(plan)` and `(bail out)`.
/// YAML blocks are stored under `metadata.yaml`.
///
/// ```
/// use casebook_record::{EventKind, Time, import};
///
/// let now = || Time::from_millis(0);
/// let source = import::ImportSource { name: "shop", now: &now };
/// let mut kinds = Vec::new();
/// let input = "1..2\nok 1 - adds up\nnot ok 2 - counts\n";
/// let problems = import::tap(input.as_bytes(), &source, &mut |event| kinds.push(event.kind()))?;
///
/// assert_eq!(problems, []);
/// assert_eq!(kinds[1..3], [EventKind::ExampleStarted, EventKind::ExamplePassed]);
/// assert_eq!(kinds[3..5], [EventKind::ExampleStarted, EventKind::ExampleFailed]);
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn tap<R: BufRead>(
    reader: R,
    source: &ImportSource<'_>,
    emit: &mut dyn FnMut(Event),
) -> io::Result<Vec<Problem>> {
    let mut lines = Lines::new(reader);
    let mut importer = Importer::new(source, emit);
    while let Some(line) = lines.next()? {
        match line.text {
            Ok(text) => importer.line(line.number, text),
            Err(error) => importer.problem(line.number, error.to_string()),
        }
    }
    Ok(importer.finish())
}
