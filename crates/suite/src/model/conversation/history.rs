//! [`HistoryTurn`]: a turn before the conversation, written in the suite.

use serde_json::Value;

/// A turn before the conversation.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct HistoryTurn {
    /// The user's message; empty if the agent spoke first.
    pub user: String,
    /// The assistant's messages, which are the reply; empty if the user wrote two messages in a row.
    pub messages: Vec<HistoryMessage>,
}

/// A message of the assistant before the conversation.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct HistoryMessage {
    /// Its text, which precedes the calls.
    pub text: String,
    /// The calls.
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
}
