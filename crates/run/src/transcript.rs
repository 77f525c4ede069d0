//! [`Transcript`]: the turns so far, as checks, judge, topics and simulated user see them.

use std::time::Duration;

use casebook_record::Metadata;
use casebook_record::event::ToolCall;
use casebook_suite::model::conversation::{MediaType, StopReason};
use serde::{Deserialize, Serialize};

/// All turns of a conversation so far.
#[derive(Debug, Clone, Default)]
pub(crate) struct Transcript {
    pub(crate) turns: Vec<ConversationTurn>,
    /// The turns before the conversation, which the suite supplies. Checks do not apply to them.
    pub(crate) history: Vec<ConversationTurn>,
    /// The topics visited, in order; the last one is current.
    pub(crate) topics: Vec<String>,
    /// How the conversation ended; `None` while it runs.
    pub(crate) end: Option<&'static str>,
}

impl Transcript {
    /// The turns before the conversation, then its turns.
    pub(crate) fn with_history(&self) -> impl Iterator<Item = &ConversationTurn> {
        self.history.iter().chain(&self.turns)
    }
}

/// A user message and the reply to it.
#[derive(Debug, Clone)]
pub(crate) struct ConversationTurn {
    /// Empty if the agent spoke first, before the conversation.
    pub(crate) user: String,
    /// The files of the user's message.
    pub(crate) files: Vec<AttachedFile>,
    /// `None` until the agent replies, and if it failed.
    pub(crate) reply: Option<Reply>,
    /// The topic after the reply.
    pub(crate) topic: Option<String>,
}

/// A file of a user's message.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct AttachedFile {
    /// The path in the suite.
    pub(crate) path: String,
    pub(crate) media_type: MediaType,
    /// The content in Base64.
    pub(crate) data: String,
}

/// A reply of the agent, with tool calls and measurements.
#[derive(Debug, Clone, Default)]
pub(crate) struct Reply {
    pub(crate) text: String,
    pub(crate) calls: Vec<ToolCall>,
    /// As sent by the agent.
    pub(crate) metadata: Metadata,
    pub(crate) latency: Duration,
    pub(crate) tokens: Option<Tokens>,
    pub(crate) cost: Option<f64>,
    /// How many times the request was retried.
    pub(crate) retries: u32,
    /// The statuses of the responses that were retried.
    pub(crate) retried_on: Vec<u16>,
    /// The time from the request to the first text of a streamed reply.
    pub(crate) first_token: Option<Duration>,
    /// Why the reply is not complete; `None` for a complete one.
    pub(crate) stop_reason: Option<StopReason>,
}

/// The tokens that a model read and wrote.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Tokens {
    pub(crate) input: u64,
    pub(crate) output: u64,
}

impl Tokens {
    /// Input and output together. Saturates, because an agent may report any number.
    pub(crate) fn all(self) -> u64 {
        self.input.saturating_add(self.output)
    }

    /// The cost at the price of a million input tokens and of a million output tokens.
    #[expect(clippy::cast_precision_loss, reason = "token counts stay below 2^52")]
    pub(crate) fn cost(self, (input, output): (f64, f64)) -> f64 {
        (input * self.input as f64 + output * self.output as f64) / 1e6
    }

    pub(crate) fn plus(self, other: Tokens) -> Tokens {
        Tokens {
            input: self.input.saturating_add(other.input),
            output: self.output.saturating_add(other.output),
        }
    }
}

/// The sum of two costs, rounded to 15 digits, so that 0.1 and 0.2 make 0.3.
pub(crate) fn added(one: f64, other: f64) -> f64 {
    let sum = one + other;
    format!("{sum:.14e}").parse().unwrap_or(sum)
}

/// The part of a transcript that a check examines: one turn, or all of them.
#[derive(Clone, Copy)]
pub(crate) struct Scope<'a> {
    pub(crate) transcript: &'a Transcript,
    /// The index of the turn; `None` for all.
    pub(crate) turn_index: Option<usize>,
}

impl<'a> Scope<'a> {
    /// The turns in scope.
    pub(crate) fn turns(self) -> &'a [ConversationTurn] {
        let all = &self.transcript.turns;
        match self.turn_index {
            Some(index) => all.get(index..=index).unwrap_or_default(),
            None => all,
        }
    }

    /// The replies in scope.
    pub(crate) fn replies(self) -> impl Iterator<Item = &'a Reply> {
        self.turns().iter().filter_map(|turn| turn.reply.as_ref())
    }

    /// The tool calls in scope, in order.
    pub(crate) fn calls(self) -> impl Iterator<Item = &'a ToolCall> {
        self.replies().flat_map(|reply| &reply.calls)
    }
}
