//! Sends a request until the response can be parsed, and describes the calls for the record.

use std::borrow::Cow;

use serde::Serialize;

use crate::transcript::Tokens;

use super::{Message, Model, ModelError, ModelRequest, ModelResponse, Role};
use crate::stop::Cancellation;

/// A call to a model, in the format of the record.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub(crate) struct ModelCall {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) model: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) provider: Option<String>,
    pub(crate) prompt: Prompt,
    #[serde(rename = "answer", skip_serializing_if = "Option::is_none")]
    pub(crate) response: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) tokens: Option<Tokens>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) latency_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) cost: Option<f64>,
    #[serde(skip_serializing_if = "is_default")]
    pub(crate) cached: bool,
    #[serde(skip_serializing_if = "is_default")]
    pub(crate) retries: u32,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) without: Vec<String>,
    /// Why the response could not be parsed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) malformed: Option<String>,
    /// The error, if the model did not respond.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) error: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) verdict: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) score: Option<f64>,
    /// Whether another check of the same turn contains this call too, and counts it.
    #[serde(skip_serializing_if = "is_default")]
    pub(crate) shared: bool,
    /// The previous call, whose response was malformed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) corrects: Option<Box<ModelCall>>,
    /// The turn after which it was made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) turn: Option<usize>,
}

/// The prompt of a call.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub(crate) struct Prompt {
    system: Cow<'static, str>,
    #[serde(flatten)]
    messages: PromptMessages,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
enum PromptMessages {
    User(String),
    Messages(Vec<Message>),
}

impl Default for PromptMessages {
    fn default() -> PromptMessages {
        PromptMessages::Messages(Vec::new())
    }
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// A parsed response and its call.
pub(super) struct ParsedResponse<T> {
    /// The parsed response, or why it could not be parsed.
    pub(super) result: Result<T, String>,
    /// The last call. If the first response was malformed, `corrects` contains the first call.
    pub(super) call: ModelCall,
}

/// A request without a response, and its calls for the record.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{error}")]
pub(crate) struct FailedCall {
    pub(crate) error: ModelError,
    /// All calls, in order.
    pub(crate) calls: Vec<ModelCall>,
}

impl From<ModelError> for FailedCall {
    fn from(error: ModelError) -> FailedCall {
        FailedCall {
            error,
            calls: Vec::new(),
        }
    }
}

/// Sends the request, and once more if the response cannot be parsed. The second request describes the problem, because at
/// temperature 0 the same request would get the same response.
pub(super) fn complete<T>(
    model: &dyn Model,
    mut request: ModelRequest,
    cancellation: Cancellation<'_>,
    parse: impl Fn(&str) -> Result<T, String>,
) -> Result<ParsedResponse<T>, FailedCall> {
    let mut first = None;
    loop {
        let response = match model.complete(&request, cancellation) {
            Ok(response) => response,
            Err(error) => return Err(failed_call(model, error, request, first)),
        };
        match parse(&response.text) {
            Err(problem) if first.is_none() => {
                let original = request.clone();
                add_correction(&mut request, &response.text, &problem);
                first = Some(ModelCall::new(original, response, Some(problem)));
            }
            result => {
                let problem = result.as_ref().err().cloned();
                let call = ModelCall {
                    corrects: first.map(Box::new),
                    ..ModelCall::new(request, response, problem)
                };
                return Ok(ParsedResponse { result, call });
            }
        }
    }
}

fn failed_call(
    model: &dyn Model,
    error: ModelError,
    request: ModelRequest,
    first: Option<ModelCall>,
) -> FailedCall {
    let (provider, model) = model.name();
    let call = match &error {
        ModelError::Failed(why) => Some(ModelCall {
            model: Some(model.to_owned()),
            provider: Some(provider.to_owned()),
            prompt: prompt(request),
            error: Some(why.clone()),
            corrects: first.map(Box::new),
            ..ModelCall::default()
        }),
        _ => first,
    };
    FailedCall {
        error,
        calls: call.into_iter().collect(),
    }
}

/// Adds the malformed response and the problem to the request.
fn add_correction(request: &mut ModelRequest, response: &str, problem: &str) {
    let text = if response.trim().is_empty() {
        "(nothing)"
    } else {
        response
    };
    request.messages.push(Message {
        role: Role::Assistant,
        text: text.to_owned(),
    });
    request.messages.push(Message {
        role: Role::User,
        text: format!("That response cannot be used: {problem}. Respond again, with the requested JSON object and nothing else."),
    });
}

impl ModelCall {
    fn new(request: ModelRequest, response: ModelResponse, malformed: Option<String>) -> ModelCall {
        let latency = u64::try_from(response.latency.as_millis());
        ModelCall {
            model: Some(response.model),
            provider: Some(response.provider),
            prompt: prompt(request),
            response: Some(response.text),
            tokens: response.tokens,
            latency_ms: Some(latency.unwrap_or(u64::MAX)),
            cost: response.cost,
            cached: response.cached,
            retries: response.retries,
            without: response.without,
            malformed,
            ..ModelCall::default()
        }
    }
}

fn prompt(request: ModelRequest) -> Prompt {
    let mut messages = request.messages;
    let messages = match messages.pop() {
        Some(only) if messages.is_empty() => PromptMessages::User(only.text),
        last => {
            messages.extend(last);
            PromptMessages::Messages(messages)
        }
    };
    Prompt {
        system: request.system,
        messages,
    }
}
