//! [`Expectation`] and [`ConversationCheck`]: what must be true of a conversation.

use casebook_source::Span;
use serde_json::{Map, Value};

use super::Pattern;
use crate::ere::Ere;
use crate::model::TextCheck;

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
