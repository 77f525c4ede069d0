//! One attempt at a test, whatever ran it.

use crate::judge::Verdict;
use crate::shell::{HookFailure, Ran};

/// What came of running a test once.
#[derive(Debug, Default)]
pub(crate) struct Attempt {
    /// The command, if it was run.
    pub(crate) command: Option<Ran>,
    /// The first hook that failed.
    pub(crate) hook: Option<HookFailure>,
    /// Whether the run was asked to stop before the test was done.
    pub(crate) interrupted: bool,
    /// What was demanded of the command, and whether it held.
    pub(crate) verdicts: Vec<Verdict>,
}
