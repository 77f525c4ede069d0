//! A model that is called over HTTP.
//!
//! Contains what all providers share: key, limits, cost, and fallbacks for servers that do not support all parameters.

use std::sync::Arc;
use std::time::Duration;

use casebook_suite::model::conversation::{HttpMethod, Llm};
use parking_lot::Mutex;
use serde_json::Value;

use crate::event_sink::EventSink;
use crate::http::{self, Client, HttpError, Reply, Request, RetryPolicy};

use super::api::{OutputMode, ProviderApi, ServerCapabilities};
use super::key::Key;
use super::limits::Limits;
use super::{Model, ModelError, ModelRequest, ModelResponse};
use crate::stop::Cancellation;

/// Long, because models may reason for a while before they respond.
const TIMEOUT: Duration = Duration::from_secs(120);

/// The state that all conversations with the same model share.
pub(super) struct SharedModel {
    pub(super) limits: Limits,
    pub(super) capabilities: Mutex<ServerCapabilities>,
}

/// The model for one conversation.
pub(super) struct HttpModel<'a> {
    pub(super) api: &'static dyn ProviderApi,
    pub(super) llm: Llm,
    pub(super) key: Option<Key>,
    pub(super) shared: Arc<SharedModel>,
    pub(super) client: &'a Client,
    pub(super) sink: &'a dyn EventSink,
}

impl Model for HttpModel<'_> {
    fn complete(
        &self,
        request: &ModelRequest,
        cancellation: Cancellation<'_>,
    ) -> Result<ModelResponse, ModelError> {
        let _permit = self.shared.limits.acquire(cancellation)?;
        let url = self.api.url(self.llm.url.as_deref());
        let mut retries = 0;
        loop {
            let capabilities = *self.shared.capabilities.lock();
            let reply = self.post(&url, request, capabilities, cancellation)?;
            retries += reply.retries;
            if reply.status == 200 {
                return self.response(&url, &reply, capabilities, retries);
            }
            match capabilities.after(&reply.body) {
                Some(next) if matches!(reply.status, 400 | 422) => {
                    self.warn(capabilities, next);
                    self.shared.limits.acquire_retry(cancellation)?;
                    *self.shared.capabilities.lock() = next;
                }
                _ => return Err(self.refusal_error(&url, &reply)),
            }
        }
    }

    fn name(&self) -> (&str, &str) {
        (self.api.name(), &self.llm.model)
    }
}

impl HttpModel<'_> {
    fn post(
        &self,
        url: &str,
        request: &ModelRequest,
        capabilities: ServerCapabilities,
        cancellation: Cancellation<'_>,
    ) -> Result<Reply, ModelError> {
        let key = self.key.as_ref().map(|key| key.value.as_str());
        let mut headers = self.api.headers(key);
        headers.extend(self.llm.headers.iter().cloned());
        let http_request = Request {
            method: HttpMethod::Post,
            url,
            headers: &headers,
            body: &self
                .api
                .body(&self.llm.model, request, capabilities)
                .to_string(),
            timeout: self.llm.timeout.unwrap_or(TIMEOUT),
            retry: RetryPolicy::Always,
            retry_gate: Some(&|cancellation| self.shared.limits.acquire_retry(cancellation)),
        };
        let reply = self.client.send(&http_request, cancellation);
        reply.map_err(|error| self.transport_error(error))
    }

    /// The error of a request without a response, with what to do about it.
    fn transport_error(&self, error: HttpError) -> ModelError {
        let (why, advice) = match error {
            HttpError::NotSent(why) if self.llm.url.is_some() => {
                (why, "check that the server runs, and `llm.url`")
            }
            HttpError::NotSent(why) => (why, "check the network connection, or set HTTPS_PROXY"),
            HttpError::TimedOut(why) => (why, "set `llm.timeout` to allow more"),
            HttpError::Failed(why) => (why, "check `llm.url`, or the server's log"),
            other => return other.into(),
        };
        self.error(&format!("{why}; {advice}"))
    }

    fn response(
        &self,
        url: &str,
        reply: &Reply,
        capabilities: ServerCapabilities,
        retries: u32,
    ) -> Result<ModelResponse, ModelError> {
        let address = http::public_url(url);
        let body: Value = serde_json::from_str(&reply.body).map_err(|_| {
            let summary = error_summary(&reply.body);
            self.error(&format!(
                "{address}: the response is not JSON: {summary}; check that `llm.url` is the address of the API"
            ))
        })?;
        if body.get("error").is_some_and(|error| !error.is_null()) {
            let summary = error_summary(&reply.body);
            return Err(self.error(&format!(
                "{address}: error with status 200: {summary}; check `llm.model`, or the server's log"
            )));
        }
        let completion = self
            .api
            .read(&body)
            .map_err(|why| self.error(&format!("{address}: {why}")))?;
        let price = self.llm.price.zip(completion.tokens);
        Ok(ModelResponse {
            text: self.redact(&completion.text),
            provider: self.api.name().to_owned(),
            model: completion.model.unwrap_or_else(|| self.llm.model.clone()),
            cost: price
                .map(|(price, tokens)| tokens.cost(price))
                .or(reply.cost.filter(|cost| *cost >= 0.0)),
            tokens: completion.tokens,
            latency: reply.latency,
            retries,
            cached: false,
            without: capabilities.unsupported_parameters(),
        })
    }

    /// The error for a status other than 200, with the server's message and what to do about it.
    fn refusal_error(&self, url: &str, reply: &Reply) -> ModelError {
        let error_summary = error_summary(&reply.body);
        let hint = self.hint(reply);
        let attempts = match reply.retries {
            0 => String::new(),
            retries => format!(" ({} attempts)", retries + 1),
        };
        let address = http::public_url(url);
        self.error(&format!(
            "{address}: status {}: {error_summary}{attempts}; {hint}",
            reply.status
        ))
    }

    /// What to do about a status.
    fn hint(&self, reply: &Reply) -> String {
        let text = match reply.status {
            300..=399 => "redirects are not followed; set `llm.url` to the final address",
            401 | 403 => {
                let default_name = self.api.key_variable();
                let name = self.llm.key_env.as_deref().unwrap_or(default_name);
                return match self.key {
                    Some(_) => format!("check the key in {name}"),
                    None => format!("no key was sent; set {name}"),
                };
            }
            404 => {
                let model = &self.llm.model;
                return format!("check that the model {model:?} exists at this address");
            }
            408 | 504 => "check that the server is not overloaded",
            429 => {
                let wait = reply.retry_after.map_or_else(String::new, |time| {
                    format!("retry after {} s, or ", time.as_secs())
                });
                return format!("{wait}set a lower `llm.requestsPerMinute` or `llm.concurrency`");
            }
            400..=499 => "check `llm.model` and the other fields of `llm`",
            _ => match reply.retry_after {
                Some(time) => {
                    let seconds = time.as_secs();
                    return format!("retry after {seconds} s, or check the server's log");
                }
                None => "check the server's log, or the provider's status page",
            },
        };
        text.to_owned()
    }

    /// Warns about parameters that are no longer sent.
    fn warn(&self, capabilities: ServerCapabilities, next: ServerCapabilities) {
        let model = &self.llm.model;
        if next.no_temperature != capabilities.no_temperature {
            self.sink.warn(&format!(
                "{model} does not support temperature, so its responses may differ from run to run"
            ));
        }
        if next.output_mode == OutputMode::Prompted {
            self.sink.warn(&format!(
                "{model} does not support JSON Schema, so more of its responses may be malformed"
            ));
        }
    }

    fn error(&self, why: &str) -> ModelError {
        ModelError::Failed(self.redact(why))
    }

    fn redact(&self, text: &str) -> String {
        match &self.key {
            Some(key) => key.redact(text),
            None => text.to_owned(),
        }
    }
}

/// The message of an error response on one line, shortened.
fn error_summary(body: &str) -> String {
    const MAX_QUOTE_CHARS: usize = 300;
    let message = http::error_message(body).unwrap_or_else(|| body.to_owned());
    let line = message.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(MAX_QUOTE_CHARS) {
        _ if line.is_empty() => "the response is empty".to_owned(),
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

impl From<HttpError> for ModelError {
    fn from(error: HttpError) -> ModelError {
        match error {
            HttpError::Interrupted => ModelError::Interrupted,
            HttpError::OutOfTime => ModelError::OutOfTime,
            HttpError::Failed(why) | HttpError::TimedOut(why) | HttpError::NotSent(why) => {
                ModelError::Failed(why)
            }
        }
    }
}

#[cfg(test)]
mod tests;
