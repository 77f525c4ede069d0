//! The conversation of an example under construction.

use serde_json::{Value, json};

use super::ExampleBuilder;
use crate::event::{AgentResponse, ToolCall, ToolCallCompleted, TopicChanged, UserMessage};
use crate::extra::UnknownFields;
use crate::metadata::Metadata;
use crate::model::{ConversationData, MessageData, Role, ToolCallData, TurnData};
use crate::time::Time;

impl ExampleBuilder {
    pub(super) fn conversation(&mut self) -> &mut ConversationData {
        let started_at = self.data.started_at;
        self.data
            .conversation
            .get_or_insert_with(|| conversation_from(started_at))
    }

    pub(super) fn user_message(&mut self, event: UserMessage) {
        self.finish_turn();
        let message = MessageData {
            role: Role::User,
            content: event.text,
            timestamp: event.time,
            source: event.source,
            metadata: event.metadata,
            extra: UnknownFields::default(),
        };
        self.open_turn(event.turn_number).user_message = Some(message);
    }

    pub(super) fn agent_response(&mut self, event: AgentResponse) {
        let message = MessageData {
            role: Role::Agent,
            content: event.text,
            timestamp: event.time,
            source: None,
            metadata: event.metadata,
            extra: UnknownFields::default(),
        };
        if self.is_answered_before(event.turn_number) {
            self.finish_turn();
        }
        self.interim.clear();
        let turn = self.turn(event.turn_number);
        turn.agent_response = Some(message);
        turn.tool_calls = event
            .tool_calls
            .into_iter()
            .map(|call| tool_call(call, event.time))
            .collect();
    }

    /// Whether the turn in progress already has its reply and a lower number than this one. The user message of this
    /// turn was then lost or never sent, and its reply must not replace the earlier one.
    fn is_answered_before(&self, number: u64) -> bool {
        let conversation = self.data.conversation.as_ref();
        let last = conversation.and_then(|conversation| conversation.turns.last());
        self.turn_open
            && last.is_some_and(|turn| turn.agent_response.is_some() && turn.number < number)
    }

    /// Stored separately: these are the turn's tool calls only if no reply arrives.
    pub(super) fn tool_call_completed(&mut self, event: ToolCallCompleted) {
        if self.turn(event.turn_number).agent_response.is_some() {
            return;
        }
        let call = ToolCall {
            name: event.tool_name,
            arguments: event.arguments,
            result: event.result,
            error: event.error,
            metadata: event.metadata,
        };
        self.interim.push(tool_call(call, event.time));
    }

    /// A turn has only its last topic, so the changes before that are added to its metadata.
    pub(super) fn topic_changed(&mut self, event: TopicChanged) {
        let topic = event.to_topic;
        if self.turn_open
            && let Some(turn) = self.conversation().turns.last_mut()
        {
            let from = turn.topic.replace(topic.clone());
            if let Some(from) = from.filter(|from| *from != topic) {
                let change = json!({"from": from, "to": topic, "trigger": event.trigger});
                let mut changes = match turn.metadata.remove("topic_changes") {
                    Some(Value::Array(changes)) => changes,
                    _ => Vec::new(),
                };
                changes.push(change);
                turn.metadata.set("topic_changes", changes);
            }
        }
        self.topic = Some(topic);
    }

    pub(super) fn simulation<const N: usize>(&mut self, fields: [(&str, Value); N]) {
        if let Ok(mut simulation) = self.conversation().metadata.scope("simulation") {
            for (key, value) in fields {
                simulation.set(key, value);
            }
        }
    }

    /// The turn in progress. If there is none, the agent sends the first message, and a turn without a user message
    /// is opened.
    pub(super) fn turn(&mut self, number: u64) -> &mut TurnData {
        if !self.turn_open {
            return self.open_turn(number);
        }
        self.conversation()
            .turns
            .last_mut()
            .expect("an open turn is the last one")
    }

    fn open_turn(&mut self, number: u64) -> &mut TurnData {
        self.turn_open = true;
        let turn = TurnData {
            number,
            user_message: None,
            agent_response: None,
            tool_calls: Vec::new(),
            topic: self.topic.clone(),
            metadata: Metadata::new(),
            extra: UnknownFields::default(),
        };
        let turns = &mut self.conversation().turns;
        turns.push(turn);
        turns.last_mut().expect("a turn was pushed above")
    }

    pub(super) fn finish_turn(&mut self) {
        if !std::mem::take(&mut self.turn_open) {
            return;
        }
        let mut calls = std::mem::take(&mut self.interim);
        if let Some(turn) = self.conversation().turns.last_mut()
            && turn.agent_response.is_none()
        {
            for call in &mut calls {
                call.metadata.set("interim", true);
            }
            turn.tool_calls = calls;
        }
    }
}

pub(super) fn conversation_from(started_at: Time) -> ConversationData {
    ConversationData {
        started_at,
        ended_at: None,
        turns: Vec::new(),
        final_topic: None,
        metadata: Metadata::new(),
        extra: UnknownFields::default(),
    }
}

fn tool_call(call: ToolCall, timestamp: Time) -> ToolCallData {
    ToolCallData {
        name: call.name,
        arguments: call.arguments,
        result: call.result,
        error: call.error,
        timestamp,
        metadata: call.metadata,
        extra: UnknownFields::default(),
    }
}
