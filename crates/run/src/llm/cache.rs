//! Answers that are kept, so that a run can be repeated without asking anybody.
//!
//! One file per call, named by a digest of all that decides about the answer: who is asked, what, by which conversation (a trial
//! is one of its own) and for which time, because a judge who votes is asked the same thing more than once. So the order
//! in which conversations run does not matter, and no two of them share an answer.

use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Duration;

use casebook_record::{Redactor, hex_of_sha256};
use casebook_suite::model::conversation::Llm;
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::http;
use crate::os::atomic_file;
use crate::transcript::Tokens;

use super::api::ProviderApi;
use super::key::Key;
use super::models::Models;
use super::{Model, ModelError, ModelRequest, ModelResponse, Purpose};
use crate::stop::Cancellation;

/// Changes when old files cannot be read any more.
const VERSION: u32 = 1;

/// Where answers are kept.
pub(super) struct Cache {
    pub(super) folder: PathBuf,
    /// As it was named.
    pub(super) name: PathBuf,
    /// Whether nobody may be asked.
    pub(super) only: bool,
}

/// A model whose answers are kept, for one conversation.
pub(super) struct CachingModel<'a> {
    pub(super) models: &'a Models<'a>,
    pub(super) cache: &'a Cache,
    pub(super) llm: Llm,
    /// The key that is not needed, but must not reach a file either.
    pub(super) secret: Option<Key>,
    /// Hides what must not reach a file.
    pub(super) redactor: Redactor,
    pub(super) api: &'static dyn ProviderApi,
    /// Which conversation it is.
    pub(super) key: String,
    /// How often each question was asked.
    pub(super) times: Mutex<HashMap<String, u32>>,
    /// Opened when there is something to ask, so that nothing else needs a key.
    pub(super) live: OnceLock<Result<Box<dyn Model + 'a>, ModelError>>,
}

/// A file.
#[derive(Serialize, Deserialize)]
struct Cassette {
    version: u32,
    /// Which call it is, for people; the name of the file says it for programs.
    about: Value,
    question: Value,
    answer: Words,
}

#[derive(Serialize, Deserialize)]
struct Words {
    text: String,
    provider: String,
    model: String,
    tokens: Option<Tokens>,
    cost: Option<f64>,
    latency_ms: u64,
    retries: u32,
    without: Vec<String>,
}

impl Model for CachingModel<'_> {
    fn ask(
        &self,
        question: &ModelRequest,
        patience: Cancellation<'_>,
    ) -> Result<ModelResponse, ModelError> {
        let time = self.time(question);
        let path = self.path(question, time);
        match fs::read(&path) {
            Ok(text) => read(&text).map_err(|why| damaged(&path, &why)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let answer = self.live(question, time)?.ask(question, patience)?;
                self.keep(&path, question, time, answer)
            }
            Err(error) => Err(ModelError::Failed(format!(
                "{} cannot be read: {error}",
                path.display()
            ))),
        }
    }
}

impl<'a> CachingModel<'a> {
    /// Counts from 1.
    fn time(&self, question: &ModelRequest) -> u32 {
        let mut times = self.times.lock();
        let time = times.entry(asked(question).to_string()).or_default();
        *time += 1;
        *time
    }

    fn url(&self) -> String {
        self.api.url(self.llm.url.as_deref())
    }

    fn path(&self, question: &ModelRequest, time: u32) -> PathBuf {
        let all = json!([
            VERSION,
            self.api.name(),
            self.url(),
            self.llm.model,
            self.key,
            time,
            asked(question)
        ]);
        let name = hex_of_sha256(all.to_string().as_bytes(), 64);
        self.cache.folder.join(format!("{name}.json"))
    }

    fn live(&self, question: &ModelRequest, time: u32) -> Result<&(dyn Model + 'a), ModelError> {
        if self.cache.only {
            return Err(ModelError::Failed(format!(
                "there is no recorded answer for {} of {}, and `--llm-cache-only` asks nobody: \
                 record it with `--llm-cache {}` alone",
                describe_call(question, time),
                self.key,
                self.cache.name.display()
            )));
        }
        match self
            .live
            .get_or_init(|| self.models.live(&self.llm, self.api))
        {
            Ok(model) => Ok(&**model),
            Err(error) => Err(error.clone()),
        }
    }

    fn hidden(&self, text: &str) -> String {
        let text = self.redactor.text(text);
        match &self.secret {
            Some(key) => key.hide(&text),
            None => text,
        }
    }

    /// Hides secrets in all texts.
    fn redact(&self, value: &mut Value) {
        match value {
            Value::String(text) => *text = self.hidden(text),
            Value::Array(all) => all.iter_mut().for_each(|one| self.redact(one)),
            Value::Object(all) => all.values_mut().for_each(|one| self.redact(one)),
            _ => {}
        }
    }

    /// Keeps the answer, and gives it as it was kept.
    fn keep(
        &self,
        path: &Path,
        question: &ModelRequest,
        time: u32,
        answer: ModelResponse,
    ) -> Result<ModelResponse, ModelError> {
        let text = self.hidden(&answer.text);
        let call = Cassette {
            version: VERSION,
            about: json!({
                "test": self.key,
                "for": describe_call(question, time),
                "provider": self.api.name(),
                "url": http::public_url(&self.url()),
                "model": self.llm.model,
            }),
            question: asked(question),
            answer: Words {
                text: text.clone(),
                provider: answer.provider.clone(),
                model: answer.model.clone(),
                tokens: answer.tokens,
                cost: answer.cost,
                latency_ms: u64::try_from(answer.latency.as_millis()).unwrap_or(u64::MAX),
                retries: answer.retries,
                without: answer.without.clone(),
            },
        };
        let mut call = serde_json::to_value(&call).expect("a call is JSON");
        self.redact(&mut call);
        let json = format!("{call:#}");
        atomic_file::write(path, json.as_bytes()).map_err(|error| {
            ModelError::Failed(format!("{} cannot be written: {error}", path.display()))
        })?;
        Ok(ModelResponse { text, ..answer })
    }
}

/// All of a question that a model gets to see.
fn asked(question: &ModelRequest) -> Value {
    json!({
        "system": question.system,
        "messages": question.messages,
        "schema": question.schema(),
        "temperature": question.temperature,
        "max_tokens": question.max_tokens,
    })
}

/// Which call it is, for people.
fn describe_call(question: &ModelRequest, time: u32) -> String {
    let again = match time {
        1 => String::new(),
        time => format!(", call {time} of its kind"),
    };
    let turn = question
        .turn
        .map_or_else(|| "at the end".to_owned(), |turn| format!("in turn {turn}"));
    match &question.purpose {
        Purpose::Verdict {
            check, criterion, ..
        } => {
            format!("the verdict on `{check}: {criterion}` {turn}{again}")
        }
        Purpose::User => format!("what the simulated user says {turn}{again}"),
        Purpose::Topic(_) => format!("the topic {turn}{again}"),
    }
}

fn read(text: &[u8]) -> Result<ModelResponse, String> {
    let call: Cassette = serde_json::from_slice(text).map_err(|error| error.to_string())?;
    if call.version != VERSION {
        return Err(format!("it is of version {}, not {VERSION}", call.version));
    }
    let answer = call.answer;
    Ok(ModelResponse {
        text: answer.text,
        provider: answer.provider,
        model: answer.model,
        tokens: answer.tokens,
        cost: answer.cost,
        latency: Duration::from_millis(answer.latency_ms),
        retries: answer.retries,
        cached: true,
        without: answer.without,
    })
}

fn damaged(path: &Path, why: &str) -> ModelError {
    ModelError::Failed(format!(
        "{} is no recorded answer: {why}: delete it to ask again",
        path.display()
    ))
}

#[cfg(test)]
mod tests;
