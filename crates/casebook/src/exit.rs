//! Exit codes, as the manual lists them.

use std::process::ExitCode;

/// The exit code of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// 0: everything passed, or was done.
    Passed,
    /// 1: a test failed. That is a result, not an error.
    Failed,
    /// 2: testing, recording or showing failed: wrong usage, invalid input, a missing tool, a full disk.
    CouldNotTest,
    /// 128 and the signal's number: 130 after Ctrl-C, 143 after SIGTERM, 141 if standard output was closed early.
    Interrupted(i32),
    /// The exit code of the recorded command.
    Command(u8),
}

impl Exit {
    pub(crate) fn code(self) -> u8 {
        match self {
            Exit::Passed => 0,
            Exit::Failed => 1,
            Exit::CouldNotTest => 2,
            Exit::Interrupted(signal) => u8::try_from(128 + signal).unwrap_or(u8::MAX),
            Exit::Command(code) => code,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit.code())
    }
}
