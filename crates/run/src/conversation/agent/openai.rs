//! Models with a chat completions API, in the format of `OpenAI`.

use std::ops::ControlFlow;

use casebook_suite::model::conversation::{MediaType, ModelAgent, StopReason, Tool};
use serde_json::{Map, Value, json};

use super::chat::{CallRequest, ChatMessage, Completion};
use super::pointers::arguments;
use super::protocol::quoted;
use super::stream::EventReader;
use super::usage;
use crate::http;
use crate::transcript::AttachedFile;

/// The URL of requests.
pub(super) fn url(base: &str) -> String {
    http::join_path(base, "/chat/completions")
}

/// The JSON body of a request.
pub(super) fn request(agent: &ModelAgent, messages: &[ChatMessage]) -> Value {
    let system = agent.system.iter();
    let system = system.map(|system| json!({"role": "system", "content": system}));
    let messages: Vec<_> = system.chain(messages.iter().flat_map(message)).collect();
    let mut body = json!({"model": agent.model, "messages": messages});
    if let Some(max) = agent.max_tokens {
        body["max_tokens"] = max.into();
    }
    if agent.stream {
        body["stream"] = true.into();
        body["stream_options"] = json!({"include_usage": true});
    }
    if !agent.tools.is_empty() {
        body["tools"] = agent.tools.iter().map(tool).collect();
    }
    body
}

fn tool(tool: &Tool) -> Value {
    let mut function = json!({"name": tool.name, "parameters": tool.parameters});
    if let Some(description) = &tool.description {
        function["description"] = description.as_str().into();
    }
    json!({"type": "function", "function": function})
}

fn message(message: &ChatMessage) -> Vec<Value> {
    match message {
        ChatMessage::User { text, files } if files.is_empty() => {
            vec![json!({"role": "user", "content": text})]
        }
        ChatMessage::User { text, files } => {
            let text = [json!({"type": "text", "text": text})].into_iter();
            let content: Vec<_> = text.chain(files.iter().map(file_part)).collect();
            vec![json!({"role": "user", "content": content})]
        }
        ChatMessage::Received(message) => vec![message.clone()],
        ChatMessage::Assistant { text, calls } => {
            let content = (!text.is_empty()).then_some(text);
            let mut message = json!({"role": "assistant", "content": content});
            if !calls.is_empty() {
                message["tool_calls"] = calls.iter().map(call).collect();
            }
            vec![message]
        }
        ChatMessage::Results(results) => {
            let results = results.iter().map(|result| {
                json!({"role": "tool", "tool_call_id": result.id, "content": result.content})
            });
            results.collect()
        }
    }
}

fn file_part(file: &AttachedFile) -> Value {
    let url = format!("data:{};base64,{}", file.media_type.name(), file.data);
    match file.media_type {
        MediaType::Image(_) => json!({"type": "image_url", "image_url": {"url": url}}),
        MediaType::Pdf => {
            json!({"type": "file", "file": {"filename": file.path, "file_data": url}})
        }
    }
}

fn call(call: &CallRequest) -> Value {
    let arguments = match &call.arguments {
        Value::String(text) => text.clone(),
        arguments => arguments.to_string(),
    };
    let function = json!({"name": call.name, "arguments": arguments});
    json!({"id": call.id, "type": "function", "function": function})
}

/// Parses a response. The error is the message for the user.
pub(super) fn parse(body: &str) -> Result<Completion, String> {
    let document = serde_json::from_str::<Value>(body).map_err(|error| {
        if body.trim_start().starts_with("data:") {
            return "the agent's response is a stream, which was not requested; set `stream: true`"
                .to_owned();
        }
        format!(
            "the agent's response is not a chat completion ({error}); check the agent's `url`: {}",
            quoted(body.as_bytes())
        )
    })?;
    completion(&document)
}

fn completion(document: &Value) -> Result<Completion, String> {
    if let Some(error) = document.get("error").filter(|error| !error.is_null()) {
        return Err(error_message(error));
    }
    let invalid = |what: &str| {
        format!(
            "the agent's chat completion {what}; check the agent's `url`: {}",
            quoted(document.to_string().as_bytes())
        )
    };
    let choice = document.pointer("/choices/0");
    let choice = choice.ok_or_else(|| invalid("has no `choices`"))?;
    if choice.get("message").is_none() && choice.get("delta").is_some() {
        return Err(
            "the agent's response is a part of a stream, which was not requested; set `stream: true`"
                .to_owned(),
        );
    }
    let message = choice.get("message").filter(|message| message.is_object());
    let message = message.ok_or_else(|| invalid("has no `choices[0].message`"))?;
    let content = Content::of(message).map_err(|what| invalid(&what))?;
    let calls = calls(message).map_err(|what| invalid(&what))?;
    let finish_reason = choice.get("finish_reason").and_then(Value::as_str);
    let stop_reason = match finish_reason.and_then(StopReason::of_word) {
        None if content.is_refusal => Some(StopReason::Refusal),
        reason => reason,
    };
    if content.text.trim().is_empty() && calls.is_empty() && stop_reason.is_none() {
        return Err(invalid("is empty: it has neither text nor tool calls"));
    }
    let usage = document.get("usage").unwrap_or(&Value::Null);
    Ok(Completion {
        text: content.text,
        calls,
        message: message.clone(),
        stop_reason,
        finish_reason: finish_reason.map(str::to_owned),
        model: document
            .get("model")
            .and_then(Value::as_str)
            .map(str::to_owned),
        tokens: usage::tokens(usage.get("prompt_tokens"), usage.get("completion_tokens"))?,
        cost: usage::amount("cost", usage.get("cost"))?,
    })
}

/// The message for an error that a server sent with a successful status.
pub(super) fn error_message(error: &Value) -> String {
    let text = error.get("message").and_then(Value::as_str);
    let text = text.or(error.as_str()).map(str::to_owned);
    let text = text.unwrap_or_else(|| error.to_string());
    format!(
        "the agent responded with an error instead of a reply: {}; check the agent's log",
        quoted(text.as_bytes())
    )
}

/// The text of a message: a string or a list of parts.
#[derive(Default)]
struct Content {
    text: String,
    is_refusal: bool,
}

impl Content {
    /// The error completes "the chat completion …".
    fn of(message: &Value) -> Result<Content, String> {
        let mut content = Content::default();
        match message.get("content") {
            None | Some(Value::Null) => {}
            Some(Value::String(text)) => content.text.clone_from(text),
            Some(Value::Array(parts)) => parts.iter().for_each(|part| content.add_part(part)),
            Some(_) => return Err("has a `content` that is neither text nor a list".to_owned()),
        }
        // LiteLLM moves the refusal of a model to another place.
        for pointer in ["/refusal", "/provider_specific_fields/refusal"] {
            if let Some(refusal) = message.pointer(pointer).and_then(Value::as_str) {
                content.add_refusal(refusal);
                break;
            }
        }
        Ok(content)
    }

    /// Other kinds of parts, such as images, have no text.
    fn add_part(&mut self, part: &Value) {
        match part.get("type").and_then(Value::as_str) {
            Some("refusal") => self.add_refusal(text_of(part, "refusal")),
            _ => self.text.push_str(text_of(part, "text")),
        }
    }

    fn add_refusal(&mut self, refusal: &str) {
        if !refusal.is_empty() {
            self.is_refusal = true;
            self.text.push_str(refusal);
        }
    }
}

fn text_of<'v>(part: &'v Value, field: &str) -> &'v str {
    part.get(field).and_then(Value::as_str).unwrap_or_default()
}

/// The tool calls, also in the older form with one `function_call`. The error completes "the chat completion …".
fn calls(message: &Value) -> Result<Vec<CallRequest>, String> {
    let member = |name: &str| message.get(name).filter(|value| !value.is_null());
    let calls = match (member("tool_calls"), member("function_call")) {
        (Some(Value::Array(calls)), _) => calls.clone(),
        (Some(_), _) => return Err("has `tool_calls` that are not a list".to_owned()),
        (None, Some(function)) => vec![json!({"function": function})],
        (None, None) => Vec::new(),
    };
    let calls = calls.iter().zip(1..).map(|(call, number)| {
        let function = call.get("function").unwrap_or(&Value::Null);
        let name = function.get("name").and_then(Value::as_str);
        let name = name.filter(|name| !name.is_empty());
        let id = call.get("id").and_then(Value::as_str);
        Ok(CallRequest {
            id: id.map_or_else(|| format!("call_{number}"), str::to_owned),
            name: name
                .ok_or("has a tool call without `function.name`")?
                .to_owned(),
            arguments: arguments(function.get("arguments")),
        })
    });
    calls.collect()
}

/// Puts a completion together from the chunks of a stream.
#[derive(Debug, Default)]
pub(super) struct ChunkReader {
    content: String,
    refusal: String,
    calls: Vec<Value>,
    finish_reason: Option<Value>,
    model: Option<Value>,
    usage: Option<Value>,
}

impl EventReader for ChunkReader {
    fn event(&mut self, data: &str) -> Result<ControlFlow<()>, String> {
        let chunk: Value = serde_json::from_str(data).map_err(|_| {
            format!(
                "an event of the agent's stream is not JSON; check the agent's `url`: {}",
                quoted(data.as_bytes())
            )
        })?;
        if let Some(error) = chunk.get("error").filter(|error| !error.is_null()) {
            return Err(error_message(error));
        }
        let member = |name: &str| chunk.get(name).filter(|value| !value.is_null()).cloned();
        self.model = member("model").or(self.model.take());
        self.usage = member("usage").or(self.usage.take());
        if let Some(choice) = chunk.pointer("/choices/0") {
            let reason = choice.get("finish_reason").filter(|one| !one.is_null());
            self.finish_reason = reason.cloned().or(self.finish_reason.take());
            let delta = choice.get("delta").unwrap_or(&Value::Null);
            self.content.push_str(text_of(delta, "content"));
            self.refusal.push_str(text_of(delta, "refusal"));
            let calls = delta.get("tool_calls").and_then(Value::as_array);
            calls
                .into_iter()
                .flatten()
                .for_each(|part| self.add_call(part));
        }
        Ok(ControlFlow::Continue(()))
    }

    fn has_text(&self) -> bool {
        !self.content.is_empty() || !self.refusal.is_empty()
    }
}

impl ChunkReader {
    /// Adds a part of a call. The first part of each has the id and the name, all have a part of the arguments.
    fn add_call(&mut self, part: &Value) {
        let index = part.get("index").and_then(Value::as_u64);
        let index = index.and_then(|index| usize::try_from(index).ok());
        let index = index.unwrap_or(self.calls.len()).min(self.calls.len());
        if index == self.calls.len() {
            self.calls
                .push(json!({"type": "function", "function": {"name": "", "arguments": ""}}));
        }
        let call = &mut self.calls[index];
        if let Some(id) = part.get("id").filter(|id| id.is_string()) {
            call["id"] = id.clone();
        }
        for field in ["name", "arguments"] {
            let more = part.pointer(&format!("/function/{field}"));
            let text = text_of(&call["function"], field).to_owned();
            let more = more.and_then(Value::as_str).unwrap_or_default();
            call["function"][field] = (text + more).into();
        }
    }

    /// The completion. A stream without `finish_reason` was interrupted.
    pub(super) fn finish(self) -> Result<Completion, String> {
        let Some(finish_reason) = self.finish_reason else {
            return Err(
                "the agent's stream ended before the reply was complete: no chunk has a `finish_reason`; check the agent's log"
                    .to_owned(),
            );
        };
        let text = |text: String| (!text.is_empty()).then_some(text);
        let mut message = json!({"role": "assistant", "content": text(self.content)});
        if let Some(refusal) = text(self.refusal) {
            message["refusal"] = refusal.into();
        }
        if !self.calls.is_empty() {
            message["tool_calls"] = self.calls.into();
        }
        let choice = json!({"message": message, "finish_reason": finish_reason});
        let mut document = Map::from_iter([("choices".to_owned(), json!([choice]))]);
        document.extend(self.model.map(|model| ("model".to_owned(), model)));
        document.extend(self.usage.map(|usage| ("usage".to_owned(), usage)));
        completion(&Value::Object(document))
    }
}
