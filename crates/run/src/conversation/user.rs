//! The user's messages: from a script, or from a model that simulates a user with a goal.

use casebook_suite::model::conversation::{Provider, Simulation, Turn};

use super::end::{EndReason, SessionEnd};
use super::expectations::CheckSubject;
use super::session::Session;
use crate::llm::simulator::{self, SimulatedMessage};
use crate::llm::{FailedCall, ModelCall};

impl<'a> Session<'a> {
    /// Runs the turns of a script. Stops after a turn with a failed hard expectation.
    pub(super) fn script(&mut self, turns: &'a [Turn]) -> Result<EndReason, SessionEnd> {
        for turn in turns {
            let text = self.values.text(&turn.text);
            let files = self.read_files(&turn.files)?;
            let index = self.run_turn((&text, files), None, &turn.captures)?;
            self.check_complete(index, turn.span, &turn.allow);
            self.check_all(&turn.expectations, &CheckSubject::Turn(index))?;
            if self.failure.is_some() {
                return Ok(EndReason::StopCondition);
            }
        }
        Ok(EndReason::ScriptEnd)
    }

    /// Runs turns with simulated messages, until the goal is reached, a stop condition is met or `maxTurns` turns were run.
    pub(super) fn simulate(&mut self, simulation: &Simulation) -> Result<EndReason, SessionEnd> {
        for _ in 0..simulation.max_turns {
            let message = self.next_message(simulation)?;
            if message.done {
                return Ok(self.end_reason(message));
            }
            let index = self.run_turn((&message.text, Vec::new()), Some(message.call), &[])?;
            let before = self.failure.is_some();
            self.check_complete(index, self.services.site.test.span, &[]);
            if self.failure.is_some() != before {
                return Ok(EndReason::StopCondition);
            }
            if self.stop_condition_met(simulation)? {
                return Ok(EndReason::StopCondition);
            }
        }
        if self.is_scripted() {
            return Ok(EndReason::MaxTurns);
        }
        // Only the simulated user can decide whether the last reply reached the goal. Its response affects nothing but the
        // recorded end reason, so an error here does not fail the test.
        match self.next_message(simulation) {
            Ok(message) => Ok(self.end_reason(message)),
            Err(end) if end.reason == EndReason::Interrupted => Err(end),
            Err(_) => Ok(EndReason::MaxTurns),
        }
    }

    /// The end reason after the simulated user's last message, which is not sent to the agent.
    fn end_reason(&mut self, message: SimulatedMessage) -> EndReason {
        let call = self.with_turn(message.call);
        self.extra_calls.simulator.push(call);
        if message.done {
            EndReason::GoalReached
        } else {
            EndReason::MaxTurns
        }
    }

    /// Whether the simulated user is scripted in the suite. A scripted user never reaches the goal.
    pub(super) fn is_scripted(&self) -> bool {
        let llm = self.conversation.user_model.as_ref();
        llm.is_some_and(|llm| matches!(llm.provider, Provider::Scripted(_)))
    }

    fn next_message(&mut self, simulation: &Simulation) -> Result<SimulatedMessage, SessionEnd> {
        let topic = self.current();
        let cancellation = self.cancellation();
        let message = self
            .user_model()
            .map_err(FailedCall::from)
            .and_then(|model| {
                simulator::next_message(model, simulation, topic, &self.transcript, cancellation)
            });
        let message = message.map_err(|FailedCall { error, calls }| {
            for call in calls {
                self.usage.simulator(&call);
                let call = self.with_turn(call);
                self.extra_calls.simulator.push(call);
            }
            SessionEnd::model_unavailable(
                &error,
                || self.timeout_message("the simulated user"),
                |why| {
                    let message = format!("cannot get the simulated user's next message: {why}");
                    SessionEnd::failed(
                        EndReason::SimulatorError,
                        "Casebook::SimulatorFailed",
                        message,
                    )
                },
            )
        })?;
        self.usage.simulator(&message.call);
        Ok(message)
    }

    /// Whether one of the `stopWhen` checks passes.
    fn stop_condition_met(&mut self, simulation: &Simulation) -> Result<bool, SessionEnd> {
        for expectation in &simulation.stop_when {
            let checked = self.evaluate(&expectation.check, &CheckSubject::All)?;
            self.usage.judge(&checked.calls);
            for call in checked.calls {
                let call = self.with_turn(call);
                self.extra_calls.stop.push(call);
            }
            if checked.result.problem.is_none() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Adds the number of the last turn to a call.
    pub(super) fn with_turn(&self, call: ModelCall) -> ModelCall {
        ModelCall {
            turn: Some(self.transcript.turns.len()),
            ..call
        }
    }
}
