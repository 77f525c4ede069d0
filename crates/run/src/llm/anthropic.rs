//! The Anthropic Messages API.

use serde_json::{Value, json};

use crate::http;
use crate::transcript::Tokens;

use super::ModelRequest;
use super::api::{
    OutputMode, ProviderApi, RawCompletion, ServerCapabilities, TRUNCATED, refusal,
    system_with_schema,
};

const VERSION: &str = "2023-06-01";
/// The tool that the model is forced to call.
const TOOL: &str = "answer";

pub(super) struct Anthropic;

impl ProviderApi for Anthropic {
    fn name(&self) -> &'static str {
        "anthropic"
    }

    fn key_variable(&self) -> &'static str {
        "ANTHROPIC_API_KEY"
    }

    fn url(&self, base: Option<&str>) -> String {
        let base = base.unwrap_or("https://api.anthropic.com");
        http::join_path(base, "/v1/messages")
    }

    fn headers(&self, key: Option<&str>) -> Vec<(String, String)> {
        let key = key.map(|key| ("x-api-key".to_owned(), key.to_owned()));
        let version = ("anthropic-version".to_owned(), VERSION.to_owned());
        key.into_iter().chain([version]).collect()
    }

    fn body(&self, model: &str, request: &ModelRequest, capabilities: ServerCapabilities) -> Value {
        let mut body = json!({
            "model": model,
            "max_tokens": request.max_tokens,
            "system": request.system,
            "messages": request.messages,
        });
        if !capabilities.no_temperature {
            body["temperature"] = request.temperature.into();
        }
        match capabilities.output_mode {
            OutputMode::Preferred => {
                body["tools"] = json!([{
                    "name": TOOL,
                    "description": "Takes the response.",
                    "input_schema": request.schema(),
                }]);
                body["tool_choice"] = json!({"type": "tool", "name": TOOL});
            }
            OutputMode::Fallback => {
                body["output_config"] =
                    json!({"format": {"type": "json_schema", "schema": request.schema()}});
            }
            OutputMode::Prompted => body["system"] = system_with_schema(request).into(),
        }
        body
    }

    fn read(&self, reply: &Value) -> Result<RawCompletion, String> {
        match reply["stop_reason"].as_str() {
            Some("max_tokens") => return Err(TRUNCATED.to_owned()),
            Some("refusal") => return Err(refusal(None)),
            Some("model_context_window_exceeded") => {
                return Err(
                    "the conversation is too long for the model; set `llm.model` to one with a larger context"
                        .to_owned(),
                );
            }
            _ => {}
        }
        let Some(blocks) = reply["content"].as_array() else {
            return Err(
                "the response has no `content`; check that `llm.url` is an Anthropic Messages API"
                    .to_owned(),
            );
        };
        let text = blocks
            .iter()
            .filter_map(|block| match block["type"].as_str() {
                Some("text") => block["text"].as_str().map(str::to_owned),
                Some("tool_use") if block["name"] == TOOL => Some(block["input"].to_string()),
                _ => None,
            });
        Ok(RawCompletion {
            text: text.collect(),
            model: reply["model"].as_str().map(str::to_owned),
            tokens: tokens(&reply["usage"]),
        })
    }
}

/// Input tokens include those read from or written to the provider's prompt cache.
fn tokens(usage: &Value) -> Option<Tokens> {
    let read = ["cache_creation_input_tokens", "cache_read_input_tokens"];
    let cached = read.iter().filter_map(|name| usage[name].as_u64());
    Some(Tokens {
        input: cached.fold(usage["input_tokens"].as_u64()?, u64::saturating_add),
        output: usage["output_tokens"].as_u64()?,
    })
}
