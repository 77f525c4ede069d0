//! [`Suite`]: a checked suite with variables substituted, fragments applied and one test per combination of its matrix.

pub mod agent;
pub mod conversation;
pub mod key;
mod lock;
mod service;
mod step;
mod terminal;

use std::sync::Arc;
use std::time::Duration;

use casebook_source::{SourceFile, Span};

use crate::normalizer::Normalizer;
use crate::run_time::substitute_known;

pub use crate::assertion::{Assertion, Check, ExitCodes, FileCheck, Stream, TextCheck};
pub use conversation::Conversation;
use conversation::{Budget, Trials};
pub use lock::Lock;
pub(crate) use service::port_variable;
pub use service::{Ready, Service, ServiceScope, Stop};
pub use step::{Capture, CaptureSource, Eventually, Step};
pub use terminal::{DialogueEntry, ExpectedText, Terminal, TerminalSize};

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
    /// The locks of all its tests, which `setupFile` and `teardownFile` hold too.
    pub locks: Vec<Lock>,
    /// What its conversations may spend.
    pub budget: Budget,
    /// Name patterns of environment variables whose values are redacted.
    pub redact: Vec<String>,
    /// The files it reads (scenarios): path relative to the suite's directory, and text.
    pub files: Vec<(String, String)>,
    /// Its services, each after those that it needs.
    pub services: Vec<Service>,
    /// Its tests, in order.
    pub tests: Vec<Test>,
}

impl Suite {
    /// Whether one of its tests has a lock.
    pub fn has_locks(&self) -> bool {
        self.tests.iter().any(|test| !test.locks.is_empty())
    }

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
    /// The hooks with these values in their texts.
    #[must_use]
    pub fn with_known_values<'v>(&self, value: impl Fn(&str) -> Option<&'v str>) -> Hooks {
        let hook = |hook: &Option<Script>| {
            let text = |text: &str| substitute_known(text, &value).into_owned();
            hook.as_ref().map(|hook| hook.map_text(text))
        };
        Hooks {
            setup_file: hook(&self.setup_file),
            teardown_file: hook(&self.teardown_file),
            setup: hook(&self.setup),
            teardown: hook(&self.teardown),
        }
    }

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

impl Script {
    /// The script with its text changed.
    pub(crate) fn map_text(&self, change: impl Fn(&str) -> String) -> Script {
        Script {
            text: change(&self.text),
            span: self.span,
        }
    }
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
    /// The locks of the suite and of the test, in the order of their names.
    pub locks: Vec<Lock>,
    /// The normalizers of the suite, then those of the test.
    pub normalize: Vec<Normalizer>,
    /// The tags of the suite and of the test.
    pub tags: Vec<String>,
    /// The states of characteristics that it covers.
    pub covers: Vec<(String, String)>,
    /// The combination of the matrix it is for.
    pub matrix: Vec<(String, String)>,
    /// The services that it uses, and those that they need, in the order in which they start.
    pub uses: Vec<String>,
}

/// A path relative to the suite's directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocatedPath {
    /// The path.
    pub path: String,
    /// Its location in the suite.
    pub span: Span,
}

impl LocatedPath {
    pub(crate) fn map_path(&self, change: impl Fn(&str) -> String) -> LocatedPath {
        LocatedPath {
            path: change(&self.path),
            span: self.span,
        }
    }
}

/// A working directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Workdir {
    /// This one.
    At(LocatedPath),
    /// A new copy of this folder.
    Copy(LocatedPath),
    /// A new and empty one.
    Empty,
}

impl Workdir {
    /// The name of a new working directory in the temporary directory of the test.
    pub const NAME: &'static str = "workdir";

    /// The path in the suite, if there is one.
    pub fn path(&self) -> Option<&str> {
        self.located_path().map(|located| located.path.as_str())
    }

    fn located_path(&self) -> Option<&LocatedPath> {
        match self {
            Workdir::At(path) | Workdir::Copy(path) => Some(path),
            Workdir::Empty => None,
        }
    }

    fn map_path(&self, change: impl Fn(&str) -> String) -> Workdir {
        match self {
            Workdir::At(path) => Workdir::At(path.map_path(change)),
            Workdir::Copy(folder) => Workdir::Copy(folder.map_path(change)),
            Workdir::Empty => Workdir::Empty,
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

    fn map_texts(&self, change: impl Fn(&str) -> String) -> Conditions {
        let requires = self.requires.iter();
        Conditions {
            requires: requires.map(|program| change(program)).collect(),
            skip_unless: self
                .skip_unless
                .as_ref()
                .map(|script| script.map_text(change)),
        }
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

    /// The trials of its conversation; `None` for a command.
    pub fn trials_mut(&mut self) -> Option<&mut Trials> {
        match &mut self.action {
            Action::Command(_) | Action::Steps(_) => None,
            Action::Conversation(conversation) => Some(&mut conversation.trials),
        }
    }

    /// The test with these values in its texts.
    #[must_use]
    pub fn with_known_values<'v>(&self, value: impl Fn(&str) -> Option<&'v str>) -> Test {
        let text = |text: &str| substitute_known(text, &value).into_owned();
        let env = self.env.iter();
        Test {
            action: match &self.action {
                Action::Command(step) => Action::Command(step.map_texts(text).into()),
                Action::Steps(steps) => {
                    Action::Steps(steps.iter().map(|step| step.map_texts(text)).collect())
                }
                Action::Conversation(conversation) => {
                    Action::Conversation(conversation.map_agent(text).into())
                }
            },
            env: env
                .map(|(name, value)| (name.clone(), text(value)))
                .collect(),
            workdir: self.workdir.as_ref().map(|workdir| workdir.map_path(text)),
            conditions: self.conditions.map_texts(text),
            normalize: self
                .normalize
                .iter()
                .map(|normalizer| normalizer.map_texts(text))
                .collect(),
            ..self.clone()
        }
    }

    /// The location of the working directory of a step, by its index; of a test without `steps`, that of index 0.
    pub fn workdir_span(&self, step: usize) -> Option<Span> {
        let own = self
            .steps()
            .get(step)
            .and_then(|step| step.workdir.as_ref());
        let of_test = || self.workdir.as_ref().and_then(Workdir::located_path);
        own.or_else(of_test).map(|path| path.span)
    }

    /// Whether its commands run in a directory that is created for it.
    pub fn has_new_workdir(&self) -> bool {
        matches!(self.workdir, Some(Workdir::Copy(_) | Workdir::Empty))
    }

    /// The assertions of all its steps.
    pub fn assertions(&self) -> impl Iterator<Item = &Assertion> {
        self.steps().iter().flat_map(|step| &step.assertions)
    }
}
