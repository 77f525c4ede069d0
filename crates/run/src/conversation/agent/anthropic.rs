//! Models with the Anthropic Messages API.

use casebook_suite::model::conversation::{MediaType, ModelAgent, StopReason, Tool};
use serde_json::{Value, json};

use super::chat::{CallRequest, ChatMessage, Completion};
use super::openai::error_message;
use super::protocol::quoted;
use super::usage;
use crate::http;
use crate::transcript::{AttachedFile, Tokens};

/// The version of the API, sent unless the suite sets the header itself.
pub(super) const HEADERS: [(&str, &str); 1] = [("anthropic-version", "2023-06-01")];

/// The API requires a limit.
const MAX_TOKENS: u32 = 4096;

/// The URL of requests.
pub(super) fn url(base: &str) -> String {
    http::join_path(base, "/v1/messages")
}

/// The JSON body of a request.
pub(super) fn request(agent: &ModelAgent, messages: &[ChatMessage]) -> Value {
    let mut body = json!({
        "model": agent.model,
        "max_tokens": agent.max_tokens.unwrap_or(MAX_TOKENS),
        "messages": alternating(messages),
    });
    if let Some(system) = &agent.system {
        body["system"] = system.as_str().into();
    }
    if !agent.tools.is_empty() {
        body["tools"] = agent.tools.iter().map(tool).collect();
    }
    body
}

fn tool(tool: &Tool) -> Value {
    let mut definition = json!({"name": tool.name, "input_schema": tool.parameters});
    if let Some(description) = &tool.description {
        definition["description"] = description.as_str().into();
    }
    definition
}

/// The messages, with consecutive ones of the same role joined: results are sent as the user.
fn alternating(messages: &[ChatMessage]) -> Vec<Value> {
    let mut all: Vec<Value> = Vec::new();
    for (role, blocks) in messages.iter().map(message) {
        match all.last_mut() {
            Some(last) if last["role"] == role => {
                if let Some(content) = last["content"].as_array_mut() {
                    content.extend(blocks);
                }
            }
            _ => all.push(json!({"role": role, "content": blocks})),
        }
    }
    all
}

fn file_block(file: &AttachedFile) -> Value {
    let kind = match file.media_type {
        MediaType::Image(_) => "image",
        MediaType::Pdf => "document",
    };
    let source = json!({"type": "base64", "media_type": file.media_type.name(), "data": file.data});
    json!({"type": kind, "source": source})
}

/// The role and the content of a message.
fn message(message: &ChatMessage) -> (&'static str, Vec<Value>) {
    let text_block = |text: &str| json!({"type": "text", "text": text});
    match message {
        ChatMessage::User { text, files } => {
            let files = files.iter().map(file_block);
            ("user", files.chain([text_block(text)]).collect())
        }
        ChatMessage::Received(message) => {
            let blocks = message["content"].as_array().cloned();
            ("assistant", blocks.unwrap_or_default())
        }
        ChatMessage::Assistant { text, calls } => {
            let text = Some(text).filter(|text| !text.is_empty());
            let calls = calls.iter().map(|call| {
                let input = Some(&call.arguments).filter(|arguments| arguments.is_object());
                let input = input.cloned().unwrap_or_else(|| json!({}));
                json!({"type": "tool_use", "id": call.id, "name": call.name, "input": input})
            });
            let text = text.into_iter().map(|text| text_block(text));
            ("assistant", text.chain(calls).collect())
        }
        ChatMessage::Results(results) => {
            let results = results.iter().map(|result| {
                let mut block = json!({"type": "tool_result", "tool_use_id": result.id, "content": result.content});
                if result.is_error {
                    block["is_error"] = true.into();
                }
                block
            });
            ("user", results.collect())
        }
    }
}

/// Parses a response. The error is the message for the user.
pub(super) fn parse(body: &str) -> Result<Completion, String> {
    let invalid = |what: &str| {
        format!(
            "the agent's response {what}; check the agent's `url`: {}",
            quoted(body.as_bytes())
        )
    };
    let document = serde_json::from_str::<Value>(body)
        .map_err(|error| invalid(&format!("is not a message of the Anthropic API ({error})")))?;
    if let Some(error) = document.get("error").filter(|error| !error.is_null()) {
        return Err(error_message(error));
    }
    let blocks = document.get("content").and_then(Value::as_array);
    let blocks = blocks.ok_or_else(|| invalid("has no `content`"))?;
    let of_type = |kind: &'static str| blocks.iter().filter(move |block| block["type"] == kind);
    let text: String = of_type("text")
        .filter_map(|block| block["text"].as_str())
        .collect();
    let calls = of_type("tool_use").zip(1..).map(|(block, number)| {
        let name = block["name"].as_str().filter(|name| !name.is_empty());
        let id = block["id"].as_str().map(str::to_owned);
        Ok(CallRequest {
            id: id.unwrap_or_else(|| format!("call_{number}")),
            name: name
                .ok_or_else(|| invalid("has a `tool_use` without a name"))?
                .to_owned(),
            arguments: block.get("input").cloned().unwrap_or_else(|| json!({})),
        })
    });
    let calls = calls.collect::<Result<Vec<_>, String>>()?;
    let finish_reason = document.get("stop_reason").and_then(Value::as_str);
    let stop_reason = finish_reason.and_then(StopReason::of_word);
    if text.trim().is_empty() && calls.is_empty() && stop_reason.is_none() {
        return Err(invalid("is empty: it has neither text nor tool calls"));
    }
    Ok(Completion {
        text,
        calls,
        message: json!({"content": blocks}),
        stop_reason,
        finish_reason: finish_reason.map(str::to_owned),
        model: document["model"].as_str().map(str::to_owned),
        tokens: tokens(&document["usage"])?,
        cost: None,
    })
}

/// Input tokens include those read from or written to the provider's prompt cache.
fn tokens(usage: &Value) -> Result<Option<Tokens>, String> {
    let tokens = usage::tokens(usage.get("input_tokens"), usage.get("output_tokens"))?;
    let mut cached = 0_u64;
    for name in ["cache_creation_input_tokens", "cache_read_input_tokens"] {
        let count = usage::count("number of cached tokens", usage.get(name))?;
        cached = cached.saturating_add(count.unwrap_or(0));
    }
    Ok(tokens.map(|tokens| Tokens {
        input: tokens.input.saturating_add(cached),
        ..tokens
    }))
}
