//! Who speaks to the agent: somebody who says what is written, or a model that pursues a goal.

use casebook_suite::model::conversation::{Provider, Simulation, Turn};

use super::end::{EndReason, SessionEnd};
use super::expectations::CheckSubject;
use super::session::Session;
use crate::llm::simulator::{self, SimulatedMessage};
use crate::llm::{FailedCall, ModelCall};

impl<'a> Session<'a> {
    /// Says what is written, until something demanded does not hold.
    pub(super) fn script(&mut self, turns: &'a [Turn]) -> Result<EndReason, SessionEnd> {
        for turn in turns {
            let place = self.exchange(&turn.text, None)?;
            self.check_all(&turn.expectations, &CheckSubject::Turn(place))?;
            if self.failure.is_some() {
                return Ok(EndReason::StopCondition);
            }
        }
        Ok(EndReason::ScriptEnd)
    }

    /// Lets a model speak, until it has what it wants or has spoken often enough.
    pub(super) fn simulate(&mut self, simulation: &'a Simulation) -> Result<EndReason, SessionEnd> {
        for _ in 0..simulation.max_turns {
            let said = self.next_message(simulation)?;
            if said.done {
                return Ok(self.end_reason(said));
            }
            self.exchange(&said.text, Some(said.call))?;
            if self.is_to_stop(simulation)? {
                return Ok(EndReason::StopCondition);
            }
        }
        if self.is_scripted() {
            return Ok(EndReason::MaxTurns);
        }
        // Whether the last reply was what the user wanted is known only when the user is asked. Nothing hangs on the
        // answer but how the end is called.
        match self.next_message(simulation) {
            Ok(said) => Ok(self.end_reason(said)),
            Err(over) if over.reason == EndReason::Interrupted => Err(over),
            Err(_) => Ok(EndReason::MaxTurns),
        }
    }

    /// Why the conversation is over, by what the user would say next.
    fn end_reason(&mut self, said: SimulatedMessage) -> EndReason {
        let call = self.placed(said.call);
        self.asked.simulator.push(call);
        if said.done {
            EndReason::GoalReached
        } else {
            EndReason::MaxTurns
        }
    }

    /// Whether the suite says itself what the user says, so that no goal is ever reached.
    pub(super) fn is_scripted(&self) -> bool {
        let llm = self.conversation.llm.as_ref();
        llm.is_some_and(|llm| matches!(llm.provider, Provider::Scripted(_)))
    }

    fn next_message(&mut self, simulation: &'a Simulation) -> Result<SimulatedMessage, SessionEnd> {
        let topic = self.current();
        let patience = self.patience();
        let said = self.model().map_err(FailedCall::from).and_then(|model| {
            simulator::next_message(model, simulation, topic, &self.transcript, patience)
        });
        let said = said.map_err(|FailedCall { error, calls }| {
            for call in calls {
                self.spent.simulator(&call);
                let call = self.placed(call);
                self.asked.simulator.push(call);
            }
            SessionEnd::model_unavailable(
                &error,
                || self.timeout_message("the simulated user"),
                |why| {
                    let message = format!("the simulated user has nothing to say: {why}");
                    SessionEnd::failed(
                        EndReason::SimulatorError,
                        "Casebook::SimulatorFailed",
                        message,
                    )
                },
            )
        })?;
        self.spent.simulator(&said.call);
        Ok(said)
    }

    /// Whether something has happened that ends the conversation.
    fn is_to_stop(&mut self, simulation: &'a Simulation) -> Result<bool, SessionEnd> {
        for demand in &simulation.stop_when {
            let examined = self.evaluate(&demand.check, &CheckSubject::All)?;
            self.spent.judge(&examined.calls);
            for call in examined.calls {
                let call = self.placed(call);
                self.asked.stop.push(call);
            }
            if examined.finding.problem.is_none() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The call with the turn after which it was made.
    pub(super) fn placed(&self, call: ModelCall) -> ModelCall {
        ModelCall {
            turn: Some(self.transcript.turns.len()),
            ..call
        }
    }
}
