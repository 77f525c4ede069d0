//! Why a command could not do its work, with what the user can do about it.

use std::io;
use std::path::PathBuf;

use casebook_record::import::JunitError;
use casebook_record::{InvalidPattern, RecordError, StoreError, WriteRunError};
use casebook_run::{RunError, WorkerError};

/// An error that ends a command with exit code 2.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CommandError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    WriteRun(#[from] WriteRunError),
    #[error(transparent)]
    Pattern(#[from] InvalidPattern),
    #[error("cannot read {}: {source}", path.display())]
    Input { path: PathBuf, source: io::Error },
    #[error("{}: {source}", path.display())]
    Junit { path: PathBuf, source: JunitError },
    #[error(
        "--ack says that an event is on the disk, and --record none writes nothing: leave one of them out"
    )]
    NothingToAcknowledge,
    #[error("--ack answers event lines, so it goes with --from jsonl alone")]
    NoLinesToAcknowledge,
    #[error(
        "what is to be recorded? `casebook record -- COMMAND…` runs a command, `--from jsonl|tap|junit [FILE]` reads results"
    )]
    NothingToRecord,
    #[error(
        "{name} is neither behind `--` nor said to be results: `casebook record -- {name} …` runs it, `casebook record --from jsonl|tap|junit {name}` reads it"
    )]
    CommandOrInput { name: String },
    #[error("--llm-cache-only takes recorded answers: say where they are with --llm-cache DIR")]
    NoLlmCache,
    #[error("cannot start `{program}`: {reason}")]
    Start { program: String, reason: String },
    #[error(transparent)]
    Channel(#[from] casebook_run::channel::ChannelError),
    #[error(transparent)]
    Rspec(#[from] casebook_run::rspec::RspecError),
    #[error("RSpec ended before it ran anything: {0}; what it said stands above")]
    RspecEndedEarly(String),
    #[error(
        "RSpec found no examples: there are none in these files, or its options leave out all of them"
    )]
    NoExamples,
    #[error("{} is no record: `casebook record --from {format} {}` makes one of it", path.display(), path.display())]
    NotYetRecorded { path: PathBuf, format: &'static str },
    #[error("{} holds another run, or more of this one than the journal: move it away to have it rebuilt", .0.display())]
    WouldOverwriteRun(PathBuf),
    #[error("there is no problem called `{name}`{}", near.as_ref().map_or_else(|| ": casebook explain lists all".into(), |near| format!(": did you mean `{near}`?")))]
    UnknownCode { name: String, near: Option<String> },
    #[error("{}: {reason}", path.display())]
    Project { path: PathBuf, reason: String },
    #[error("--filter: {0}")]
    Filter(String),
    #[error("no test is left to run with {chosen}; {}", near.as_ref().map_or_else(|| "--list shows what there is without".into(), |near| format!("did you mean the tag `{near}`?")))]
    NoTests {
        chosen: String,
        near: Option<String>,
    },
    #[error("{place}: there is no test at this line; the nearest begins at line {near}")]
    NoTestAt { place: String, near: usize },
    #[error(
        "two formats want standard output: give one of them a file, as in --format junit=results.xml"
    )]
    TwoOnStdout,
    #[error(
        "--ui interactive needs a terminal, for what it shows and for keys: leave it out, or take --ui interleaved"
    )]
    NoTerminal,
    #[error("--ui interactive ends with the run, and --watch does not: leave one of them out")]
    WatchOnScreen,
    #[error(
        "--ui shows results on standard output, and so does --format: give the format a file, as in --format tap=results.tap"
    )]
    UiAndFormat,
    #[error("cannot use the terminal: {0}")]
    Screen(io::Error),
    #[error(
        "nothing was designed here: `casebook design analyze FILE` finds what varies in a method"
    )]
    NothingDesigned,
    #[error("{0} cannot be read, so nobody knows whether --min is met")]
    UnreadableMetadata(String),
    #[error(transparent)]
    Designs(#[from] casebook_coverage::FindError),
    #[error("{0}")]
    NoSuite(String),
    #[error("{} is there already, and stays as it is", .0.display())]
    AlreadyExists(PathBuf),
    #[error("cannot watch this folder: {0}")]
    Watch(#[from] notify::Error),
    #[error(transparent)]
    Record(RecordError),
    #[error(transparent)]
    Run(#[from] RunError),
    #[error(transparent)]
    Worker(#[from] WorkerError),
    #[error("cannot write {}: {source}", path.display())]
    Write { path: PathBuf, source: io::Error },
    #[error(
        "{place}: `{test}` talks to an agent, and Bats runs commands only: `casebook run` runs it"
    )]
    NotForBats { place: String, test: String },
    #[error("{} is the suite itself: name another file", .0.display())]
    WouldReplaceSuite(PathBuf),
    #[error("cannot write to standard output: {0}")]
    Output(#[from] io::Error),
}

impl CommandError {
    /// Whoever read our output has stopped reading: nothing is wrong.
    pub(crate) fn is_broken_pipe(&self) -> bool {
        matches!(self, CommandError::Output(error) if error.kind() == io::ErrorKind::BrokenPipe)
    }
}
