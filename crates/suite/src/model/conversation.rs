//! [`Conversation`]: a conversation test with the settings of its suite merged in.

mod attachment;
mod budget;
mod capture;
mod history;
mod pattern;
mod texts;
mod trials;

use std::sync::Arc;
use std::time::Duration;

use casebook_source::Span;
use serde_json::{Map, Value};

use super::TextCheck;
use crate::ere::Ere;

pub use super::agent::*;
pub use attachment::{Attachment, MediaType};
pub use budget::Budget;
pub use capture::{TurnCapture, TurnCaptureSource};
pub use history::{HistoryCall, HistoryReply, HistoryTurn};
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

/// A model used as a judge or for simulated users.
#[derive(Debug, Clone, PartialEq)]
pub struct Llm {
    /// The API that is called.
    pub provider: Provider,
    /// The model name.
    pub model: String,
    /// A URL other than the provider's default.
    pub url: Option<String>,
    /// The environment variable that contains the API key, if not the provider's default.
    pub key_env: Option<String>,
    /// Further headers of every request.
    pub headers: Vec<(String, String)>,
    /// The temperature, if not the default of the role.
    pub temperature: Option<f64>,
    /// The maximum number of tokens of a response, if not the default.
    pub max_tokens: Option<u32>,
    /// The timeout of one response.
    pub timeout: Option<Duration>,
    /// The maximum number of concurrent requests.
    pub concurrency: Option<u32>,
    /// The maximum number of requests started per minute.
    pub requests_per_minute: Option<u32>,
    /// The price of a million input tokens and of a million output tokens.
    pub price: Option<(f64, f64)>,
    /// The location of `llm` in the suite.
    pub span: Span,
}

/// The API that model requests are sent to.
#[derive(Debug, Clone, PartialEq)]
pub enum Provider {
    /// The Anthropic Messages API.
    Anthropic,
    /// A chat-completions API, in the format of `OpenAI`.
    OpenAi,
    /// No API: the responses are in the suite.
    Scripted(ScriptedResponses),
}

/// Model responses written in the suite. Each conversation starts with the first ones.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ScriptedResponses {
    /// The simulated user's messages, in order.
    pub user: Vec<String>,
    /// Verdicts by criterion.
    pub verdicts: Vec<(String, ScriptedVerdicts)>,
    /// The topics the judge recognizes, in order.
    pub topics: Vec<String>,
}

/// The scripted verdicts on a criterion.
#[derive(Debug, Clone, PartialEq)]
pub enum ScriptedVerdicts {
    /// The same for every request.
    Always(ScriptedVerdict),
    /// One per request.
    InOrder(Vec<ScriptedVerdict>),
}

/// One scripted verdict.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ScriptedVerdict {
    /// A verdict.
    Verdict(Verdict),
    /// The score of a criterion with a scale.
    Score(f64),
}

impl From<Verdict> for ScriptedVerdict {
    fn from(verdict: Verdict) -> ScriptedVerdict {
        ScriptedVerdict::Verdict(verdict)
    }
}

/// The judge's decision on a criterion.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// The criterion is met.
    Passed,
    /// The criterion is not met.
    Failed,
    /// The judge could not decide.
    Inconclusive,
}

/// The settings of the judge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Judge {
    /// The number of votes of each model.
    pub votes: u32,
    /// Whether the model under test may judge itself.
    pub itself: bool,
    /// How many votes must agree.
    pub agree: Agreement,
    /// Whether all criteria of a turn are judged in one request.
    pub batch: bool,
}

impl Default for Judge {
    fn default() -> Judge {
        Judge {
            votes: 1,
            itself: false,
            agree: Agreement::Majority,
            batch: false,
        }
    }
}

/// How many votes of the judge must agree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Agreement {
    /// More than half.
    Majority,
    /// All.
    All,
}

/// A named criterion that the judge grades replies by.
#[derive(Debug, Clone, PartialEq)]
pub struct Criterion {
    /// Its name in checks.
    pub name: String,
    /// Its meaning, for the judge.
    pub description: String,
    /// Example replies with their verdicts.
    pub examples: Vec<Sample>,
    /// The scale of its scores; `None` if it passes or fails.
    pub scale: Option<Scale>,
}

/// The scale of a criterion's scores.
#[derive(Debug, Clone, PartialEq)]
pub struct Scale {
    /// The lowest score.
    pub min: f64,
    /// The highest score.
    pub max: f64,
    /// The meanings of scores, lowest first.
    pub anchors: Vec<(f64, String)>,
}

/// An example reply with its verdict.
#[derive(Debug, Clone, PartialEq)]
pub struct Sample {
    /// The reply.
    pub text: String,
    /// Whether it meets the criterion.
    pub passes: bool,
    /// Whether it is an edge case.
    pub edge: bool,
    /// The reason for its verdict.
    pub why: Option<String>,
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

/// A check with its severity.
#[derive(Debug, Clone, PartialEq)]
pub struct Expectation {
    /// Whether its failure fails the test (`expect`) or is only recorded (`evaluate`).
    pub hard: bool,
    /// The check's name, such as `called`.
    pub field: &'static str,
    /// Its location in the suite.
    pub span: Span,
    /// The check.
    pub check: ConversationCheck,
}

/// A check of a turn or of a complete conversation.
#[derive(Debug, Clone, PartialEq)]
pub enum ConversationCheck {
    /// A comparison of the reply.
    Text(TextCheck),
    /// A comparison of the reply that ignores the case of letters.
    TextIgnoringCase(TextCheck),
    /// The reply has at most this many characters.
    MaxLength(u32),
    /// The reply has at least this many characters.
    MinLength(u32),
    /// The reply is JSON, and the value at the pointer matches.
    Json {
        /// A JSON Pointer.
        pointer: String,
        /// The condition on the value.
        pattern: Pattern,
    },
    /// A tool was called.
    Called(Box<CallCheck>),
    /// A tool was not called.
    NotCalled(Box<CallCheck>),
    /// No other tools were called.
    OnlyCalled(Vec<String>),
    /// Tools were called in this order.
    CalledInOrder {
        /// Their names.
        tools: Vec<String>,
        /// Whether there must be no other calls.
        exact: bool,
    },
    /// A tool returned a result that matches.
    Returned {
        /// Its name, or a pattern: see [`tool_pattern`].
        tool: String,
        /// The condition on the result.
        with: Pattern,
    },
    /// The reply meets this criterion, according to the judge.
    Satisfies(CriterionRef),
    /// The agent intends to do this, according to the judge.
    Intent(String),
    /// The reply's statements about this come from tool results, according to the judge.
    Grounded {
        /// The subject of the statements.
        what: String,
        /// The tools whose results count; empty means all.
        from: Vec<String>,
    },
    /// The reply makes a claim about this, according to the judge.
    Claims(String),
    /// The reply makes no claim about this, according to the judge.
    NotClaims(String),
    /// The reply is written in this language, according to the judge.
    Language(String),
    /// The conversation is in this topic.
    Topic(String),
    /// The conversation has been in this topic.
    ReachedTopic(String),
    /// The conversation has been in exactly these topics, in this order.
    Topics(Vec<String>),
    /// The number of turns is within these bounds.
    Turns(Bounds),
    /// The latency of each reply in seconds is within these bounds.
    Latency(Bounds),
    /// The time to the first token of each reply in seconds is within these bounds.
    FirstToken(Bounds),
    /// The number of tokens used by the agent is within these bounds.
    Tokens(Bounds),
    /// The cost of the agent is within these bounds.
    Cost(Bounds),
    /// This command, which reads the conversation as JSON, exits with code 0.
    Run(String),
    /// The conversation ended in one of these ways.
    Ended(Vec<String>),
    /// At least one of these passes.
    AnyOf(Vec<ConversationCheck>),
    /// All of these pass: the values of one alternative of `anyOf`.
    AllOf(Vec<ConversationCheck>),
    /// This does not pass.
    Not(Box<ConversationCheck>),
}

impl ConversationCheck {
    /// The check itself, or the checks that it combines.
    pub fn leaves(&self) -> Vec<&ConversationCheck> {
        match self {
            ConversationCheck::AnyOf(checks) | ConversationCheck::AllOf(checks) => {
                checks.iter().flat_map(ConversationCheck::leaves).collect()
            }
            ConversationCheck::Not(check) => check.leaves(),
            leaf => vec![leaf],
        }
    }
}

/// The POSIX ERE of a tool that is named by a pattern: `^find` for `/^find/`; `None` for an ordinary name.
pub fn tool_pattern(tool: &str) -> Option<&str> {
    tool.strip_prefix('/')?.strip_suffix('/')
}

/// Whether this is the tool's name, or a pattern that matches it.
pub fn is_tool(tool: &str, name: &str) -> bool {
    match tool_pattern(tool) {
        Some(pattern) => Ere::new(pattern).is_ok_and(|ere| ere.is_match(name.as_bytes())),
        None => tool == name,
    }
}

/// A criterion for the judge, by name or as free text.
#[derive(Debug, Clone, PartialEq)]
pub enum CriterionRef {
    /// The name of a criterion.
    Criterion(String),
    /// The text of a criterion.
    Text(String),
    /// The name of a criterion with a scale, and the score that is required.
    Scored {
        /// Its name.
        name: String,
        /// The minimum score.
        min: f64,
    },
}

impl CriterionRef {
    /// The name of the criterion; `None` for free text.
    pub fn name(&self) -> Option<&str> {
        match self {
            CriterionRef::Criterion(name) | CriterionRef::Scored { name, .. } => Some(name),
            CriterionRef::Text(_) => None,
        }
    }
}

/// A check on the calls of a tool.
#[derive(Debug, Clone, PartialEq)]
pub struct CallCheck {
    /// The calls it is about.
    pub call: CallPattern,
    /// The number of such calls; `None` means at least one.
    pub times: Option<Bounds>,
    /// All such calls are before the first call of this tool.
    pub before: Option<String>,
    /// All such calls are after the first call of this tool.
    pub after: Option<String>,
}

/// Selects calls of a tool.
#[derive(Debug, Clone, PartialEq)]
pub struct CallPattern {
    /// The tool's name, or a pattern: see [`tool_pattern`].
    pub tool: String,
    /// The arguments that a call must have, at least.
    pub with: Option<Pattern>,
    /// Whether the call must have failed or succeeded; `None` for either.
    pub failed: Option<bool>,
}

/// A minimum, a maximum or both, inclusive.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Bounds {
    /// The minimum.
    pub min: Option<f64>,
    /// The maximum.
    pub max: Option<f64>,
}

impl Bounds {
    /// The limits as the fields `min` and `max`. Integers have no fraction.
    pub fn to_fields(self) -> Map<String, Value> {
        let limits = [("min", self.min), ("max", self.max)];
        let number = |limit: f64| serde_json::from_str(&limit.to_string()).unwrap_or(Value::Null);
        let limits = limits
            .into_iter()
            .filter_map(|(key, limit)| Some((key.to_owned(), number(limit?))));
        limits.collect()
    }

    /// Whether the number is within them.
    pub fn contains(self, number: f64) -> bool {
        self.min.is_none_or(|min| number >= min) && self.max.is_none_or(|max| number <= max)
    }
}
