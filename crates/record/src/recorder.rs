//! The owner of a stream of events: it names the run, hides secrets, and leaves a journal and a `run.json` behind.

use std::path::PathBuf;
use std::sync::OnceLock;

use parking_lot::RwLock;

use crate::builder::RunBuilder;
use crate::bus::{Bus, ListenerFailure};
use crate::event::{Event, SuiteStarted};
use crate::journal::{Journal, JournalError};
use crate::model::RunData;
use crate::redact::Redactor;
use crate::run_file::{WriteRunError, write_run};
use crate::store::{RunFolder, Store, StoreError, replay_into};
use crate::time::Time;

/// Where a record goes.
#[derive(Debug, Clone)]
pub enum Destination {
    /// Into a folder of its own among a project's runs.
    Store(Store),
    /// Straight into this folder.
    Folder(PathBuf),
    /// After what the run with this journal has recorded so far.
    After(PathBuf),
    /// Nowhere: the run data is built all the same.
    Nowhere,
}

/// The record could not be begun, kept or finished. The run itself is not harmed by that.
#[derive(Debug, thiserror::Error)]
#[expect(
    missing_docs,
    reason = "each variant is the error of the part it names"
)]
pub enum RecordError {
    #[error(transparent)]
    Folder(#[from] StoreError),
    #[error(transparent)]
    Journal(#[from] JournalError),
    #[error(transparent)]
    RunFile(#[from] WriteRunError),
    #[error("nothing is being recorded: {0}")]
    NotBegun(String),
}

/// What is known of a run whose events do not tell.
#[derive(Debug, Clone, Default)]
pub struct RunIdentity {
    /// Its id.
    pub run_id: String,
    /// The commit it runs on.
    pub git_commit: Option<String>,
}

/// Records one run, whose events may come from many threads at once.
pub struct Recorder {
    bus: Bus,
    builder: RunBuilder,
    redactor: RwLock<Redactor>,
    identity: RunIdentity,
    destination: Destination,
    /// Made by the first event.
    begun: OnceLock<RecordFiles>,
}

/// The files of a record.
#[derive(Default)]
struct RecordFiles {
    folder: Option<RunFolder>,
    journal: Option<Journal>,
    errors: Vec<RecordError>,
}

/// What a recorder leaves behind.
#[derive(Debug)]
pub struct RecordingResult {
    /// The run, if there was any event.
    pub run: Option<RunData>,
    /// The folder with the record's files.
    pub folder: Option<PathBuf>,
    /// Why the record is missing or incomplete.
    pub errors: Vec<RecordError>,
    /// Listeners that made trouble.
    pub troubles: Vec<ListenerFailure>,
    /// How many events came for examples that had ended already.
    pub ignored: u64,
    /// How many examples were planned, when the events ended before the run did.
    pub cut_short: Option<u64>,
}

impl Recorder {
    /// A recorder that publishes on this bus. Nothing is written before the first event.
    pub fn new(
        bus: Bus,
        destination: Destination,
        identity: RunIdentity,
        redactor: Redactor,
    ) -> Recorder {
        Recorder {
            bus,
            builder: RunBuilder::new(identity.run_id.clone()),
            redactor: RwLock::new(redactor),
            identity,
            destination,
            begun: OnceLock::new(),
        }
    }

    /// Records one event and tells everyone on the bus; what has gone wrong with the record by that, which only the
    /// first event can bring about.
    pub fn publish(&self, event: impl Into<Event>) -> &[RecordError] {
        self.publish_all(vec![event.into()])
    }

    /// The same for several events, which are put down together.
    pub fn publish_all(&self, mut events: Vec<Event>) -> &[RecordError] {
        let redactor = self.redactor.read();
        for event in &mut events {
            redactor.apply(event);
            event.freeze();
        }
        drop(redactor);
        let mut first_errors = &[][..];
        if self.begun.get().is_none() && !events.is_empty() {
            let mut first = Some(events.remove(0));
            // Whoever comes second waits here, so that the first event is the first of the record.
            let begun = self.begun.get_or_init(|| {
                first
                    .take()
                    .map_or_else(RecordFiles::default, |first| self.begin(first))
            });
            match first {
                None => first_errors = &begun.errors,
                Some(second) => events.insert(0, second),
            }
        }
        if !events.is_empty() {
            self.bus.publish_all(events);
        }
        first_errors
    }

    /// Returns when everything published since the last call is on the disk, or why it is not.
    pub fn sync(&self) -> Result<(), RecordError> {
        let Some(begun) = self.begun.get() else {
            return Ok(());
        };
        match (&begun.journal, begun.errors.first()) {
            (Some(journal), _) => Ok(journal.sync()?),
            (None, Some(error)) => Err(RecordError::NotBegun(error.to_string())),
            (None, None) => Ok(()),
        }
    }

    /// The bus it publishes on.
    pub fn bus(&self) -> &Bus {
        &self.bus
    }

    /// What has come of the run so far.
    pub fn run(&self) -> &RunBuilder {
        &self.builder
    }

    /// Where the record is, once it has begun.
    pub fn folder(&self) -> Option<&RunFolder> {
        self.begun.get()?.folder.as_ref()
    }

    /// What hides the secrets that are known so far.
    pub fn redactor(&self) -> Redactor {
        self.redactor.read().clone()
    }

    /// Hides other secrets from now on.
    pub fn redact(&self, redactor: Redactor) {
        *self.redactor.write() = redactor;
    }

    /// What has gone wrong with the record so far.
    pub fn errors(&self) -> &[RecordError] {
        self.begun.get().map_or(&[], |begun| &begun.errors)
    }

    /// Ends the run: examples still running are failed as interrupted, and `run.json` is written.
    pub fn finish(self) -> RecordingResult {
        let troubles = self.bus.close();
        let RecordFiles {
            folder,
            journal,
            mut errors,
        } = self.begun.into_inner().unwrap_or_default();
        let ignored = self.builder.late_event_count();
        let cut_short = self.builder.planned_if_incomplete();
        // Side by side with what follows; what goes wrong is told in the end.
        let _ = journal.as_ref().map(Journal::close);
        let run = self.builder.close();
        let written = match (&run, &folder) {
            (Some(run), Some(folder)) => write_run(&folder.run_file(), run),
            _ => Ok(()),
        };
        let journaled = journal.as_ref().map_or(Ok(()), Journal::finish);
        errors.extend(journaled.err().map(RecordError::from));
        errors.extend(written.err().map(RecordError::from));
        RecordingResult {
            run,
            folder: folder.map(|folder| folder.path().to_owned()),
            errors,
            troubles,
            ignored,
            cut_short,
        }
    }

    /// Opens the files. A journal always begins with the name of its run, so that a rebuilt run has it too.
    fn begin(&self, first: Event) -> RecordFiles {
        let (mut suite, first) = match first {
            Event::SuiteStarted(suite) => (suite, None),
            other => (SuiteStarted::implicit(other.time()), Some(other)),
        };
        let run_id = suite
            .run_id
            .get_or_insert_with(|| self.identity.run_id.clone());
        let mut begun = RecordFiles::default();
        if let Err(error) = self.open(&mut begun, run_id, suite.time) {
            begun.errors.push(error);
        }
        // After the journal, so that an event is written before it is part of the run.
        self.bus.subscribe_inline(self.builder.clone());
        suite.git_commit = suite
            .git_commit
            .or_else(|| self.identity.git_commit.clone());
        self.bus.publish(suite);
        // Whoever finds the record from here on finds what run it is of.
        if let Err(error) = self.set_latest(&begun) {
            begun.errors.push(error.into());
        }
        if let Some(first) = first {
            self.bus.publish(first);
        }
        begun
    }

    fn set_latest(&self, begun: &RecordFiles) -> Result<(), StoreError> {
        match (&self.destination, &begun.folder) {
            (Destination::Store(store), Some(folder)) => store.set_latest(folder),
            _ => Ok(()),
        }
    }

    fn open(
        &self,
        begun: &mut RecordFiles,
        run_id: &str,
        started: Time,
    ) -> Result<(), RecordError> {
        let folder = match &self.destination {
            Destination::Store(store) => store.create(run_id, started)?,
            Destination::Folder(path) => RunFolder::create_at(path)?,
            Destination::After(journal) => {
                replay_into(&self.builder, journal, &self.redactor())?;
                RunFolder::of(journal)
            }
            Destination::Nowhere => return Ok(()),
        };
        let journal = match &self.destination {
            Destination::After(journal) => Journal::resume(journal)?,
            _ => Journal::create(&folder.journal_file())?,
        };
        self.bus.subscribe_inline(journal.clone());
        begun.journal = Some(journal);
        begun.folder = Some(folder);
        Ok(())
    }
}
