//! A model that is asked over HTTP.
//!
//! What all providers have in common: key, limits, cost, and servers that do not know everything they are asked for.

use std::sync::Arc;
use std::time::Duration;

use casebook_suite::model::conversation::Llm;
use parking_lot::Mutex;
use serde_json::Value;

use crate::event_sink::EventSink;
use crate::http::{self, Client, HttpError, Reply, Request};
use crate::transcript::Tokens;

use super::api::{OutputMode, ProviderApi, ServerCapabilities};
use super::key::Key;
use super::limits::Limits;
use super::{Model, ModelError, ModelRequest, ModelResponse};
use crate::stop::Cancellation;

/// Models think.
const TIMEOUT: Duration = Duration::from_secs(120);

/// What all conversations share that ask the same model.
pub(super) struct SharedModel {
    pub(super) limits: Limits,
    pub(super) knows: Mutex<ServerCapabilities>,
}

/// The model for one conversation.
pub(super) struct HttpModel<'a> {
    pub(super) api: &'static dyn ProviderApi,
    pub(super) llm: Llm,
    pub(super) key: Option<Key>,
    pub(super) line: Arc<SharedModel>,
    pub(super) client: &'a Client,
    pub(super) sink: &'a dyn EventSink,
}

impl Model for HttpModel<'_> {
    fn ask(
        &self,
        question: &ModelRequest,
        patience: Cancellation<'_>,
    ) -> Result<ModelResponse, ModelError> {
        let _pass = self.line.limits.acquire(patience)?;
        let url = self.api.url(self.llm.url.as_deref());
        let mut repeated = 0;
        loop {
            let knows = *self.line.knows.lock();
            let reply = self.post(&url, question, knows, patience)?;
            repeated += reply.retries;
            if reply.status == 200 {
                return self.answer(&url, &reply, knows, repeated);
            }
            match knows.after(&reply.body) {
                Some(next) if matches!(reply.status, 400 | 422) => {
                    self.warn(knows, next);
                    self.line.limits.acquire_retry(patience)?;
                    *self.line.knows.lock() = next;
                }
                _ => return Err(self.refused(&url, &reply)),
            }
        }
    }
}

impl HttpModel<'_> {
    fn post(
        &self,
        url: &str,
        question: &ModelRequest,
        knows: ServerCapabilities,
        patience: Cancellation<'_>,
    ) -> Result<Reply, ModelError> {
        let key = self.key.as_ref().map(|key| key.value.as_str());
        let request = Request {
            url,
            headers: &self.api.headers(key),
            body: &self.api.body(&self.llm.model, question, knows).to_string(),
            timeout: self.llm.timeout.unwrap_or(TIMEOUT),
            may_repeat: true,
            again: Some(&|patience| self.line.limits.acquire_retry(patience)),
        };
        let reply = self.client.post(&request, patience);
        reply.map_err(|error| match error {
            HttpError::Failed(why) | HttpError::TimedOut(why) => self.failed(&why),
            other => other.into(),
        })
    }

    fn answer(
        &self,
        url: &str,
        reply: &Reply,
        knows: ServerCapabilities,
        retries: u32,
    ) -> Result<ModelResponse, ModelError> {
        let place = http::public_url(url);
        let body: Value = serde_json::from_str(&reply.body)
            .map_err(|error| self.failed(&format!("{place}: the answer is no JSON: {error}")))?;
        let spoken = self
            .api
            .read(&body)
            .map_err(|why| self.failed(&format!("{place}: {why}")))?;
        Ok(ModelResponse {
            text: self.hide(&spoken.text),
            provider: self.api.name().to_owned(),
            model: spoken.model.unwrap_or_else(|| self.llm.model.clone()),
            cost: self
                .llm
                .price
                .zip(spoken.tokens)
                .map(|(price, tokens)| cost(price, tokens)),
            tokens: spoken.tokens,
            latency: reply.latency,
            retries,
            cached: false,
            without: knows.unsupported_parameters(),
        })
    }

    /// A status that is no answer, with what the server says about it and what can be done.
    fn refused(&self, url: &str, reply: &Reply) -> ModelError {
        let said = said(&reply.body);
        let hint = match reply.status {
            401 | 403 => {
                let own = self.api.key_variable();
                let name = self.llm.key_env.as_deref().unwrap_or(own);
                match self.key {
                    Some(_) => format!("; is the key in {name} right?"),
                    None => format!("; no key was sent: set {name} in the environment"),
                }
            }
            404 => format!("; is there a model {:?} at this address?", self.llm.model),
            _ => match reply.retry_after {
                Some(time) => format!("; it asks to wait {} s", time.as_secs()),
                None => String::new(),
            },
        };
        let tries = match reply.retries {
            0 => String::new(),
            retries => format!(" (tried {} times)", retries + 1),
        };
        let place = http::public_url(url);
        self.failed(&format!(
            "{place}: status {}: {said}{hint}{tries}",
            reply.status
        ))
    }

    /// That answers are not got as people may think.
    fn warn(&self, knows: ServerCapabilities, next: ServerCapabilities) {
        let model = &self.llm.model;
        if next.no_temperature != knows.no_temperature {
            self.sink.warn(&format!(
                "{model} takes no temperature, so its answers may differ from run to run"
            ));
        }
        if next.form == OutputMode::Words {
            self.sink.warn(&format!(
                "{model} takes no JSON Schema, so more of its answers may be malformed"
            ));
        }
    }

    fn failed(&self, why: &str) -> ModelError {
        ModelError::Failed(self.hide(why))
    }

    fn hide(&self, text: &str) -> String {
        match &self.key {
            Some(key) => key.hide(text),
            None => text.to_owned(),
        }
    }
}

/// Prices are for a million tokens.
#[expect(clippy::cast_precision_loss, reason = "nobody pays for 2^52 tokens")]
fn cost((input, output): (f64, f64), tokens: Tokens) -> f64 {
    (input * tokens.input as f64 + output * tokens.output as f64) / 1e6
}

/// What a server says about a refusal, in a line.
fn said(body: &str) -> String {
    const MAX_QUOTE_CHARS: usize = 300;
    let message = serde_json::from_str::<Value>(body).ok().and_then(|body| {
        let error = &body["error"];
        let message = error["message"].as_str().or(error.as_str());
        message.or(body["message"].as_str()).map(str::to_owned)
    });
    let message = message.unwrap_or_else(|| body.to_owned());
    let line = message.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(MAX_QUOTE_CHARS) {
        _ if line.is_empty() => "it says nothing about it".to_owned(),
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

impl From<HttpError> for ModelError {
    fn from(error: HttpError) -> ModelError {
        match error {
            HttpError::Interrupted => ModelError::Interrupted,
            HttpError::OutOfTime => ModelError::OutOfTime,
            HttpError::Failed(why) | HttpError::TimedOut(why) => ModelError::Failed(why),
        }
    }
}

#[cfg(test)]
mod tests;
