//! An agent behind an address: it takes the same request and gives the same response as a process does, or it speaks
//! chat completions.

use std::borrow::Cow;
use std::io;
use std::time::Duration;

use casebook_record::event::ToolCall;
use casebook_record::{Json, RawObject};
use casebook_suite::model::conversation::Endpoint;
use serde_json::Map;
use serde_json::value::RawValue;

use super::protocol::{self, quoted, shown};
use super::{Agent, AgentError, AgentExit, ChatRequest, completions};
use crate::conversation::ConversationContext;
use crate::emitter::seconds;
use crate::http::{self, Client, HttpError};
use crate::stop::Cancellation;
use crate::transcript::Reply;

/// How long an answer may take unless the suite says otherwise.
const TIMEOUT: Duration = Duration::from_secs(60);

/// An agent behind an address.
pub(super) struct HttpAgent<'a> {
    pub(super) endpoint: &'a Endpoint,
    pub(super) language: AgentProtocol<'a>,
    client: &'a Client,
    timeout: Option<Duration>,
}

/// What it speaks.
pub(super) enum AgentProtocol<'a> {
    /// The objects of the protocol.
    Own,
    /// Chat completions of that model, which is told this first.
    Completions {
        model: &'a str,
        system: Option<&'a str>,
    },
}

impl<'a> HttpAgent<'a> {
    pub(super) fn new(
        endpoint: &'a Endpoint,
        language: AgentProtocol<'a>,
        services: ConversationContext<'a>,
    ) -> HttpAgent<'a> {
        HttpAgent {
            endpoint,
            language,
            client: services.http,
            timeout: services.site.timeout,
        }
    }

    fn body(&self, asked: &ChatRequest<'_>) -> String {
        match self.language {
            AgentProtocol::Own => protocol::chat(asked),
            AgentProtocol::Completions { model, system } => {
                completions::request(model, system, asked.transcript)
            }
        }
    }

    fn read(&self, body: &str, asked: &ChatRequest<'_>) -> Result<Reply, String> {
        match self.language {
            AgentProtocol::Own => read(body, asked),
            AgentProtocol::Completions { .. } => completions::read(body),
        }
    }

    fn post(&self, body: &str, patience: Cancellation<'_>) -> Result<http::Reply, AgentError> {
        let url = match self.language {
            AgentProtocol::Own => Cow::Borrowed(self.endpoint.url.as_str()),
            AgentProtocol::Completions { .. } => completions::address(&self.endpoint.url).into(),
        };
        let timeout = self.endpoint.timeout.unwrap_or(TIMEOUT);
        let request = http::Request {
            url: &url,
            headers: &self.endpoint.headers,
            body,
            timeout,
            // What an agent does may do harm when it is done twice.
            may_repeat: matches!(self.language, AgentProtocol::Completions { .. }),
            again: None,
        };
        let posted = self.client.post(&request, patience);
        posted.map_err(|error| match error {
            HttpError::Interrupted => AgentError::Interrupted,
            HttpError::OutOfTime => AgentError::TooLong(self.late()),
            HttpError::TimedOut(why) => {
                AgentError::TooLong(format!("the agent took too long: {why}"))
            }
            HttpError::Failed(why) => {
                AgentError::Failed(format!("the agent could not be asked: {why}"))
            }
        })
    }

    fn late(&self) -> String {
        let given = self.timeout.map_or_else(String::new, |timeout| {
            format!(" after {}", seconds(timeout))
        });
        format!("timed out{given}: the agent did not answer")
    }
}

impl Agent for HttpAgent<'_> {
    fn answer(
        &mut self,
        asked: &ChatRequest<'_>,
        _: &mut dyn FnMut(&ToolCall),
        patience: Cancellation<'_>,
    ) -> Result<Reply, AgentError> {
        let posted = self.post(&self.body(asked), patience)?;
        if !(200..300).contains(&posted.status) {
            return Err(AgentError::Failed(refusal(&self.endpoint.url, &posted)));
        }
        let mut reply = self.read(&posted.body, asked).map_err(AgentError::Failed)?;
        reply.latency = posted.latency;
        reply.retries = posted.retries;
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

fn read(body: &str, asked: &ChatRequest<'_>) -> Result<Reply, String> {
    let Ok(object) = serde_json::from_str::<RawObject>(body) else {
        return Err(format!(
            "the agent's answer is no JSON object such as {{\"text\": \"Hello\"}}: {}",
            quoted(body.as_bytes())
        ));
    };
    // Servers with types for their answers write `null` for what they leave out.
    let is_other = |kind: &&RawValue| !matches!(kind.get(), "null" | r#""response""#);
    if let Some(kind) = object.get("type").filter(is_other) {
        return Err(format!(
            "the agent's answer is of type {}, and a `response` is expected",
            shown(kind)
        ));
    }
    let response = protocol::response(&object)?;
    let other = |id: &Json| id.text() != "null" && id.text().parse() != Ok(asked.id);
    match response.id.filter(other) {
        Some(id) => Err(format!(
            "the agent's response has the id {id}, and the request had {}",
            asked.id
        )),
        None => Ok(response.reply),
    }
}

fn refusal(url: &str, posted: &http::Reply) -> String {
    let tries = match posted.retries {
        0 => String::new(),
        retries => format!(" {} times", retries + 1),
    };
    let wait = posted.retry_after.map_or_else(String::new, |wait| {
        format!(", and wants to be left alone for {}", seconds(wait))
    });
    let said = match posted.body.trim() {
        "" => String::new(),
        body => format!(": {}", quoted(body.as_bytes())),
    };
    let hint = match posted.status {
        401 | 403 => "; are the agent's `headers` right?",
        404 | 405 => "; is the agent's `url` right?",
        _ => "",
    };
    format!(
        "{} answered with status {}{tries}{wait}{said}{hint}",
        http::public_url(url),
        posted.status
    )
}
