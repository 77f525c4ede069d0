//! [`HistoryTurn`]: a turn before the conversation, written in the suite.

use serde_json::Value;

/// A turn before the conversation.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct HistoryTurn {
    /// The user's message; empty if the agent spoke first.
    pub user: String,
    /// The reply; `None` if the user wrote two messages in a row.
    pub reply: Option<HistoryReply>,
}

/// A reply before the conversation.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct HistoryReply {
    /// Its text.
    pub text: String,
    /// The calls before the text.
    pub calls: Vec<HistoryCall>,
}

/// A call of a tool before the conversation.
#[derive(Debug, Clone, PartialEq)]
pub struct HistoryCall {
    /// The tool's name.
    pub tool: String,
    /// The arguments.
    pub arguments: Value,
    /// The result.
    pub result: Option<Value>,
    /// The number of the message of the reply that has this call, from 1.
    pub round: u64,
}
