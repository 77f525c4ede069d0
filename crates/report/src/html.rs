//! A run as one HTML page that needs nothing else: no network, no other file, no server.
//!
//! The page carries the run as compressed blocks. A small index of every test (`index`) is unpacked when the page opens;
//! the details (`details`), in the record's own JSON, lie in many chunks, each unpacked when somebody looks at a test in
//! it. So a record of a hundred megabytes opens as fast as a small one.
//!
//! Everything recorded is hostile until shown otherwise. It is in the page as base64 only, the script makes text of it and
//! never markup, and the page's own policy forbids whatever script or style is not the one that was written here.

mod details;
mod index;
mod pack;
mod page;
mod row;

use std::io;

use casebook_record::RunData;

pub(crate) use page::digest;

/// How the page is made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// How many threads may work at it.
    pub threads: usize,
    /// The record's folder as the reader would type it: where whole outputs are.
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
pub fn write(run: &RunData, options: &Options, out: &mut dyn io::Write) -> io::Result<()> {
    let mut details = details::pack(run, options.threads);
    let index = index::pack(run, &mut details, options.record.as_deref());
    page::write(run, &index, &details.chunks, out)
}
