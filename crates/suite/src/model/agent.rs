//! [`Agent`]: the agent under test.

use std::cell::Cell;
use std::time::Duration;

use casebook_source::Span;
use serde_json::{Map, Value};

use super::Script;
use crate::run_time::{Part, parts, substitute_known};

/// The name of the value with the id of the conversation.
pub const CONVERSATION_ID: &str = "conversation.id";
/// The name of the value with the number of the trial.
pub const CONVERSATION_TRIAL: &str = "conversation.trial";
/// In a body: the name of the value with the user's message.
pub const MESSAGE: &str = "message";
/// In a body: the name of the value with all messages.
pub const MESSAGES: &str = "messages";

/// The agent under test.
#[derive(Debug, Clone, PartialEq)]
pub enum Agent {
    /// A process for each conversation; it exchanges JSON lines with Casebook.
    Command(Script),
    /// An HTTP server.
    Http(Box<HttpAgent>),
    /// A model with the API of a provider.
    Model(Box<ModelAgent>),
}

impl Agent {
    /// The agent with these values in its texts. Other values stay unknown.
    #[must_use]
    pub fn with_known_values<'v>(&self, value: impl Fn(&str) -> Option<&'v str>) -> Agent {
        self.map_texts(&|text: &str| substitute_known(text, &value).into_owned())
    }

    pub(super) fn map_texts(&self, change: &impl Fn(&str) -> String) -> Agent {
        match self {
            Agent::Command(script) => Agent::Command(script.map_text(change)),
            Agent::Http(agent) => Agent::Http(Box::new(HttpAgent {
                endpoint: agent.endpoint.map_texts(change),
                body: agent.body.as_ref().map(|body| body.map_texts(change)),
                ..(**agent).clone()
            })),
            Agent::Model(agent) => Agent::Model(Box::new(ModelAgent {
                endpoint: agent.endpoint.map_texts(change),
                model: change(&agent.model),
                system: agent.system.as_deref().map(change),
                tools: agent
                    .tools
                    .iter()
                    .map(|tool| tool.map_texts(change))
                    .collect(),
                ..(**agent).clone()
            })),
        }
    }

    /// Where its requests are sent; `None` for a process.
    pub fn endpoint(&self) -> Option<&Endpoint> {
        match self {
            Agent::Command(_) => None,
            Agent::Http(agent) => Some(&agent.endpoint),
            Agent::Model(agent) => Some(&agent.endpoint),
        }
    }

    /// The tools that Casebook provides to it.
    pub fn tools(&self) -> &[Tool] {
        match self {
            Agent::Command(_) | Agent::Http(_) => &[],
            Agent::Model(agent) => &agent.tools,
        }
    }

    /// Whether it starts processes: its own, or those of its tools.
    pub fn starts_processes(&self) -> bool {
        let runs = |tool: &Tool| tool.result.starts_processes();
        matches!(self, Agent::Command(_)) || self.tools().iter().any(runs)
    }
}

/// Where requests are sent.
#[derive(Debug, Clone, PartialEq)]
pub struct Endpoint {
    /// The URL.
    pub url: String,
    /// Headers of every request.
    pub headers: Vec<(String, String)>,
    /// The timeout of one response.
    pub timeout: Option<Duration>,
    /// Which responses are retried; `None` for those with `Retry-After`.
    pub retry: Option<Retry>,
    /// The location of the URL in the suite.
    pub span: Span,
}

impl Endpoint {
    fn map_texts(&self, change: &impl Fn(&str) -> String) -> Endpoint {
        let headers = self.headers.iter();
        Endpoint {
            url: change(&self.url),
            headers: headers
                .map(|(name, value)| (name.clone(), change(value)))
                .collect(),
            ..self.clone()
        }
    }
}

/// Which responses are retried.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Retry {
    /// How often, not counting the first request.
    pub times: u32,
    /// The statuses.
    pub on: Vec<u16>,
}

/// An HTTP server.
#[derive(Debug, Clone, PartialEq)]
pub struct HttpAgent {
    /// Where requests are sent.
    pub endpoint: Endpoint,
    /// The method of requests.
    pub method: HttpMethod,
    /// The body of a request; `None` for Casebook's own format.
    pub body: Option<Body>,
    /// Where the reply is in a response; `None` for Casebook's own format.
    pub response: Option<ResponsePointers>,
    /// Whether a response consists of server-sent events.
    pub stream: bool,
}

/// The method of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HttpMethod {
    /// POST
    Post,
    /// PUT
    Put,
    /// PATCH
    Patch,
}

/// The body of a request. Its texts contain values that are known only when it is sent.
#[derive(Debug, Clone, PartialEq)]
pub enum Body {
    /// Sent as JSON.
    Json(Value),
    /// Sent as it is.
    Text(String),
}

impl Body {
    /// Whether one of its texts contains one of these values.
    pub fn uses(&self, names: &[&str]) -> bool {
        let is_used = Cell::new(false);
        self.map_texts(&|text: &str| {
            let is_one =
                |part: &Part<'_>| matches!(part, Part::Value(value) if names.contains(&value.name));
            is_used.set(is_used.get() || parts(text).iter().any(is_one));
            String::new()
        });
        is_used.get()
    }

    fn map_texts(&self, change: &impl Fn(&str) -> String) -> Body {
        match self {
            Body::Json(value) => Body::Json(map_strings(value, change)),
            Body::Text(text) => Body::Text(change(text)),
        }
    }
}

/// A JSON value with its strings changed, but not its keys.
fn map_strings(value: &Value, change: &impl Fn(&str) -> String) -> Value {
    match value {
        Value::String(text) => change(text).into(),
        Value::Array(items) => items.iter().map(|item| map_strings(item, change)).collect(),
        Value::Object(fields) => {
            let fields = fields.iter();
            let changed = fields.map(|(key, value)| (key.clone(), map_strings(value, change)));
            Value::Object(changed.collect::<Map<_, _>>())
        }
        other => other.clone(),
    }
}

/// Where the reply is in a response: JSON Pointers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResponsePointers {
    /// The text of the reply.
    pub text: String,
    /// The list of tool calls.
    pub tool_calls: Option<String>,
    /// The name within a tool call.
    pub name: String,
    /// The arguments within a tool call.
    pub arguments: String,
    /// The number of tokens.
    pub tokens: Option<TokenPointers>,
    /// The cost.
    pub cost: Option<String>,
}

/// Where the numbers of tokens are in a response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TokenPointers {
    /// A number, or an object with `input` and `output`.
    One(String),
    /// Two numbers.
    Two {
        /// Input tokens.
        input: String,
        /// Output tokens.
        output: String,
    },
}

/// A model with the API of a provider.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelAgent {
    /// The API.
    pub api: ModelApi,
    /// The base URL.
    pub endpoint: Endpoint,
    /// The model name sent with each request.
    pub model: String,
    /// The system prompt.
    pub system: Option<String>,
    /// The maximum number of tokens of a response.
    pub max_tokens: Option<u32>,
    /// Whether responses are streamed.
    pub stream: bool,
    /// The price of a million input tokens and of a million output tokens.
    pub price: Option<(f64, f64)>,
    /// The tools that Casebook provides.
    pub tools: Vec<Tool>,
    /// How often per turn the results of tools are sent to the model.
    pub max_tool_rounds: u32,
}

/// The API of a model under test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModelApi {
    /// Chat completions, in the format of `OpenAI`.
    OpenAi,
    /// The Anthropic Messages API.
    Anthropic,
}

/// A tool that Casebook provides to a model.
#[derive(Debug, Clone, PartialEq)]
pub struct Tool {
    /// Its name.
    pub name: String,
    /// Its description, for the model.
    pub description: Option<String>,
    /// The JSON Schema of its arguments.
    pub parameters: Value,
    /// The result of a call.
    pub result: ToolResult,
}

impl Tool {
    fn map_texts(&self, change: &impl Fn(&str) -> String) -> Tool {
        Tool {
            result: self.result.map_texts(change),
            ..self.clone()
        }
    }
}

/// The result of a tool call.
#[derive(Debug, Clone, PartialEq)]
pub enum ToolResult {
    /// This value.
    Value(Value),
    /// One result per call of a conversation, in order.
    InOrder(Vec<ToolResult>),
    /// The output of a command that reads the arguments.
    Run(Script),
    /// The call fails with this message.
    Error(String),
}

impl ToolResult {
    fn map_texts(&self, change: &impl Fn(&str) -> String) -> ToolResult {
        match self {
            ToolResult::Value(value) => ToolResult::Value(map_strings(value, change)),
            ToolResult::InOrder(results) => {
                let results = results.iter().map(|result| result.map_texts(change));
                ToolResult::InOrder(results.collect())
            }
            ToolResult::Run(script) => ToolResult::Run(script.map_text(change)),
            ToolResult::Error(text) => ToolResult::Error(change(text)),
        }
    }

    fn starts_processes(&self) -> bool {
        match self {
            ToolResult::Run(_) => true,
            ToolResult::InOrder(results) => results.iter().any(ToolResult::starts_processes),
            ToolResult::Value(_) | ToolResult::Error(_) => false,
        }
    }
}

/// Why a reply is not a complete reply of the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StopReason {
    /// The model refused to reply.
    Refusal,
    /// A content filter removed the reply or a part of it.
    Filter,
    /// The reply was cut off at the maximum number of tokens.
    Cut,
    /// The model called tools again after the maximum number of rounds.
    ToolRounds,
}

impl StopReason {
    /// The reasons that a turn can allow.
    pub const ALLOWED: &[&str] = &["refusal", "filter", "cut"];

    /// The name in suites and records.
    pub fn name(self) -> &'static str {
        match self {
            StopReason::Refusal => "refusal",
            StopReason::Filter => "filter",
            StopReason::Cut => "cut",
            StopReason::ToolRounds => "tool_rounds",
        }
    }

    /// The reason for a word of a suite, an agent or a provider's API; `None` for a complete reply.
    pub fn of_word(word: &str) -> Option<StopReason> {
        match word {
            "refusal" => Some(StopReason::Refusal),
            "filter" | "content_filter" => Some(StopReason::Filter),
            "cut" | "length" | "max_tokens" | "model_context_window_exceeded" => {
                Some(StopReason::Cut)
            }
            "tool_rounds" => Some(StopReason::ToolRounds),
            _ => None,
        }
    }
}
