//! The results of commands and failed hooks.

use std::time::Duration;

use super::capture::Captured;
use super::process::Termination;
use crate::shell::terminal::TerminalResult;

/// The result of a command.
#[derive(Debug, Clone)]
pub(crate) struct CommandResult {
    /// As in `$?`.
    pub(crate) exit_code: i32,
    /// The signal that killed it, if known.
    pub(crate) signal: Option<i32>,
    pub(crate) streams: Streams,
    /// How long it took.
    pub(crate) duration: Duration,
    /// Why it was terminated; `None` if it exited by itself.
    pub(crate) termination: Option<Termination>,
    /// Whether it left processes that kept its output open.
    pub(crate) leaky: bool,
    /// The screen and the dialogue of a command in a terminal.
    pub(crate) terminal: Option<Box<TerminalResult>>,
}

/// The captured output of a command.
#[derive(Debug, Clone)]
pub(crate) enum Streams {
    /// Both streams, interleaved.
    Joined(Captured),
    /// Standard output and standard error.
    Separate(Captured, Captured),
}

impl Streams {
    /// Takes one captured stream, or standard output and standard error.
    pub(crate) fn of(captured: Vec<Captured>) -> Streams {
        let mut captured = captured.into_iter();
        let first = captured.next().unwrap_or_default();
        match captured.next() {
            None => Streams::Joined(first),
            Some(second) => Streams::Separate(first, second),
        }
    }

    /// The stream that `output` assertions check.
    pub(crate) fn output(&self) -> &Captured {
        match self {
            Streams::Joined(output) | Streams::Separate(output, _) => output,
        }
    }

    /// Standard error, if it was captured separately.
    pub(crate) fn stderr(&self) -> Option<&Captured> {
        match self {
            Streams::Joined(_) => None,
            Streams::Separate(_, stderr) => Some(stderr),
        }
    }

    /// All captured streams.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Captured> {
        std::iter::once(self.output()).chain(self.stderr())
    }
}

/// A hook of a suite.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Hook {
    SetupFile,
    Setup,
    Teardown,
    TeardownFile,
}

impl Hook {
    /// The name of its field.
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
    /// The timeout that it exceeded.
    pub(crate) timed_out: Option<Duration>,
    /// The reason, if it is neither an exit code nor a timeout.
    pub(crate) reason: Option<HookReason>,
    pub(crate) output: Vec<u8>,
}

/// Why a hook failed, if neither its exit code nor its timeout is the reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum HookReason {
    /// The shell could not enter the working directory or open the streams.
    CommandNotStarted,
    /// The working directory or the environment of the suite could not be prepared, and why.
    SuiteNotPrepared(String),
    /// What happened to the hook, to follow its name in a sentence.
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

/// Whether this is the exit code of a shell that could not execute the command, or did not find it.
pub(crate) fn could_not_run(exit_code: i32) -> bool {
    matches!(exit_code, 126 | 127)
}
