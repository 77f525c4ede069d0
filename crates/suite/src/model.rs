//! [`Suite`]: a checked suite with variables substituted, fragments applied and one test per combination of its matrix.

pub mod conversation;
mod step;

use std::sync::Arc;
use std::time::Duration;

use casebook_source::{SourceFile, Span};

pub use crate::assertion::{Assertion, Check, ExitCodes, FileCheck, Stream, TextCheck};
pub use conversation::Conversation;
pub use step::{Capture, CaptureSource, Eventually, Step};

/// A checked suite.
#[derive(Debug, Clone)]
pub struct Suite {
    /// Its file.
    pub file: Arc<SourceFile>,
    /// Its name; by default the stem of the file.
    pub name: String,
    /// Its description, for the user.
    pub description: Option<String>,
    /// Its hooks.
    pub hooks: Hooks,
    /// Added to the environment of every script and command, in order.
    pub env: Vec<(String, String)>,
    /// Variables that are removed from the environment of every script and command.
    pub unset: Vec<String>,
    /// The timeout of each hook.
    pub timeout: Option<Duration>,
    /// Whether its tests may run at the same time.
    pub parallel: bool,
    /// Name patterns of environment variables whose values are redacted.
    pub redact: Vec<String>,
    /// The files it reads (scenarios): path relative to the suite's directory, and text.
    pub files: Vec<(String, String)>,
    /// Its tests, in order.
    pub tests: Vec<Test>,
}

impl Suite {
    /// All variables that the suite and its tests add to the environment.
    pub fn variables(&self) -> impl Iterator<Item = (&str, &str)> {
        let tests = self.tests.iter().flat_map(|test| &test.env);
        let variables = self.env.iter().chain(tests);
        variables.map(|(name, value)| (name.as_str(), value.as_str()))
    }
}

/// The hooks of a suite.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Hooks {
    /// Runs once before the first test.
    pub setup_file: Option<Script>,
    /// Runs once after the last test.
    pub teardown_file: Option<Script>,
    /// Runs before each test.
    pub setup: Option<Script>,
    /// Runs after each test.
    pub teardown: Option<Script>,
}

impl Hooks {
    /// Whether there is a `setup` or a `teardown`.
    pub fn surround_tests(&self) -> bool {
        self.setup.is_some() || self.teardown.is_some()
    }
}

/// A script and its location.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Script {
    /// The bash code.
    pub text: String,
    /// Its location in the suite.
    pub span: Span,
}

/// One test, ready to run.
#[derive(Debug, Clone)]
pub struct Test {
    /// Its name, with the combination of the matrix and the scenario it is for.
    pub name: String,
    /// Its location in the suite.
    pub span: Span,
    /// A command, several commands or a conversation.
    pub action: Action,
    /// Added to the environment of this test, after the suite's.
    pub env: Vec<(String, String)>,
    /// The working directory of its commands; `None` for that of the run, or of `setup`.
    pub workdir: Option<Workdir>,
    /// Whether it gets its own home and temporary directory, and no variables of the environment in which Casebook was started.
    pub isolate: bool,
    /// Variables that are removed from its environment.
    pub unset: Vec<String>,
    /// Why it is skipped; empty if no reason is given. `None`: it is run.
    pub skip: Option<String>,
    /// What must be present for it to be run.
    pub conditions: Conditions,
    /// Why it is expected to fail; `None`: it must pass.
    pub fails: Option<String>,
    /// The location of `only: true`, which excludes all tests without it.
    pub only: Option<Span>,
    /// Its timeout.
    pub timeout: Option<Duration>,
    /// How often it may be retried.
    pub retries: u32,
    /// The tags of the suite and of the test.
    pub tags: Vec<String>,
    /// The states of characteristics that it covers.
    pub covers: Vec<(String, String)>,
    /// The combination of the matrix it is for.
    pub matrix: Vec<(String, String)>,
}

/// A working directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Workdir {
    /// This one, relative to the suite's directory.
    At(String),
    /// A new copy of this folder, relative to the suite's directory.
    Copy {
        /// The folder.
        folder: String,
        /// Its location in the suite.
        span: Span,
    },
    /// A new and empty one.
    Empty,
}

impl Workdir {
    /// The name of a new working directory in the temporary directory of the test.
    pub const NAME: &'static str = "workdir";

    /// The path in the suite, if there is one.
    pub fn path(&self) -> Option<&str> {
        match self {
            Workdir::At(path) | Workdir::Copy { folder: path, .. } => Some(path),
            Workdir::Empty => None,
        }
    }
}

/// What must be present for a test to be run. Otherwise it is skipped.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Conditions {
    /// The programs that must be installed.
    pub requires: Vec<String>,
    /// The command that must succeed.
    pub skip_unless: Option<Script>,
}

impl Conditions {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.requires.is_empty() && self.skip_unless.is_none()
    }
}

/// The action of a test.
#[derive(Debug, Clone)]
pub enum Action {
    /// Runs a command.
    Command(Box<Step>),
    /// Runs commands one after another, until one fails.
    Steps(Vec<Step>),
    /// Has a conversation with an agent.
    Conversation(Box<Conversation>),
}

impl Test {
    /// The commands it runs, in order; none for a conversation.
    pub fn steps(&self) -> &[Step] {
        match &self.action {
            Action::Command(step) => std::slice::from_ref(step),
            Action::Steps(steps) => steps,
            Action::Conversation(_) => &[],
        }
    }

    /// The commands it runs, to change them.
    pub fn steps_mut(&mut self) -> &mut [Step] {
        match &mut self.action {
            Action::Command(step) => std::slice::from_mut(step),
            Action::Steps(steps) => steps,
            Action::Conversation(_) => &mut [],
        }
    }

    /// The conversation it has; `None` for a command.
    pub fn conversation(&self) -> Option<&Conversation> {
        match &self.action {
            Action::Command(_) | Action::Steps(_) => None,
            Action::Conversation(conversation) => Some(conversation),
        }
    }

    /// The assertions of all its steps.
    pub fn assertions(&self) -> impl Iterator<Item = &Assertion> {
        self.steps().iter().flat_map(|step| &step.assertions)
    }
}
