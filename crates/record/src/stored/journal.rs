//! The run of a journal. The events of an example may be anywhere in it, between those of other examples.

use std::path::Path;
use std::sync::Arc;

use super::Content;
use crate::input_problems::InputProblems;
use crate::journal::EventReader;
use crate::journaled_run::{JournalReader, JournaledExamples, JournaledRun};
use crate::model::RunData;
use crate::redact::Redactor;
use crate::store::{StoreError, fallback_id, io_error, no_events, read_events};

pub(super) fn open(
    path: &Path,
    redactor: &Redactor,
) -> Result<(RunData<JournaledExamples>, InputProblems), StoreError> {
    let mut content = Content::open(path).map_err(io_error("read", path))?;
    let run = JournaledRun::new(fallback_id(path));
    let reader = EventReader::new(content.buffered());
    let replayed = read_events(reader, |event, line| {
        run.apply_recorded(event, Some(line), redactor);
    });
    let mut problems = replayed.map_err(io_error("read", path))?;
    problems.ignored = run.late_event_count();
    run.read_from(JournalReader {
        path: path.into(),
        file: Arc::new(content.file),
        redactor: redactor.clone(),
    });
    match run.close() {
        Some(closed) => Ok((closed.run, problems)),
        None => Err(no_events(path, problems)),
    }
}
