//! Imports JUnit XML: the dialects of pytest, cargo-nextest and Maven Surefire, and their common subset.
//!
//! [`encoding`] converts the input to UTF-8, [`xml`] reads elements, [`document`] builds suites and cases from them, [`failure`] interprets failures, and
//! [`emit`] emits the events. A file that cannot be read completely emits no events.

mod case;
mod document;
mod emit;
mod encoding;
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
    /// Not well-formed XML, or XML that is not supported.
    #[error("line {line}: {reason}")]
    Xml {
        /// Counted from 1.
        line: u64,
        /// The parser's message.
        reason: String,
    },
    /// XML with a different root element.
    #[error("not JUnit XML: its root is `{root}`, not `testsuites` or `testsuite`")]
    NotJunit {
        /// The name of the root element.
        root: String,
    },
}

/// Emits the events of the run in a JUnit XML file.
///
/// Reruns are attempts of one example. Suites are groups; their properties and output are stored in the metadata of
/// `SuiteStarted`. Failures that a suite counts but does not contain become failed examples named `(suite)`.
///
/// ```
/// use casebook_record::{EventKind, Time, import};
///
/// let now = || Time::from_millis(0);
/// let source = import::ImportSource { name: "shop", now: &now };
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
    let document = document::read(encoding::decoded(reader)?)?;
    Ok(emit::emit(document, source, emit))
}
