//! The agent under test: a process, an HTTP server or a model that replies to one message after another.

mod anthropic;
mod body;
mod chat;
mod connection;
mod cookies;
mod http_agent;
mod mock_tools;
mod model_agent;
mod openai;
mod pointers;
mod process;
mod protocol;
mod sse;
mod stream;
mod usage;

use std::io;

use casebook_record::event::ToolCall;
use casebook_suite::model::conversation::{self, HistoryTurn};
use serde_json::{Map, Value};

use super::context::ConversationContext;
use super::session::Context;
use crate::assertions::shortened;
use crate::stop::Cancellation;
use crate::transcript::{Reply, Transcript};

use http_agent::HttpAgent;
use model_agent::ModelAgent;
use process::ProcessAgent;

/// An agent under test.
pub(super) trait Agent {
    /// Returns the reply to the last user message. `on_tool_call` is called for each tool call as it arrives.
    fn reply(
        &mut self,
        request: &ChatRequest<'_>,
        on_tool_call: &mut dyn FnMut(&ToolCall),
        cancellation: Cancellation<'_>,
    ) -> Result<Reply, AgentError>;

    /// Ends the agent and returns details of its exit. With `immediately` it is killed without a grace period.
    fn shut_down(self: Box<Self>, immediately: bool) -> io::Result<AgentExit>;
}

/// A request for a reply.
pub(super) struct ChatRequest<'a> {
    /// The number of the turn, from 1.
    pub(super) id: u64,
    /// The last turn has no reply yet.
    pub(super) transcript: &'a Transcript,
    /// The test, for the agent's information.
    pub(super) context: &'a Context<'a>,
}

/// Why an agent did not reply.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum AgentError {
    /// A stop was requested.
    Interrupted,
    /// A timeout. Contains the message for the user.
    TooLong(String),
    /// The agent got no request. Contains the message for the user.
    Unreachable(String),
    /// Any other error. Contains the message for the user.
    Failed(String),
}

/// Details of an agent that has ended.
#[derive(Debug, Default)]
pub(super) struct AgentExit {
    /// For the record.
    pub(super) facts: Map<String, Value>,
    /// The last lines of its standard error.
    pub(super) stderr: Vec<String>,
    /// A protocol error after its last reply.
    pub(super) problem: Option<String>,
}

impl AgentExit {
    /// Adds the agent's command to a failure message. Used when the agent never replied.
    pub(super) fn explain_start(&self, message: &mut String) {
        if let Some(command) = self.facts.get("command").and_then(Value::as_str) {
            message.push_str("\ncommand: ");
            message.push_str(&shortened(command));
        }
    }

    /// Adds the end of standard error to a failure message.
    pub(super) fn explain(&self, message: &mut String) {
        if self.stderr.is_empty() {
            return;
        }
        message.push_str("\nlast lines of standard error:");
        for line in &self.stderr {
            message.push_str("\n  ");
            message.push_str(line);
        }
    }
}

/// Starts or connects to the agent of a suite, for the conversation of this context.
pub(super) fn open<'a>(
    agent: conversation::Agent,
    services: ConversationContext<'a>,
    history: &[HistoryTurn],
    context: &Context<'_>,
) -> io::Result<Box<dyn Agent + 'a>> {
    Ok(match agent {
        conversation::Agent::Command(script) => {
            Box::new(ProcessAgent::start(script.text, services)?)
        }
        conversation::Agent::Http(agent) => Box::new(HttpAgent::new(*agent, services, context)),
        conversation::Agent::Model(agent) => {
            Box::new(ModelAgent::new(*agent, services, history, context))
        }
    })
}
