//! Run data: the content of `run.json` in memory.
//!
//! Unknown fields are kept at every level (`extra`) and written back. The fields that the rspec-agents gem writes are
//! always written, including `null`; fields added by Casebook only when they are set.

#![expect(
    missing_docs,
    reason = "the fields are those of run.json, which docs/record.md describes"
)]

use indexmap::IndexMap;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Number, Value};

use crate::event::{EvaluationRecorded, no_arguments, some_even_if_null};
use crate::extra::UnknownFields;
use crate::json::Json;
use crate::metadata::Metadata;
use crate::time::Time;

/// The maximum number of backtrace lines in a record.
pub const BACKTRACE_LINES: usize = 10;

/// The examples of a run in memory: by id, in the planned order.
pub type Examples = IndexMap<String, Box<ExampleData>>;

/// A complete run. Its examples are in memory, or in a file: see [`crate::Run`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(expecting = "a run: an object")]
pub struct RunData<E: ?Sized = Examples> {
    /// The version of the format; absent in files of the rspec-agents gem. See [`crate::SCHEMA_VERSION`].
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
    #[serde(flatten)]
    pub extra: UnknownFields,
    /// The last field, so that a reference to a run with any kind of examples is a reference to a [`crate::Run`].
    #[serde(default)]
    pub examples: E,
}

/// The scenario of a scenario-driven example.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(expecting = "a scenario: an object")]
pub struct ScenarioData {
    pub id: String,
    pub name: Option<String>,
    pub goal: Option<String>,
    pub personality: Option<Json>,
    pub context: Option<Json>,
    pub verification: Option<Json>,
    /// The scenario in its original form.
    #[serde(default)]
    pub data: Json,
    #[serde(flatten)]
    pub extra: UnknownFields,
}

/// The state of an example. A skipped example ends as pending.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    Pending,
    Running,
    Passed,
    Failed,
}

impl Status {
    /// The value in `run.json`.
    pub fn name(self) -> &'static str {
        match self {
            Status::Pending => "pending",
            Status::Running => "running",
            Status::Passed => "passed",
            Status::Failed => "failed",
        }
    }
}

/// One example: a test with everything recorded about it.
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
    /// Set only when the canonical path, which contains the groups, is absent.
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
    /// Where it failed, if not at the example's own location.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub location: Option<String>,
    #[serde(flatten)]
    pub extra: UnknownFields,
}

/// The conversation of user and agent.
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

/// A user message with the agent's reply.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(expecting = "a turn: an object")]
pub struct TurnData {
    /// Counted from 1.
    pub number: u64,
    /// `None` when the agent sent the first message.
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

/// The sender of a message.
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
    /// `simulator` or `script`, for the user's messages; [`STEP`] for the command of a step.
    pub source: Option<String>,
    #[serde(default)]
    pub metadata: Metadata,
    #[serde(flatten)]
    pub extra: UnknownFields,
}

/// One tool call of the agent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(expecting = "a tool call: an object")]
pub struct ToolCallData {
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
    pub timestamp: Time,
    #[serde(default)]
    pub metadata: Metadata,
    #[serde(flatten)]
    pub extra: UnknownFields,
}

/// One checked expectation and its result.
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

impl From<EvaluationRecorded> for EvaluationData {
    fn from(event: EvaluationRecorded) -> EvaluationData {
        EvaluationData {
            name: event.name.unwrap_or_else(|| event.description.clone()),
            description: event.description,
            passed: event.passed,
            reasoning: event.reasoning,
            timestamp: event.time,
            mode: event.mode,
            r#type: event.r#type,
            failure_message: event.failure_message,
            turn_number: event.turn_number,
            metadata: event.metadata,
            extra: UnknownFields::default(),
        }
    }
}

/// A list without spare capacity: most have one element or few, and a run has very many lists.
fn exact<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Vec<T>, D::Error> {
    let mut list = Vec::deserialize(deserializer)?;
    list.shrink_to_fit();
    Ok(list)
}

/// The source of a message that is the command of a step: its turn is a step of a command test, not of a conversation.
pub const STEP: &str = "step";

/// The exception class of an example that was interrupted by the end of its run.
pub const INTERRUPTED: &str = "Casebook::Interrupted";

/// The key of the checked-out branch in the metadata of a run.
pub(crate) const GIT_BRANCH: &str = "git_branch";

/// The key in a run's metadata of the planned examples that were not run.
pub const NOT_RUN: &str = "not_run";

impl<E> RunData<E> {
    /// The run with these examples instead.
    pub(crate) fn with_examples<F>(self, examples: F) -> RunData<F> {
        RunData {
            schema_version: self.schema_version,
            run_id: self.run_id,
            started_at: self.started_at,
            finished_at: self.finished_at,
            seed: self.seed,
            git_commit: self.git_commit,
            metadata: self.metadata,
            scenarios: self.scenarios,
            extra: self.extra,
            examples,
        }
    }
}

impl TurnData {
    fn is_step(&self) -> bool {
        let message = self.user_message.as_ref();
        message.is_some_and(|message| message.source.as_deref() == Some(STEP))
    }
}

impl ExampleData {
    /// The most specific name: the canonical path, else the full description, else the description.
    pub fn title(&self) -> &str {
        self.canonical_path
            .as_deref()
            .or(self.full_description.as_deref())
            .unwrap_or(&self.description)
    }

    /// The conversation, if it has turns.
    pub fn transcript(&self) -> Option<&ConversationData> {
        let conversation = self.conversation.as_ref()?;
        let mut turns = conversation.turns.iter();
        turns
            .next()
            .is_some_and(|first| !first.is_step())
            .then_some(conversation)
    }

    /// The steps of a command test that were run; none for a test with one command.
    pub fn steps(&self) -> impl Iterator<Item = &TurnData> {
        let turns = self.conversation.iter().flat_map(|steps| &steps.turns);
        turns.filter(|turn| turn.is_step())
    }

    /// The earlier attempts of a retried example, oldest first.
    pub fn attempts(&self) -> &[Value] {
        self.metadata
            .get("attempts")
            .and_then(Value::as_array)
            .map_or(&[], Vec::as_slice)
    }

    /// Whether it passed on a retry after a failed attempt. An interrupted attempt does not count as failed.
    pub fn is_flaky(&self) -> bool {
        let has_failed = |attempt: &Value| {
            let class = attempt.pointer("/exception/class_name");
            attempt["status"] == "failed" && class.is_none_or(|class| class != INTERRUPTED)
        };
        self.status == Status::Passed && self.attempts().iter().any(has_failed)
    }
}
