//! [`SuiteCache`]: the suites of a run that this worker has read. A suite may have thousands of tests in hundreds of
//! chunks.

use std::collections::HashMap;

use casebook_run::PlannedSuite;

use crate::wire::Chunk;

/// How many suites are kept.
const MOST: usize = 16;

/// The suites of one run, by their digest.
#[derive(Default)]
pub(super) struct SuiteCache {
    run: String,
    suites: HashMap<String, PlannedSuite>,
}

impl SuiteCache {
    /// Takes the suite of a chunk.
    pub(super) fn take(&mut self, chunk: &Chunk) -> Option<PlannedSuite> {
        if self.run != chunk.run {
            self.suites.clear();
            self.run.clone_from(&chunk.run);
        }
        self.suites.remove(&key(chunk))
    }

    /// Keeps the suite of a chunk for the next one.
    pub(super) fn put(&mut self, chunk: &Chunk, suites: Vec<PlannedSuite>) {
        if self.suites.len() + suites.len() > MOST {
            self.suites.clear();
        }
        let suites = suites.into_iter().map(|suite| (key(chunk), suite));
        self.suites.extend(suites);
    }
}

/// Files with the same text are different suites.
fn key(chunk: &Chunk) -> String {
    let bundle = chunk.bundle.as_deref().unwrap_or_default();
    format!("{} {bundle} {}", chunk.digest, chunk.suite)
}
