//! A test that talks to an agent, with all that its suite says about such tests joined in.

use std::sync::Arc;
use std::time::Duration;

use casebook_source::Span;
use serde_json::{Map, Value};

use super::{Script, TextCheck};

/// A conversation with an agent.
#[derive(Debug, Clone)]
pub struct Conversation {
    /// The agent under test.
    pub agent: Arc<Agent>,
    /// The model that judges and speaks for the simulated user.
    pub llm: Option<Arc<Llm>>,
    /// How verdicts are found.
    pub judge: Judge,
    /// What a judge can be asked, by name.
    pub criteria: Arc<Vec<Criterion>>,
    /// The graph of topics; the conversation starts in the first.
    pub topics: Arc<Vec<Topic>>,
    /// Who speaks to the agent.
    pub user: User,
    /// What must hold, or is worth knowing, at the end.
    pub demands: Vec<Expectation>,
    /// What drives it.
    pub scenario: Option<Map<String, Value>>,
    /// How often it is run.
    pub trials: u32,
}

impl Conversation {
    /// Whether any process is started to hold or to check it.
    pub fn starts_processes(&self) -> bool {
        let (turns, stop_when) = match &self.user {
            User::Scripted(turns) => (&turns[..], &[][..]),
            User::Simulated(simulation) => (&[][..], &simulation.stop_when[..]),
        };
        let of_turns = turns.iter().flat_map(|turn| &turn.demands);
        let of_topics = self.topics.iter().flat_map(|topic| &topic.demands);
        let mut demands = of_turns
            .chain(stop_when)
            .chain(of_topics)
            .chain(&self.demands);
        matches!(*self.agent, Agent::Command(_))
            || demands.any(|demand| matches!(demand.check, ConversationCheck::Run(_)))
    }
}

/// The agent under test.
#[derive(Debug, Clone, PartialEq)]
pub enum Agent {
    /// A process per conversation that speaks JSON lines.
    Command(Script),
    /// Answers the same objects over HTTP.
    Http(Endpoint),
    /// A chat-completions endpoint.
    OpenAi {
        /// Where it is: `/chat/completions` is added.
        endpoint: Endpoint,
        /// Which model it is asked for.
        model: String,
        /// What it is told first.
        system: Option<String>,
    },
}

/// Where requests go.
#[derive(Debug, Clone, PartialEq)]
pub struct Endpoint {
    /// The address.
    pub url: String,
    /// Sent with every request.
    pub headers: Vec<(String, String)>,
    /// How long an answer may take.
    pub timeout: Option<Duration>,
    /// Where the address stands.
    pub span: Span,
}

/// The model that judges and simulates.
#[derive(Debug, Clone, PartialEq)]
pub struct Llm {
    /// Who answers.
    pub provider: Provider,
    /// Which model is asked.
    pub model: String,
    /// Another address than the provider's own.
    pub url: Option<String>,
    /// The environment variable that holds the key, if not the provider's own.
    pub key_env: Option<String>,
    /// How long an answer may take.
    pub timeout: Option<Duration>,
    /// How many calls may be under way at once.
    pub concurrency: Option<u32>,
    /// How many calls may be begun in a minute.
    pub requests_per_minute: Option<u32>,
    /// What a million tokens cost: read, then written.
    pub price: Option<(f64, f64)>,
    /// Where it is configured.
    pub span: Span,
}

/// Who answers the calls to a model.
#[derive(Debug, Clone, PartialEq)]
pub enum Provider {
    /// The Anthropic Messages API.
    Anthropic,
    /// Chat completions, as many offer them.
    OpenAi,
    /// The suite itself.
    Scripted(ScriptedResponses),
}

/// Answers that stand in the suite; each conversation begins with the first ones.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ScriptedResponses {
    /// What the simulated user says, in order.
    pub user: Vec<String>,
    /// Verdicts by criterion.
    pub verdicts: Vec<(String, ScriptedVerdicts)>,
    /// Topics, in the order they are asked for.
    pub topics: Vec<String>,
}

/// The verdicts on a criterion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ScriptedVerdicts {
    /// The same for every call.
    Always(Verdict),
    /// One per call.
    InOrder(Vec<Verdict>),
}

/// What a judge says of a criterion.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// It is met.
    Passed,
    /// It is not.
    Failed,
    /// It cannot be told.
    Inconclusive,
}

/// How verdicts are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Judge {
    /// How often the judge is asked; a strict majority decides.
    pub votes: u32,
    /// Whether the model under test may judge itself.
    pub itself: bool,
}

/// Something a judge can be asked about a reply.
#[derive(Debug, Clone, PartialEq)]
pub struct Criterion {
    /// What checks call it.
    pub name: String,
    /// What it means.
    pub description: String,
    /// Replies whose verdict is known.
    pub examples: Vec<Sample>,
}

/// A reply whose verdict is known.
#[derive(Debug, Clone, PartialEq)]
pub struct Sample {
    /// The reply.
    pub text: String,
    /// Whether it meets the criterion.
    pub passes: bool,
    /// Whether it is a case at the edge.
    pub edge: bool,
    /// Why.
    pub why: Option<String>,
}

/// A part of a conversation.
#[derive(Debug, Clone, PartialEq)]
pub struct Topic {
    /// What it is called.
    pub name: String,
    /// Where it is defined.
    pub span: Span,
    /// What it is about.
    pub description: String,
    /// What the agent is to achieve in it.
    pub intent: Option<String>,
    /// What brings a conversation to it.
    pub triggers: Vec<Trigger>,
    /// Where a conversation may go from it.
    pub next: Vec<String>,
    /// What must hold, or is worth knowing, when a conversation leaves it, and at the end.
    pub demands: Vec<Expectation>,
}

/// What brings a conversation to a topic.
#[derive(Debug, Clone, PartialEq)]
pub enum Trigger {
    /// The agent has called this tool in the turn.
    Called(CallPattern),
    /// What the agent said in the turn matches this POSIX ERE.
    AgentMatches(String),
    /// What the user said in the turn matches this POSIX ERE.
    UserMatches(String),
    /// So many turns have passed in the current topic.
    AfterTurns(u32),
}

/// Who speaks to the agent.
#[derive(Debug, Clone, PartialEq)]
pub enum User {
    /// Somebody who says what is written.
    Scripted(Vec<Turn>),
    /// A model that pursues a goal.
    Simulated(Box<Simulation>),
}

/// What a scripted user says, and what is demanded of the answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Turn {
    /// What the user says.
    pub text: String,
    /// Where the turn stands.
    pub span: Span,
    /// What must hold, or is worth knowing, after the answer.
    pub demands: Vec<Expectation>,
}

/// A simulated user.
#[derive(Debug, Clone, PartialEq)]
pub struct Simulation {
    /// What the user wants.
    pub goal: String,
    /// Who the user is.
    pub role: Option<String>,
    /// What the user is like.
    pub personality: Vec<String>,
    /// What the user knows.
    pub context: Vec<String>,
    /// How the user behaves.
    pub rules: UserRules,
    /// How the user behaves in certain topics, besides.
    pub during: Vec<(String, UserRules)>,
    /// How many turns there may be.
    pub max_turns: u32,
    /// When the conversation is over: any of these, after an answer.
    pub stop_when: Vec<Expectation>,
}

/// How a simulated user behaves.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UserRules {
    /// What the user should do.
    pub should: Vec<String>,
    /// What the user should not do.
    pub should_not: Vec<String>,
}

/// A check and what hangs on it.
#[derive(Debug, Clone, PartialEq)]
pub struct Expectation {
    /// Whether the test fails with it (`expect`) or it is only recorded (`evaluate`).
    pub hard: bool,
    /// The check's name, such as `called`.
    pub field: &'static str,
    /// Where it stands.
    pub span: Span,
    /// What is checked.
    pub check: ConversationCheck,
}

/// What can be checked about a turn or a whole conversation.
#[derive(Debug, Clone, PartialEq)]
pub enum ConversationCheck {
    /// What the agent said is like this.
    Text(TextCheck),
    /// What the agent said has at most so many characters.
    MaxLength(u32),
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
        /// Whether these are all calls there were.
        exact: bool,
    },
    /// The judge says that the criterion of this name is met, or the one that this text is.
    Satisfies(CriterionRef),
    /// The judge says that the agent means to do this.
    Intent(String),
    /// The judge says that what the agent said of this comes from tool results.
    Grounded {
        /// What it is about.
        what: String,
        /// The tools whose results count; all when there are none.
        from: Vec<String>,
    },
    /// The judge says that the agent claims something of this.
    Claims(String),
    /// The judge says that the agent claims nothing of this.
    NotClaims(String),
    /// The conversation is in this topic.
    Topic(String),
    /// The conversation has been in this topic.
    ReachedTopic(String),
    /// These are the topics it has been in, in order.
    Topics(Vec<String>),
    /// How many turns there were.
    Turns(Bounds),
    /// How many seconds an answer took.
    Latency(Bounds),
    /// How many tokens the agent used.
    Tokens(Bounds),
    /// What the agent cost.
    Cost(Bounds),
    /// A command that gets the conversation as JSON says so with its exit code.
    Run(String),
}

/// Something for the judge: a criterion's name, or free text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CriterionRef {
    /// The criterion of that name.
    Criterion(String),
    /// A criterion in words.
    Text(String),
}

/// Calls that count.
#[derive(Debug, Clone, PartialEq)]
pub struct CallCheck {
    /// Which calls.
    pub call: CallPattern,
    /// How many of them.
    pub times: Option<Bounds>,
    /// All of them come before the first call of this tool.
    pub before: Option<String>,
    /// All of them come after the first call of this tool.
    pub after: Option<String>,
}

/// What a call must be like.
#[derive(Debug, Clone, PartialEq)]
pub struct CallPattern {
    /// The tool.
    pub tool: String,
    /// What must be among its arguments.
    pub with: Option<Pattern>,
    /// Whether the call itself failed.
    pub failed: Option<bool>,
}

/// What a value must be like.
#[derive(Debug, Clone, PartialEq)]
pub enum Pattern {
    /// This value.
    Is(Value),
    /// A mapping that has at least these.
    Has(Vec<(String, Pattern)>),
    /// A list of values like these, one by one.
    List(Vec<Pattern>),
    /// A text in which this POSIX ERE matches.
    Matches(String),
    /// A number within these bounds.
    Within(Bounds),
    /// One of these values.
    OneOf(Vec<Value>),
    /// Nothing at all.
    Absent,
}

/// From, to, or both.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Bounds {
    /// At least.
    pub min: Option<f64>,
    /// At most.
    pub max: Option<f64>,
}

impl Bounds {
    /// Whether the number is within them.
    pub fn contains(self, number: f64) -> bool {
        self.min.is_none_or(|min| number >= min) && self.max.is_none_or(|max| number <= max)
    }
}
