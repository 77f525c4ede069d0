//! [`CommandError`]: why a command failed, and what the user can do about it.

use std::io;
use std::path::PathBuf;

use casebook_record::import::JunitError;
use casebook_record::{InvalidPattern, ReadRunError, StoreError, WriteRunError, io_reason};
use casebook_run::{RunError, WorkerError};

use crate::commands::shared::plural::plural;

/// An error that ends a command with exit code 2.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CommandError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    WriteRun(#[from] WriteRunError),
    #[error(transparent)]
    Pattern(#[from] InvalidPattern),
    #[error("cannot read {}: {}", path.display(), io_reason(source))]
    Input { path: PathBuf, source: io::Error },
    #[error("{}: {source}", path.display())]
    Junit { path: PathBuf, source: JunitError },
    #[error(
        "--ack confirms that an event is on disk, but --record none writes nothing; remove one of them"
    )]
    NothingToAcknowledge,
    #[error("--ack requires --from jsonl")]
    NoLinesToAcknowledge,
    #[error(
        "nothing to record: pass a command after `--`, or results with `--from jsonl|tap|junit [FILE]`"
    )]
    NothingToRecord,
    #[error(
        "{name} is ambiguous: put a command after `--`, or pass results with `--from jsonl|tap|junit {name}`"
    )]
    CommandOrInput { name: String },
    #[error("--llm-cache-only requires --llm-cache DIR")]
    NoLlmCache,
    #[error("the command after `--` is not run: add --observe or --prove")]
    NothingToObserve,
    #[error(transparent)]
    Observation(#[from] casebook_coverage::ObservationError),
    #[error(transparent)]
    Storage(#[from] casebook_storage::StorageError),
    #[error("--upload requires a record, but --record none writes nothing; remove one of them")]
    NothingToUpload,
    #[error("{} has no run.json; `casebook recover {}` writes it", .0.display(), .0.display())]
    NotUploadable(PathBuf),
    #[error("cannot export the run: {0}")]
    CannotExport(String),
    #[error("cannot measure coverage: {0}")]
    CannotObserve(String),
    #[error("cannot start `{program}`: {reason}")]
    Start { program: String, reason: String },
    #[error(transparent)]
    Channel(#[from] casebook_run::event_socket::ChannelError),
    #[error(transparent)]
    Cluster(#[from] casebook_cluster::ClusterError),
    #[error(
        "no cluster is configured: pass its URL, as in nats://127.0.0.1:4222, or set CASEBOOK_CLUSTER_URL, or write `url` below `[cluster]` in casebook.toml"
    )]
    NoClusterUrl,
    #[error(
        "`{0}` is not the URL of a NATS server, but a path; to run it on the configured server, write it before --cluster: `{0} --cluster`"
    )]
    PathAsUrl(String),
    #[error("--update writes snapshots, and workers of a cluster write none; remove --cluster")]
    UpdateOnCluster,
    #[error(
        "a budget cannot be used on a cluster, because workers do not know what the others spend; remove `budget`, or run without --cluster"
    )]
    BudgetOnCluster,
    #[error(
        "--host needs a token of at least 128 bits in CASEBOOK_STUDIO_TOKEN, as in `openssl rand -hex 16`"
    )]
    NoStudioToken,
    #[error("CASEBOOK_STUDIO_TOKEN: {0}")]
    StudioToken(#[from] casebook_studio::InvalidToken),
    #[error(transparent)]
    Studio(#[from] casebook_studio::StudioError),
    #[error(
        "cannot listen on {address}: {}; choose another with {option}",
        io_reason(source)
    )]
    Listen {
        address: String,
        option: &'static str,
        source: io::Error,
    },
    #[error(transparent)]
    Rspec(#[from] casebook_run::rspec::RspecError),
    #[error("RSpec exited before running any examples: {0}; see its output above")]
    RspecEndedEarly(String),
    #[error(
        "RSpec found no examples: these files contain none, or its options exclude all of them"
    )]
    NoExamples,
    #[error("{} is not a record; import it with `casebook record --from {format} {}`", path.display(), path.display())]
    NotYetRecorded { path: PathBuf, format: &'static str },
    #[error("{error}; `casebook recover {}` rebuilds it from events.jsonl", dir.display())]
    DamagedRun { error: ReadRunError, dir: PathBuf },
    #[error("{} contains another run, or more tests than its journal, and was not overwritten; rename or delete it, then run `casebook recover` again", .0.display())]
    WouldOverwriteRun(PathBuf),
    #[error("unknown problem code `{name}`{}", near.as_ref().map_or_else(|| "; `casebook explain` lists all codes".into(), |near| format!(": did you mean `{near}`?")))]
    UnknownCode { name: String, near: Option<String> },
    #[error("{} has {problems} {}; nothing was run", path.display(), plural(*problems, "problem"))]
    Project { path: PathBuf, problems: u64 },
    #[error("--filter: {0}")]
    Filter(String),
    #[error("no tests match {chosen}; {}", near.as_ref().map_or_else(|| "run `casebook run --list` to see all tests".into(), |near| format!("did you mean the tag `{near}`?")))]
    NoTests {
        chosen: String,
        near: Option<String>,
    },
    #[error(
        "{} was recorded by `casebook {by}`, and only `casebook {by} --resume` continues it; name another run: `casebook history` lists them",
        dir.display()
    )]
    OtherCommand { dir: PathBuf, by: &'static str },
    #[error("none of the tests that failed in {} is selected; they were renamed or removed, or other options exclude them", dir.display())]
    NoFailedTests { dir: PathBuf },
    #[error("shard {shard} is empty: only {tests} {} selected{}; use at most {shards} {}", if *tests == 1 { "test is" } else { "tests are" }, if shards < tests { ", and those of a suite that is not parallel stay together" } else { "" }, plural(*shards as u64, "shard"))]
    EmptyShard {
        shard: String,
        tests: usize,
        shards: usize,
    },
    #[error(
        "{} contains no conversations to judge; run a suite with `conversation` or `simulate` first", .0.display()
    )]
    NoConversations(PathBuf),
    #[error(
        "{place}: the recorded test `{test}` is not in {suites}; if it was renamed or removed, run it again; if it is in another suite, add it with --suite FILE"
    )]
    TestNotInSuite {
        place: String,
        test: String,
        suites: String,
    },
    #[error("unknown criterion `{name}`{}", near.as_ref().map_or_else(|| "; the criteria are listed below `criteria` in the suite".into(), |near| format!(": did you mean `{near}`?")))]
    UnknownCriterion { name: String, near: Option<String> },
    #[error("nothing to judge: no check of the recorded conversations requires {}", criterion.as_ref().map_or_else(|| "a judge; add one, such as `satisfies`, to the suite".into(), |name| format!("`{name}`; add `satisfies: {name}` to the suite")))]
    NothingToJudge { criterion: Option<String> },
    #[error("{} has {count} invalid {}; nothing was compared", path.display(), plural(*count, "label"))]
    InvalidLabels { path: PathBuf, count: u64 },
    #[error("{} has no labels{of}; nothing was compared", path.display())]
    NoLabels { path: PathBuf, of: String },
    #[error("--min-kappa cannot be checked: {why}")]
    NoKappa { why: &'static str },
    #[error("{place}: no test at this line; the closest starts at line {near}")]
    NoTestAt { place: String, near: usize },
    #[error(
        "two formats write to standard output; give one of them a file, as in --format junit=results.xml"
    )]
    TwoOnStdout,
    #[error(
        "--json requires --list; `--format json` prints the results of a run, `--format json=FILE` writes them to a file"
    )]
    JsonWithoutList,
    #[error("--list can be combined with --format pretty and --format json, without a file")]
    ListFormat,
    #[error("--ui interactive requires a terminal; remove it or use --ui interleaved")]
    NoTerminal,
    #[error("--ui interactive cannot be combined with --watch")]
    WatchOnScreen,
    #[error(
        "--ui and --format both write to standard output; give the format a file, as in --format tap=results.tap"
    )]
    UiAndFormat,
    #[error("cannot use the terminal: {}", io_reason(.0))]
    Screen(io::Error),
    #[error(
        "no test design found; run `casebook design analyze FILE`, or `casebook coverage --observe -- rspec` for specs without one"
    )]
    NothingDesigned,
    #[error(
        "no readable test design found; fix the files above or run `casebook design analyze FILE` again"
    )]
    NoReadableDesign,
    #[error("cannot read {0}, so --min cannot be checked")]
    UnreadableMetadata(String),
    #[error(transparent)]
    Designs(#[from] casebook_coverage::FindError),
    #[error("{0}")]
    NoSuite(String),
    #[error("{} already exists; not overwritten", .0.display())]
    AlreadyExists(PathBuf),
    #[error("cannot watch this directory: {0}")]
    Watch(#[from] notify::Error),
    #[error(transparent)]
    Run(#[from] RunError),
    #[error(transparent)]
    Worker(#[from] WorkerError),
    #[error("cannot write {}: {}", path.display(), io_reason(source))]
    Write { path: PathBuf, source: io::Error },
    #[error("{place}: `{test}` {reason}; use `casebook run`")]
    NotForBats {
        place: String,
        test: String,
        reason: &'static str,
    },
    #[error("{0} does not work with the Bats engine; use --engine native")]
    NotWithBats(&'static str),
    #[error(
        "{place}: `{test}` has `trials`, which repeat it already, so {option} cannot repeat it; select other tests, or set `trials: 1`"
    )]
    RepeatedTrials {
        place: String,
        test: String,
        option: &'static str,
    },
    #[error(
        "{place}: `{test}` needs {needs} passed trials; give --trials {needs} or more, or write `passRate` instead of `atLeast`"
    )]
    TooFewTrials {
        place: String,
        test: String,
        needs: u32,
    },
    #[error("{} is the suite itself; name another file", .0.display())]
    WouldReplaceSuite(PathBuf),
    #[error("cannot use the directory {}: {}", path.display(), io_reason(source))]
    Root { path: PathBuf, source: io::Error },
    #[error("cannot read a message of the editor: {0}")]
    BrokenFrame(io::Error),
    #[error("cannot write to standard output: {}", io_reason(.0))]
    Output(io::Error),
}

impl From<io::Error> for CommandError {
    fn from(error: io::Error) -> CommandError {
        CommandError::of_report(error, CommandError::Output)
    }
}

impl CommandError {
    /// The error of a report. A report reads the record while it writes, so either can have failed.
    pub(crate) fn of_report(
        error: io::Error,
        of_writing: impl FnOnce(io::Error) -> CommandError,
    ) -> CommandError {
        match error.downcast::<ReadRunError>() {
            Ok(error) => StoreError::from(error).into(),
            Err(error) => of_writing(error),
        }
    }

    /// Whether standard output was closed early, as `| head` does: not an error.
    pub(crate) fn is_broken_pipe(&self) -> bool {
        matches!(self, CommandError::Output(error) if error.kind() == io::ErrorKind::BrokenPipe)
    }
}
