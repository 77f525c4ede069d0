//! What is said to an agent and what it says: the objects of docs/agents.md.

use std::fmt::Write as _;

use casebook_record::event::ToolCall;
use casebook_record::{Json, Metadata, RawObject, to_line};
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use super::ChatRequest;
use crate::conversation::session::Context;
use crate::transcript::{Reply, Tokens, Transcript};

/// So much of what an agent said is quoted where it makes no sense.
const QUOTED: usize = 120;

/// How it should be, for whoever writes an agent.
const RESPONSE_EXAMPLE: &str =
    r#"an answer is one line such as {"id": 1, "type": "response", "text": "Hello"}"#;

/// What an agent says.
#[derive(Debug)]
pub(super) enum AgentMessage {
    Call(ToolCall),
    Response(Response),
}

/// The answer.
#[derive(Debug)]
pub(super) struct Response {
    pub(super) id: Option<Json>,
    pub(super) reply: Reply,
    /// Whether it says itself which tools were called.
    pub(super) names_calls: bool,
}

/// The request for an answer, as JSON.
pub(super) fn chat(asked: &ChatRequest<'_>) -> String {
    #[derive(Serialize)]
    struct Chat<'a> {
        id: u64,
        r#type: &'static str,
        messages: Vec<Message<'a>>,
        context: &'a Context<'a>,
    }
    let chat = Chat {
        id: asked.id,
        r#type: "chat",
        messages: messages(asked.transcript).collect(),
        context: asked.context,
    };
    to_line(&chat).expect("texts and values are JSON").into()
}

/// One message, as every agent wants it.
#[derive(Serialize)]
pub(super) struct Message<'a> {
    pub(super) role: &'static str,
    pub(super) content: &'a str,
}

/// All that was said.
pub(super) fn messages(transcript: &Transcript) -> impl Iterator<Item = Message<'_>> {
    transcript.turns.iter().flat_map(|exchange| {
        let user = Message {
            role: "user",
            content: &exchange.user,
        };
        let reply = exchange.reply.as_ref().map(|reply| Message {
            role: "assistant",
            content: &reply.text,
        });
        [Some(user), reply].into_iter().flatten()
    })
}

/// Reads what an agent said; what is wrong with it, if it makes no sense.
pub(super) fn read(line: &[u8]) -> Result<AgentMessage, String> {
    let said = serde_json::from_slice::<&RawValue>(line).map_err(|error| no_json(line, &error))?;
    let Some(object) = members(said) else {
        return Err(format!(
            "the agent wrote {}, and a JSON object is expected: {RESPONSE_EXAMPLE}",
            quoted(line)
        ));
    };
    let kind = object.get("type").and_then(text);
    match kind.as_deref() {
        Some("tool_call") => call(&object).map(AgentMessage::Call),
        Some("response") => response(&object).map(AgentMessage::Response),
        Some(other) => Err(format!(
            "the agent sent an object of type `{other}`, and only `tool_call` and `response` are known: {RESPONSE_EXAMPLE}"
        )),
        None => Err(format!(
            "the agent sent an object without a `type`, which is `tool_call` or `response`: {}; {RESPONSE_EXAMPLE}",
            quoted(line)
        )),
    }
}

fn no_json(line: &[u8], error: &serde_json::Error) -> String {
    let what = quoted(line);
    if error.is_eof() && line.trim_ascii_start().starts_with(b"{") {
        return format!(
            "the agent wrote {what} to its standard output, which is only a part of an object: each has to stand on one line"
        );
    }
    format!(
        "the agent wrote a line to its standard output that is no JSON: {what}; logs belong on standard error, and {RESPONSE_EXAMPLE}"
    )
}

/// Reads a response that says nothing of its type.
pub(super) fn response(object: &RawObject<'_>) -> Result<Response, String> {
    let Some(said) = object.get("text") else {
        let there: Vec<_> = object.keys().map(|key| format!("`{key}`")).collect();
        return Err(format!(
            "the agent's response has no `text`, which is what it says to the user; it has {}",
            match there.as_slice() {
                [] => "nothing at all".to_owned(),
                there => there.join(", "),
            }
        ));
    };
    let text = text(said).ok_or_else(|| {
        format!(
            "the `text` of the agent's response is no text but {}",
            shown(said)
        )
    })?;
    let calls = object.get("tool_calls").filter(|calls| !is_null(calls));
    let calls = calls.map(|calls| {
        let calls = serde_json::from_str::<Vec<&RawValue>>(calls.get());
        let calls =
            calls.map_err(|_| "the `tool_calls` of the agent's response are no list".to_owned())?;
        calls.into_iter().map(listed).collect::<Result<Vec<_>, _>>()
    });
    let calls = calls.transpose()?;
    let metadata = match object.get("metadata") {
        // `null` is read as an empty one.
        Some(metadata) => serde_json::from_str(metadata.get())
            .map_err(|_| "the `metadata` of the agent's response is no object".to_owned())?,
        None => Metadata::new(),
    };
    let reported = Reported::of(&metadata);
    Ok(Response {
        id: object.get("id").map(|id| value("id", id)).transpose()?,
        names_calls: calls.is_some(),
        reply: Reply {
            text,
            calls: calls.unwrap_or_default(),
            tokens: reported.tokens,
            cost: reported.cost,
            metadata,
            ..Reply::default()
        },
    })
}

fn listed(call: &RawValue) -> Result<ToolCall, String> {
    match members(call) {
        Some(object) => self::call(&object),
        None => Err(format!(
            "one of the agent's `tool_calls` is no object but {}",
            shown(call)
        )),
    }
}

fn call(object: &RawObject<'_>) -> Result<ToolCall, String> {
    let Some(name) = object.get("name").and_then(text) else {
        return Err(format!(
            "a tool call of the agent has no `name`: {}",
            short(json!(object).to_string().as_bytes())
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
    // Who has none writes `null` as well.
    let arguments = member("arguments")?.filter(|arguments| arguments.text() != "null");
    Ok(ToolCall {
        name,
        arguments: arguments.unwrap_or_else(|| Value::Object(Map::new()).into()),
        result: member("result")?,
        error: error.transpose()?,
        metadata: metadata.unwrap_or_default(),
    })
}

/// The value as a map, if it is one.
fn members(value: &RawValue) -> Option<RawObject<'_>> {
    serde_json::from_str(value.get()).ok()
}

/// The value as a text, if it is one.
fn text(value: &RawValue) -> Option<String> {
    serde_json::from_str(value.get()).ok()
}

/// The value itself. What nests without end is no value.
fn value(name: &str, value: &RawValue) -> Result<Json, String> {
    let read = serde_json::from_str::<Json>(value.get()).map(Json::on_one_line);
    read.map_err(|error| format!("the `{name}` that the agent gives cannot be read: {error}"))
}

fn is_null(value: &RawValue) -> bool {
    value.get() == "null"
}

/// What an agent says of what it used, in its metadata or under `tracing` in it.
struct Reported {
    tokens: Option<Tokens>,
    cost: Option<f64>,
}

impl Reported {
    fn of(metadata: &Metadata) -> Reported {
        let find = |name: &str| {
            let tracing = metadata
                .get("tracing")
                .and_then(|tracing| tracing.get(name));
            tracing.or_else(|| metadata.get(name))
        };
        let tokens = find("tokens").and_then(|tokens| {
            let count = |name: &str| tokens.get(name).and_then(Value::as_u64);
            Some(Tokens {
                input: count("input")?,
                output: count("output")?,
            })
        });
        Reported {
            tokens,
            cost: find("cost").and_then(Value::as_f64),
        }
    }
}

/// In a line, not too long, and whatever it is.
pub(super) fn quoted(bytes: &[u8]) -> String {
    Value::from(short(bytes)).to_string()
}

/// JSON, not too long.
pub(super) fn shown(value: &RawValue) -> String {
    short(value.get().as_bytes())
}

fn short(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(QUOTED * 4)]);
    let mut short: String = text.chars().take(QUOTED).collect();
    if short.len() < text.len() || bytes.len() > QUOTED * 4 {
        let _ = write!(short, "… ({} bytes)", bytes.len());
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(line: &str) -> String {
        read(line.as_bytes()).map(|_| ()).unwrap_err()
    }

    #[test]
    fn a_call_without_arguments_has_empty_ones() {
        for (arguments, read_as) in [
            ("", "{}"),
            (r#","arguments":null"#, "{}"),
            (r#","arguments":{"a":null}"#, r#"{"a":null}"#),
            (r#","arguments":false"#, "false"),
        ] {
            let line = format!(r#"{{"type":"tool_call","name":"t"{arguments}}}"#);
            let Ok(AgentMessage::Call(call)) = read(line.as_bytes()) else {
                panic!("{line}");
            };
            assert_eq!(call.arguments.text(), read_as, "{line}");
        }
    }

    #[test]
    fn what_makes_no_sense_is_told_in_words() {
        for (line, told) in [
            (
                "hello",
                "a line to its standard output that is no JSON: \"hello\"; logs belong on standard error, and an answer is one line such as {",
            ),
            (
                "{",
                "only a part of an object: each has to stand on one line",
            ),
            ("[1]", "wrote \"[1]\", and a JSON object is expected"),
            (
                r#"{"a":1}"#,
                "without a `type`, which is `tool_call` or `response`",
            ),
            (r#"{"type":"chat"}"#, "an object of type `chat`"),
            (
                r#"{"type":"response","content":"x"}"#,
                "response has no `text`, which is what it says to the user; it has `type`, `content`",
            ),
            (r#"{"type":"response","text":3}"#, "is no text but 3"),
            (
                r#"{"type":"response","text":"","tool_calls":{}}"#,
                "are no list",
            ),
            (
                r#"{"type":"response","text":"","tool_calls":[1]}"#,
                "is no object but 1",
            ),
            (
                r#"{"type":"response","text":"","metadata":1}"#,
                "`metadata` of the agent's response is no object",
            ),
            (
                r#"{"type":"tool_call","tool":"book"}"#,
                "a tool call of the agent has no `name`: {\"type\":\"tool_call\",\"tool\":\"book\"}",
            ),
        ] {
            let problem = problem(line);
            assert!(problem.contains(told), "{line}: {problem}");
        }
        let long = problem(&"x".repeat(1 << 20));
        assert!(
            long.contains("… (1048576 bytes)") && long.len() < 400,
            "{long}"
        );
    }

    #[test]
    fn a_response_keeps_what_the_agent_reports() {
        let line = br#"{"id":1,"type":"response","text":"Hi","metadata":{"tracing":{"tokens":{"input":3,"output":4},"cost":0.5},"mood":"good"}}"#;
        let Ok(AgentMessage::Response(response)) = read(line) else {
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
        assert!(!response.names_calls && response.id == Some(json!(1).into()));
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
            let Ok(AgentMessage::Call(call)) = read(line.as_bytes()) else {
                panic!("it is a call");
            };
            assert_eq!(call.result.map(Value::from), result);
        }
    }
}
