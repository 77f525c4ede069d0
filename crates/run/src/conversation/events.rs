//! What is told of a conversation while it is held.

use casebook_record::Metadata;
use casebook_record::event::{
    AgentResponse, Event, SimulationEnded, SimulationStarted, ToolCall, ToolCallCompleted,
    TopicChanged, UserMessage,
};
use casebook_suite::model::conversation::Simulation;
use serde::Serialize;
use serde_json::{Map, Value};

use super::end::EndReason;
use super::usage::millis;
use crate::emitter::EventEmitter;
use crate::llm::ModelCall;
use crate::transcript::{ConversationTurn, Reply, Tokens};

/// Tells of one conversation.
#[derive(Clone, Copy)]
pub(super) struct ConversationEvents<'a> {
    pub(super) emitter: &'a EventEmitter<'a>,
    pub(super) example_id: &'a str,
}

impl ConversationEvents<'_> {
    pub(super) fn simulation_started(&self, simulation: &Simulation) {
        self.tell(SimulationStarted {
            time: self.emitter.now(),
            example_id: self.id(),
            goal: simulation.goal.clone(),
            max_turns: simulation.max_turns.into(),
        });
    }

    pub(super) fn simulation_ended(&self, turns: usize, reason: EndReason) {
        self.tell(SimulationEnded {
            time: self.emitter.now(),
            example_id: self.id(),
            turn_count: turns as u64,
            termination_reason: reason.name().to_owned(),
        });
    }

    /// With the call to the model that made it up.
    pub(super) fn user(&self, turn: u64, text: &str, call: Option<ModelCall>) {
        let source = if call.is_some() {
            "simulator"
        } else {
            "script"
        };
        self.tell(UserMessage {
            time: self.emitter.now(),
            example_id: self.id(),
            turn_number: turn,
            text: text.to_owned(),
            source: Some(source.to_owned()),
            metadata: call.map_or_else(Metadata::new, |simulator| {
                Metadata::of(&Simulated { simulator })
            }),
        });
    }

    pub(super) fn called(&self, turn: u64, call: &ToolCall) {
        self.tell(ToolCallCompleted {
            time: self.emitter.now(),
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
            time: self.emitter.now(),
            example_id: self.id(),
            turn_number: turn,
            text: reply.text.clone(),
            tool_calls: reply.calls.clone(),
            metadata: traced(reply),
        });
    }

    pub(super) fn moved(&self, turn: u64, from: Option<&str>, to: &str, trigger: Option<String>) {
        self.tell(TopicChanged {
            time: self.emitter.now(),
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
        self.emitter.sink().publish(event.into());
    }
}

/// How a model made up what the user says.
#[derive(Serialize)]
struct Simulated {
    simulator: ModelCall,
}

/// What the agent says of its reply, with what is known besides.
fn traced(reply: &Reply) -> Metadata {
    let mut metadata = reply.metadata.clone();
    let own = metadata.dig("tracing.model").or(metadata.get("model"));
    metadata.merge(Metadata::of(&Traced {
        tracing: ReplyTrace {
            latency_ms: millis(reply.latency),
            model: own.and_then(Value::as_str),
            tokens: reply.tokens,
            cost: reply.cost,
            retries: (reply.retries > 0).then_some(reply.retries),
        },
    }));
    metadata
}

#[derive(Serialize)]
struct Traced<'a> {
    tracing: ReplyTrace<'a>,
}

#[derive(Serialize)]
struct ReplyTrace<'a> {
    latency_ms: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tokens: Option<Tokens>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cost: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    retries: Option<u32>,
}

/// A conversation as a script or a program reads it.
pub(super) fn as_json(turns: &[ConversationTurn]) -> Vec<Value> {
    let turns = turns.iter().zip(1_u64..);
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_model_that_an_agent_names_is_in_its_tracing() {
        for (metadata, model) in [
            (json!({"model": "a"}), json!("a")),
            (json!({"tracing": {"model": "b"}}), json!("b")),
            (json!({"model": "a", "tracing": {"model": "b"}}), json!("b")),
            (json!({"model": 7}), json!(null)),
            (json!({}), json!(null)),
        ] {
            let reply = Reply {
                metadata: Metadata::of(&metadata),
                ..Reply::default()
            };
            let traced = traced(&reply);
            let found = traced.dig("tracing.model").unwrap_or(&Value::Null);
            assert_eq!(found, &model, "{metadata}");
        }
    }
}
