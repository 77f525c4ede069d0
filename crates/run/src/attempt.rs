//! The result of one attempt, whichever engine made it.

use std::path::PathBuf;
use std::time::Duration;

use casebook_record::Metadata;
use serde::{Deserialize, Serialize};

use crate::assertions::AssertionResult;
use crate::captured_values::CapturedValues;
use crate::services::{ServiceFailure, ServiceOutput};
use crate::shell::{CommandResult, HookFailure, TeardownResult, Termination};

/// The number of an attempt, from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AttemptNumber {
    /// The first attempt, or a retry of a failed one.
    Try(u32),
    /// One of several repetitions, whatever the result of the others.
    Repetition(u32),
}

impl AttemptNumber {
    /// The number of a test that is neither retried nor repeated.
    pub(crate) const FIRST: AttemptNumber = AttemptNumber::Try(1);

    /// The number of a second or later try.
    pub(crate) fn retry(self) -> Option<u32> {
        match self {
            AttemptNumber::Try(number) => Some(number).filter(|number| *number > 1),
            AttemptNumber::Repetition(_) => None,
        }
    }

    /// The number of a repetition.
    pub(crate) fn repetition(self) -> Option<u32> {
        match self {
            AttemptNumber::Try(_) => None,
            AttemptNumber::Repetition(number) => Some(number),
        }
    }

    /// The number, whichever it is.
    pub(crate) fn get(self) -> u32 {
        let (AttemptNumber::Try(number) | AttemptNumber::Repetition(number)) = self;
        number
    }
}

/// How a test ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum TestEnd {
    Passed,
    Failed,
    /// A condition was not met, or it failed as expected.
    Skipped,
    /// A stop request came before the test was finished, so it has no result.
    Interrupted,
}

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

/// The result of a command and its assertions.
#[derive(Debug)]
pub(crate) struct StepResult {
    pub(crate) ran: CommandResult,
    /// The results of its assertions; none if it was terminated.
    pub(crate) assertions: Vec<AssertionResult>,
    /// The timeout that it exceeded, if it is not the test's.
    pub(crate) own_timeout: Option<Duration>,
    /// The attempts of `eventually`.
    pub(crate) repetition: Option<Repetition>,
}

/// How often a command was run until its assertions passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Repetition {
    pub(crate) attempts: u32,
    pub(crate) elapsed: Duration,
}

impl StepResult {
    pub(crate) fn new(ran: CommandResult, assertions: Vec<AssertionResult>) -> StepResult {
        StepResult {
            ran,
            assertions,
            own_timeout: None,
            repetition: None,
        }
    }

    /// Whether the command exited by itself and all assertions passed.
    pub(crate) fn passed(&self) -> bool {
        self.ran.termination.is_none() && self.assertions.iter().all(AssertionResult::passed)
    }
}

/// The result of one attempt.
#[derive(Debug, Default)]
pub(crate) struct AttemptResult {
    /// The commands that were run, in order; none for conversations.
    pub(crate) steps: Vec<StepResult>,
    /// The first hook that failed.
    pub(crate) hook: Option<HookFailure>,
    /// The service that was not ready or died.
    pub(crate) service_failure: Option<ServiceFailure>,
    /// What services wrote during the attempt.
    pub(crate) service_outputs: Vec<ServiceOutput>,
    /// Why the command could not be run.
    pub(crate) error: Option<String>,
    /// Whether the error is that the `workdir` of the next step, or of the test, does not exist.
    pub(crate) workdir_is_missing: bool,
    /// The condition that is not met, so that nothing was run.
    pub(crate) unmet: Option<String>,
    /// Whether a stop request came before the test was finished.
    pub(crate) interrupted: bool,
    /// The conversation, if the test is one.
    pub(crate) conversation: Option<ConversationResult>,
    /// The values that the steps captured.
    pub(crate) captured: CapturedValues,
    /// Set by engines that measure the duration themselves; `None` means the time spent in the call.
    pub(crate) duration: Option<Duration>,
    /// The directory of the test, if it may be kept; `None` if the engine has removed it.
    pub(crate) dir: Option<PathBuf>,
}

impl AttemptResult {
    /// The attempt of a test with one command.
    pub(crate) fn of_command(step: StepResult) -> AttemptResult {
        AttemptResult {
            interrupted: step.ran.termination == Some(Termination::Interrupt),
            steps: vec![step],
            ..AttemptResult::default()
        }
    }

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
        let conversation = self.conversation.as_ref();
        let ended = |step: &StepResult| step.ran.termination.is_none() && !step.ran.leaky;
        !self.interrupted
            && self.hook.is_none()
            && self.service_failure.is_none()
            && (!self.steps.is_empty() && self.steps.iter().all(ended)
                || conversation.is_some_and(|conversation| conversation.failure.is_none()))
    }
}
