//! The events of a conversation with an agent.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::json::Json;
use crate::metadata::Metadata;
use crate::time::Time;

/// A simulated user starts a conversation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SimulationStarted {
    pub time: Time,
    pub example_id: String,
    pub goal: String,
    pub max_turns: u64,
}

/// A simulated user has ended its conversation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SimulationEnded {
    pub time: Time,
    pub example_id: String,
    pub turn_count: u64,
    pub termination_reason: String,
}

/// The user sent a message, which starts the next turn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct UserMessage {
    pub time: Time,
    pub example_id: String,
    pub turn_number: u64,
    pub text: String,
    /// `simulator` or `script`; [`STEP`](crate::model::STEP) for the command of a step.
    pub source: Option<String>,
    /// The model call that generated it.
    #[serde(default, skip_serializing_if = "Metadata::is_empty")]
    pub metadata: Metadata,
}

/// The agent replied. This list of tool calls replaces those of [`ToolCallCompleted`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AgentResponse {
    pub time: Time,
    pub example_id: String,
    pub turn_number: u64,
    pub text: String,
    pub tool_calls: Vec<ToolCall>,
    #[serde(default)]
    pub metadata: Metadata,
}

/// One tool call in an [`AgentResponse`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolCall {
    pub name: String,
    #[serde(default = "no_arguments")]
    pub arguments: Json,
    /// Any value; `None` when the tool returned nothing, which differs from `null`.
    #[serde(
        default,
        deserialize_with = "some_even_if_null",
        skip_serializing_if = "Option::is_none"
    )]
    pub result: Option<Json>,
    pub error: Option<String>,
    #[serde(default)]
    pub metadata: Metadata,
}

/// The conversation moved to another topic.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TopicChanged {
    pub time: Time,
    pub example_id: String,
    pub turn_number: u64,
    pub from_topic: Option<String>,
    pub to_topic: String,
    pub trigger: Option<String>,
}

/// A tool call has ended, reported while the turn runs. The turn's [`AgentResponse`] overrides it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolCallCompleted {
    pub time: Time,
    pub example_id: String,
    pub turn_number: u64,
    pub tool_name: String,
    pub arguments: Json,
    /// Any value; `None` when the tool returned nothing, which differs from `null`.
    #[serde(
        default,
        deserialize_with = "some_even_if_null",
        skip_serializing_if = "Option::is_none"
    )]
    pub result: Option<Json>,
    pub error: Option<String>,
    #[serde(default)]
    pub metadata: Metadata,
}

/// An expectation was checked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EvaluationRecorded {
    pub time: Time,
    pub example_id: String,
    pub turn_number: Option<u64>,
    /// `soft` or `hard`.
    pub mode: Option<String>,
    pub r#type: Option<String>,
    pub name: Option<String>,
    pub description: String,
    pub passed: bool,
    pub reasoning: Option<String>,
    pub failure_message: Option<String>,
    #[serde(default)]
    pub metadata: Metadata,
}

pub(crate) fn no_arguments() -> Json {
    Value::Object(Map::new()).into()
}

/// Keeps `null` distinct from absence: a present value is always `Some`.
pub(crate) fn some_even_if_null<'de, D: serde::Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Json>, D::Error> {
    Json::deserialize(deserializer).map(Some)
}
