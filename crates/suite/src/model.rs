//! A suite as it is meant: variables substituted, fragments applied, one test per combination of its matrix.

pub mod conversation;

use std::sync::Arc;
use std::time::Duration;

use casebook_source::{SourceFile, Span};
use serde_json::Value;

pub use conversation::Conversation;

/// A checked suite.
#[derive(Debug, Clone)]
pub struct Suite {
    /// The file it stands in.
    pub file: Arc<SourceFile>,
    /// What it is called.
    pub name: String,
    /// What it is about.
    pub description: Option<String>,
    /// Scripts around the tests.
    pub hooks: Hooks,
    /// Added to the environment of every script and command, in order.
    pub env: Vec<(String, String)>,
    /// How long a hook may take.
    pub timeout: Option<Duration>,
    /// Whether its tests may run at the same time.
    pub parallel: bool,
    /// Names of environment variables whose values never reach a record.
    pub redact: Vec<String>,
    /// The texts of the files it names, by their paths from its folder.
    pub files: Vec<(String, String)>,
    /// Its tests, in order.
    pub tests: Vec<Test>,
}

/// The scripts around the tests.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Hooks {
    /// Once before the first test.
    pub setup_file: Option<Script>,
    /// Once after the last test.
    pub teardown_file: Option<Script>,
    /// Before each test.
    pub setup: Option<Script>,
    /// After each test.
    pub teardown: Option<Script>,
}

impl Hooks {
    /// Whether anything runs before or after each test.
    pub fn surround_tests(&self) -> bool {
        self.setup.is_some() || self.teardown.is_some()
    }
}

/// A script and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Script {
    /// What bash runs.
    pub text: String,
    /// Where it stands.
    pub span: Span,
}

/// One test, ready to run.
#[derive(Debug, Clone)]
pub struct Test {
    /// Its title: the name, and the combination of the matrix it is for.
    pub name: String,
    /// Where the test stands.
    pub span: Span,
    /// What it does.
    pub action: Action,
    /// What the command reads.
    pub stdin: Option<String>,
    /// Added to the environment of this test, after the suite's.
    pub env: Vec<(String, String)>,
    /// The folder the command runs in, relative to the suite's.
    pub workdir: Option<String>,
    /// Why it is not run; an empty reason when none is given.
    pub skip: Option<String>,
    /// Whether only tests like this are to be run.
    pub only: Option<Span>,
    /// How long it may take.
    pub timeout: Option<Duration>,
    /// How often it may be tried again.
    pub retries: u32,
    /// The suite's tags and its own.
    pub tags: Vec<String>,
    /// The states of characteristics that it covers.
    pub covers: Vec<(String, String)>,
    /// The combination of the matrix it is for.
    pub matrix: Vec<(String, String)>,
    /// What must hold of a command. The exit code is always among them.
    pub assertions: Vec<Assertion>,
}

/// What a test does.
#[derive(Debug, Clone)]
pub enum Action {
    /// Runs what `bash -c` runs.
    Command(Script),
    /// Talks to an agent.
    Conversation(Box<Conversation>),
}

/// Something that must hold after the command.
#[derive(Debug, Clone, PartialEq)]
pub struct Assertion {
    /// The field that demands it, such as `outputContains`.
    pub field: &'static str,
    /// Where it is demanded; for an exit code of 0 that nobody wrote, where the test stands.
    pub span: Span,
    /// What it demands.
    pub check: Check,
}

/// What an assertion demands.
#[derive(Debug, Clone, PartialEq)]
pub enum Check {
    /// The command's exit code.
    ExitCode(u8),
    /// Something about what the command wrote.
    Text(Stream, TextCheck),
    /// The value at a JSON Pointer into standard output.
    Json {
        /// Where in the document.
        pointer: String,
        /// What stands there.
        expected: Value,
    },
    /// Something about a file.
    File {
        /// Which one.
        path: String,
        /// What about it.
        check: FileCheck,
    },
    /// The output is the one that was accepted before; a name of its own, or that of the test.
    Snapshot(Option<String>),
}

/// What the command wrote.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Stream {
    /// Both streams in order; standard output alone where the test keeps them apart.
    Output,
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
}

/// What a text must be like.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TextCheck {
    /// Exactly this.
    Equals(String),
    /// This is in it.
    Contains(String),
    /// This is not in it.
    NotContains(String),
    /// This POSIX ERE matches in it.
    Matches(String),
    /// This POSIX ERE matches nowhere in it.
    NotMatches(String),
}

/// What a file must be like.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileCheck {
    /// It is there, or it is not.
    Exists(bool),
    /// Its content is like this.
    Content(TextCheck),
}

impl Test {
    /// The command that it runs; none if it talks to an agent.
    pub fn command(&self) -> Option<&Script> {
        match &self.action {
            Action::Command(script) => Some(script),
            Action::Conversation(_) => None,
        }
    }

    /// The conversation that it is; none if it runs a command.
    pub fn conversation(&self) -> Option<&Conversation> {
        match &self.action {
            Action::Command(_) => None,
            Action::Conversation(conversation) => Some(conversation),
        }
    }

    /// Whether standard output and standard error are captured apart: when any assertion speaks of one of them, as
    /// one about JSON does of standard output.
    pub fn keeps_streams_apart(&self) -> bool {
        self.assertions.iter().any(|assertion| {
            matches!(
                assertion.check,
                Check::Text(Stream::Stdout | Stream::Stderr, _) | Check::Json { .. }
            )
        })
    }
}
