//! The examples of a [`JournaledRun`](super::JournaledRun), read from its journal.

use std::borrow::Cow;
use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::unix::fs::FileExt as _;
use std::path::PathBuf;
use std::sync::Arc;

use crate::builder::RunBuilder;
use crate::event::{Event, SuiteStopped};
use crate::examples::ExampleSource;
use crate::journal::EventReader;
use crate::model::ExampleData;
use crate::redact::Redactor;
use crate::run_file::ReadRunError;
use crate::store::read_events;
use crate::time::Time;

/// The examples of a run, in the planned order.
pub(crate) struct JournaledExamples {
    pub(super) places: Vec<ExampleLocation>,
    /// The end of the run. Examples that have not ended by then were interrupted.
    pub(super) end: Time,
    pub(super) journal: Option<JournalReader>,
}

pub(super) enum ExampleLocation {
    Journal(Vec<Range<u64>>),
    Memory(Box<ExampleData>),
}

impl ExampleSource for JournaledExamples {
    fn count(&self) -> usize {
        self.places.len()
    }

    fn read(&self, index: usize) -> io::Result<Cow<'_, ExampleData>> {
        let lines = match &self.places[index] {
            ExampleLocation::Memory(example) => return Ok(Cow::Borrowed(example)),
            ExampleLocation::Journal(lines) => lines,
        };
        let journal = self.journal.as_ref().ok_or(io::ErrorKind::NotFound)?;
        let builder = journal.replay(lines)?;
        builder.apply(SuiteStopped { time: self.end }.into());
        let run = builder.close();
        let example = run.and_then(|run| run.examples.into_values().next());
        let example = example.ok_or_else(|| journal.error(io::ErrorKind::InvalidData.into()))?;
        Ok(Cow::Owned(*example))
    }
}

/// A file that is read at any position.
pub(crate) trait ReadAt: Send + Sync {
    fn read_range(&self, range: &Range<u64>) -> io::Result<Vec<u8>>;
}

impl ReadAt for File {
    fn read_range(&self, range: &Range<u64>) -> io::Result<Vec<u8>> {
        let length = usize::try_from(range.end - range.start).map_err(io::Error::other)?;
        let mut bytes = vec![0; length];
        self.read_exact_at(&mut bytes, range.start)?;
        Ok(bytes)
    }
}

/// Reads lines of a journal.
#[derive(Clone)]
pub(crate) struct JournalReader {
    pub(crate) path: PathBuf,
    pub(crate) file: Arc<dyn ReadAt>,
    /// For events that were recorded without it.
    pub(crate) redactor: Redactor,
}

impl JournalReader {
    pub(super) fn replay(&self, lines: &[Range<u64>]) -> io::Result<RunBuilder> {
        let builder = RunBuilder::new("");
        self.each_event(lines, |event| builder.apply(event))?;
        Ok(builder)
    }

    pub(super) fn each_event(
        &self,
        lines: &[Range<u64>],
        mut each: impl FnMut(Event),
    ) -> io::Result<()> {
        for range in lines {
            let lines = self
                .file
                .read_range(range)
                .map_err(|error| self.error(error))?;
            // The problems of a journal are reported when it is opened.
            read_events(EventReader::new(lines.as_slice()), |mut event, _| {
                self.redactor.apply(&mut event);
                each(event);
            })?;
        }
        Ok(())
    }

    fn error(&self, source: io::Error) -> io::Error {
        io::Error::other(ReadRunError::Io {
            path: self.path.clone(),
            source,
        })
    }
}
