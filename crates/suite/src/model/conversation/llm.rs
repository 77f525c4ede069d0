//! [`Llm`]: models and what is scripted for them; [`Judge`]: how their verdicts are combined.

use std::time::Duration;

use casebook_source::Span;

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
