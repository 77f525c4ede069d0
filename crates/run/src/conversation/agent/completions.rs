//! Agents with a chat completions API.

use casebook_record::Metadata;
use casebook_record::event::ToolCall;
use serde::Deserialize;
use serde_json::{Value, json};

use super::protocol::{Message, messages, quoted};
use crate::http;
use crate::transcript::{Reply, Tokens, Transcript};

const PATH: &str = "/chat/completions";

/// The URL of requests.
pub(super) fn completions_url(base: &str) -> String {
    http::join_path(base, PATH)
}

/// The JSON body of a request.
pub(super) fn request(model: &str, system: Option<&str>, transcript: &Transcript) -> String {
    let system = system.map(|content| Message {
        role: "system",
        content,
    });
    let messages: Vec<_> = system.into_iter().chain(messages(transcript)).collect();
    json!({"model": model, "messages": messages}).to_string()
}

#[derive(Deserialize)]
struct Completion {
    model: Option<String>,
    choices: Vec<Choice>,
    usage: Option<Usage>,
}

#[derive(Deserialize)]
struct Choice {
    message: CompletionMessage,
    finish_reason: Option<String>,
}

#[derive(Deserialize)]
struct CompletionMessage {
    content: Option<String>,
    tool_calls: Option<Vec<Call>>,
}

#[derive(Deserialize)]
struct Call {
    function: Function,
}

#[derive(Deserialize)]
struct Function {
    name: String,
    /// JSON in a string. The model may have written invalid JSON.
    #[serde(default)]
    arguments: Value,
}

/// Optional: servers may leave it or one of its fields out.
#[derive(Deserialize)]
struct Usage {
    prompt_tokens: Option<u64>,
    completion_tokens: Option<u64>,
}

/// Parses a response. Its tool calls are requests that were not executed, so they have no results.
pub(super) fn parse(body: &str) -> Result<Reply, String> {
    let completion: Completion = serde_json::from_str(body).map_err(|error| {
        format!(
            "the agent's response is not a chat completion ({error}): {}",
            quoted(body.as_bytes())
        )
    })?;
    let Some(choice) = completion.choices.into_iter().next() else {
        return Err("the agent's chat completion has no `choices`".to_owned());
    };
    let mut metadata = Metadata::new();
    if let Some(reason) = choice.finish_reason {
        metadata.set("finish_reason", reason);
    }
    if let Some(model) = completion.model {
        metadata.set("tracing", json!({"model": model}));
    }
    let calls = choice.message.tool_calls.unwrap_or_default();
    Ok(Reply {
        text: choice.message.content.unwrap_or_default(),
        calls: calls.into_iter().map(call).collect(),
        metadata,
        tokens: completion.usage.and_then(|usage| {
            Some(Tokens {
                input: usage.prompt_tokens?,
                output: usage.completion_tokens?,
            })
        }),
        ..Reply::default()
    })
}

fn call(call: Call) -> ToolCall {
    let arguments = match call.function.arguments {
        Value::String(text) if text.trim().is_empty() => json!({}),
        Value::String(text) => serde_json::from_str(&text).unwrap_or(Value::String(text)),
        Value::Null => json!({}),
        arguments => arguments,
    };
    ToolCall {
        name: call.function.name,
        arguments: arguments.into(),
        result: None,
        error: None,
        metadata: Metadata::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tool_calls_and_tokens_are_read_from_a_completion() {
        let body = json!({
            "id": "x", "model": "m-1", "choices": [{"index": 0, "finish_reason": "tool_calls", "message": {
                "role": "assistant", "content": null, "tool_calls": [
                    {"id": "1", "type": "function", "function": {"name": "search", "arguments": "{\"a\":1}"}},
                    {"id": "2", "type": "function", "function": {"name": "odd", "arguments": "{"}},
                ]}}],
            "usage": {"prompt_tokens": 11, "completion_tokens": 3, "total_tokens": 14},
        });
        let reply = parse(&body.to_string()).unwrap();
        let calls: Vec<_> = reply
            .calls
            .iter()
            .map(|call| (call.name.as_str(), call.arguments.text()))
            .collect();
        assert_eq!(calls, [("search", r#"{"a":1}"#), ("odd", r#""{""#)]);
        assert_eq!(reply.text, "");
        assert_eq!(
            reply.tokens,
            Some(Tokens {
                input: 11,
                output: 3
            })
        );
    }

    #[test]
    fn incomplete_token_counts_are_ignored() {
        for usage in [
            json!(null),
            json!({}),
            json!({"prompt_tokens": 11, "completion_tokens": null}),
        ] {
            let body = json!({"choices": [{"message": {"content": "Hi"}}], "usage": usage});
            let reply = parse(&body.to_string()).unwrap();
            assert_eq!((reply.text.as_str(), reply.tokens), ("Hi", None), "{usage}");
        }
    }

    #[test]
    fn invalid_completions_are_reported() {
        for (body, expected) in [
            (
                "<html>",
                "is not a chat completion (expected value at line 1 column 1)",
            ),
            (r#"{"error":"x"}"#, "missing field `choices`"),
            (r#"{"choices":[]}"#, "has no `choices`"),
        ] {
            let problem = parse(body).unwrap_err();
            assert!(problem.contains(expected), "{problem}");
        }
    }

    #[test]
    fn the_path_is_added_once() {
        for base in [
            "http://h/v1",
            "http://h/v1/",
            "http://h/v1/chat/completions",
        ] {
            assert_eq!(completions_url(base), "http://h/v1/chat/completions");
        }
    }
}
