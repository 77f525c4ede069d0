//! The cache of model responses, which lets a run be repeated without calling a model.
//!
//! One file (cassette) per call, named by a digest of everything that determines the response: provider, URL, model, request,
//! trial, attempt, and the number of times the conversation has sent the same request, because a judge with several votes sends
//! the same request more than once. The name of the test is not part of it, so a renamed test keeps its recordings, and the order
//! in which conversations run does not matter. Tests that send the same request in the same trial share its response.

mod closest;

use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
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
use closest::Recordings;

/// Increased when older files can no longer be read. Files of version 1 were named after the test.
const VERSION: u32 = 2;

/// How many misses of a process are explained. Each one reads the complete directory.
const MAX_EXPLAINED: u32 = 10;

/// Identifies a conversation.
#[derive(Debug, Clone, Default)]
pub(crate) struct ConversationKey {
    /// The test, for messages only.
    pub(crate) test: String,
    /// The number of the trial, from 1.
    pub(crate) trial: u32,
    /// The number of the attempt, from 1.
    pub(crate) attempt: u32,
}

/// The cache directory and its mode.
pub(super) struct Cache {
    pub(super) dir: PathBuf,
    /// The directory as the user wrote it, for messages.
    pub(super) name: PathBuf,
    /// Whether no model may be called.
    pub(super) only: bool,
    pub(super) explained: AtomicU32,
}

/// A model with a cache, for one conversation.
pub(super) struct CachingModel<'a> {
    pub(super) models: &'a Models<'a>,
    pub(super) cache: &'a Cache,
    pub(super) llm: Llm,
    /// The key in the environment, if any. It must not be written to a file.
    pub(super) key_to_redact: Option<Key>,
    /// Redacts secrets before anything is written.
    pub(super) redactor: Redactor,
    pub(super) api: &'static dyn ProviderApi,
    pub(super) key: ConversationKey,
    /// How often each request was sent.
    pub(super) occurrences: Mutex<HashMap<String, u32>>,
    /// Opened at the first cache miss, so that cached responses need no key.
    pub(super) live: OnceLock<Box<dyn Model + 'a>>,
}

/// The content of a cache file.
#[derive(Serialize, Deserialize)]
struct Cassette {
    version: u32,
    /// Describes the call to a reader. Lookup uses the file name only.
    about: Value,
    #[serde(rename = "question")]
    request: Value,
    #[serde(rename = "answer")]
    response: CachedResponse,
}

#[derive(Serialize, Deserialize)]
struct CachedResponse {
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
    fn complete(
        &self,
        request: &ModelRequest,
        cancellation: Cancellation<'_>,
    ) -> Result<ModelResponse, ModelError> {
        let occurrence = self.occurrence(request);
        let path = self.path(request, occurrence);
        match fs::read(&path) {
            Ok(text) => read(&text).map_err(|why| invalid_file_error(&path, &why)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let response = self
                    .live(request, occurrence)?
                    .complete(request, cancellation)?;
                self.save(&path, request, occurrence, response)
            }
            Err(error) => Err(ModelError::Failed(format!(
                "cannot read {}: {error}",
                path.display()
            ))),
        }
    }

    fn name(&self) -> (&str, &str) {
        (self.api.name(), &self.llm.model)
    }
}

impl<'a> CachingModel<'a> {
    /// Counts the request and returns how often it was sent, from 1.
    fn occurrence(&self, request: &ModelRequest) -> u32 {
        let mut occurrences = self.occurrences.lock();
        let occurrence = occurrences
            .entry(request_json(request).to_string())
            .or_default();
        *occurrence += 1;
        *occurrence
    }

    fn url(&self) -> String {
        self.api.url(self.llm.url.as_deref())
    }

    fn path(&self, request: &ModelRequest, occurrence: u32) -> PathBuf {
        let parts = json!([
            VERSION,
            self.api.name(),
            self.url(),
            self.llm.model,
            self.key.trial,
            self.key.attempt,
            occurrence,
            request_json(request)
        ]);
        let name = hex_of_sha256(parts.to_string().as_bytes(), 64);
        self.cache.dir.join(format!("{name}.json"))
    }

    fn live(
        &self,
        request: &ModelRequest,
        occurrence: u32,
    ) -> Result<&(dyn Model + 'a), ModelError> {
        if self.cache.only {
            return Err(ModelError::Failed(format!(
                "no cached response for {} of {}, and `--llm-cache-only` calls no model; \
                 run with only `--llm-cache {}` to cache it{}",
                describe_call(request, occurrence),
                self.key.test,
                self.cache.name.display(),
                self.explain_miss(request, occurrence),
            )));
        }
        let open = || self.models.live(&self.llm, self.api);
        Ok(&**self.live.get_or_init(open))
    }

    /// The closest recording and what differs from it; nothing if too many misses were explained already.
    fn explain_miss(&self, request: &ModelRequest, occurrence: u32) -> String {
        if self.cache.explained.fetch_add(1, Ordering::Relaxed) >= MAX_EXPLAINED {
            return String::new();
        }
        let mut missing = json!({
            "about": self.about(request, occurrence),
            "question": request_json(request),
        });
        self.redact(&mut missing);
        closest::explain(&self.cache.dir, &missing)
    }

    /// Describes the call to a reader.
    fn about(&self, request: &ModelRequest, occurrence: u32) -> Value {
        json!({
            "test": self.key.test,
            "trial": self.key.trial,
            "attempt": self.key.attempt,
            "role": role(&request.purpose),
            "for": describe_call(request, occurrence),
            "call": occurrence,
            "provider": self.api.name(),
            "url": http::public_url(&self.url()),
            "model": self.llm.model,
        })
    }

    fn redact_text(&self, text: &str) -> String {
        let text = self.redactor.text(text);
        match &self.key_to_redact {
            Some(key) => key.redact(&text),
            None => text,
        }
    }

    /// Redacts secrets in all strings.
    fn redact(&self, value: &mut Value) {
        match value {
            Value::String(text) => *text = self.redact_text(text),
            Value::Array(items) => items.iter_mut().for_each(|value| self.redact(value)),
            Value::Object(fields) => fields.values_mut().for_each(|value| self.redact(value)),
            _ => {}
        }
    }

    /// Writes the response to the cache and returns it as it was written, with secrets redacted. If another test has cached a
    /// response to the same request meanwhile, returns that one, as a later run will.
    fn save(
        &self,
        path: &Path,
        request: &ModelRequest,
        occurrence: u32,
        response: ModelResponse,
    ) -> Result<ModelResponse, ModelError> {
        let text = self.redact_text(&response.text);
        let call = Cassette {
            version: VERSION,
            about: self.about(request, occurrence),
            request: request_json(request),
            response: CachedResponse {
                text: text.clone(),
                provider: response.provider.clone(),
                model: response.model.clone(),
                tokens: response.tokens,
                cost: response.cost,
                latency_ms: u64::try_from(response.latency.as_millis()).unwrap_or(u64::MAX),
                retries: response.retries,
                without: response.without.clone(),
            },
        };
        let mut call = serde_json::to_value(&call).expect("a cassette serializes to JSON");
        self.redact(&mut call);
        let json = format!("{call:#}");
        let is_new = atomic_file::create(path, json.as_bytes()).map_err(|error| {
            ModelError::Failed(format!("cannot write {}: {error}", path.display()))
        })?;
        if is_new {
            return Ok(ModelResponse { text, ..response });
        }
        let stored = fs::read(path).map_err(|error| error.to_string());
        let stored = stored.and_then(|stored| read(&stored));
        stored.map_err(|why| invalid_file_error(path, &why))
    }
}

/// All parts of a request that are sent to the model.
fn request_json(request: &ModelRequest) -> Value {
    json!({
        "system": request.system,
        "messages": request.messages,
        "schema": request.schema(),
        "temperature": request.temperature,
        "max_tokens": request.max_tokens,
    })
}

/// Describes a call in messages and cache files.
fn describe_call(request: &ModelRequest, occurrence: u32) -> String {
    let repetition = match occurrence {
        1 => String::new(),
        occurrence => format!(", call {occurrence}"),
    };
    let turn = request
        .turn
        .map_or_else(|| "at the end".to_owned(), |turn| format!("in turn {turn}"));
    match &request.purpose {
        Purpose::Verdicts(queries) => {
            let checks = queries.iter();
            let checks = checks.map(|query| format!("`{}: {}`", query.check, query.criterion));
            let checks = checks.collect::<Vec<_>>().join(", ");
            let plural = if queries.len() == 1 { "" } else { "s" };
            format!("the judge's verdict{plural} on {checks} {turn}{repetition}")
        }
        Purpose::User => format!("the simulated user's message {turn}{repetition}"),
        Purpose::Topic(_) => format!("the judge's choice of the topic {turn}{repetition}"),
    }
}

fn role(purpose: &Purpose) -> &'static str {
    match purpose {
        Purpose::Verdicts(_) => "judge",
        Purpose::User => "user",
        Purpose::Topic(_) => "topic",
    }
}

/// The note about recordings of an earlier version in the directory.
pub(super) fn old_recordings_note(cache: &Cache) -> Option<String> {
    Recordings::read(&cache.dir).old_note(&cache.name)
}

fn read(text: &[u8]) -> Result<ModelResponse, String> {
    let call: Cassette = serde_json::from_slice(text).map_err(|error| error.to_string())?;
    if call.version != VERSION {
        return Err(format!("its version is {}, not {VERSION}", call.version));
    }
    let response = call.response;
    Ok(ModelResponse {
        text: response.text,
        provider: response.provider,
        model: response.model,
        tokens: response.tokens,
        cost: response.cost,
        latency: Duration::from_millis(response.latency_ms),
        retries: response.retries,
        cached: true,
        without: response.without,
    })
}

fn invalid_file_error(path: &Path, why: &str) -> ModelError {
    ModelError::Failed(format!(
        "invalid cache file {}: {why}; delete it to call the model again",
        path.display()
    ))
}

#[cfg(test)]
mod tests;
