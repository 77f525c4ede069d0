//! What controller and workers send each other, as JSON.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Component, Path};
use std::time::Duration;

use casebook_record::{Event, hex_of_sha256};
use casebook_run::{Options, PlannedSuite, TestEntry};
use casebook_suite::Suite;
use serde::{Deserialize, Serialize};

/// Controller and workers must have the same version.
pub(crate) const VERSION: u32 = 1;

/// Tests of one file that a worker runs together.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Chunk {
    pub(crate) version: u32,
    pub(crate) run: String,
    /// Identifies the controller process: a stopped run may be continued by another one.
    pub(crate) controller: String,
    pub(crate) id: String,
    /// The file of the suite or of the examples, relative to the project.
    pub(crate) suite: String,
    /// The [`digest`] of the suite, or of the file of the examples.
    pub(crate) digest: String,
    /// The commit of the controller's checkout.
    pub(crate) commit: Option<String>,
    /// The SHA-256 of the bundle with the files; without one, they are in the worker's checkout.
    pub(crate) bundle: Option<String>,
    /// Whether the results count only together, because the suite has file hooks or an order.
    pub(crate) whole: bool,
    /// Names of further environment variables whose values are redacted.
    pub(crate) redact: Vec<String>,
    /// Whether the complete output of failed tests is saved.
    pub(crate) keeps_output: bool,
    /// How long the worker may be silent before the chunk is given to another one.
    pub(crate) lease: Duration,
    /// How often a test is run again whose worker died.
    pub(crate) lost_retries: u32,
    /// How many workers died during a test before this chunk was made, by example id.
    pub(crate) lost: BTreeMap<String, u32>,
    pub(crate) task: Task,
}

/// What a worker runs.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Task {
    /// Tests of a suite.
    Tests {
        options: Options,
        tests: Vec<TestEntry>,
    },
    /// Examples of a spec file.
    Examples {
        command: RspecCommand,
        /// Their ids.
        examples: Vec<String>,
    },
}

impl Task {
    /// The ids of the tests.
    pub(crate) fn ids(&self) -> Vec<&str> {
        match self {
            Task::Tests { tests, .. } => tests.iter().map(|test| test.id.as_str()).collect(),
            Task::Examples { examples, .. } => examples.iter().map(String::as_str).collect(),
        }
    }

    /// Removes the tests whose ids are not kept.
    pub(crate) fn retain(&mut self, keeps: impl Fn(&str) -> bool) {
        match self {
            Task::Tests { tests, .. } => tests.retain(|test| keeps(&test.id)),
            Task::Examples { examples, .. } => examples.retain(|id| keeps(id)),
        }
    }
}

/// How RSpec is started.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct RspecCommand {
    /// RSpec, and its arguments before the specs.
    pub program: Vec<OsString>,
    /// Its arguments after the specs.
    pub options: Vec<OsString>,
    /// The seed, if the project uses a random order without a fixed seed.
    pub seed: u64,
    /// Whether to stop after the first failure.
    pub fail_fast: bool,
    /// How long a busy process may send no event.
    pub timeout: Option<Duration>,
    /// How long a process may be stopped by a signal.
    pub stopped_timeout: Duration,
}

/// A line between the events of an attempt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Note {
    /// The first line of an attempt.
    Begin {
        worker: String,
        /// The suite's file.
        suite: String,
        /// Tests that are not run again, because too many workers died during them.
        given_up: Vec<String>,
    },
    /// The worker cannot run the chunk.
    Refused { worker: String, reason: String },
    /// The complete output of a failed test, in the object store.
    Output {
        example_id: String,
        /// The name of each stream, and of its object.
        streams: Vec<(String, String)>,
    },
    /// A warning for the user.
    Warn(String),
    /// What RSpec printed.
    Print(String),
    /// Examples that do not exist on the worker.
    NotFound(Vec<String>),
    /// RSpec ended the run, as after enough failures or a failed `before(:suite)`.
    Quit,
}

/// A controller asks the workers to stop its chunks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Stop {
    pub(crate) controller: String,
    /// Whether running tests are killed, without their teardowns.
    pub(crate) now: bool,
}

/// The committed end of a chunk.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Done {
    pub(crate) worker: String,
    pub(crate) attempt: u64,
    /// How many batches of events the attempt published.
    pub(crate) batches: u64,
}

/// The beginning of an event's line; all other lines are notes.
const EVENT: &str = "{\"event_type\"";

/// A line of a batch.
#[derive(Debug, Clone)]
pub(crate) enum Line {
    Event(Box<Event>),
    Note(Note),
}

/// Reads the lines of a batch.
pub(crate) fn read_lines(batch: &[u8]) -> Result<Vec<Line>, String> {
    let text = std::str::from_utf8(batch).map_err(|error| error.to_string())?;
    text.lines().map(read_line).collect()
}

fn read_line(line: &str) -> Result<Line, String> {
    if line.starts_with(EVENT) {
        let event = casebook_record::decode(line).map_err(|error| error.to_string())?;
        return Ok(Line::Event(Box::new(event)));
    }
    let note = serde_json::from_str(line).map_err(|error| error.to_string())?;
    Ok(Line::Note(note))
}

/// Identifies the text of a suite and of the files that it reads.
pub(crate) fn digest(suite: &Suite) -> String {
    let texts = (suite.file.text(), &suite.files);
    hex_of_sha256(&serde_json::to_vec(&texts).unwrap_or_default(), 64)
}

/// Whether a path cannot leave the directory that it is relative to.
pub(crate) fn is_inside(path: &str) -> bool {
    let mut components = Path::new(path).components();
    components.all(|component| matches!(component, Component::Normal(_) | Component::CurDir))
}

/// Identifies the contents of a spec file.
pub(crate) fn spec_digest(contents: &[u8]) -> String {
    hex_of_sha256(contents, 64)
}

/// Whether the results of a suite's tests count only together: after a worker's death, all of them run again.
pub(crate) fn is_whole(planned: &PlannedSuite) -> bool {
    let Suite {
        hooks, parallel, ..
    } = &planned.suite;
    !parallel || hooks.setup_file.is_some() || hooks.teardown_file.is_some()
}
