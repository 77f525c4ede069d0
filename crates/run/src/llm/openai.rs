//! The chat completions API of `OpenAI`, which many other servers offer too.

use serde_json::{Value, json};

use crate::http;
use crate::transcript::Tokens;

use super::ModelRequest;
use super::api::{
    FILTERED, OutputMode, ProviderApi, RawCompletion, ServerCapabilities, TRUNCATED, refusal,
    system_with_schema,
};

pub(super) struct OpenAi;

impl ProviderApi for OpenAi {
    fn name(&self) -> &'static str {
        "openai"
    }

    fn key_variable(&self) -> &'static str {
        "OPENAI_API_KEY"
    }

    fn url(&self, base: Option<&str>) -> String {
        let base = base.unwrap_or("https://api.openai.com/v1");
        http::join_path(base, "/chat/completions")
    }

    fn headers(&self, key: Option<&str>) -> Vec<(String, String)> {
        let key = key.map(|key| ("authorization".to_owned(), format!("Bearer {key}")));
        key.into_iter().collect()
    }

    fn body(&self, model: &str, request: &ModelRequest, capabilities: ServerCapabilities) -> Value {
        let system = match capabilities.output_mode {
            OutputMode::Preferred => request.system.clone().into_owned(),
            OutputMode::Fallback | OutputMode::Prompted => system_with_schema(request),
        };
        let mut messages = vec![json!({"role": "system", "content": system})];
        messages.extend(request.messages.iter().map(|message| json!(message)));
        let mut body = json!({"model": model, "messages": messages});
        let limit_name = if capabilities.completion_tokens {
            "max_completion_tokens"
        } else {
            "max_tokens"
        };
        body[limit_name] = request.max_tokens.into();
        if !capabilities.no_temperature {
            body["temperature"] = request.temperature.into();
        }
        match capabilities.output_mode {
            OutputMode::Preferred => {
                body["response_format"] = json!({
                    "type": "json_schema",
                    "json_schema": {"name": "answer", "strict": true, "schema": request.schema()},
                });
            }
            OutputMode::Fallback => body["response_format"] = json!({"type": "json_object"}),
            OutputMode::Prompted => {}
        }
        body
    }

    fn read(&self, reply: &Value) -> Result<RawCompletion, String> {
        let choice = &reply["choices"][0];
        let message = &choice["message"];
        if let Some(said) = message["refusal"].as_str() {
            return Err(refusal(Some(said)));
        }
        match choice["finish_reason"].as_str() {
            Some("length") => return Err(TRUNCATED.to_owned()),
            Some("content_filter") => return Err(FILTERED.to_owned()),
            _ => {}
        }
        if !message.is_object() {
            return Err(
                "the response has no `choices[0].message`; check that `llm.url` is a chat completions API".to_owned(),
            );
        }
        Ok(RawCompletion {
            text: text(&message["content"]),
            model: reply["model"].as_str().map(str::to_owned),
            tokens: tokens(&reply["usage"]),
        })
    }
}

/// The content: text, or a list of parts with text.
fn text(content: &Value) -> String {
    let parts = content.as_array().into_iter().flatten();
    let parts = parts.filter_map(|part| part["text"].as_str());
    content
        .as_str()
        .map_or_else(|| parts.collect(), str::to_owned)
}

fn tokens(usage: &Value) -> Option<Tokens> {
    Some(Tokens {
        input: usage["prompt_tokens"].as_u64()?,
        output: usage["completion_tokens"].as_u64()?,
    })
}
