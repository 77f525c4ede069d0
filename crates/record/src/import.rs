//! Imports other tools' results as events: TAP and JUnit XML.
//!
//! An importer reads a complete input and emits the events of one run, from [`SuiteStarted`] to `SuiteStopped`.
//! Defects that leave the rest of the input readable are returned as [`Problem`](crate::Problem)s. Defects that could
//! hide a failure (an unmet plan, failures that are counted but not contained) are also emitted as failed examples,
//! so that they are visible in the record.
//!
//! Each importer interprets its format; `example.rs` creates the events.

mod example;
mod junit;
mod location;
mod tap;
mod truncated;

use crate::event::SuiteStarted;
use crate::metadata::Metadata;
use crate::time::Time;

pub use junit::{JunitError, junit};
pub use tap::tap;

/// Input facts from the caller, because importers neither open files nor read the clock.
#[derive(Clone, Copy)]
pub struct ImportSource<'a> {
    /// The name of the run if the input contains none, such as the file's stem.
    pub name: &'a str,
    /// Returns the current time.
    pub now: &'a dyn Fn() -> Time,
}

/// The start event of an imported run.
fn run_started(time: Time, example_count: u64, format: &str, name: &str) -> SuiteStarted {
    let mut metadata = Metadata::new();
    metadata.set("source", format);
    metadata.set("name", name);
    SuiteStarted {
        metadata,
        ..SuiteStarted::at(time, example_count)
    }
}

/// `1 test`, `2 tests`.
fn counted(count: u64, noun: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{plural}")
}
