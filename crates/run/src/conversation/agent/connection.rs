//! The HTTP requests of one conversation: headers, cookies, timeouts and retries.

use std::time::Duration;

use casebook_suite::model::conversation::{Endpoint, HttpMethod};

use super::cookies::Cookies;
use super::protocol::quoted;
use super::{AgentError, AgentExit};
use crate::conversation::ConversationContext;
use crate::conversation::session::Context;
use crate::http::{self, BodyReader, Client, HttpError, RetryPolicy};
use crate::seconds::seconds;
use crate::stop::Cancellation;

/// The timeout of a response if the suite sets none.
const TIMEOUT: Duration = Duration::from_secs(60);

/// Where the requests of a conversation are sent.
pub(super) struct Target {
    pub(super) endpoint: Endpoint,
    /// The URL of requests, which may be longer than that of the endpoint.
    pub(super) url: String,
    pub(super) method: HttpMethod,
    /// Whether it is the API of a model, whose fields in the suite are others than those of an HTTP agent.
    pub(super) is_model: bool,
}

/// Sends the requests of a conversation.
pub(super) struct Connection<'a> {
    target: Target,
    /// The headers that identify the conversation.
    identity: [(&'static str, String); 3],
    cookies: Cookies,
    client: &'a Client,
    /// The timeout of the test.
    timeout: Option<Duration>,
}

impl<'a> Connection<'a> {
    pub(super) fn new(
        target: Target,
        services: ConversationContext<'a>,
        context: &Context<'_>,
    ) -> Connection<'a> {
        Connection {
            target,
            identity: context.headers(),
            cookies: Cookies::default(),
            client: services.http,
            timeout: services.site.timeout,
        }
    }

    /// Sends a request and returns the response, which is a successful one. Its body is passed to `reader`, if there is one.
    pub(super) fn send(
        &mut self,
        body: &str,
        default_headers: &[(&str, &str)],
        reader: Option<&mut BodyReader<'_>>,
        cancellation: Cancellation<'_>,
    ) -> Result<http::Reply, AgentError> {
        let headers = self.headers(default_headers);
        let Target {
            endpoint,
            url,
            method,
            ..
        } = &self.target;
        let retry = match &endpoint.retry {
            Some(retry) => RetryPolicy::On {
                statuses: &retry.on,
                times: retry.times,
            },
            None => RetryPolicy::OnRequest,
        };
        let request = http::Request {
            method: *method,
            url,
            headers: &headers,
            body,
            timeout: endpoint.timeout.unwrap_or(TIMEOUT),
            retry,
            retry_gate: None,
        };
        let response = match reader {
            Some(reader) => self.client.send_streamed(&request, reader, cancellation),
            None => self.client.send(&request, cancellation),
        };
        let response = response.map_err(|error| self.error(error))?;
        if !(200..300).contains(&response.status) {
            return Err(AgentError::Failed(self.refusal(&response)));
        }
        self.cookies.add(&response.cookies, path(url));
        Ok(response)
    }

    /// The headers of the suite, those of the API and of the conversation that it does not set, and the cookies.
    fn headers(&self, default: &[(&str, &str)]) -> Vec<(String, String)> {
        let mut headers = self.target.endpoint.headers.clone();
        let is_set = |headers: &[(String, String)], name: &str| {
            let mut names = headers.iter();
            names.any(|(known, _)| known.eq_ignore_ascii_case(name))
        };
        let identity = self.identity.iter();
        let identity = identity.map(|(name, value)| (*name, value.as_str()));
        for (name, value) in default.iter().copied().chain(identity) {
            if !is_set(&headers, name) {
                headers.push((name.to_owned(), value.to_owned()));
            }
        }
        if let Some(cookies) = self.cookies.header()
            && !is_set(&headers, "cookie")
        {
            headers.push(("cookie".to_owned(), cookies));
        }
        headers
    }

    fn error(&self, error: HttpError) -> AgentError {
        match error {
            HttpError::Interrupted => AgentError::Interrupted,
            HttpError::OutOfTime => {
                let after = self.timeout.map_or_else(String::new, |timeout| {
                    format!(" after {}", seconds(timeout))
                });
                AgentError::TooLong(format!("timed out{after}: the agent did not respond"))
            }
            HttpError::TimedOut(why) => AgentError::TooLong(format!(
                "the agent timed out: {why}; set the agent's `timeout` to allow more"
            )),
            HttpError::NotSent(why) => {
                let advice = "check that the agent runs, and its `url`";
                AgentError::Unreachable(format!("cannot reach the agent: {why}; {advice}"))
            }
            HttpError::Failed(why) => {
                let advice = "check the agent's log";
                AgentError::Failed(format!(
                    "no usable response from the agent: {why}; {advice}"
                ))
            }
        }
    }

    /// The message for a status other than 2xx.
    fn refusal(&self, response: &http::Reply) -> String {
        let attempts = match response.retries {
            0 => String::new(),
            retries => format!(" {} times", retries + 1),
        };
        let wait = response.retry_after.map_or_else(String::new, |wait| {
            format!(", and asks to retry after {}", seconds(wait))
        });
        // The body of another agent may have more than one message.
        let is_model = self.target.is_model;
        let message = is_model.then(|| http::error_message(&response.body));
        let message = message.flatten();
        let quoted_body = match message.as_deref().unwrap_or(&response.body).trim() {
            "" => String::new(),
            body => format!(": {}", quoted(body.as_bytes())),
        };
        format!(
            "{} responded with status {}{attempts}{wait}{quoted_body}; {}",
            http::public_url(&self.target.url),
            response.status,
            hint(response, is_model)
        )
    }

    /// Details of the agent, for the record.
    pub(super) fn exit(&self) -> AgentExit {
        let url = http::public_url(&self.target.endpoint.url);
        AgentExit {
            facts: [("url".to_owned(), url.into())].into_iter().collect(),
            ..AgentExit::default()
        }
    }
}

/// What to do about a status.
fn hint(response: &http::Reply, is_model: bool) -> &'static str {
    match response.status {
        404 | 405 if is_model => "check the agent's `url` and `model`",
        400 | 422 if is_model => "check the agent's `model`, `tools` and `headers`",
        300..=399 => "redirects are not followed; set the agent's `url` to the final address",
        401 | 403 | 407 => "check the agent's `headers`",
        404 | 405 => "check the agent's `url`",
        408 | 504 => {
            "check that the agent is not overloaded, or set `retry: {times: 2, on: [408, 504]}`"
        }
        400..=428 => "check the agent's `body` and `headers`, or the agent's log",
        429 | 503 if response.retry_after > Some(http::LONGEST_WAIT) => {
            "check the agent's rate limit: Casebook waits for at most a minute, so `retry` does not help"
        }
        429 | 503 => "set how often to retry with the agent's `retry: {times: 10}`",
        _ => "check the agent's log",
    }
}

/// The path of a URL, `/` if it has none.
fn path(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let rest = &rest[..rest.find(['?', '#']).unwrap_or(rest.len())];
    rest.find('/').map_or("/", |start| &rest[start..])
}
