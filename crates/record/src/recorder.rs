//! The owner of a stream of events: it names the run, hides secrets, and leaves a journal and a `run.json` behind.

use std::path::PathBuf;

use crate::builder::RunBuilder;
use crate::bus::{Bus, Trouble};
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
pub struct Identity {
    /// Its id.
    pub run_id: String,
    /// The commit it runs on.
    pub git_commit: Option<String>,
}

/// Records one run.
pub struct Recorder {
    bus: Bus,
    builder: RunBuilder,
    redactor: Redactor,
    identity: Identity,
    destination: Option<Destination>,
    folder: Option<RunFolder>,
    journal: Option<Journal>,
    errors: Vec<RecordError>,
}

/// What a recorder leaves behind.
#[derive(Debug)]
pub struct Recorded {
    /// The run, if there was any event.
    pub run: Option<RunData>,
    /// The folder with the record's files.
    pub folder: Option<PathBuf>,
    /// Why the record is missing or incomplete.
    pub errors: Vec<RecordError>,
    /// Listeners that made trouble.
    pub troubles: Vec<Trouble>,
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
        identity: Identity,
        redactor: Redactor,
    ) -> Recorder {
        let builder = RunBuilder::new(identity.run_id.clone());
        bus.subscribe_inline(builder.clone());
        Recorder {
            bus,
            builder,
            redactor,
            identity,
            destination: Some(destination),
            folder: None,
            journal: None,
            errors: Vec::new(),
        }
    }

    /// Records one event and tells everyone on the bus.
    pub fn publish(&mut self, event: impl Into<Event>) {
        let mut event = event.into();
        self.redactor.apply(&mut event);
        if let Some(destination) = self.destination.take() {
            event = self.begin(&destination, event);
        }
        self.bus.publish(event);
    }

    /// Returns when everything published since the last call is on the disk, or why it is not.
    pub fn sync(&self) -> Result<(), RecordError> {
        match (&self.journal, self.errors.first()) {
            (Some(journal), _) => Ok(journal.sync()?),
            (None, Some(error)) => Err(RecordError::NotBegun(error.to_string())),
            (None, None) => Ok(()),
        }
    }

    /// The bus it publishes on.
    pub fn bus(&self) -> &Bus {
        &self.bus
    }

    /// Where the record is, once it has begun.
    pub fn folder(&self) -> Option<&RunFolder> {
        self.folder.as_ref()
    }

    /// Hides other secrets from now on.
    pub fn redact(&mut self, redactor: Redactor) {
        self.redactor = redactor;
    }

    /// What has gone wrong with the record so far.
    pub fn errors(&self) -> &[RecordError] {
        &self.errors
    }

    /// Ends the run: examples still running are failed as interrupted, and `run.json` is written.
    pub fn finish(mut self) -> Recorded {
        let troubles = self.bus.close();
        if let Some(journal) = &self.journal
            && let Err(error) = journal.finish()
        {
            self.errors.push(error.into());
        }
        let ignored = self.builder.ignored();
        let cut_short = self.builder.cut_short();
        let run = self.builder.close();
        if let (Some(run), Some(folder)) = (&run, &self.folder)
            && let Err(error) = write_run(&folder.run_file(), run)
        {
            self.errors.push(error.into());
        }
        let folder = self.folder.map(|folder| folder.path().to_owned());
        Recorded {
            run,
            folder,
            errors: self.errors,
            troubles,
            ignored,
            cut_short,
        }
    }

    /// Opens the files. A journal always begins with the name of its run, so that a rebuilt run has it too.
    fn begin(&mut self, destination: &Destination, first: Event) -> Event {
        let (mut suite, first) = match first {
            Event::SuiteStarted(suite) => (suite, None),
            other => (SuiteStarted::implicit(other.time()), Some(other)),
        };
        let run_id = suite
            .run_id
            .get_or_insert_with(|| self.identity.run_id.clone());
        if let Err(error) = self.open(destination, run_id, suite.time) {
            self.errors.push(error);
        }
        suite.git_commit = suite.git_commit.or_else(|| self.identity.git_commit.take());
        match first {
            None => suite.into(),
            Some(first) => {
                self.bus.publish(suite);
                first
            }
        }
    }

    fn open(
        &mut self,
        destination: &Destination,
        run_id: &str,
        started: Time,
    ) -> Result<(), RecordError> {
        let folder = match destination {
            Destination::Store(store) => store.create(run_id, started)?,
            Destination::Folder(path) => RunFolder::create_at(path)?,
            Destination::After(journal) => {
                replay_into(&self.builder, journal, &self.redactor)?;
                RunFolder::of(journal)
            }
            Destination::Nowhere => return Ok(()),
        };
        let journal = match destination {
            Destination::After(journal) => Journal::resume(journal)?,
            _ => Journal::create(&folder.journal_file())?,
        };
        self.bus.subscribe_inline(journal.clone());
        self.journal = Some(journal);
        // Last, because a record that nobody finds at once is still a record.
        let named = match destination {
            Destination::Store(store) => store.point_latest(&folder),
            _ => Ok(()),
        };
        self.folder = Some(folder);
        Ok(named?)
    }
}
