//! How a conversation came to its end.

use crate::attempt::Failure;
use crate::llm::ModelError;

/// Why a conversation is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EndReason {
    /// All that the script says was said.
    ScriptEnd,
    /// What was to end it has happened: a `stopWhen`, or an expectation of a script that does not hold.
    StopCondition,
    GoalReached,
    MaxTurns,
    AgentError,
    SimulatorError,
    Timeout,
    Interrupted,
}

impl EndReason {
    /// As records have it.
    pub(super) fn name(self) -> &'static str {
        match self {
            EndReason::ScriptEnd => "script_end",
            EndReason::StopCondition => "stop_condition",
            EndReason::GoalReached => "goal_reached",
            EndReason::MaxTurns => "max_turns",
            EndReason::AgentError => "agent_error",
            EndReason::SimulatorError => "simulator_error",
            EndReason::Timeout => "timeout",
            EndReason::Interrupted => "interrupted",
        }
    }

    /// Whether everything was said that was to be said, so that the whole of it can be looked at.
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

/// That a conversation is over, and what is wrong with that.
#[derive(Debug)]
pub(super) struct SessionEnd {
    pub(super) reason: EndReason,
    pub(super) failure: Option<Failure>,
}

impl SessionEnd {
    /// As it should be.
    pub(super) fn completed(reason: EndReason) -> SessionEnd {
        SessionEnd {
            reason,
            failure: None,
        }
    }

    /// As it should not be.
    pub(super) fn failed(reason: EndReason, class: &'static str, message: String) -> SessionEnd {
        SessionEnd {
            reason,
            failure: Some(failure(class, message)),
        }
    }

    /// Because nobody has any more time.
    pub(super) fn timed_out(message: String) -> SessionEnd {
        SessionEnd::failed(EndReason::Timeout, "Casebook::Timeout", message)
    }

    /// Because a model does not answer; `otherwise` if that is neither late nor interrupted.
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

/// What a test has failed of.
pub(super) fn failure(class: &'static str, message: String) -> Failure {
    Failure {
        class,
        message,
        phase: "conversation",
    }
}
