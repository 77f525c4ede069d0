//! A suite as it is meant: variables substituted, fragments applied, one test per combination of its matrix.

pub mod conversation;

use std::sync::Arc;
use std::time::Duration;

use casebook_source::{SourceFile, Span};

pub use crate::assertion::{Assertion, Check, FileCheck, Stream, TextCheck};
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
        let mut assertions = self.assertions.iter();
        assertions.any(|assertion| assertion.check.separates_streams())
    }
}
