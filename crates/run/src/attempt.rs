//! The result of one attempt, whichever engine made it.

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

/// A finished conversation, for the record.
#[derive(Debug, Default)]
pub(crate) struct ConversationResult {
    /// Why the conversation failed; `None` if it passed.
    pub(crate) failure: Option<Failure>,
    /// Goes into the last event of the test.
    pub(crate) metadata: Metadata,
}

/// The result of one attempt.
#[derive(Debug, Default)]
pub(crate) struct AttemptResult {
    /// The command, if it was run; `None` also for conversations.
    pub(crate) command: Option<CommandResult>,
    /// The first hook that failed.
    pub(crate) hook: Option<HookFailure>,
    /// Why the command could not be run.
    pub(crate) error: Option<String>,
    /// Whether a stop request came before the test was finished.
    pub(crate) interrupted: bool,
    /// The results of the command's assertions.
    pub(crate) assertions: Vec<AssertionResult>,
    /// The conversation, if the test is one.
    pub(crate) conversation: Option<ConversationResult>,
    /// Set by engines that measure the duration themselves; `None` means the time spent in the call.
    pub(crate) duration: Option<Duration>,
}

impl AttemptResult {
    /// Adds the result of `teardown`. The first failed hook is kept.
    pub(crate) fn add_teardown(&mut self, result: TeardownResult) {
        match result {
            TeardownResult::Passed => {}
            TeardownResult::Failed(failure) => self.hook = self.hook.take().or(Some(failure)),
            TeardownResult::Interrupted => self.interrupted = true,
        }
    }

    /// Whether everything that was started exited by itself.
    pub(crate) fn ended_cleanly(&self) -> bool {
        let command = self.command.as_ref();
        let conversation = self.conversation.as_ref();
        !self.interrupted
            && self.hook.is_none()
            && (command.is_some_and(|ran| ran.termination.is_none() && !ran.leaky)
                || conversation.is_some_and(|conversation| conversation.failure.is_none()))
    }
}
