//! Requests to models: for the judge, the simulated user and the topic of a turn.
//!
//! Each of them creates a [`ModelRequest`] and sends it to a [`Model`]: a provider over HTTP, the suite's script, or the
//! cache. [`Models`] opens one model per conversation.

mod anthropic;
mod api;
mod cache;
mod call;
pub(crate) mod judge;
mod key;
mod limits;
mod models;
mod openai;
mod quote;
mod remote;
mod response;
mod scripted;
pub(crate) mod simulator;
#[cfg(test)]
pub(crate) mod testing;
pub(crate) mod topic;
mod unavailable;

pub(crate) use cache::ConversationKey;
pub(crate) use call::{FailedCall, ModelCall};
pub(crate) use key::register_keys;
pub(crate) use models::{Models, redactor};
pub(crate) use scripted::SCRIPTED;

use std::borrow::Cow;
use std::time::Duration;

use serde::Serialize;
use serde_json::Value;

use crate::stop::Cancellation;
use crate::transcript::Tokens;

/// Answers requests, from many threads at once.
pub(crate) trait Model: Send + Sync {
    /// Sends the request and waits for the response, until a stop is requested or the deadline passes.
    fn complete(
        &self,
        request: &ModelRequest,
        cancellation: Cancellation<'_>,
    ) -> Result<ModelResponse, ModelError>;

    /// Provider and model, for the record of a request without a response.
    fn name(&self) -> (&str, &str);
}

/// Enough for reasons and a verdict, even for a model that reasons first.
const MAX_TOKENS: u32 = 4096;

/// A request to a model.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ModelRequest {
    pub(crate) purpose: Purpose,
    /// The number of the turn it is about, for messages; `None` at the end of the conversation.
    pub(crate) turn: Option<usize>,
    pub(crate) system: Cow<'static, str>,
    pub(crate) messages: Vec<Message>,
    pub(crate) temperature: f64,
    pub(crate) max_tokens: u32,
}

/// What a response is used for.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Purpose {
    /// The judge's verdict on each of these.
    Verdicts(Vec<VerdictQuery>),
    /// The next message of the simulated user.
    User,
    /// The topic of a turn, one of these.
    Topic(Vec<String>),
}

/// A verdict that the judge has to give.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct VerdictQuery {
    /// The check that requires it, such as `satisfies`.
    pub(crate) check: &'static str,
    /// The criterion's name, or its text if it has no name.
    pub(crate) criterion: String,
    /// The id of the criterion in the response.
    pub(crate) id: String,
    /// The lowest and the highest score, if the criterion has a scale.
    pub(crate) scale: Option<(f64, f64)>,
}

impl ModelRequest {
    /// The JSON Schema of the response.
    pub(crate) fn schema(&self) -> Value {
        match &self.purpose {
            Purpose::Verdicts(queries) => judge::schema(queries),
            Purpose::User => simulator::schema(),
            Purpose::Topic(names) => topic::schema(names),
        }
    }
}

/// One message of a prompt, in the format that all providers share.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Message {
    pub(crate) role: Role,
    #[serde(rename = "content")]
    pub(crate) text: String,
}

/// The author of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Role {
    User,
    Assistant,
}

/// A model's response.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ModelResponse {
    /// Not parsed.
    pub(crate) text: String,
    pub(crate) provider: String,
    pub(crate) model: String,
    pub(crate) tokens: Option<Tokens>,
    pub(crate) cost: Option<f64>,
    pub(crate) latency: Duration,
    /// The number of retries.
    pub(crate) retries: u32,
    /// Whether it was read from the cache.
    pub(crate) cached: bool,
    /// Parameters that the model does not support and that were not sent, such as `temperature`.
    pub(crate) without: Vec<String>,
}

/// Why a request has no response.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub(crate) enum ModelError {
    /// A stop was requested.
    #[error("the run was stopped")]
    Interrupted,
    /// The test's deadline has passed.
    #[error("the test timed out")]
    OutOfTime,
    /// The suite's script has no response to the request. The suite must be fixed.
    #[error("{0}")]
    MissingScriptedResponse(String),
    /// Any other error. Contains the message for the user.
    #[error("{0}")]
    Failed(String),
}
