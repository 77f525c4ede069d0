//! Reads a recorded run from its `run.json` or its journal.

use std::io::{self, BufRead};
use std::ops::Range;
use std::path::Path;

use super::{StoreError, io_error};
use crate::builder::RunBuilder;
use crate::compress;
use crate::event::Event;
use crate::input_problems::InputProblems;
use crate::io_reason::io_reason;
use crate::journal::EventReader;
use crate::lines::Problem;
use crate::model::RunData;
use crate::redact::Redactor;
use crate::run_file::read_run;

/// A run and the problems found while reading it.
#[derive(Debug)]
pub struct LoadedRun {
    /// The run.
    pub run: RunData,
    /// The problems of its journal; empty for a `run.json`.
    pub problems: InputProblems,
}

/// Reads a run from a `run.json` or a journal, compressed or not, and redacts secrets.
pub fn load(path: &Path, redactor: &Redactor) -> Result<LoadedRun, StoreError> {
    if is_journal(path) {
        return replay(path, redactor);
    }
    let mut run = read_run(path)?;
    redactor.apply(&mut run);
    Ok(LoadedRun {
        run,
        problems: InputProblems::default(),
    })
}

pub(crate) fn is_journal(path: &Path) -> bool {
    let name = path
        .file_name()
        .and_then(|name| name.to_str())
        .unwrap_or_default();
    compress::EXTENSIONS
        .iter()
        .any(|extension| name.ends_with(&format!(".jsonl{extension}")))
}

/// Rebuilds a run from its journal. An incomplete last line is tolerated; other damage is recorded as a problem and
/// skipped.
pub fn replay(path: &Path, redactor: &Redactor) -> Result<LoadedRun, StoreError> {
    let builder = RunBuilder::new(fallback_id(path));
    let reader = EventReader::open(path).map_err(io_error("read", path))?;
    let apply = |mut event, _| {
        redactor.apply(&mut event);
        builder.apply(event);
    };
    let mut problems = read_events(reader, apply).map_err(io_error("read", path))?;
    problems.ignored = builder.late_event_count();
    match builder.close() {
        Some(run) => Ok(LoadedRun { run, problems }),
        None => Err(no_events(path, problems)),
    }
}

/// The id of a run whose journal contains none: the name of its directory.
pub(crate) fn fallback_id(journal: &Path) -> String {
    let dir = journal.parent().and_then(Path::file_name);
    dir.map_or_else(
        || "unnamed".into(),
        |name| name.to_string_lossy().into_owned(),
    )
}

pub(crate) fn no_events(journal: &Path, problems: InputProblems) -> StoreError {
    StoreError::NoEvents {
        path: journal.into(),
        problems,
    }
}

/// Reads all events of a journal; `each` is called with each event and the bytes of its line.
pub(crate) fn read_events<R: BufRead>(
    mut reader: EventReader<R>,
    mut each: impl FnMut(Event, Range<u64>),
) -> io::Result<InputProblems> {
    let mut problems = InputProblems::default();
    let mut last_line = 0;
    loop {
        let start = reader.offset();
        match reader.next() {
            Ok(Some(line)) => {
                last_line = line.number;
                if let Some(event) = problems.take_event(line) {
                    each(event, start..reader.offset());
                }
            }
            Ok(None) => break,
            // A compressed journal ends abruptly if its writer was killed.
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                problems.torn_line = Some(last_line + 1);
                break;
            }
            Err(error) if last_line == 0 => return Err(error),
            Err(error) => {
                problems.add(Problem {
                    line: last_line + 1,
                    message: format!("cannot read further: {}", io_reason(&error)),
                });
                break;
            }
        }
    }
    Ok(problems)
}
