//! One question until it has a usable answer, and what the record keeps of it.

use std::borrow::Cow;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::transcript::Tokens;

use super::{Message, Model, ModelError, ModelRequest, ModelResponse, Role};
use crate::stop::Cancellation;

/// A call to a model, as the record keeps it.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub(crate) struct ModelCall {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) model: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) provider: Option<String>,
    pub(crate) prompt: Prompt,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) answer: Option<String>,
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
    /// What is wrong with the answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) malformed: Option<String>,
    /// Why there is no answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) error: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) verdict: Option<&'static str>,
    /// The call before it, whose answer was malformed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) corrects: Option<Box<ModelCall>>,
    /// The turn after which it was made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) turn: Option<usize>,
}

/// What a model was told.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub(crate) struct Prompt {
    system: Cow<'static, str>,
    #[serde(flatten)]
    told: PromptMessages,
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

/// What came of a question.
pub(super) struct ParsedResponse<T> {
    /// The answer, or what is wrong with it.
    pub(super) result: Result<T, String>,
    /// What the record keeps: the last call, with the one before it in it, if its answer was malformed.
    pub(super) call: ModelCall,
}

/// A question that nobody has answered, and what the record keeps of it.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{error}")]
pub(crate) struct FailedCall {
    pub(crate) error: ModelError,
    /// Every call there was, the last one last.
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

/// Asks, and once more if the answer cannot be used. At temperature 0 the same question would get the same answer, so
/// the second one says what was wrong.
pub(super) fn ask<T>(
    model: &dyn Model,
    mut question: ModelRequest,
    patience: Cancellation<'_>,
    read: impl Fn(&str) -> Result<T, String>,
) -> Result<ParsedResponse<T>, FailedCall> {
    let mut first = None;
    loop {
        let answer = match model.ask(&question, patience) {
            Ok(answer) => answer,
            Err(error) => return Err(unanswered(error, question, first)),
        };
        match read(&answer.text) {
            Err(problem) if first.is_none() => {
                let asked = question.clone();
                correct(&mut question, &answer.text, &problem);
                first = Some(ModelCall::of(asked, answer, Some(problem)));
            }
            result => {
                let problem = result.as_ref().err().cloned();
                let call = ModelCall {
                    corrects: first.map(Box::new),
                    ..ModelCall::of(question, answer, problem)
                };
                return Ok(ParsedResponse { result, call });
            }
        }
    }
}

fn unanswered(error: ModelError, question: ModelRequest, first: Option<ModelCall>) -> FailedCall {
    let call = match &error {
        ModelError::Failed(why) => Some(ModelCall {
            prompt: prompt(question),
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

/// The same question after a wrong answer to it.
fn correct(question: &mut ModelRequest, answer: &str, problem: &str) {
    let said = if answer.trim().is_empty() {
        "(nothing)"
    } else {
        answer
    };
    question.messages.push(Message {
        role: Role::Assistant,
        text: said.to_owned(),
    });
    question.messages.push(Message {
        role: Role::User,
        text: format!("That answer cannot be used: {problem}. Answer the question again, with nothing but the JSON object that was asked for."),
    });
}

impl ModelCall {
    fn of(question: ModelRequest, answer: ModelResponse, malformed: Option<String>) -> ModelCall {
        let latency = u64::try_from(answer.latency.as_millis());
        ModelCall {
            model: Some(answer.model),
            provider: Some(answer.provider),
            prompt: prompt(question),
            answer: Some(answer.text),
            tokens: answer.tokens,
            latency_ms: Some(latency.unwrap_or(u64::MAX)),
            cost: answer.cost,
            cached: answer.cached,
            retries: answer.retries,
            without: answer.without,
            malformed,
            ..ModelCall::default()
        }
    }
}

fn prompt(question: ModelRequest) -> Prompt {
    let mut messages = question.messages;
    let told = match messages.pop() {
        Some(only) if messages.is_empty() => PromptMessages::User(only.text),
        last => {
            messages.extend(last);
            PromptMessages::Messages(messages)
        }
    };
    Prompt {
        system: question.system,
        told,
    }
}

/// The JSON object that an answer must be, and nothing else.
pub(super) fn read<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    match text.trim() {
        "" => Err("it is empty".to_owned()),
        text => {
            serde_json::from_str(text).map_err(|error| format!("it is not as asked for: {error}"))
        }
    }
}
