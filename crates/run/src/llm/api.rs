//! What providers have of their own, and what their servers may not know.

use serde_json::Value;

use crate::transcript::Tokens;

use super::ModelRequest;

/// What one provider's API is like.
pub(super) trait ProviderApi: Send + Sync {
    /// What the suite calls it.
    fn name(&self) -> &'static str;
    /// The environment variable that has its key.
    fn key_variable(&self) -> &'static str;
    /// Where requests go, below another address or its own.
    fn url(&self, base: Option<&str>) -> String;
    fn headers(&self, key: Option<&str>) -> Vec<(String, String)>;
    fn body(&self, model: &str, question: &ModelRequest, knows: ServerCapabilities) -> Value;
    /// What was answered, or why nothing was.
    fn read(&self, reply: &Value) -> Result<RawCompletion, String>;
}

/// What a model said.
pub(super) struct RawCompletion {
    pub(super) text: String,
    pub(super) model: Option<String>,
    pub(super) tokens: Option<Tokens>,
}

/// What a server knows of what it can be asked for. It is found out once, from what it says when it refuses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct ServerCapabilities {
    pub(super) form: OutputMode,
    pub(super) no_temperature: bool,
    /// It is `max_completion_tokens` that it knows, instead of `max_tokens`.
    pub(super) completion_tokens: bool,
}

/// How an answer is brought into the form that was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum OutputMode {
    /// With a JSON Schema.
    #[default]
    Schema,
    /// The next best way that the provider has.
    Loose,
    /// By asking for it.
    Words,
}

impl ServerCapabilities {
    /// What is known after the server has refused with these words; `None` if that is nothing new.
    pub(super) fn after(self, refusal: &str) -> Option<ServerCapabilities> {
        let refusal = refusal.to_lowercase();
        let says = |words: &[&str]| words.iter().any(|word| refusal.contains(word));
        let next = if says(&["max_completion_tokens"]) {
            ServerCapabilities {
                completion_tokens: true,
                ..self
            }
        } else if says(&["temperature"]) {
            ServerCapabilities {
                no_temperature: true,
                ..self
            }
        } else if says(&[
            "response_format",
            "output_config",
            "schema",
            "structured",
            "tool_choice",
        ]) {
            ServerCapabilities {
                form: self.form.next(),
                ..self
            }
        } else {
            self
        };
        (next != self).then_some(next)
    }

    /// What it is not asked for, for the record.
    pub(super) fn unsupported_parameters(self) -> Vec<String> {
        let form = (self.form != OutputMode::Schema).then_some("schema");
        let temperature = self.no_temperature.then_some("temperature");
        form.into_iter()
            .chain(temperature)
            .map(str::to_owned)
            .collect()
    }
}

impl OutputMode {
    fn next(self) -> OutputMode {
        match self {
            OutputMode::Schema => OutputMode::Loose,
            OutputMode::Loose | OutputMode::Words => OutputMode::Words,
        }
    }
}

/// The system text with the form of the answer in it, for servers that take no schema.
pub(super) fn system_with_schema(question: &ModelRequest) -> String {
    format!(
        "{}\n\nThe JSON object must be valid against this JSON Schema, with nothing before or after it:\n{}",
        question.system,
        question.schema()
    )
}
