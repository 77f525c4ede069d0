//! An HTTP agent: with the same requests and responses as an agent process, or with those that the suite describes.

use std::io;
use std::ops::ControlFlow;
use std::time::Instant;

use casebook_record::event::ToolCall;
use casebook_record::{Json, RawObject};
use casebook_suite::model::conversation;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;

use super::connection::{Connection, Target};
use super::pointers::{self, PointedReply};
use super::protocol::{self, AgentMessage, excerpt, quoted};
use super::stream::{self, EventReader, StreamedReply};
use super::{Agent, AgentError, AgentExit, ChatRequest, body};
use crate::conversation::ConversationContext;
use crate::conversation::session::Context;
use crate::http;
use crate::stop::Cancellation;
use crate::transcript::Reply;

/// An HTTP agent.
pub(super) struct HttpAgent<'a> {
    agent: conversation::HttpAgent,
    connection: Connection<'a>,
    instant: fn() -> Instant,
}

impl<'a> HttpAgent<'a> {
    pub(super) fn new(
        agent: conversation::HttpAgent,
        services: ConversationContext<'a>,
        context: &Context<'_>,
    ) -> HttpAgent<'a> {
        let target = Target {
            url: agent.endpoint.url.clone(),
            endpoint: agent.endpoint.clone(),
            method: agent.method,
            is_model: false,
        };
        HttpAgent {
            connection: Connection::new(target, services, context),
            instant: services.processes.instant,
            agent,
        }
    }

    fn body(&self, request: &ChatRequest<'_>) -> String {
        match &self.agent.body {
            Some(body) => body::render(body, request.transcript),
            None => protocol::chat(request),
        }
    }

    fn read(&self, body: &str, request: &ChatRequest<'_>) -> Result<Reply, String> {
        match &self.agent.response {
            Some(pointers) => pointers::read(pointers, body),
            None => read(body, request),
        }
    }

    /// Reads the response as it arrives.
    fn reply_streamed(
        &mut self,
        body: &str,
        on_tool_call: &mut dyn FnMut(&ToolCall),
        cancellation: Cancellation<'_>,
    ) -> Result<Reply, AgentError> {
        let HttpAgent {
            agent, connection, ..
        } = self;
        let mut send = |reader: &mut dyn EventReader| {
            stream::send(connection, body, reader, self.instant, cancellation)
        };
        let (streamed, reply) = if let Some(pointers) = &agent.response {
            let mut reader = PointedReply::new(pointers);
            (send(&mut reader)?, reader.finish(""))
        } else {
            let mut reader = ProtocolReader {
                calls: Vec::new(),
                reply: None,
                on_tool_call,
            };
            (send(&mut reader)?, reader.finish())
        };
        let StreamedReply {
            response,
            first_token,
        } = streamed;
        let reply = with_response(reply.map_err(AgentError::Failed)?, response);
        Ok(Reply {
            first_token,
            ..reply
        })
    }
}

impl Agent for HttpAgent<'_> {
    fn reply(
        &mut self,
        request: &ChatRequest<'_>,
        on_tool_call: &mut dyn FnMut(&ToolCall),
        cancellation: Cancellation<'_>,
    ) -> Result<Reply, AgentError> {
        let body = self.body(request);
        if self.agent.stream {
            return self.reply_streamed(&body, on_tool_call, cancellation);
        }
        let response = self.connection.send(&body, &[], None, cancellation)?;
        let reply = self.read(&response.body, request);
        let reply = reply.map_err(AgentError::Failed)?;
        Ok(with_response(reply, response))
    }

    fn shut_down(self: Box<Self>, _: bool) -> io::Result<AgentExit> {
        Ok(self.connection.exit())
    }
}

/// The reply with the time and the retries of its response.
fn with_response(reply: Reply, response: http::Reply) -> Reply {
    Reply {
        latency: response.latency,
        retries: response.retries,
        retried_on: response.retried_on,
        ..reply
    }
}

/// Reads the messages of an agent, each in an event.
struct ProtocolReader<'a> {
    calls: Vec<ToolCall>,
    reply: Option<Reply>,
    on_tool_call: &'a mut dyn FnMut(&ToolCall),
}

impl ProtocolReader<'_> {
    fn finish(self) -> Result<Reply, String> {
        let missing = "the agent's stream ended without an event of the type `response`; if the agent has another format, set `response`";
        self.reply.ok_or_else(|| missing.to_owned())
    }
}

impl EventReader for ProtocolReader<'_> {
    fn event(&mut self, data: &str) -> Result<ControlFlow<()>, String> {
        if serde_json::from_str::<IgnoredAny>(data).is_err() {
            return Err(format!(
                "an event of the agent's response is not JSON: {}; if the agent has another format, set `response`",
                quoted(data.as_bytes())
            ));
        }
        match protocol::parse(data.as_bytes())? {
            AgentMessage::Call(call) => {
                (self.on_tool_call)(&call);
                self.calls.push(call);
                Ok(ControlFlow::Continue(()))
            }
            AgentMessage::Response(response) => {
                let mut reply = response.reply;
                if !response.lists_calls {
                    reply.calls = std::mem::take(&mut self.calls);
                }
                self.reply = Some(reply);
                Ok(ControlFlow::Break(()))
            }
        }
    }

    fn has_text(&self) -> bool {
        self.reply.is_some()
    }
}

fn read(body: &str, request: &ChatRequest<'_>) -> Result<Reply, String> {
    let Ok(object) = serde_json::from_str::<RawObject>(body) else {
        return Err(format!(
            "the agent's response is not a JSON object such as {{\"text\": \"Hello\"}}: {}; if the agent has another format, set `response`",
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
    let parsed = protocol::response(&object).map_err(|problem| match object.get("text") {
        Some(_) => problem,
        None => format!("{problem}, or set `response` to where it is"),
    })?;
    let is_other_id = |id: &Json| id.text() != "null" && id.text().parse() != Ok(request.id);
    match parsed.id.filter(is_other_id) {
        Some(id) => Err(format!(
            "the agent's response has the id {id}, expected {}: send the `id` of the request, or none",
            request.id
        )),
        None => Ok(parsed.reply),
    }
}
