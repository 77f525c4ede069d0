//! The messages of a conversation with a model, and its completions, in a form that all APIs share.

use casebook_record::event::ToolCall;
use casebook_suite::model::conversation::StopReason;
use serde_json::Value;

use crate::transcript::{AttachedFile, Reply, Tokens, Transcript};

/// The key of the round in the metadata of a tool call.
pub(in super::super) const ROUND: &str = "round";

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

/// The messages of all turns: of the user, of the model with its calls, and the results of tools.
pub(super) fn history(transcript: &Transcript) -> Vec<ChatMessage> {
    let mut messages = Vec::new();
    for (turn, number) in transcript.with_history().zip(1..) {
        if !turn.user.is_empty() {
            messages.push(ChatMessage::User {
                text: turn.user.clone(),
                files: turn.files.clone(),
            });
        }
        if let Some(reply) = &turn.reply {
            add_reply(&mut messages, reply, number);
        }
    }
    messages
}

/// Adds the messages of a reply. An empty one has none, because servers reject empty messages.
fn add_reply(messages: &mut Vec<ChatMessage>, reply: &Reply, turn: usize) {
    let has_rounds = reply.calls.iter().any(|call| round(call).is_some());
    let rounds = reply.calls.chunk_by(|one, next| round(one) == round(next));
    let mut number = 0;
    for calls in rounds {
        let ids: Vec<_> = calls
            .iter()
            .map(|_| {
                number += 1;
                format!("call_{turn}_{number}")
            })
            .collect();
        let requests = calls.iter().zip(&ids);
        messages.push(ChatMessage::Assistant {
            // With rounds, the text follows the results.
            text: if has_rounds {
                String::new()
            } else {
                reply.text.clone()
            },
            calls: requests.map(|(call, id)| call_request(call, id)).collect(),
        });
        let results = calls.iter().zip(ids);
        messages.push(ChatMessage::Results(
            results.map(|(call, id)| call_result(call, id)).collect(),
        ));
    }
    if !reply.text.is_empty() && (has_rounds || reply.calls.is_empty()) {
        messages.push(ChatMessage::Assistant {
            text: reply.text.clone(),
            calls: Vec::new(),
        });
    }
}

fn round(call: &ToolCall) -> Option<u64> {
    call.metadata.get(ROUND).and_then(Value::as_u64)
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
