//! The messages of a conversation with a model, and its completions, in a form that all APIs share.

use casebook_record::event::ToolCall;
use casebook_suite::model::conversation::{HistoryTurn, StopReason};
use serde_json::Value;

use crate::conversation::history;
use crate::transcript::{AttachedFile, Tokens};

/// The key of the round in the metadata of a tool call.
pub(super) const ROUND: &str = "round";

/// A message of a conversation with a model.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum ChatMessage {
    User {
        text: String,
        files: Vec<AttachedFile>,
    },
    Assistant {
        text: String,
        calls: Vec<CallRequest>,
    },
    /// A message of the assistant as the server sent it.
    Received(Value),
    /// The results of the calls of the message before.
    Results(Vec<CallResult>),
}

/// A model's request to call a tool.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct CallRequest {
    pub(super) id: String,
    pub(super) name: String,
    /// A string if the model wrote invalid JSON.
    pub(super) arguments: Value,
}

/// The result of a call, for the model.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct CallResult {
    pub(super) id: String,
    pub(super) content: String,
    pub(super) is_error: bool,
}

/// A response of a model.
#[derive(Debug, Default)]
pub(super) struct Completion {
    pub(super) text: String,
    pub(super) calls: Vec<CallRequest>,
    /// The message as the server sent it, for the next request.
    pub(super) message: Value,
    pub(super) stop_reason: Option<StopReason>,
    /// The word of the API for the end of the response.
    pub(super) finish_reason: Option<String>,
    pub(super) model: Option<String>,
    pub(super) tokens: Option<Tokens>,
    pub(super) cost: Option<f64>,
}

/// The messages before the conversation. Their calls have no ids in the suite, so they get some.
pub(super) fn messages_before(history: &[HistoryTurn]) -> Vec<ChatMessage> {
    let mut messages = Vec::new();
    let mut number = 0;
    for turn in history {
        messages.extend(user_message(&turn.user, &[]));
        for message in &turn.messages {
            let calls = history::calls(message).map(|call| {
                number += 1;
                (format!("call_{number}"), call)
            });
            let calls: Vec<_> = calls.collect();
            let requests = calls.iter().map(|(id, call)| call_request(call, id));
            messages.extend(assistant_message(&message.text, requests.collect()));
            let results = calls.iter().map(|(id, call)| call_result(call, id.clone()));
            messages.extend(results_message(results.collect()));
        }
    }
    messages
}

/// A message of the user; none if the agent spoke first.
pub(super) fn user_message(text: &str, files: &[AttachedFile]) -> Option<ChatMessage> {
    (!text.is_empty()).then(|| ChatMessage::User {
        text: text.to_owned(),
        files: files.to_vec(),
    })
}

/// A message of the assistant. An empty one is none, because servers reject empty messages.
pub(super) fn assistant_message(text: &str, calls: Vec<CallRequest>) -> Option<ChatMessage> {
    (!text.is_empty() || !calls.is_empty()).then(|| ChatMessage::Assistant {
        text: text.to_owned(),
        calls,
    })
}

/// The results of the calls of a message, if it has calls.
pub(super) fn results_message(results: Vec<CallResult>) -> Option<ChatMessage> {
    (!results.is_empty()).then_some(ChatMessage::Results(results))
}

fn call_request(call: &ToolCall, id: &str) -> CallRequest {
    CallRequest {
        id: id.to_owned(),
        name: call.name.clone(),
        arguments: call.arguments.clone().into(),
    }
}

/// The result of a recorded call, for the model.
pub(super) fn call_result(call: &ToolCall, id: String) -> CallResult {
    let content = match (&call.error, &call.result) {
        (Some(error), _) => error.clone(),
        (None, Some(result)) => match Value::from(result.clone()) {
            Value::String(text) => text,
            value => value.to_string(),
        },
        (None, None) => String::new(),
    };
    CallResult {
        id,
        content,
        is_error: call.error.is_some(),
    }
}
