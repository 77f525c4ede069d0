//! [`Conversation`]: a conversation test with the settings of its suite merged in.

mod attachment;
mod budget;
mod capture;
mod check;
mod criterion;
mod history;
mod llm;
mod pattern;
mod texts;
mod trials;

use std::sync::Arc;

use casebook_source::Span;
use serde_json::{Map, Value};

pub use super::agent::*;
pub use attachment::{Attachment, MediaType};
pub use budget::Budget;
pub use capture::{TurnCapture, TurnCaptureSource};
pub use check::{
    Bounds, CallCheck, CallPattern, ConversationCheck, CriterionRef, Expectation, is_tool,
    tool_pattern,
};
pub use criterion::{Criterion, Sample, Scale};
pub use history::{HistoryCall, HistoryMessage, HistoryTurn};
pub use llm::{
    Agreement, Judge, Llm, Provider, ScriptedResponses, ScriptedVerdict, ScriptedVerdicts, Verdict,
};
pub use pattern::{JsonType, Pattern};
pub use texts::Replace;
pub use trials::{Threshold, Trials};

/// A conversation with an agent.
#[derive(Debug, Clone)]
pub struct Conversation {
    /// The agent under test.
    pub agent: Arc<Agent>,
    /// The judge, or the members of a jury; empty if the suite has no model for it.
    pub judges: Arc<Vec<Llm>>,
    /// The model of the simulated user.
    pub user_model: Option<Arc<Llm>>,
    /// The settings of the judge.
    pub judge: Judge,
    /// The criteria that checks can name.
    pub criteria: Arc<Vec<Criterion>>,
    /// The graph of topics; the conversation starts in the first.
    pub topics: Arc<Vec<Topic>>,
    /// The turns before the conversation.
    pub history: Vec<HistoryTurn>,
    /// The user: scripted or simulated.
    pub user: User,
    /// The expectations checked at the end.
    pub expectations: Vec<Expectation>,
    /// The scenario it is for.
    pub scenario: Option<Map<String, Value>>,
    /// The trials that are run.
    pub trials: Trials,
}

impl Conversation {
    /// The conversation with the texts of its agent changed.
    pub(crate) fn map_agent(&self, change: impl Fn(&str) -> String) -> Conversation {
        Conversation {
            agent: self.agent.map_texts(&change).into(),
            ..self.clone()
        }
    }

    /// All models: those of the judge, then that of the simulated user.
    pub fn models(&self) -> impl Iterator<Item = &Llm> {
        self.judges.iter().chain(self.user_model.as_deref())
    }

    /// Whether it starts any process: the agent or a `run` check.
    pub fn starts_processes(&self) -> bool {
        let script = self.user.script().iter();
        let in_turns = script.flat_map(|turn| &turn.expectations);
        let simulation = self.user.simulation().into_iter();
        let stop_when = simulation.flat_map(|simulation| &simulation.stop_when);
        let in_topics = self.topics.iter().flat_map(|topic| &topic.expectations);
        let expectations = in_turns
            .chain(stop_when)
            .chain(in_topics)
            .chain(&self.expectations);
        self.agent.starts_processes()
            || expectations
                .flat_map(|expectation| expectation.check.leaves())
                .any(|check| matches!(check, ConversationCheck::Run(_)))
    }
}

/// A node of the graph of topics.
#[derive(Debug, Clone, PartialEq)]
pub struct Topic {
    /// Its name.
    pub name: String,
    /// The location of its definition.
    pub span: Span,
    /// Its description, for the judge.
    pub description: String,
    /// What the agent should achieve in it.
    pub intent: Option<String>,
    /// What moves a conversation to it: any of these. Empty: the judge recognizes it.
    pub triggers: Vec<Trigger>,
    /// The topics a conversation may move to from it.
    pub next: Vec<String>,
    /// The expectations checked when a conversation leaves it and at the end.
    pub expectations: Vec<Expectation>,
}

/// A condition that moves a conversation to a topic.
#[derive(Debug, Clone, PartialEq)]
pub enum Trigger {
    /// The agent called this tool in the turn.
    Called(CallPattern),
    /// The reply of the turn matches this POSIX ERE.
    AgentMatches(String),
    /// The user's message of the turn matches this POSIX ERE.
    UserMatches(String),
    /// The conversation has been in the current topic for this many turns.
    AfterTurns(u32),
}

/// The user of a conversation.
#[derive(Debug, Clone, PartialEq)]
pub enum User {
    /// Sends the messages written in the suite.
    Scripted(Vec<Turn>),
    /// Is played by a model that pursues a goal.
    Simulated(Box<Simulation>),
    /// Sends the messages written in the suite, and is then played by a model.
    Mixed(Vec<Turn>, Box<Simulation>),
}

impl User {
    /// The turns written in the suite.
    pub fn script(&self) -> &[Turn] {
        match self {
            User::Scripted(turns) | User::Mixed(turns, _) => turns,
            User::Simulated(_) => &[],
        }
    }

    /// The simulated user.
    pub fn simulation(&self) -> Option<&Simulation> {
        match self {
            User::Simulated(simulation) | User::Mixed(_, simulation) => Some(simulation),
            User::Scripted(_) => None,
        }
    }
}

/// A message of a scripted user and the expectations on the reply.
#[derive(Debug, Clone, PartialEq)]
pub struct Turn {
    /// The user's message.
    pub text: String,
    /// The location of the turn.
    pub span: Span,
    /// The expectations checked after the reply.
    pub expectations: Vec<Expectation>,
    /// The incomplete replies that do not fail it.
    pub allow: Vec<StopReason>,
    /// The files of the message.
    pub files: Vec<Attachment>,
    /// The values that later turns use.
    pub captures: Vec<TurnCapture>,
}

/// A simulated user.
#[derive(Debug, Clone, PartialEq)]
pub struct Simulation {
    /// The user's goal.
    pub goal: String,
    /// The user's role.
    pub role: Option<String>,
    /// The user's traits.
    pub personality: Vec<String>,
    /// Facts the user knows.
    pub context: Vec<String>,
    /// The rules the user follows.
    pub rules: UserRules,
    /// Additional rules for individual topics.
    pub during: Vec<(String, UserRules)>,
    /// The maximum number of turns, without those of a script.
    pub max_turns: u32,
    /// The conversation ends as soon as one of these passes after a reply.
    pub stop_when: Vec<Expectation>,
}

/// The rules a simulated user follows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UserRules {
    /// What the user should do.
    pub should: Vec<String>,
    /// What the user should not do.
    pub should_not: Vec<String>,
}
