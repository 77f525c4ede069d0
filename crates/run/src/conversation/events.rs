//! The events of a conversation.

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
use crate::transcript::{AttachedFile, ConversationTurn, Reply, Tokens};

/// Publishes the events of one conversation.
#[derive(Clone, Copy)]
pub(super) struct ConversationEvents<'a> {
    pub(super) emitter: &'a EventEmitter<'a>,
    pub(super) example_id: &'a str,
}

impl ConversationEvents<'_> {
    pub(super) fn simulation_started(&self, simulation: &Simulation) {
        self.publish(SimulationStarted {
            time: self.emitter.now(),
            example_id: self.id(),
            goal: simulation.goal.clone(),
            max_turns: simulation.max_turns.into(),
        });
    }

    pub(super) fn simulation_ended(&self, turns: usize, reason: EndReason) {
        self.publish(SimulationEnded {
            time: self.emitter.now(),
            example_id: self.id(),
            turn_count: turns as u64,
            termination_reason: reason.name().to_owned(),
        });
    }

    /// `call` is the model call that wrote the message; `None` for a scripted message.
    pub(super) fn user_message(
        &self,
        turn_number: u64,
        text: &str,
        files: &[AttachedFile],
        call: Option<ModelCall>,
    ) {
        let source = if call.is_some() {
            "simulator"
        } else {
            "script"
        };
        self.publish(UserMessage {
            time: self.emitter.now(),
            example_id: self.id(),
            turn_number,
            text: text.to_owned(),
            source: Some(source.to_owned()),
            metadata: Metadata::of(&MessageMetadata {
                simulator: call,
                files: files.iter().map(|file| file.path.as_str()).collect(),
            }),
        });
    }

    pub(super) fn tool_called(&self, turn_number: u64, call: &ToolCall) {
        self.publish(ToolCallCompleted {
            time: self.emitter.now(),
            example_id: self.id(),
            turn_number,
            tool_name: call.name.clone(),
            arguments: call.arguments.clone(),
            result: call.result.clone(),
            error: call.error.clone(),
            metadata: call.metadata.clone(),
        });
    }

    pub(super) fn agent_replied(&self, turn_number: u64, reply: &Reply) {
        self.publish(AgentResponse {
            time: self.emitter.now(),
            example_id: self.id(),
            turn_number,
            text: reply.text.clone(),
            tool_calls: reply.calls.clone(),
            metadata: reply_metadata(reply),
        });
    }

    pub(super) fn topic_changed(
        &self,
        turn_number: u64,
        from: Option<&str>,
        to: &str,
        trigger: Option<String>,
    ) {
        self.publish(TopicChanged {
            time: self.emitter.now(),
            example_id: self.id(),
            turn_number,
            from_topic: from.map(str::to_owned),
            to_topic: to.to_owned(),
            trigger,
        });
    }

    fn id(&self) -> String {
        self.example_id.to_owned()
    }

    pub(super) fn publish(&self, event: impl Into<Event>) {
        self.emitter.sink().publish(event.into());
    }
}

/// The metadata of a user's message.
#[derive(Serialize)]
struct MessageMetadata<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    simulator: Option<ModelCall>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    files: Vec<&'a str>,
}

/// The agent's metadata of a reply, with the reason for an incomplete one, and latency, model, tokens, cost and retries added
/// under `tracing`.
fn reply_metadata(reply: &Reply) -> Metadata {
    let mut metadata = reply.metadata.clone();
    let reported_model = metadata.dig("tracing.model").or(metadata.get("model"));
    metadata.merge(Metadata::of(&TracingMetadata {
        tracing: ReplyTrace {
            latency_ms: millis(reply.latency),
            model: reported_model.and_then(Value::as_str),
            tokens: reply.tokens,
            cost: reply.cost,
            retries: (reply.retries > 0).then_some(reply.retries),
            retried_on: &reply.retried_on,
            first_token_ms: reply.first_token.map(millis),
        },
    }));
    if let Some(reason) = reply.stop_reason {
        metadata.set("stop_reason", reason.name());
    }
    metadata
}

#[derive(Serialize)]
struct TracingMetadata<'a> {
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
    #[serde(skip_serializing_if = "<[u16]>::is_empty")]
    retried_on: &'a [u16],
    #[serde(skip_serializing_if = "Option::is_none")]
    first_token_ms: Option<u64>,
}

/// The turns as JSON for `run` checks.
pub(super) fn turns_json(turns: &[ConversationTurn]) -> Vec<Value> {
    let turns = turns.iter().zip(1_u64..);
    turns
        .map(|(turn, number)| {
            let mut entry = Map::from_iter([
                ("number".to_owned(), number.into()),
                ("user".to_owned(), turn.user.as_str().into()),
            ]);
            if let Some(reply) = &turn.reply {
                entry.insert("agent".into(), reply.text.as_str().into());
                let calls = serde_json::to_value(&reply.calls);
                entry.insert("tool_calls".into(), calls.unwrap_or_default());
                let metadata = serde_json::to_value(reply_metadata(reply));
                entry.insert("metadata".into(), metadata.unwrap_or_default());
            }
            if let Some(topic) = &turn.topic {
                entry.insert("topic".into(), topic.as_str().into());
            }
            Value::Object(entry)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_model_in_an_agents_metadata_is_added_to_tracing() {
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
            let reply_metadata = reply_metadata(&reply);
            let found = reply_metadata.dig("tracing.model").unwrap_or(&Value::Null);
            assert_eq!(found, &model, "{metadata}");
        }
    }
}
