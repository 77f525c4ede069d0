//! What is told of a conversation while it is held.

use casebook_record::Metadata;
use casebook_record::event::{
    AgentResponse, Event, SimulationEnded, SimulationStarted, ToolCall, ToolCallCompleted,
    TopicChanged, UserMessage,
};
use casebook_suite::model::conversation::Simulation;
use serde_json::{Map, Value};

use super::reason::Reason;
use super::spent::{millis, tokens_as_json};
use super::{Exchange, Reply};
use crate::tell::Teller;

/// Tells of one conversation.
#[derive(Clone, Copy)]
pub(super) struct Voice<'a> {
    pub(super) teller: &'a Teller<'a>,
    pub(super) example_id: &'a str,
}

impl Voice<'_> {
    pub(super) fn simulation_started(&self, simulation: &Simulation) {
        self.tell(SimulationStarted {
            time: self.teller.now(),
            example_id: self.id(),
            goal: simulation.goal.clone(),
            max_turns: simulation.max_turns.into(),
        });
    }

    pub(super) fn simulation_ended(&self, turns: usize, reason: Reason) {
        self.tell(SimulationEnded {
            time: self.teller.now(),
            example_id: self.id(),
            turn_count: turns as u64,
            termination_reason: reason.name().to_owned(),
        });
    }

    /// With the call to the model that made it up.
    pub(super) fn user(&self, turn: u64, text: &str, call: Option<Value>) {
        let source = if call.is_some() {
            "simulator"
        } else {
            "script"
        };
        let call = call.map(|call| ("simulator", call));
        self.tell(UserMessage {
            time: self.teller.now(),
            example_id: self.id(),
            turn_number: turn,
            text: text.to_owned(),
            source: Some(source.to_owned()),
            metadata: call.into_iter().collect(),
        });
    }

    pub(super) fn called(&self, turn: u64, call: &ToolCall) {
        self.tell(ToolCallCompleted {
            time: self.teller.now(),
            example_id: self.id(),
            turn_number: turn,
            tool_name: call.name.clone(),
            arguments: call.arguments.clone(),
            result: call.result.clone(),
            error: call.error.clone(),
            metadata: call.metadata.clone(),
        });
    }

    pub(super) fn answered(&self, turn: u64, reply: &Reply) {
        self.tell(AgentResponse {
            time: self.teller.now(),
            example_id: self.id(),
            turn_number: turn,
            text: reply.text.clone(),
            tool_calls: reply.calls.clone(),
            metadata: traced(reply),
        });
    }

    pub(super) fn moved(&self, turn: u64, from: Option<&str>, to: &str, trigger: Option<String>) {
        self.tell(TopicChanged {
            time: self.teller.now(),
            example_id: self.id(),
            turn_number: turn,
            from_topic: from.map(str::to_owned),
            to_topic: to.to_owned(),
            trigger,
        });
    }

    fn id(&self) -> String {
        self.example_id.to_owned()
    }

    pub(super) fn tell(&self, event: impl Into<Event>) {
        self.teller.evidence().publish(event.into());
    }
}

/// What the agent says of its reply, with what is known besides.
fn traced(reply: &Reply) -> Metadata {
    let mut metadata = reply.metadata.clone();
    let mut tracing = match metadata.get("tracing") {
        Some(Value::Object(tracing)) => tracing.clone(),
        _ => Map::new(),
    };
    tracing.insert("latency_ms".into(), millis(reply.latency));
    if let Some(tokens) = reply.tokens {
        tracing.insert("tokens".into(), tokens_as_json(tokens));
    }
    if let Some(cost) = reply.cost {
        tracing.insert("cost".into(), cost.into());
    }
    if reply.retries > 0 {
        tracing.insert("retries".into(), reply.retries.into());
    }
    metadata.set("tracing", tracing);
    metadata
}

/// A conversation as a script or a program reads it.
pub(super) fn as_json(exchanges: &[Exchange]) -> Vec<Value> {
    let turns = exchanges.iter().zip(1_u64..);
    turns
        .map(|(exchange, number)| {
            let mut turn = Map::from_iter([
                ("number".to_owned(), number.into()),
                ("user".to_owned(), exchange.user.as_str().into()),
            ]);
            if let Some(reply) = &exchange.reply {
                turn.insert("agent".into(), reply.text.as_str().into());
                let calls = serde_json::to_value(&reply.calls);
                turn.insert("tool_calls".into(), calls.unwrap_or_default());
                let metadata = serde_json::to_value(traced(reply));
                turn.insert("metadata".into(), metadata.unwrap_or_default());
            }
            if let Some(topic) = &exchange.topic {
                turn.insert("topic".into(), topic.as_str().into());
            }
            Value::Object(turn)
        })
        .collect()
}
