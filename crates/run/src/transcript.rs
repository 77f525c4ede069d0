//! What was said so far: what checks, judges, topics and the simulated user look at.

use std::time::Duration;

use casebook_record::Metadata;
use casebook_record::event::ToolCall;
use serde::{Deserialize, Serialize};

/// A conversation so far.
#[derive(Debug, Clone, Default)]
pub(crate) struct Transcript {
    pub(crate) turns: Vec<ConversationTurn>,
    /// The topics it has been in, in order; the last one is the current one.
    pub(crate) topics: Vec<String>,
}

/// What the user said and what the agent made of it.
#[derive(Debug, Clone)]
pub(crate) struct ConversationTurn {
    pub(crate) user: String,
    /// None while it is waited for, and when the agent failed.
    pub(crate) reply: Option<Reply>,
    /// The topic after the reply.
    pub(crate) topic: Option<String>,
}

/// What the agent answered.
#[derive(Debug, Clone, Default)]
pub(crate) struct Reply {
    pub(crate) text: String,
    pub(crate) calls: Vec<ToolCall>,
    /// What the agent says of it.
    pub(crate) metadata: Metadata,
    pub(crate) latency: Duration,
    pub(crate) tokens: Option<Tokens>,
    pub(crate) cost: Option<f64>,
    /// How often the request was repeated.
    pub(crate) retries: u32,
}

/// How many tokens a model has read and written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Tokens {
    pub(crate) input: u64,
    pub(crate) output: u64,
}

impl Tokens {
    /// Read and written. An agent may say anything.
    pub(crate) fn all(self) -> u64 {
        self.input.saturating_add(self.output)
    }

    pub(crate) fn plus(self, other: Tokens) -> Tokens {
        Tokens {
            input: self.input.saturating_add(other.input),
            output: self.output.saturating_add(other.output),
        }
    }
}

/// The sum of two costs to fifteen digits, which is what a float holds for certain: 0.1 and 0.2 are 0.3.
pub(crate) fn added(one: f64, other: f64) -> f64 {
    let sum = one + other;
    format!("{sum:.14e}").parse().unwrap_or(sum)
}

/// What a check is about: one exchange, or all of them.
#[derive(Clone, Copy)]
pub(crate) struct Scope<'a> {
    pub(crate) transcript: &'a Transcript,
    /// The place of the exchange; none for the whole conversation.
    pub(crate) exchange: Option<usize>,
}

impl<'a> Scope<'a> {
    /// The exchanges it is about.
    pub(crate) fn turns(self) -> &'a [ConversationTurn] {
        let all = &self.transcript.turns;
        match self.exchange {
            Some(place) => all.get(place..=place).unwrap_or_default(),
            None => all,
        }
    }

    /// The replies it is about.
    pub(crate) fn replies(self) -> impl Iterator<Item = &'a Reply> {
        self.turns()
            .iter()
            .filter_map(|exchange| exchange.reply.as_ref())
    }

    /// The calls it is about, in order.
    pub(crate) fn calls(self) -> impl Iterator<Item = &'a ToolCall> {
        self.replies().flat_map(|reply| &reply.calls)
    }
}
