//! The agent under test: whatever kind it is, it is asked for one answer after another.

mod completions;
mod process;
mod protocol;
mod remote;

use std::io;

use casebook_record::event::ToolCall;
use casebook_suite::model::conversation;
use serde_json::{Map, Value};

use super::context::ConversationContext;
use super::session::Context;
use crate::assertions::shortened;
use crate::stop::Cancellation;
use crate::transcript::{Reply, Transcript};

use process::ProcessAgent;
use remote::{AgentProtocol, HttpAgent};

/// Somebody who answers.
pub(super) trait Agent {
    /// The answer to the last thing the user said. Calls of tools are told as they happen.
    fn answer(
        &mut self,
        asked: &ChatRequest<'_>,
        told: &mut dyn FnMut(&ToolCall),
        patience: Cancellation<'_>,
    ) -> Result<Reply, AgentError>;

    /// Nothing more will be asked; what there is to know of it. In a hurry it is not waited for.
    fn shut_down(self: Box<Self>, in_a_hurry: bool) -> io::Result<AgentExit>;
}

/// What an agent is asked.
pub(super) struct ChatRequest<'a> {
    /// Of the turn, counted from 1.
    pub(super) id: u64,
    /// Its last exchange is the one without an answer.
    pub(super) transcript: &'a Transcript,
    /// Which test it is.
    pub(super) context: &'a Context<'a>,
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum AgentError {
    /// The run was asked to stop.
    Interrupted,
    /// It took too long, in words for people.
    TooLong(String),
    /// Anything else, in words for people.
    Failed(String),
}

/// What is known of an agent that is gone.
#[derive(Debug, Default)]
pub(super) struct AgentExit {
    /// For the record.
    pub(super) facts: Map<String, Value>,
    /// The last lines of its standard error.
    pub(super) stderr: Vec<String>,
    /// What it did wrong after its last answer.
    pub(super) problem: Option<String>,
}

impl AgentExit {
    /// Adds to what is said of a failure how the agent was started, if it never got any further.
    pub(super) fn explain_start(&self, message: &mut String) {
        if let Some(command) = self.facts.get("command").and_then(Value::as_str) {
            message.push_str("\nit was started as: ");
            message.push_str(&shortened(command));
        }
    }

    /// Adds to what is said of a failure what its standard error says.
    pub(super) fn explain(&self, message: &mut String) {
        if self.stderr.is_empty() {
            return;
        }
        message.push_str("\nits standard error ends with:");
        for line in &self.stderr {
            message.push_str("\n  ");
            message.push_str(line);
        }
    }
}

/// The agent, ready to be asked.
pub(super) fn open<'a>(
    agent: &'a conversation::Agent,
    services: ConversationContext<'a>,
) -> io::Result<Box<dyn Agent + 'a>> {
    match agent {
        conversation::Agent::Command(script) => {
            Ok(Box::new(ProcessAgent::start(&script.text, services)?))
        }
        conversation::Agent::Http(endpoint) => {
            let language = AgentProtocol::Own;
            Ok(Box::new(HttpAgent::new(endpoint, language, services)))
        }
        conversation::Agent::OpenAi {
            endpoint,
            model,
            system,
        } => {
            let language = AgentProtocol::Completions {
                model,
                system: system.as_deref(),
            };
            Ok(Box::new(HttpAgent::new(endpoint, language, services)))
        }
    }
}
