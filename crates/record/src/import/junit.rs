//! JUnit XML as events: the dialects of pytest, cargo-nextest and Maven Surefire, and what they have in common.
//!
//! [`xml`] reads elements, [`document`] makes suites and cases of them, [`failure`] finds out what a failure says, and
//! [`emit`] tells it all as events. A file that cannot be read to its end emits nothing.

mod case;
mod document;
mod emit;
mod failure;
mod values;
mod xml;

use std::io::{self, BufRead};

use super::ImportSource;
use crate::event::Event;
use crate::lines::Problem;

/// Why an input cannot be read as JUnit XML.
#[derive(Debug, thiserror::Error)]
pub enum JunitError {
    /// Reading failed.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// Not XML, or XML of a kind that is not read here.
    #[error("line {line}: {reason}")]
    Xml {
        /// Counted from 1.
        line: u64,
        /// What is wrong.
        reason: String,
    },
    /// XML about something else.
    #[error("not JUnit XML: its root is `{root}`, not `testsuites` or `testsuite`")]
    NotJunit {
        /// The name of the root element.
        root: String,
    },
}

/// Emits the events of the run that a JUnit XML file tells of.
///
/// Reruns are attempts of one example. Suites are groups, and what they carry besides (properties, output) is in the
/// metadata of `SuiteStarted`. Failures that a suite counts but does not show are failed examples named `(suite)`.
///
/// ```
/// use casebook_record::{EventKind, Time, import};
///
/// let now = || Time::from_millis(0);
/// let source = import::Source { name: "shop", now: &now };
/// let mut kinds = Vec::new();
/// let input = r#"<testsuite><testcase name="adds up" time="0.1"/></testsuite>"#;
/// let problems = import::junit(input.as_bytes(), &source, &mut |event| kinds.push(event.kind()))?;
///
/// assert_eq!(problems, []);
/// assert_eq!(kinds[2..4], [EventKind::ExampleStarted, EventKind::ExamplePassed]);
/// # Ok::<(), import::JunitError>(())
/// ```
pub fn junit<R: BufRead>(
    reader: R,
    source: &ImportSource<'_>,
    emit: &mut dyn FnMut(Event),
) -> Result<Vec<Problem>, JunitError> {
    let document = document::read(reader)?;
    Ok(emit::emit(document, source, emit))
}
