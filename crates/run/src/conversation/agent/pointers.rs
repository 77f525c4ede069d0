//! Reads the responses of an HTTP agent whose suite says where the reply is.

use std::ops::ControlFlow;

use casebook_record::Metadata;
use casebook_record::event::ToolCall;
use casebook_suite::model::conversation::{ResponsePointers, TokenPointers};
use serde_json::{Value, json};

use super::openai::error_message;
use super::protocol::quoted;
use super::stream::EventReader;
use super::usage;
use crate::transcript::{Reply, Tokens};

/// A reply built from one document, or from the events of a stream.
pub(super) struct PointedReply<'a> {
    pointers: &'a ResponsePointers,
    reply: Reply,
    /// Whether a document has had a text.
    has_text: bool,
}

/// Reads a response that is not a stream.
pub(super) fn read(pointers: &ResponsePointers, body: &str) -> Result<Reply, String> {
    let document = match serde_json::from_str::<Value>(body) {
        Ok(document) => document,
        // A pointer to the whole response is also for text.
        Err(_) if pointers.text.is_empty() && !body.trim().is_empty() => body.into(),
        Err(_) => {
            return Err(format!(
                "the agent's response is not JSON: {}; if the whole response is the reply, set `response: {{text: ''}}`",
                quoted(body.as_bytes())
            ));
        }
    };
    let mut reply = PointedReply::new(pointers);
    reply.add(&document)?;
    reply.finish(body)
}

impl<'a> PointedReply<'a> {
    pub(super) fn new(pointers: &'a ResponsePointers) -> PointedReply<'a> {
        PointedReply {
            pointers,
            reply: Reply::default(),
            has_text: false,
        }
    }

    fn add(&mut self, document: &Value) -> Result<(), String> {
        let pointers = self.pointers;
        match found(document, &pointers.text) {
            Some(Value::String(text)) => {
                self.has_text = true;
                self.reply.text.push_str(text);
            }
            Some(other) => {
                return Err(format!(
                    "`response.text` must point to a string, but `{}` in the agent's response is {}",
                    pointers.text,
                    quoted(other.to_string().as_bytes())
                ));
            }
            None => {}
        }
        if let Some(pointer) = &pointers.tool_calls {
            self.add_calls(pointer, document)?;
        }
        if let Some(pointer) = &pointers.cost {
            let cost = usage::amount("cost", found(document, pointer))?;
            self.reply.cost = cost.or(self.reply.cost);
        }
        let tokens = tokens(pointers.tokens.as_ref(), document)?;
        self.reply.tokens = tokens.or(self.reply.tokens);
        Ok(())
    }

    fn add_calls(&mut self, pointer: &str, document: &Value) -> Result<(), String> {
        let calls = match found(document, pointer) {
            Some(Value::Array(calls)) => calls,
            Some(other) => {
                return Err(format!(
                    "`response.toolCalls` must point to a list, but `{pointer}` in the agent's response is {}",
                    quoted(other.to_string().as_bytes())
                ));
            }
            None => return Ok(()),
        };
        for call in calls {
            let Some(name) = call.pointer(&self.pointers.name).and_then(Value::as_str) else {
                return Err(format!(
                    "a tool call in the agent's response has no name at `{}`; check `response.name`: {}",
                    self.pointers.name,
                    quoted(call.to_string().as_bytes())
                ));
            };
            self.reply.calls.push(ToolCall {
                name: name.to_owned(),
                arguments: arguments(found(call, &self.pointers.arguments)).into(),
                result: call.get("result").cloned().map(Into::into),
                error: None,
                metadata: Metadata::new(),
            });
        }
        Ok(())
    }

    /// The reply. A response with neither a text nor tool calls is an error; `body` is quoted.
    pub(super) fn finish(self, body: &str) -> Result<Reply, String> {
        if self.has_text || !self.reply.calls.is_empty() {
            return Ok(self.reply);
        }
        let body = match body.trim() {
            "" => String::new(),
            body => format!(": {}", quoted(body.as_bytes())),
        };
        Err(format!(
            "the agent's response has no text at `{}`; check `response.text`{body}",
            self.pointers.text
        ))
    }
}

impl EventReader for PointedReply<'_> {
    fn event(&mut self, data: &str) -> Result<ControlFlow<()>, String> {
        let document = match serde_json::from_str::<Value>(data) {
            Ok(document) => document,
            Err(_) if self.pointers.text.is_empty() => data.into(),
            Err(_) => {
                return Err(format!(
                    "an event of the agent's response is not JSON; if its data is the text, set `response: {{text: ''}}`: {}",
                    quoted(data.as_bytes())
                ));
            }
        };
        if let Some(error) = found(&document, "/error")
            && found(&document, &self.pointers.text).is_none()
        {
            return Err(error_message(error));
        }
        self.add(&document)?;
        Ok(ControlFlow::Continue(()))
    }

    fn has_text(&self) -> bool {
        !self.reply.text.is_empty()
    }
}

/// The value at a pointer; `None` if it is null.
fn found<'v>(document: &'v Value, pointer: &str) -> Option<&'v Value> {
    document.pointer(pointer).filter(|value| !value.is_null())
}

fn tokens(pointers: Option<&TokenPointers>, document: &Value) -> Result<Option<Tokens>, String> {
    match pointers {
        None => Ok(None),
        Some(TokenPointers::Two { input, output }) => {
            usage::tokens(document.pointer(input), document.pointer(output))
        }
        Some(TokenPointers::One(pointer)) => match document.pointer(pointer) {
            Some(Value::Object(both)) => usage::tokens(both.get("input"), both.get("output")),
            number => {
                let output = usage::count("number of tokens", number)?;
                Ok(output.map(|output| Tokens { input: 0, output }))
            }
        },
    }
}

/// The arguments of a call: a value, JSON in a string, or nothing. Invalid JSON stays a string.
pub(super) fn arguments(value: Option<&Value>) -> Value {
    match value {
        None | Some(Value::Null) => json!({}),
        Some(Value::String(text)) if text.trim().is_empty() => json!({}),
        Some(Value::String(text)) => {
            serde_json::from_str(text).unwrap_or_else(|_| text.as_str().into())
        }
        Some(value) => value.clone(),
    }
}
