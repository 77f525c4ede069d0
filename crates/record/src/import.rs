//! Other tools' results as events: TAP and JUnit XML.
//!
//! An importer reads a whole input and emits the events of one run, [`SuiteStarted`] first and `SuiteStopped` last.
//! What is wrong with the input but leaves the rest of it readable comes back as [`Problem`](crate::Problem)s. What
//! would turn a broken run green (a plan that was not kept, failures that are counted but not shown) is emitted as a
//! failed example too, so that it is seen by whoever only looks at the record.
//!
//! Each importer decides what its input says; `example.rs` decides what that looks like as events.

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

/// What an importer has to be told, because it neither opens files nor reads the clock.
#[derive(Clone, Copy)]
pub struct ImportSource<'a> {
    /// What the run is called when the input has no name of its own, such as the file's stem.
    pub name: &'a str,
    /// The clock.
    pub now: &'a dyn Fn() -> Time,
}

/// The beginning of an imported run.
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
