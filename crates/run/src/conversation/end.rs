//! How a conversation ended.

use crate::attempt::Failure;
use crate::llm::ModelError;

/// Why a conversation ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EndReason {
    /// All turns of the script were run.
    ScriptEnd,
    /// A `stopWhen` check passed, or a hard expectation of a script failed.
    StopCondition,
    GoalReached,
    MaxTurns,
    AgentError,
    /// The judge could not choose the topic.
    JudgeError,
    SimulatorError,
    Timeout,
    Interrupted,
}

impl EndReason {
    /// The name in records.
    pub(super) fn name(self) -> &'static str {
        match self {
            EndReason::ScriptEnd => "script_end",
            EndReason::StopCondition => "stop_condition",
            EndReason::GoalReached => "goal_reached",
            EndReason::MaxTurns => "max_turns",
            EndReason::AgentError => "agent_error",
            EndReason::JudgeError => "judge_error",
            EndReason::SimulatorError => "simulator_error",
            EndReason::Timeout => "timeout",
            EndReason::Interrupted => "interrupted",
        }
    }

    /// Whether the conversation ended by itself, so that the checks of the whole conversation apply.
    pub(super) fn is_complete(self) -> bool {
        matches!(
            self,
            EndReason::ScriptEnd
                | EndReason::StopCondition
                | EndReason::GoalReached
                | EndReason::MaxTurns
        )
    }
}

/// The end of a conversation, with the failure if it was an error.
#[derive(Debug)]
pub(super) struct SessionEnd {
    pub(super) reason: EndReason,
    pub(super) failure: Option<Failure>,
    /// Whether the agent could not be reached, so that the conversation says nothing about it.
    pub(super) is_unreachable: bool,
}

impl SessionEnd {
    /// An end without an error.
    pub(super) fn completed(reason: EndReason) -> SessionEnd {
        SessionEnd {
            reason,
            failure: None,
            is_unreachable: false,
        }
    }

    /// An end because of an error.
    pub(super) fn failed(reason: EndReason, class: &'static str, message: String) -> SessionEnd {
        SessionEnd {
            reason,
            failure: Some(failure(class, message)),
            is_unreachable: false,
        }
    }

    /// An end because the agent could not be reached.
    pub(super) fn unreachable(message: String) -> SessionEnd {
        SessionEnd {
            is_unreachable: true,
            ..SessionEnd::failed(EndReason::AgentError, "Casebook::AgentFailed", message)
        }
    }

    /// An end because the test's deadline passed.
    pub(super) fn timed_out(message: String) -> SessionEnd {
        SessionEnd::failed(EndReason::Timeout, "Casebook::Timeout", message)
    }

    /// An end because a model did not respond. `late` creates the message of a timeout; `otherwise` handles all errors other than
    /// a timeout or a stop request.
    pub(super) fn model_unavailable(
        error: &ModelError,
        late: impl FnOnce() -> String,
        otherwise: impl FnOnce(&str) -> SessionEnd,
    ) -> SessionEnd {
        match error {
            ModelError::Interrupted => SessionEnd::completed(EndReason::Interrupted),
            ModelError::OutOfTime => SessionEnd::timed_out(late()),
            ModelError::MissingScriptedResponse(why) | ModelError::Failed(why) => otherwise(why),
        }
    }
}

/// A failure in the phase `conversation`.
pub(super) fn failure(class: &'static str, message: String) -> Failure {
    Failure {
        class,
        message,
        phase: "conversation",
    }
}
