//! Who speaks to the agent: somebody who says what is written, or a model that pursues a goal.

use casebook_suite::model::conversation::{Provider, Simulation, Turn};

use super::demand::About;
use super::reason::{Over, Reason};
use super::talk::Talk;
use crate::llm::simulator::{self, Said};
use crate::llm::{Call, Unanswered};

impl<'a> Talk<'a> {
    /// Says what is written, until something demanded does not hold.
    pub(super) fn script(&mut self, turns: &'a [Turn]) -> Result<Reason, Over> {
        for turn in turns {
            let place = self.exchange(&turn.text, None)?;
            self.examine(&turn.demands, &About::Turn(place))?;
            if self.failure.is_some() {
                return Ok(Reason::StopCondition);
            }
        }
        Ok(Reason::ScriptEnd)
    }

    /// Lets a model speak, until it has what it wants or has spoken often enough.
    pub(super) fn simulate(&mut self, simulation: &'a Simulation) -> Result<Reason, Over> {
        for _ in 0..simulation.max_turns {
            let said = self.next_words(simulation)?;
            if said.done {
                return Ok(self.last_words(said));
            }
            self.exchange(&said.text, Some(said.call))?;
            if self.is_to_stop(simulation)? {
                return Ok(Reason::StopCondition);
            }
        }
        if self.is_scripted() {
            return Ok(Reason::MaxTurns);
        }
        // Whether the last reply was what the user wanted is known only when the user is asked. Nothing hangs on the
        // answer but how the end is called.
        match self.next_words(simulation) {
            Ok(said) => Ok(self.last_words(said)),
            Err(over) if over.reason == Reason::Interrupted => Err(over),
            Err(_) => Ok(Reason::MaxTurns),
        }
    }

    /// Why the conversation is over, by what the user would say next.
    fn last_words(&mut self, said: Said) -> Reason {
        let call = self.placed(said.call);
        self.asked.simulator.push(call);
        if said.done {
            Reason::GoalReached
        } else {
            Reason::MaxTurns
        }
    }

    /// Whether the suite says itself what the user says, so that no goal is ever reached.
    pub(super) fn is_scripted(&self) -> bool {
        let llm = self.conversation.llm.as_ref();
        llm.is_some_and(|llm| matches!(llm.provider, Provider::Scripted(_)))
    }

    fn next_words(&mut self, simulation: &'a Simulation) -> Result<Said, Over> {
        let topic = self.current();
        let patience = self.patience();
        let said = self
            .model()
            .map_err(Unanswered::from)
            .and_then(|model| simulator::say(model, simulation, topic, &self.transcript, patience));
        let said = said.map_err(|Unanswered { error, calls }| {
            for call in calls {
                self.spent.simulator(&call);
                let call = self.placed(call);
                self.asked.simulator.push(call);
            }
            Over::without_model(
                &error,
                || self.late("the simulated user"),
                |why| {
                    let message = format!("the simulated user has nothing to say: {why}");
                    Over::badly(Reason::SimulatorError, "Casebook::SimulatorFailed", message)
                },
            )
        })?;
        self.spent.simulator(&said.call);
        Ok(said)
    }

    /// Whether something has happened that ends the conversation.
    fn is_to_stop(&mut self, simulation: &'a Simulation) -> Result<bool, Over> {
        for demand in &simulation.stop_when {
            let examined = self.look(&demand.check, &About::All)?;
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
    pub(super) fn placed(&self, call: Call) -> Call {
        Call {
            turn: Some(self.transcript.exchanges.len()),
            ..call
        }
    }
}
