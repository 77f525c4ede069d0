//! How a conversation came to its end.

use crate::attempt::Failure;
use crate::llm::ModelError;

/// Why a conversation is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reason {
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

impl Reason {
    /// As records have it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Reason::ScriptEnd => "script_end",
            Reason::StopCondition => "stop_condition",
            Reason::GoalReached => "goal_reached",
            Reason::MaxTurns => "max_turns",
            Reason::AgentError => "agent_error",
            Reason::SimulatorError => "simulator_error",
            Reason::Timeout => "timeout",
            Reason::Interrupted => "interrupted",
        }
    }

    /// Whether everything was said that was to be said, so that the whole of it can be looked at.
    pub(super) fn is_regular(self) -> bool {
        matches!(
            self,
            Reason::ScriptEnd | Reason::StopCondition | Reason::GoalReached | Reason::MaxTurns
        )
    }
}

/// That a conversation is over, and what is wrong with that.
#[derive(Debug)]
pub(super) struct Over {
    pub(super) reason: Reason,
    pub(super) failure: Option<Failure>,
}

impl Over {
    /// As it should be.
    pub(super) fn well(reason: Reason) -> Over {
        Over {
            reason,
            failure: None,
        }
    }

    /// As it should not be.
    pub(super) fn badly(reason: Reason, class: &'static str, message: String) -> Over {
        Over {
            reason,
            failure: Some(failure(class, message)),
        }
    }

    /// Because nobody has any more time.
    pub(super) fn late(message: String) -> Over {
        Over::badly(Reason::Timeout, "Casebook::Timeout", message)
    }

    /// Because a model does not answer; `otherwise` if that is neither late nor interrupted.
    pub(super) fn without_model(
        error: &ModelError,
        late: impl FnOnce() -> String,
        otherwise: impl FnOnce(&str) -> Over,
    ) -> Over {
        match error {
            ModelError::Interrupted => Over::well(Reason::Interrupted),
            ModelError::OutOfTime => Over::late(late()),
            ModelError::Unscripted(why) | ModelError::Failed(why) => otherwise(why),
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
