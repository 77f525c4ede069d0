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
mod live;
mod pack;
mod page;
mod row;
mod script;
pub(crate) mod static_page;
pub(crate) mod table_page;

use std::io;

use casebook_record::{Run, TrialsByTest};
use serde::Serialize;

use crate::examples::ExampleIndex;
use crate::reviews::Review;
use crate::scores::Scores;
use details::Details;
use index::Index;
use pack::packed_json;

pub use live::{live_row, write_live_index};
pub(crate) use page::digest;
pub use page::{STYLE, served_page};
pub use script::{Module, script};

/// Options of the page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// Threads that compress the details.
    pub threads: usize,
    /// The record's directory as the user can type it; full outputs are there.
    pub record: Option<String>,
    /// The addresses of the pages of the run before and the run after.
    pub neighbors: Neighbors,
    /// What people said about the verdicts of judges.
    pub reviews: Vec<Review>,
}

/// The addresses of other pages.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Neighbors {
    /// Of the run before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub previous: Option<String>,
    /// Of the run after.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            threads: 1,
            record: None,
            neighbors: Neighbors::default(),
            reviews: Vec::new(),
        }
    }
}

/// Writes the run as an HTML page.
pub fn write(run: &Run, options: &Options, out: &mut dyn io::Write) -> io::Result<()> {
    let mut details = details::pack(run, options.threads)?;
    let totals = Totals::of(run)?;
    let index = packed_json(&totals.index(run, &mut details, options)?)?;
    page::write(run, &totals.examples, &index, &details.chunks, out)
}

/// Writes the index of the page as JSON, for a page that gets its data from a server.
pub fn write_index(run: &Run, options: &Options, out: &mut dyn io::Write) -> io::Result<()> {
    let mut details = details::rows(run, options.threads)?;
    let totals = Totals::of(run)?;
    let index = totals.index(run, &mut details, options)?;
    Ok(serde_json::to_writer(out, &index)?)
}

/// What the index contains about all tests together.
#[derive(Default)]
struct Totals {
    examples: ExampleIndex,
    trials: TrialsByTest,
    scores: Scores,
}

impl Totals {
    fn of(run: &Run) -> io::Result<Totals> {
        let mut totals = Totals::default();
        for example in run.each_example() {
            let example = &*example?;
            totals.examples.add(example);
            totals.trials.add(example, String::new);
            totals.scores.add_example(example);
        }
        Ok(totals)
    }

    fn index<'r>(
        &'r self,
        run: &'r Run,
        details: &'r mut Details,
        options: &'r Options,
    ) -> io::Result<Index<'r>> {
        index::of(run, details, &self.trials, &self.scores, options)
    }
}
