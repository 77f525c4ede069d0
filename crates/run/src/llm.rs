//! Asking models: the judge, the simulated user, the topic of a turn.
//!
//! Everything that asks a model makes a [`Question`]; whoever answers is a [`Model`]: a provider over HTTP, the suite's
//! own script, or a recording of either. [`Models`] opens them, one per conversation.

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
mod scripted;
pub(crate) mod simulator;
#[cfg(test)]
pub(crate) mod testing;
pub(crate) mod topic;

pub(crate) use call::{FailedCall, ModelCall};
pub(crate) use key::register_keys;
pub(crate) use models::Models;

use std::borrow::Cow;
use std::time::Duration;

use serde::Serialize;
use serde_json::Value;

use crate::stop::Cancellation;
use crate::transcript::Tokens;

/// Somebody who answers questions, from many threads at once.
pub(crate) trait Model: Send + Sync {
    /// Asks, and waits for the answer no longer than is allowed.
    fn ask(
        &self,
        question: &ModelRequest,
        patience: Cancellation<'_>,
    ) -> Result<ModelResponse, ModelError>;
}

/// Enough for reasons and a verdict, also of a model that thinks first.
const MAX_TOKENS: u32 = 4096;

/// What a model is asked.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ModelRequest {
    pub(crate) purpose: Purpose,
    /// The number of the turn it is about, for people.
    pub(crate) turn: Option<usize>,
    pub(crate) system: Cow<'static, str>,
    pub(crate) messages: Vec<Message>,
    pub(crate) temperature: f64,
    pub(crate) max_tokens: u32,
}

/// What an answer is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// A verdict.
    Verdict {
        /// The check that asks, such as `satisfies`.
        check: &'static str,
        /// The criterion of that name, or in those words.
        criterion: String,
        /// What the answer must call it.
        id: String,
    },
    /// What the simulated user says next.
    User,
    /// Which of these topics a turn is about.
    Topic(Vec<String>),
}

impl ModelRequest {
    /// The JSON Schema of the answer.
    pub(crate) fn schema(&self) -> Value {
        match &self.purpose {
            Purpose::Verdict { id, .. } => judge::schema(id),
            Purpose::User => simulator::schema(),
            Purpose::Topic(names) => topic::schema(names),
        }
    }
}

/// One message to a model, as every provider wants it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Message {
    pub(crate) role: Role,
    #[serde(rename = "content")]
    pub(crate) text: String,
}

/// Whose message it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Role {
    User,
    Assistant,
}

/// What a model answered.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ModelResponse {
    /// As it came.
    pub(crate) text: String,
    pub(crate) provider: String,
    pub(crate) model: String,
    pub(crate) tokens: Option<Tokens>,
    pub(crate) cost: Option<f64>,
    pub(crate) latency: Duration,
    /// How often the request was repeated.
    pub(crate) retries: u32,
    /// Whether it was recorded earlier.
    pub(crate) cached: bool,
    /// What was asked for and the model does not know, such as a temperature.
    pub(crate) without: Vec<String>,
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub(crate) enum ModelError {
    /// The run was asked to stop.
    #[error("the run was asked to stop")]
    Interrupted,
    /// The test has no more time.
    #[error("the test ran out of time")]
    OutOfTime,
    /// The suite's script has no answer to it, so the suite is wrong.
    #[error("{0}")]
    MissingScriptedResponse(String),
    /// Anything else, in words for people.
    #[error("{0}")]
    Failed(String),
}
