//! Writes a run as one HTML page without external resources: no network, no other file, no server.
//!
//! The page contains the run as compressed blocks. A small index of all tests (`index`) is unpacked when the page opens.
//! The details (`details`), in the record's JSON, are split into chunks, each unpacked when one of its tests is shown.
//! So a record of 100 MB opens as fast as a small one.
//!
//! Recorded data is not trusted. The page contains it as base64 only, the script inserts it as text and never as markup,
//! and the content security policy allows only the script and style of this crate.

mod details;
mod index;
mod pack;
mod page;
mod row;
pub(crate) mod static_page;
pub(crate) mod table_page;

use std::io;

use casebook_record::{Run, TrialsByTest};

use crate::examples::ExampleIndex;
use crate::scores::Scores;

pub(crate) use page::digest;

/// Options of the page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// Threads that compress the details.
    pub threads: usize,
    /// The record's directory as the user can type it; full outputs are there.
    pub record: Option<String>,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            threads: 1,
            record: None,
        }
    }
}

/// Writes the run as an HTML page.
pub fn write(run: &Run, options: &Options, out: &mut dyn io::Write) -> io::Result<()> {
    let mut details = details::pack(run, options.threads)?;
    let mut examples = ExampleIndex::default();
    let mut trials = TrialsByTest::default();
    let mut scores = Scores::default();
    for example in run.each_example() {
        let example = &*example?;
        examples.add(example);
        trials.add(example, String::new);
        scores.add_example(example);
    }
    let index = index::pack(
        run,
        &mut details,
        &trials,
        &scores,
        options.record.as_deref(),
    )?;
    page::write(run, &examples, &index, &details.chunks, out)
}
