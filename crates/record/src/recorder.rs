//! The recorder: receives all events of a run, redacts secrets, and writes the journal and `run.json`.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use parking_lot::RwLock;

use crate::bus::{Bus, ListenerFailure};
use crate::compress;
use crate::event::{Event, SuiteStarted};
use crate::examples::Run;
use crate::journal::{EventReader, Journal, JournalError};
use crate::journaled_run::{JournaledRun, JournaledRunWriter};
use crate::model::GIT_BRANCH;
use crate::redact::Redactor;
use crate::run_dir::RunDir;
use crate::run_file::{WriteRunError, write_run};
use crate::store::{Store, StoreError, io_error, read_events};
use crate::time::Time;

/// Where a record is written.
#[derive(Debug, Clone)]
pub enum Destination {
    /// To a new directory among a project's runs.
    Store(Store),
    /// To this directory.
    Dir(PathBuf),
    /// Appended to this journal, after the events it already contains.
    After(PathBuf),
    /// Not written; the run data is still built.
    Nowhere,
}

/// Why the record could not be started, written or finished. The run itself continues.
#[derive(Debug, thiserror::Error)]
#[expect(
    missing_docs,
    reason = "each variant is the error of the part it names"
)]
pub enum RecordError {
    #[error(transparent)]
    Dir(#[from] StoreError),
    #[error(transparent)]
    Journal(#[from] JournalError),
    #[error(transparent)]
    RunFile(#[from] WriteRunError),
    #[error("cannot record: {0}")]
    NotStarted(String),
}

/// Run facts that are used where the events do not contain them.
#[derive(Debug, Clone, Default)]
pub struct RunIdentity {
    /// Its id.
    pub run_id: String,
    /// The commit it runs on.
    pub git_commit: Option<String>,
    /// The branch that is checked out.
    pub git_branch: Option<String>,
}

/// Records one run. Events may be published from many threads concurrently.
pub struct Recorder {
    bus: Bus,
    run: JournaledRun,
    redactor: RwLock<Redactor>,
    identity: RunIdentity,
    destination: Destination,
    /// Set by the first event.
    files: OnceLock<RecordFiles>,
}

/// The files of a record.
#[derive(Default)]
struct RecordFiles {
    dir: Option<RunDir>,
    journal: Option<Journal>,
    errors: Vec<RecordError>,
}

/// The result of a finished recording.
pub struct RecordingResult {
    /// The run; `None` without events. Its examples are read from the journal.
    pub run: Option<Box<Run>>,
    /// How many examples failed or were interrupted.
    pub failed_count: usize,
    /// The directory of the record.
    pub dir: Option<PathBuf>,
    /// The path of `run.json`, if it was written completely.
    pub run_file: Option<PathBuf>,
    /// Whether the directory was deleted during the run. It was then created again from the events; files that others
    /// saved in it are lost.
    pub was_restored: bool,
    /// Why the record is missing or incomplete, one error per cause.
    pub errors: Vec<RecordError>,
    /// Listeners that failed.
    pub listener_failures: Vec<ListenerFailure>,
    /// How many events arrived for examples that had already ended.
    pub late_event_count: u64,
    /// The number of planned examples, if the events ended before the run did.
    pub planned_if_incomplete: Option<u64>,
}

impl Destination {
    /// Checks that a record can be written here, without creating files: before a long run, not after it.
    pub fn check(&self) -> Result<(), StoreError> {
        match self {
            Destination::Store(store) => store.check(),
            Destination::Dir(path) => RunDir::check(path),
            Destination::After(journal) => RunDir::check_journal(journal),
            Destination::Nowhere => Ok(()),
        }
    }
}

impl Recorder {
    /// A recorder that publishes on this bus. Creates no file before the first event.
    pub fn new(
        bus: Bus,
        destination: Destination,
        identity: RunIdentity,
        redactor: Redactor,
    ) -> Recorder {
        Recorder {
            bus,
            run: JournaledRun::new(identity.run_id.clone()),
            redactor: RwLock::new(redactor),
            identity,
            destination,
            files: OnceLock::new(),
        }
    }

    /// Records one event and publishes it on the bus. Returns why the recording could not be started, which only the
    /// first event can cause.
    pub fn publish(&self, event: impl Into<Event>) -> &[RecordError] {
        self.publish_all(vec![event.into()])
    }

    /// Records and publishes several events with one write.
    pub fn publish_all(&self, mut events: Vec<Event>) -> &[RecordError] {
        let redactor = self.redactor.read();
        for event in &mut events {
            redactor.apply(event);
            event.freeze();
        }
        drop(redactor);
        let mut first_errors = &[][..];
        if self.files.get().is_none() && !events.is_empty() {
            let mut first = Some(events.remove(0));
            // A concurrent second caller waits here, so that the first event comes first in the record.
            let files = self.files.get_or_init(|| {
                first
                    .take()
                    .map_or_else(RecordFiles::default, |first| self.begin(first))
            });
            match first {
                None => first_errors = &files.errors,
                Some(second) => events.insert(0, second),
            }
        }
        if !events.is_empty() {
            self.bus.publish_all(events);
        }
        first_errors
    }

    /// Waits until everything published since the last call is on the disk; returns why it is not.
    pub fn sync(&self) -> Result<(), RecordError> {
        let Some(files) = self.files.get() else {
            return Ok(());
        };
        match (&files.journal, files.errors.first()) {
            (Some(journal), _) => Ok(journal.sync()?),
            (None, Some(error)) => Err(RecordError::NotStarted(error.to_string())),
            (None, None) => Ok(()),
        }
    }

    /// The bus it publishes on.
    pub fn bus(&self) -> &Bus {
        &self.bus
    }

    /// The run so far.
    pub fn run(&self) -> &JournaledRun {
        &self.run
    }

    /// The directory of the record; `None` before the first event.
    pub fn dir(&self) -> Option<&RunDir> {
        self.files.get()?.dir.as_ref()
    }

    /// The redactor in use.
    pub fn redactor(&self) -> Redactor {
        self.redactor.read().clone()
    }

    /// Replaces the redactor for all further events.
    pub fn redact(&self, redactor: Redactor) {
        *self.redactor.write() = redactor;
    }

    /// The errors of the recording so far.
    pub fn errors(&self) -> &[RecordError] {
        self.files.get().map_or(&[], |files| &files.errors)
    }

    /// Ends the run: marks examples still running as failed (interrupted) and writes `run.json`.
    pub fn finish(self) -> RecordingResult {
        let listener_failures = self.bus.close();
        let RecordFiles {
            dir,
            journal,
            mut errors,
        } = self.files.into_inner().unwrap_or_default();
        let late_event_count = self.run.late_event_count();
        let planned_if_incomplete = self.run.planned_if_incomplete();
        // If the journal cannot be restored, another run may be in the directory. `finish` below reports its errors.
        let is_ours = journal
            .as_ref()
            .is_none_or(|journal| journal.restore().is_ok());
        // The journal is synced in the background while `run.json` is written.
        let _ = journal.as_ref().map(Journal::close);
        let closed = self.run.close();
        let written = match (&closed, &dir) {
            (Some(closed), Some(dir)) if is_ours => {
                let path = dir.run_file();
                let run: &Run = &closed.run;
                write_run(&path, run).map(|()| Some(path))
            }
            _ => Ok(None),
        };
        let journaled = journal.as_ref().map_or(Ok(()), Journal::finish);
        let was_restored = journal.as_ref().is_some_and(Journal::was_restored);
        if let (true, Destination::Store(store), Some(dir)) =
            (was_restored, &self.destination, &dir)
        {
            errors.extend(store.adopt(dir).err().map(RecordError::from));
        }
        let run_file = collect_errors(journaled, written, &mut errors);
        RecordingResult {
            failed_count: closed.as_ref().map_or(0, |closed| closed.failed_count),
            run: closed.map(|closed| Box::new(closed.run) as Box<Run>),
            dir: dir.map(|dir| dir.path().to_owned()),
            run_file,
            was_restored,
            errors,
            listener_failures,
            late_event_count,
            planned_if_incomplete,
        }
    }

    /// Opens the files. A journal always starts with the run id, so that a run rebuilt from it has the same id.
    fn begin(&self, first: Event) -> RecordFiles {
        let (mut suite, first) = match first {
            Event::SuiteStarted(suite) => (suite, None),
            other => (SuiteStarted::implicit(other.time()), Some(other)),
        };
        let run_id = suite
            .run_id
            .get_or_insert_with(|| self.identity.run_id.clone());
        let mut files = RecordFiles::default();
        if let Err(error) = self.open(&mut files, run_id, suite.time) {
            files.errors.push(error);
        }
        self.bus.subscribe_inline(JournaledRunWriter {
            journal: files.journal.clone(),
            run: self.run.clone(),
        });
        suite.git_commit = suite
            .git_commit
            .or_else(|| self.identity.git_commit.clone());
        if let (None, Some(branch)) = (suite.metadata.get(GIT_BRANCH), &self.identity.git_branch) {
            suite.metadata.set(GIT_BRANCH, branch.as_str());
        }
        self.bus.publish(suite);
        // Set after the first event is written, so that the record that `latest` points to always has its run id.
        if let Err(error) = self.set_latest(&files) {
            files.errors.push(error.into());
        }
        if let Some(first) = first {
            self.bus.publish(first);
        }
        files
    }

    fn set_latest(&self, files: &RecordFiles) -> Result<(), StoreError> {
        match (&self.destination, &files.dir) {
            (Destination::Store(store), Some(dir)) => store.set_latest(dir),
            _ => Ok(()),
        }
    }

    fn open(
        &self,
        files: &mut RecordFiles,
        run_id: &str,
        started: Time,
    ) -> Result<(), RecordError> {
        let dir = match &self.destination {
            Destination::Store(store) => store.create(run_id, started)?,
            Destination::Dir(path) => RunDir::create_at(path)?,
            Destination::After(journal) => {
                self.replay(journal)?;
                RunDir::of(journal)
            }
            Destination::Nowhere => return Ok(()),
        };
        let journal = match &self.destination {
            Destination::After(journal) => Journal::resume(journal)?,
            _ => Journal::create(&dir.journal_file())?,
        };
        // New events are redacted before they are written. Earlier ones may contain what is secret only now.
        let redactor = match &self.destination {
            Destination::After(_) => self.redactor(),
            _ => Redactor::default(),
        };
        self.run.read_from(journal.reader(redactor));
        files.journal = Some(journal);
        files.dir = Some(dir);
        Ok(())
    }

    /// Applies the events that a journal already contains.
    fn replay(&self, journal: &Path) -> Result<(), StoreError> {
        let reader = EventReader::open(journal).map_err(io_error("read", journal))?;
        let redactor = self.redactor();
        let has_positions = !compress::is_compressed(journal);
        let apply = |event, line| {
            let line = Some(line).filter(|_| has_positions);
            self.run.apply_recorded(event, line, &redactor);
        };
        let replayed = read_events(reader, apply);
        replayed.map(drop).map_err(io_error("read", journal))
    }
}

/// Adds the errors of the two files, as one if they have the same cause, such as a full disk.
fn collect_errors(
    journaled: Result<(), JournalError>,
    written: Result<Option<PathBuf>, WriteRunError>,
    errors: &mut Vec<RecordError>,
) -> Option<PathBuf> {
    let cause = journaled.as_ref().err().map(JournalError::kind);
    errors.extend(journaled.err().map(RecordError::from));
    written.unwrap_or_else(|error| {
        if cause != Some(error.kind()) {
            errors.push(error.into());
        }
        None
    })
}
