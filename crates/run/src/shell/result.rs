//! What came of a command, and of a hook that failed.

use std::time::Duration;

use super::capture::Captured;
use super::process::Termination;

/// A command that was run, to its end or not.
#[derive(Debug, Clone)]
pub(crate) struct CommandResult {
    /// As a shell has it in `$?`.
    pub(crate) exit_code: i32,
    /// The signal that ended it, where that is certain.
    pub(crate) signal: Option<i32>,
    pub(crate) streams: Streams,
    /// Why it was ended before its time.
    pub(crate) cut: Option<Termination>,
    /// Whether it left processes behind that held its streams open.
    pub(crate) leaky: bool,
}

/// What a command wrote.
#[derive(Debug, Clone)]
pub(crate) enum Streams {
    /// Both streams in order.
    Joined(Captured),
    /// Standard output and standard error.
    Apart(Captured, Captured),
}

impl Streams {
    /// Of what was captured, in order.
    pub(crate) fn of(captured: Vec<Captured>) -> Streams {
        let mut captured = captured.into_iter();
        let first = captured.next().unwrap_or_default();
        match captured.next() {
            None => Streams::Joined(first),
            Some(second) => Streams::Apart(first, second),
        }
    }

    /// What `output` means.
    pub(crate) fn output(&self) -> &Captured {
        match self {
            Streams::Joined(output) | Streams::Apart(output, _) => output,
        }
    }

    /// Standard error, where it is kept apart.
    pub(crate) fn stderr(&self) -> Option<&Captured> {
        match self {
            Streams::Joined(_) => None,
            Streams::Apart(_, stderr) => Some(stderr),
        }
    }

    /// All of them.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Captured> {
        std::iter::once(self.output()).chain(self.stderr())
    }
}

/// One of the scripts around tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Hook {
    SetupFile,
    Setup,
    Teardown,
    TeardownFile,
}

impl Hook {
    /// The field that holds it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Hook::SetupFile => "setupFile",
            Hook::Setup => "setup",
            Hook::Teardown => "teardown",
            Hook::TeardownFile => "teardownFile",
        }
    }
}

/// A hook that failed.
#[derive(Debug, Clone)]
pub(crate) struct HookFailure {
    pub(crate) hook: Hook,
    pub(crate) exit_code: Option<i32>,
    /// The time it had, if it took longer.
    pub(crate) timed_out: Option<Duration>,
    /// What went wrong, if it is none of these.
    pub(crate) reason: Option<HookReason>,
    pub(crate) output: Vec<u8>,
}

/// Why a hook failed, if neither its exit code nor its time limit tells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum HookReason {
    /// The shell could not enter the working directory or open the streams.
    CommandNotStarted,
    /// The working directory or the environment of the suite could not be prepared, and why.
    SuiteNotPrepared(String),
    /// What happened to the hook, as the rest of a sentence that begins with its name.
    Hook(String),
}

impl HookFailure {
    pub(crate) fn new(hook: Hook) -> HookFailure {
        HookFailure {
            hook,
            exit_code: None,
            timed_out: None,
            reason: None,
            output: Vec::new(),
        }
    }
}
