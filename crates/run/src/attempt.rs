//! One attempt at a test, whatever ran it.

use std::time::Duration;

use casebook_record::Metadata;

use crate::assertions::AssertionResult;
use crate::shell::{CommandResult, HookFailure, TeardownResult};

/// Why an attempt failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Failure {
    pub(crate) class: &'static str,
    pub(crate) message: String,
    pub(crate) phase: &'static str,
}

/// A conversation that is over, for the record.
#[derive(Debug, Default)]
pub(crate) struct ConversationResult {
    /// Why its test has failed.
    pub(crate) failure: Option<Failure>,
    /// What its last event says of it.
    pub(crate) metadata: Metadata,
}

/// What came of running a test once.
#[derive(Debug, Default)]
pub(crate) struct AttemptResult {
    /// The command, if it was run.
    pub(crate) command: Option<CommandResult>,
    /// The first hook that failed.
    pub(crate) hook: Option<HookFailure>,
    /// Why the command could not be run at all.
    pub(crate) error: Option<String>,
    /// Whether the run was asked to stop before the test was done.
    pub(crate) interrupted: bool,
    /// What was demanded of the command, and whether it held.
    pub(crate) verdicts: Vec<AssertionResult>,
    /// The conversation, if there was one.
    pub(crate) conversation: Option<ConversationResult>,
    /// How long it took, if that is not how long it was waited for.
    pub(crate) duration: Option<Duration>,
}

impl AttemptResult {
    /// The teardown is over.
    pub(crate) fn add_teardown(&mut self, how: TeardownResult) {
        match how {
            TeardownResult::Well => {}
            TeardownResult::Failed(failure) => self.hook = self.hook.take().or(Some(failure)),
            TeardownResult::Interrupted => self.interrupted = true,
        }
    }

    /// Whether all that was started came to its own end.
    pub(crate) fn ended_cleanly(&self) -> bool {
        let command = self.command.as_ref();
        let conversation = self.conversation.as_ref();
        !self.interrupted
            && self.hook.is_none()
            && (command.is_some_and(|ran| ran.cut.is_none() && !ran.leaky)
                || conversation.is_some_and(|conversation| conversation.failure.is_none()))
    }
}
