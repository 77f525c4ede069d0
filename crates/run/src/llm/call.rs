//! One question until it has a usable answer, and what the record keeps of it.

use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::{Answer, Message, Model, ModelError, Patience, Question, Role};

/// What came of a question.
pub(super) struct Asked<T> {
    /// The answer, or what is wrong with it.
    pub(super) result: Result<T, String>,
    /// What the record keeps: every call there was, the last one last.
    pub(super) calls: Vec<Value>,
}

/// A question that nobody has answered, and what the record keeps of it.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{error}")]
pub(crate) struct Unanswered {
    pub(crate) error: ModelError,
    /// Every call there was, the last one last.
    pub(crate) calls: Vec<Value>,
}

impl From<ModelError> for Unanswered {
    fn from(error: ModelError) -> Unanswered {
        Unanswered {
            error,
            calls: Vec::new(),
        }
    }
}

/// Asks, and once more if the answer cannot be used. At temperature 0 the same question would get the same answer, so
/// the second one says what was wrong.
pub(super) fn ask<T>(
    model: &dyn Model,
    mut question: Question,
    patience: Patience<'_>,
    read: impl Fn(&str) -> Result<T, String>,
) -> Result<Asked<T>, Unanswered> {
    let mut calls = Vec::new();
    loop {
        let answer = match model.ask(&question, patience) {
            Ok(answer) => answer,
            Err(error) => {
                if let ModelError::Failed(why) = &error {
                    calls.push(json!({"prompt": prompt(&question), "error": why}));
                }
                return Err(Unanswered { error, calls });
            }
        };
        let result = read(&answer.text);
        let mut call = described(&question, &answer);
        if let Err(problem) = &result {
            call["malformed"] = problem.as_str().into();
        }
        calls.push(call);
        match result {
            Err(problem) if calls.len() == 1 => correct(&mut question, &answer.text, &problem),
            result => return Ok(Asked { result, calls }),
        }
    }
}

/// The same question after a wrong answer to it.
fn correct(question: &mut Question, answer: &str, problem: &str) {
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

/// A call as the record keeps it.
fn described(question: &Question, answer: &Answer) -> Value {
    let mut call = json!({
        "model": answer.model,
        "provider": answer.provider,
        "prompt": prompt(question),
        "answer": answer.text,
    });
    if let Some(tokens) = answer.tokens {
        call["tokens"] = json!({"input": tokens.input, "output": tokens.output});
    }
    call["latency_ms"] = u64::try_from(answer.latency.as_millis())
        .unwrap_or(u64::MAX)
        .into();
    if let Some(cost) = answer.cost {
        call["cost"] = cost.into();
    }
    if answer.cached {
        call["cached"] = true.into();
    }
    if answer.retries > 0 {
        call["retries"] = answer.retries.into();
    }
    if !answer.without.is_empty() {
        call["without"] = answer.without.as_slice().into();
    }
    call
}

fn prompt(question: &Question) -> Value {
    match question.messages.as_slice() {
        [only] => json!({"system": question.system, "user": only.text}),
        all => json!({"system": question.system, "messages": messages(all)}),
    }
}

/// The last of the calls; the one before it, whose answer was malformed, is in it.
pub(super) fn joined(mut calls: Vec<Value>) -> Value {
    let mut call = calls.pop().unwrap_or_default();
    if let Some(first) = calls.pop() {
        call["corrects"] = first;
    }
    call
}

/// Messages as every provider wants them.
pub(super) fn messages(all: &[Message]) -> Vec<Value> {
    all.iter()
        .map(|message| {
            let role = match message.role {
                Role::User => "user",
                Role::Assistant => "assistant",
            };
            json!({"role": role, "content": message.text})
        })
        .collect()
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
