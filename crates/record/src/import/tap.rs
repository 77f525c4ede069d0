//! TAP, versions 12 to 14, as events.
//!
//! A TAP stream may be live, so events are emitted as early as the format allows: a test's when the line behind its
//! diagnostics has come. [`line`] knows what a single line says, [`importer`] what it means where it stands, [`frame`]
//! keeps count of a document or subtest, [`held`] and [`report`] turn a point and what is said about it into an
//! outcome, [`block`] and [`yaml`] read the YAML behind it.

mod block;
mod frame;
mod importer;
mod line;
mod pending_point;
mod report;
mod yaml;

use std::io::{self, BufRead};

use self::importer::Importer;
use super::ImportSource;
use crate::event::Event;
use crate::lines::{Lines, Problem};

/// Emits the events of the run that a TAP stream tells of.
///
/// The closing point of a subtest is its verdict and no example, unless it alone tells of a failure. A plan that was
/// not kept, a missing plan and `Bail out!` are failed examples named `(plan)` and `(bail out)`. YAML blocks are kept
/// under `metadata.yaml`.
///
/// ```
/// use casebook_record::{EventKind, Time, import};
///
/// let now = || Time::from_millis(0);
/// let source = import::Source { name: "shop", now: &now };
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
