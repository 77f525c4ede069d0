//! The messages between Casebook and an agent, as documented in docs/agents.md.

use std::fmt::Write as _;

use casebook_record::event::ToolCall;
use casebook_record::{Json, Metadata, RawObject, to_line};
use casebook_suite::model::conversation::StopReason;
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use super::{ChatRequest, usage};
use crate::conversation::session::Context;
use crate::transcript::{Reply, Tokens, Transcript};

/// The length of quotes of invalid messages.
const MAX_QUOTED_CHARS: usize = 120;

/// A valid response, shown in error messages.
const RESPONSE_EXAMPLE: &str =
    r#"a response is one line such as {"id": 1, "type": "response", "text": "Hello"}"#;

/// A message from an agent.
#[derive(Debug)]
pub(super) enum AgentMessage {
    Call(ToolCall),
    Response(Response),
}

/// A response.
#[derive(Debug)]
pub(super) struct Response {
    pub(super) id: Option<Json>,
    pub(super) reply: Reply,
    /// Whether it lists its tool calls. If it does, calls reported before are ignored.
    pub(super) lists_calls: bool,
}

/// The request as JSON.
pub(super) fn chat(request: &ChatRequest<'_>) -> String {
    #[derive(Serialize)]
    struct Chat<'a> {
        id: u64,
        r#type: &'static str,
        messages: Vec<Message<'a>>,
        context: &'a Context<'a>,
    }
    let chat = Chat {
        id: request.id,
        r#type: "chat",
        messages: messages(request.transcript).collect(),
        context: request.context,
    };
    to_line(&chat)
        .expect("strings and values serialize to JSON")
        .into()
}

/// One message of the conversation.
#[derive(Serialize)]
pub(super) struct Message<'a> {
    pub(super) role: &'static str,
    pub(super) content: &'a str,
    /// The calls of a reply before the conversation, which the agent does not know.
    #[serde(skip_serializing_if = "<[ToolCall]>::is_empty")]
    pub(super) tool_calls: &'a [ToolCall],
}

/// The messages of all turns.
pub(super) fn messages(transcript: &Transcript) -> impl Iterator<Item = Message<'_>> {
    let history = transcript.history.len();
    let turns = transcript.with_history().enumerate();
    turns.flat_map(move |(index, turn)| {
        let user = Message {
            role: "user",
            content: &turn.user,
            tool_calls: &[],
        };
        let reply = turn.reply.as_ref().map(|reply| Message {
            role: "assistant",
            content: &reply.text,
            tool_calls: if index < history { &reply.calls } else { &[] },
        });
        let user = Some(user).filter(|user| !user.content.is_empty());
        [user, reply].into_iter().flatten()
    })
}

/// Parses a line from an agent. The error is the message for the user.
pub(super) fn parse(line: &[u8]) -> Result<AgentMessage, String> {
    let value = serde_json::from_slice::<&RawValue>(line)
        .map_err(|error| not_json_message(line, &error))?;
    let Some(object) = as_object(value) else {
        return Err(format!(
            "the agent wrote {}, expected a JSON object: {RESPONSE_EXAMPLE}",
            quoted(line)
        ));
    };
    let kind = object.get("type").and_then(text);
    match kind.as_deref() {
        Some("tool_call") => call(&object).map(AgentMessage::Call),
        Some("response") => response(&object).map(AgentMessage::Response),
        Some(other) => Err(format!(
            "the agent sent an object of type `{other}`; it must be `tool_call` or `response`: {RESPONSE_EXAMPLE}"
        )),
        None => Err(format!(
            "the agent sent an object without a `type`, which must be `tool_call` or `response`: {}; {RESPONSE_EXAMPLE}",
            quoted(line)
        )),
    }
}

fn not_json_message(line: &[u8], error: &serde_json::Error) -> String {
    let quote = quoted(line);
    if error.is_eof() && line.trim_ascii_start().starts_with(b"{") {
        return format!(
            "the agent wrote {quote} to standard output, which is an incomplete JSON object; each object must be on one line"
        );
    }
    format!(
        "the agent wrote a line that is not JSON to standard output: {quote}; write logs to standard error; {RESPONSE_EXAMPLE}"
    )
}

/// Parses a response, whose `type` was checked by the caller.
pub(super) fn response(object: &RawObject<'_>) -> Result<Response, String> {
    let Some(member) = object.get("text") else {
        let keys: Vec<_> = object.keys().map(|key| format!("`{key}`")).collect();
        return Err(format!(
            "the agent's response has no `text`, which is the reply to the user; it has {}; send the reply as `text`",
            match keys.as_slice() {
                [] => "no fields".to_owned(),
                keys => keys.join(", "),
            }
        ));
    };
    let text = text(member).ok_or_else(|| {
        format!(
            "`text` in the agent's response must be a string, not {}",
            excerpt(member)
        )
    })?;
    let calls = object.get("tool_calls").filter(|calls| !is_null(calls));
    let calls = calls.map(|calls| {
        let calls = serde_json::from_str::<Vec<&RawValue>>(calls.get());
        let calls =
            calls.map_err(|_| "`tool_calls` in the agent's response must be a list".to_owned())?;
        calls
            .into_iter()
            .map(listed_call)
            .collect::<Result<Vec<_>, _>>()
    });
    let calls = calls.transpose()?;
    let metadata = match object.get("metadata") {
        // `null` is parsed as empty metadata.
        Some(metadata) => serde_json::from_str(metadata.get())
            .map_err(|_| "`metadata` in the agent's response must be an object".to_owned())?,
        None => Metadata::new(),
    };
    let reported = ReportedUsage::of(&metadata)?;
    let stop_reason = metadata.get("stop_reason").and_then(Value::as_str);
    Ok(Response {
        id: object.get("id").map(|id| value("id", id)).transpose()?,
        lists_calls: calls.is_some(),
        reply: Reply {
            text,
            calls: calls.unwrap_or_default(),
            tokens: reported.tokens,
            cost: reported.cost,
            stop_reason: stop_reason.and_then(StopReason::of_word),
            metadata,
            ..Reply::default()
        },
    })
}

fn listed_call(call: &RawValue) -> Result<ToolCall, String> {
    match as_object(call) {
        Some(object) => self::call(&object),
        None => Err(format!(
            "each of the agent's `tool_calls` must be an object, not {}",
            excerpt(call)
        )),
    }
}

fn call(object: &RawObject<'_>) -> Result<ToolCall, String> {
    let Some(name) = object.get("name").and_then(text) else {
        return Err(format!(
            "the agent's tool call has no `name`; add it: {}",
            shorten(json!(object).to_string().as_bytes())
        ));
    };
    let error = object.get("error").filter(|error| !is_null(error));
    let error = error.map(|error| match text(error) {
        Some(text) => Ok(text),
        None => value("error", error).map(|error| error.to_string()),
    });
    let metadata = object.get("metadata");
    let metadata = metadata.and_then(|metadata| serde_json::from_str(metadata.get()).ok());
    let member = |name: &str| object.get(name).map(|found| value(name, found)).transpose();
    // Some agents write `null` for a call without arguments.
    let arguments = member("arguments")?.filter(|arguments| arguments.text() != "null");
    Ok(ToolCall {
        name,
        arguments: arguments.unwrap_or_else(|| Value::Object(Map::new()).into()),
        result: member("result")?,
        error: error.transpose()?,
        metadata: metadata.unwrap_or_default(),
    })
}

/// The value as an object; `None` if it is not one.
fn as_object(value: &RawValue) -> Option<RawObject<'_>> {
    serde_json::from_str(value.get()).ok()
}

/// The value as a string; `None` if it is not one.
fn text(value: &RawValue) -> Option<String> {
    serde_json::from_str(value.get()).ok()
}

/// The value as JSON. Fails if it is nested too deeply.
fn value(name: &str, value: &RawValue) -> Result<Json, String> {
    let parse = serde_json::from_str::<Json>(value.get()).map(Json::on_one_line);
    parse.map_err(|error| format!("cannot parse `{name}` in the agent's message, which must be JSON that is not nested too deeply: {error}"))
}

fn is_null(value: &RawValue) -> bool {
    value.get() == "null"
}

/// The usage that an agent reports in its metadata, at the top level or under `tracing`.
struct ReportedUsage {
    tokens: Option<Tokens>,
    cost: Option<f64>,
}

impl ReportedUsage {
    /// Fails if a number is negative.
    fn of(metadata: &Metadata) -> Result<ReportedUsage, String> {
        let find = |name: &str| {
            let tracing = metadata
                .get("tracing")
                .and_then(|tracing| tracing.get(name));
            tracing.or_else(|| metadata.get(name))
        };
        for name in ["latency_ms", "first_token_ms"] {
            usage::amount("latency", find(name))?;
        }
        let tokens = find("tokens");
        let part = |name: &str| tokens.and_then(|tokens| tokens.get(name));
        Ok(ReportedUsage {
            tokens: usage::tokens(part("input"), part("output"))?,
            cost: usage::amount("cost", find("cost"))?,
        })
    }
}

/// The bytes as a shortened JSON string.
pub(super) fn quoted(bytes: &[u8]) -> String {
    Value::from(shorten(bytes)).to_string()
}

/// The JSON text, shortened.
pub(super) fn excerpt(value: &RawValue) -> String {
    shorten(value.get().as_bytes())
}

fn shorten(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(MAX_QUOTED_CHARS * 4)]);
    let mut shorten: String = text.chars().take(MAX_QUOTED_CHARS).collect();
    if shorten.len() < text.len() || bytes.len() > MAX_QUOTED_CHARS * 4 {
        let _ = write!(shorten, "… ({} bytes)", bytes.len());
    }
    shorten
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(line: &str) -> String {
        parse(line.as_bytes()).map(|_| ()).unwrap_err()
    }

    #[test]
    fn a_tool_call_without_arguments_has_an_empty_object() {
        for (arguments, parsed) in [
            ("", "{}"),
            (r#","arguments":null"#, "{}"),
            (r#","arguments":{"a":null}"#, r#"{"a":null}"#),
            (r#","arguments":false"#, "false"),
        ] {
            let line = format!(r#"{{"type":"tool_call","name":"t"{arguments}}}"#);
            let Ok(AgentMessage::Call(call)) = parse(line.as_bytes()) else {
                panic!("{line}");
            };
            assert_eq!(call.arguments.text(), parsed, "{line}");
        }
    }

    #[test]
    fn invalid_messages_are_explained() {
        for (line, on_tool_call) in [
            (
                "hello",
                "a line that is not JSON to standard output: \"hello\"; write logs to standard error; a response is one line such as {",
            ),
            (
                "{",
                "an incomplete JSON object; each object must be on one line",
            ),
            ("[1]", "wrote \"[1]\", expected a JSON object"),
            (
                r#"{"a":1}"#,
                "without a `type`, which must be `tool_call` or `response`",
            ),
            (r#"{"type":"chat"}"#, "an object of type `chat`"),
            (
                r#"{"type":"response","content":"x"}"#,
                "response has no `text`, which is the reply to the user; it has `type`, `content`",
            ),
            (r#"{"type":"response","text":3}"#, "must be a string, not 3"),
            (
                r#"{"type":"response","text":"","tool_calls":{}}"#,
                "`tool_calls` in the agent's response must be a list",
            ),
            (
                r#"{"type":"response","text":"","tool_calls":[1]}"#,
                "must be an object, not 1",
            ),
            (
                r#"{"type":"response","text":"","metadata":1}"#,
                "`metadata` in the agent's response must be an object",
            ),
            (
                r#"{"type":"tool_call","tool":"book"}"#,
                "the agent's tool call has no `name`; add it: {\"type\":\"tool_call\",\"tool\":\"book\"}",
            ),
        ] {
            let problem = problem(line);
            assert!(problem.contains(on_tool_call), "{line}: {problem}");
        }
        let long = problem(&"x".repeat(1 << 20));
        assert!(
            long.contains("… (1048576 bytes)") && long.len() < 400,
            "{long}"
        );
    }

    #[test]
    fn reported_usage_and_metadata_are_read_from_a_response() {
        let line = br#"{"id":1,"type":"response","text":"Hi","metadata":{"tracing":{"tokens":{"input":3,"output":4},"cost":0.5},"mood":"good"}}"#;
        let Ok(AgentMessage::Response(response)) = parse(line) else {
            panic!("it is a response");
        };
        let reply = response.reply;
        assert_eq!(
            reply.tokens,
            Some(Tokens {
                input: 3,
                output: 4
            })
        );
        assert_eq!(reply.cost, Some(0.5));
        assert_eq!(reply.metadata.get("mood"), Some(&"good".into()));
        assert!(!response.lists_calls && response.id == Some(json!(1).into()));
    }

    #[test]
    fn a_result_of_null_is_a_result() {
        for (line, result) in [
            (
                r#"{"type":"tool_call","name":"a","result":null}"#,
                Some(Value::Null),
            ),
            (r#"{"type":"tool_call","name":"a"}"#, None),
        ] {
            let Ok(AgentMessage::Call(call)) = parse(line.as_bytes()) else {
                panic!("it is a call");
            };
            assert_eq!(call.result.map(Value::from), result);
        }
    }
}
