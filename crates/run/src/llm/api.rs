//! The differences between providers, and the parameters that a server does not support.

use serde_json::Value;

use crate::transcript::Tokens;

use super::ModelRequest;

/// The API of one provider.
pub(super) trait ProviderApi: Send + Sync {
    /// The provider's name in suites.
    fn name(&self) -> &'static str;
    /// The environment variable with the key, unless `llm.keyEnv` names another.
    fn key_variable(&self) -> &'static str;
    /// The URL of requests, below `base` or the provider's own base URL.
    fn url(&self, base: Option<&str>) -> String;
    fn headers(&self, key: Option<&str>) -> Vec<(String, String)>;
    fn body(&self, model: &str, request: &ModelRequest, capabilities: ServerCapabilities) -> Value;
    /// Parses a response with status 200. The error is the message for the user.
    fn read(&self, reply: &Value) -> Result<RawCompletion, String>;
}

/// The parts of a response that all providers have.
pub(super) struct RawCompletion {
    pub(super) text: String,
    pub(super) model: Option<String>,
    pub(super) tokens: Option<Tokens>,
}

/// The message for a response that reached the limit of tokens.
pub(super) const TRUNCATED: &str =
    "the response is too long and was truncated; raise `llm.maxTokens`";

/// The message for a response that a content filter blocked.
pub(super) const FILTERED: &str =
    "a content filter blocked the response; check the request in the record, or use another model";

/// The message for a refusal, with what the model said.
pub(super) fn refusal(said: Option<&str>) -> String {
    let said = said.map_or_else(String::new, |said| format!(": {said}"));
    format!(
        "the model refused to respond{said}; check the request in the record, or use another model"
    )
}

/// The parameters that a server supports, learned from its error responses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct ServerCapabilities {
    pub(super) output_mode: OutputMode,
    pub(super) no_temperature: bool,
    /// Whether it requires `max_completion_tokens` instead of `max_tokens`.
    pub(super) completion_tokens: bool,
}

/// How the model is made to respond with the JSON of the schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum OutputMode {
    /// A forced tool call (Anthropic) or the JSON Schema in the request (`OpenAI`).
    #[default]
    Preferred,
    /// The JSON Schema in the request (Anthropic) or JSON mode (`OpenAI`).
    Fallback,
    /// The prompt asks for it.
    Prompted,
}

impl ServerCapabilities {
    /// The capabilities after an error response with this text; `None` if it changes nothing.
    pub(super) fn after(self, refusal: &str) -> Option<ServerCapabilities> {
        let refusal = refusal.to_lowercase();
        let mentions = |terms: &[&str]| terms.iter().any(|term| refusal.contains(term));
        let next = if mentions(&["max_completion_tokens"]) {
            ServerCapabilities {
                completion_tokens: true,
                ..self
            }
        } else if mentions(&["temperature"]) {
            ServerCapabilities {
                no_temperature: true,
                ..self
            }
        } else if mentions(&[
            "response_format",
            "output_config",
            "schema",
            "structured",
            "tools",
            "tool_choice",
        ]) {
            ServerCapabilities {
                output_mode: self.output_mode.next(),
                ..self
            }
        } else {
            self
        };
        (next != self).then_some(next)
    }

    /// The names of the parameters that are not sent, for the record.
    pub(super) fn unsupported_parameters(self) -> Vec<String> {
        let output_mode = (self.output_mode != OutputMode::Preferred).then_some("schema");
        let temperature = self.no_temperature.then_some("temperature");
        output_mode
            .into_iter()
            .chain(temperature)
            .map(str::to_owned)
            .collect()
    }
}

impl OutputMode {
    fn next(self) -> OutputMode {
        match self {
            OutputMode::Preferred => OutputMode::Fallback,
            OutputMode::Fallback | OutputMode::Prompted => OutputMode::Prompted,
        }
    }
}

/// The system prompt with the schema in it, for servers that do not support a schema.
pub(super) fn system_with_schema(request: &ModelRequest) -> String {
    format!(
        "{}\n\nThe JSON object must be valid against this JSON Schema, with nothing before or after it:\n{}",
        request.system,
        request.schema()
    )
}
