//! The turns before a conversation, which the suite supplies.

use casebook_record::Metadata;
use casebook_record::event::ToolCall;
use casebook_suite::model::conversation::{HistoryCall, HistoryReply, HistoryTurn};

use super::agent::ROUND;
use crate::transcript::{ConversationTurn, Reply};

/// The turns as they would be in the transcript.
pub(super) fn turns(history: &[HistoryTurn]) -> Vec<ConversationTurn> {
    let turns = history.iter().map(|turn| ConversationTurn {
        files: Vec::new(),
        user: turn.user.clone(),
        reply: turn.reply.as_ref().map(reply),
        topic: None,
    });
    turns.collect()
}

fn reply(reply: &HistoryReply) -> Reply {
    Reply {
        text: reply.text.clone(),
        calls: reply.calls.iter().map(call).collect(),
        ..Reply::default()
    }
}

fn call(call: &HistoryCall) -> ToolCall {
    ToolCall {
        name: call.tool.clone(),
        arguments: call.arguments.clone().into(),
        result: call.result.clone().map(Into::into),
        error: None,
        metadata: Metadata::from_iter([(ROUND, call.round)]),
    }
}
