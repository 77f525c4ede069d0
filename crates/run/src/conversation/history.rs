//! The turns before a conversation, which the suite supplies.

use casebook_record::Metadata;
use casebook_record::event::ToolCall;
use casebook_suite::model::conversation::{HistoryCall, HistoryMessage, HistoryTurn};

use crate::transcript::{ConversationTurn, Reply};

/// The turns as they would be in the transcript.
pub(super) fn turns(history: &[HistoryTurn]) -> Vec<ConversationTurn> {
    let turns = history.iter().map(|turn| ConversationTurn {
        files: Vec::new(),
        user: turn.user.clone(),
        reply: (!turn.messages.is_empty()).then(|| reply(&turn.messages)),
        topic: None,
    });
    turns.collect()
}

fn reply(messages: &[HistoryMessage]) -> Reply {
    let texts = messages.iter().map(|message| message.text.as_str());
    let texts: Vec<_> = texts.filter(|text| !text.is_empty()).collect();
    Reply {
        text: texts.join("\n"),
        calls: messages.iter().flat_map(calls).collect(),
        ..Reply::default()
    }
}

/// The calls of a message.
pub(super) fn calls(message: &HistoryMessage) -> impl Iterator<Item = ToolCall> {
    message.calls.iter().map(call)
}

fn call(call: &HistoryCall) -> ToolCall {
    ToolCall {
        name: call.tool.clone(),
        arguments: call.arguments.clone().into(),
        result: call.result.clone().map(Into::into),
        error: None,
        metadata: Metadata::new(),
    }
}
