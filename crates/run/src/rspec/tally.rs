//! [`ExampleCounts`]: counts results, and tracks the progress of each file.

use std::collections::BTreeMap;

use casebook_record::event::{GroupFinished, GroupStarted};
use casebook_record::{Event, Time};

/// Counts results, and creates the start and end events of files.
#[derive(Debug, Default)]
pub(super) struct ExampleCounts {
    pub(super) finished: usize,
    pub(super) failed: usize,
    pub(super) pending: usize,
    /// For each file: the number of unfinished examples, and whether any was started.
    files: BTreeMap<String, (usize, bool)>,
}

impl ExampleCounts {
    pub(super) fn plan(&mut self, files: BTreeMap<String, usize>) {
        let files = files
            .into_iter()
            .map(|(file, count)| (file, (count, false)));
        self.files = files.collect();
    }

    /// Records the start of an example. Returns the start event of its file if it is the first.
    pub(super) fn begin(&mut self, file: &str, time: Time) -> Option<Event> {
        let (_, begun) = self.files.get_mut(file)?;
        let is_first = !std::mem::replace(begun, true);
        is_first.then(|| {
            GroupStarted {
                time,
                description: file.to_owned(),
                file_path: Some(file.to_owned()),
                line_number: None,
                example_count: None,
            }
            .into()
        })
    }

    /// Records the end of an example. Returns the end event of its file if it was the last.
    pub(super) fn end(&mut self, file: &str, event: &Event) -> Option<Event> {
        self.count(event);
        let (left, _) = self.files.get_mut(file)?;
        *left = left.saturating_sub(1);
        (*left == 0).then(|| {
            GroupFinished {
                time: event.time(),
                description: file.to_owned(),
            }
            .into()
        })
    }

    /// Counts the result of an example.
    pub(super) fn count(&mut self, event: &Event) {
        self.finished += 1;
        match event {
            Event::ExampleFailed(_) => self.failed += 1,
            Event::ExamplePending(_) => self.pending += 1,
            _ => {}
        }
    }
}
