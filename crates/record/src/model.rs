//! Run data: what a run came to, as `run.json` holds it.
//!
//! Fields that this version does not know are kept at every level (`extra`) and written back. The fields that
//! the rspec-agents gem writes are always written, `null` included; those added here only where they are set.

#![expect(
    missing_docs,
    reason = "the fields are those of run.json, which docs/record.md describes"
)]

use indexmap::IndexMap;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Number, Value};

use crate::event::{no_arguments, some_even_if_null};
use crate::extra::UnknownFields;
use crate::json::Json;
use crate::metadata::Metadata;
use crate::time::Time;

/// How many lines of a backtrace are kept.
pub const BACKTRACE_LINES: usize = 10;

/// A whole run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(expecting = "a run: an object")]
pub struct RunData {
    /// Which format this is; absent in files of the rspec-agents gem. See [`crate::SCHEMA_VERSION`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schema_version: Option<Value>,
    pub run_id: String,
    pub started_at: Time,
    pub finished_at: Option<Time>,
    pub seed: Option<Number>,
    pub git_commit: Option<String>,
    #[serde(default, skip_serializing_if = "Metadata::is_empty")]
    pub metadata: Metadata,
    #[serde(default)]
    pub scenarios: IndexMap<String, ScenarioData>,
    /// By id, in the planned order.
    #[serde(default)]
    pub examples: IndexMap<String, Box<ExampleData>>,
    #[serde(flatten)]
    pub extra: UnknownFields,
}

/// What a scenario-driven example was driven by.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(expecting = "a scenario: an object")]
pub struct ScenarioData {
    pub id: String,
    pub name: Option<String>,
    pub goal: Option<String>,
    pub personality: Option<Json>,
    pub context: Option<Json>,
    pub verification: Option<Json>,
    /// The scenario as it was given.
    #[serde(default)]
    pub data: Json,
    #[serde(flatten)]
    pub extra: UnknownFields,
}

/// Where an example stands. A skipped one ends as pending.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    Pending,
    Running,
    Passed,
    Failed,
}

impl Status {
    /// The word in `run.json`.
    pub fn name(self) -> &'static str {
        match self {
            Status::Pending => "pending",
            Status::Running => "running",
            Status::Passed => "passed",
            Status::Failed => "failed",
        }
    }
}

/// One example: a test, with all that happened in it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(expecting = "an example: an object")]
pub struct ExampleData {
    pub id: String,
    pub stable_id: Option<String>,
    /// The descriptions from the outermost group to the example, joined by `::`.
    pub canonical_path: Option<String>,
    pub scenario_id: Option<String>,
    pub file: String,
    pub description: String,
    /// Kept where there is no canonical path to tell the groups.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub full_description: Option<String>,
    /// `file:line`.
    pub location: String,
    pub status: Status,
    pub started_at: Time,
    pub finished_at: Option<Time>,
    pub duration_ms: Option<i64>,
    pub exception: Option<ExceptionData>,
    pub conversation: Option<ConversationData>,
    #[serde(default, deserialize_with = "exact")]
    pub evaluations: Vec<EvaluationData>,
    #[serde(default)]
    pub metadata: Metadata,
    #[serde(flatten)]
    pub extra: UnknownFields,
}

/// Why an example failed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(expecting = "an exception: an object")]
pub struct ExceptionData {
    pub class_name: Option<String>,
    pub message: Option<String>,
    /// The first [`BACKTRACE_LINES`] lines.
    #[serde(default)]
    pub backtrace: Vec<String>,
    /// Where it failed, when that is not where the example begins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub location: Option<String>,
    #[serde(flatten)]
    pub extra: UnknownFields,
}

/// What user and agent said to each other.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(expecting = "a conversation: an object")]
pub struct ConversationData {
    pub started_at: Time,
    pub ended_at: Option<Time>,
    #[serde(default, deserialize_with = "exact")]
    pub turns: Vec<TurnData>,
    pub final_topic: Option<String>,
    #[serde(default)]
    pub metadata: Metadata,
    #[serde(flatten)]
    pub extra: UnknownFields,
}

/// One message of the user and what the agent made of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(expecting = "a turn: an object")]
pub struct TurnData {
    /// Counted from 1.
    pub number: u64,
    /// Absent when the agent spoke first.
    pub user_message: Option<MessageData>,
    pub agent_response: Option<MessageData>,
    #[serde(default, deserialize_with = "exact")]
    pub tool_calls: Vec<ToolCallData>,
    pub topic: Option<String>,
    #[serde(default)]
    pub metadata: Metadata,
    #[serde(flatten)]
    pub extra: UnknownFields,
}

/// Who speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    User,
    Agent,
}

/// One message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(expecting = "a message: an object")]
pub struct MessageData {
    pub role: Role,
    pub content: String,
    pub timestamp: Time,
    /// `simulator` or `script`, for the user's messages.
    pub source: Option<String>,
    #[serde(default)]
    pub metadata: Metadata,
    #[serde(flatten)]
    pub extra: UnknownFields,
}

/// One call of a tool by the agent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(expecting = "a tool call: an object")]
pub struct ToolCallData {
    pub name: String,
    #[serde(default = "no_arguments")]
    pub arguments: Json,
    /// Any value; `None` when the tool returned nothing at all, which is not `null`.
    #[serde(
        default,
        deserialize_with = "some_even_if_null",
        skip_serializing_if = "Option::is_none"
    )]
    pub result: Option<Json>,
    pub error: Option<String>,
    pub timestamp: Time,
    #[serde(default)]
    pub metadata: Metadata,
    #[serde(flatten)]
    pub extra: UnknownFields,
}

/// One expectation and whether it held.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(expecting = "an evaluation: an object")]
pub struct EvaluationData {
    pub name: String,
    pub description: String,
    pub passed: bool,
    pub reasoning: Option<String>,
    pub timestamp: Time,
    /// `soft` or `hard`.
    pub mode: Option<String>,
    pub r#type: Option<String>,
    pub failure_message: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn_number: Option<u64>,
    #[serde(default)]
    pub metadata: Metadata,
    #[serde(flatten)]
    pub extra: UnknownFields,
}

/// A list without room for more: most have one element or few, and a run has very many of them.
fn exact<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Vec<T>, D::Error> {
    let mut list = Vec::deserialize(deserializer)?;
    list.shrink_to_fit();
    Ok(list)
}

/// The class of the exception of an example that its run has stopped.
pub const INTERRUPTED: &str = "Casebook::Interrupted";

impl ExampleData {
    /// The most telling name: the canonical path, else the full description, else the description.
    pub fn title(&self) -> &str {
        self.canonical_path
            .as_deref()
            .or(self.full_description.as_deref())
            .unwrap_or(&self.description)
    }

    /// The earlier attempts of a retried example, oldest first.
    pub fn attempts(&self) -> &[Value] {
        self.metadata
            .get("attempts")
            .and_then(Value::as_array)
            .map_or(&[], Vec::as_slice)
    }

    /// Whether it passed only after another attempt had failed. One that was stopped with its run says nothing.
    pub fn is_flaky(&self) -> bool {
        let has_failed = |attempt: &Value| {
            let class = attempt.pointer("/exception/class_name");
            attempt["status"] == "failed" && class.is_none_or(|class| class != INTERRUPTED)
        };
        self.status == Status::Passed && self.attempts().iter().any(has_failed)
    }
}
