//! An HTTP agent: with the same requests and responses as an agent process, or with a chat completions API.

use std::borrow::Cow;
use std::io;
use std::time::Duration;

use casebook_record::event::ToolCall;
use casebook_record::{Json, RawObject};
use casebook_suite::model::conversation::Endpoint;
use serde_json::Map;
use serde_json::value::RawValue;

use super::protocol::{self, excerpt, quoted};
use super::{Agent, AgentError, AgentExit, ChatRequest, completions};
use crate::conversation::ConversationContext;
use crate::http::{self, Client, HttpError};
use crate::seconds::seconds;
use crate::stop::Cancellation;
use crate::transcript::Reply;

/// The timeout of a response if the suite sets none.
const TIMEOUT: Duration = Duration::from_secs(60);

/// An HTTP agent.
pub(super) struct HttpAgent<'a> {
    pub(super) endpoint: &'a Endpoint,
    pub(super) protocol: AgentProtocol<'a>,
    client: &'a Client,
    timeout: Option<Duration>,
}

/// The format of requests and responses.
pub(super) enum AgentProtocol<'a> {
    /// The agent protocol of docs/agents.md.
    Own,
    /// Chat completions, with the model and an optional system prompt.
    Completions {
        model: &'a str,
        system: Option<&'a str>,
    },
}

impl<'a> HttpAgent<'a> {
    pub(super) fn new(
        endpoint: &'a Endpoint,
        protocol: AgentProtocol<'a>,
        services: ConversationContext<'a>,
    ) -> HttpAgent<'a> {
        HttpAgent {
            endpoint,
            protocol,
            client: services.http,
            timeout: services.site.timeout,
        }
    }

    fn body(&self, request: &ChatRequest<'_>) -> String {
        match self.protocol {
            AgentProtocol::Own => protocol::chat(request),
            AgentProtocol::Completions { model, system } => {
                completions::request(model, system, request.transcript)
            }
        }
    }

    fn read(&self, body: &str, request: &ChatRequest<'_>) -> Result<Reply, String> {
        match self.protocol {
            AgentProtocol::Own => read(body, request),
            AgentProtocol::Completions { .. } => completions::parse(body),
        }
    }

    fn post(&self, body: &str, cancellation: Cancellation<'_>) -> Result<http::Reply, AgentError> {
        let url = match self.protocol {
            AgentProtocol::Own => Cow::Borrowed(self.endpoint.url.as_str()),
            AgentProtocol::Completions { .. } => {
                completions::completions_url(&self.endpoint.url).into()
            }
        };
        let timeout = self.endpoint.timeout.unwrap_or(TIMEOUT);
        let http_request = http::Request {
            url: &url,
            headers: &self.endpoint.headers,
            body,
            timeout,
            // Because an agent may act on a request, it must not receive it twice. A completion has no effects.
            may_repeat: matches!(self.protocol, AgentProtocol::Completions { .. }),
            retry_gate: None,
        };
        let response = self.client.post(&http_request, cancellation);
        response.map_err(|error| match error {
            HttpError::Interrupted => AgentError::Interrupted,
            HttpError::OutOfTime => AgentError::TooLong(self.timeout_message()),
            HttpError::TimedOut(why) => AgentError::TooLong(format!("the agent timed out: {why}")),
            HttpError::Failed(why) => {
                AgentError::Unreachable(format!("cannot reach the agent: {why}"))
            }
        })
    }

    fn timeout_message(&self) -> String {
        let after = self.timeout.map_or_else(String::new, |timeout| {
            format!(" after {}", seconds(timeout))
        });
        format!("timed out{after}: the agent did not respond")
    }
}

impl Agent for HttpAgent<'_> {
    fn reply(
        &mut self,
        request: &ChatRequest<'_>,
        _: &mut dyn FnMut(&ToolCall),
        cancellation: Cancellation<'_>,
    ) -> Result<Reply, AgentError> {
        let response = self.post(&self.body(request), cancellation)?;
        if !(200..300).contains(&response.status) {
            return Err(AgentError::Failed(refusal(&self.endpoint.url, &response)));
        }
        let mut reply = self
            .read(&response.body, request)
            .map_err(AgentError::Failed)?;
        reply.latency = response.latency;
        reply.retries = response.retries;
        Ok(reply)
    }

    fn shut_down(self: Box<Self>, _: bool) -> io::Result<AgentExit> {
        let url = http::public_url(&self.endpoint.url);
        Ok(AgentExit {
            facts: Map::from_iter([("url".to_owned(), url.into())]),
            ..AgentExit::default()
        })
    }
}

fn read(body: &str, request: &ChatRequest<'_>) -> Result<Reply, String> {
    let Ok(object) = serde_json::from_str::<RawObject>(body) else {
        return Err(format!(
            "the agent's response is not a JSON object such as {{\"text\": \"Hello\"}}: {}",
            quoted(body.as_bytes())
        ));
    };
    // Servers with typed responses write `null` for missing fields.
    let is_other_type = |kind: &&RawValue| !matches!(kind.get(), "null" | r#""response""#);
    if let Some(kind) = object.get("type").filter(is_other_type) {
        return Err(format!(
            "the agent's response has the type {}, expected `response`",
            excerpt(kind)
        ));
    }
    let parsed = protocol::response(&object)?;
    let is_other_id = |id: &Json| id.text() != "null" && id.text().parse() != Ok(request.id);
    match parsed.id.filter(is_other_id) {
        Some(id) => Err(format!(
            "the agent's response has the id {id}, expected {}",
            request.id
        )),
        None => Ok(parsed.reply),
    }
}

fn refusal(url: &str, response: &http::Reply) -> String {
    let attempts = match response.retries {
        0 => String::new(),
        retries => format!(" {} times", retries + 1),
    };
    let wait = response.retry_after.map_or_else(String::new, |wait| {
        format!(", and asks to retry after {}", seconds(wait))
    });
    let quoted_body = match response.body.trim() {
        "" => String::new(),
        body => format!(": {}", quoted(body.as_bytes())),
    };
    let hint = match response.status {
        401 | 403 => "; check the agent's `headers`",
        404 | 405 => "; check the agent's `url`",
        _ => "",
    };
    format!(
        "{} responded with status {}{attempts}{wait}{quoted_body}{hint}",
        http::public_url(url),
        response.status
    )
}
