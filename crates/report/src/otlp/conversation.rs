//! The spans of a conversation: one for each reply of the agent, and one for each tool that it called.
//!
//! The names are those of OpenTelemetry's semantic conventions for generative AI. Messages and data of tools are left
//! out unless they were asked for, because they may be confidential.

use casebook_record::model::{ConversationData, MessageData, ToolCallData, TurnData};
use casebook_record::{ExampleData, Json, Metadata};
use serde_json::{Value, json};

use super::attributes::Attributes;
use super::span::{Kind, Span};
use super::span_id;

/// The span of the test that the conversation belongs to.
pub(super) struct Parent<'a> {
    pub(super) trace_id: &'a str,
    pub(super) span_id: &'a str,
    pub(super) end: i64,
    /// Whether messages are included.
    pub(super) content: bool,
}

/// The conventions require a provider, and a record does not say which one the agent uses.
pub(super) const PROVIDER: &str = "unknown";

pub(super) fn spans(
    example: &ExampleData,
    conversation: &ConversationData,
    parent: &Parent<'_>,
) -> Vec<Span> {
    let mut spans = Vec::new();
    let mut start = conversation.started_at.as_millis();
    for turn in &conversation.turns {
        let id = span_id(parent.trace_id, &format!("{}\n{}", example.id, turn.number));
        let reply = reply_span(&id, example, turn, start, parent);
        let calls = turn.tool_calls.iter().enumerate();
        spans.extend(calls.map(|(index, call)| tool_span((&id, index), call, parent)));
        start = reply.end;
        spans.push(reply);
    }
    spans
}

fn reply_span(
    id: &str,
    example: &ExampleData,
    turn: &TurnData,
    earliest: i64,
    parent: &Parent<'_>,
) -> Span {
    let time = |message: &MessageData| message.timestamp.as_millis();
    let reply = turn.agent_response.as_ref();
    let end = reply.map_or(parent.end, time);
    let mut attributes = Attributes::default();
    attributes
        .text("gen_ai.operation.name", Some("invoke_agent"))
        .text("gen_ai.provider.name", Some(PROVIDER))
        .text("gen_ai.conversation.id", Some(&example.id))
        .int("casebook.turn", i64::try_from(turn.number).ok())
        .text("casebook.topic", turn.topic.as_deref());
    if let Some(reply) = reply {
        add_usage(&mut attributes, &reply.metadata);
    }
    if parent.content {
        let messages = |message: Option<&MessageData>, role| {
            message.map(|message| messages(&message.content, role))
        };
        let input = messages(turn.user_message.as_ref(), "user");
        let output = messages(reply, "assistant");
        attributes
            .text("gen_ai.input.messages", input.as_deref())
            .text("gen_ai.output.messages", output.as_deref());
    }
    Span {
        trace_id: parent.trace_id.to_owned(),
        id: id.to_owned(),
        parent: Some(parent.span_id.to_owned()),
        name: "invoke_agent".to_owned(),
        kind: Kind::Client,
        start: turn.user_message.as_ref().map_or(earliest, time),
        end,
        attributes,
        error: reply.is_none().then(|| "no reply".to_owned()),
    }
}

fn add_usage(attributes: &mut Attributes, metadata: &Metadata) {
    let traced = |path| metadata.dig(path);
    let count = |path| traced(path).and_then(Value::as_i64);
    let first_token = traced("tracing.first_token_ms").and_then(Value::as_f64);
    attributes
        .text("gen_ai.response.model", model(metadata))
        .int("gen_ai.usage.input_tokens", count("tracing.tokens.input"))
        .int("gen_ai.usage.output_tokens", count("tracing.tokens.output"))
        .double("casebook.cost", cost(metadata))
        .double("casebook.first_token", first_token.map(|ms| ms / 1000.0));
}

pub(super) fn model(metadata: &Metadata) -> Option<&str> {
    metadata.dig("tracing.model")?.as_str()
}

pub(super) fn cost(metadata: &Metadata) -> Option<f64> {
    metadata.dig("tracing.cost")?.as_f64()
}

/// The record contains when a call ended, but not when it started.
fn tool_span((reply, index): (&str, usize), call: &ToolCallData, parent: &Parent<'_>) -> Span {
    let time = call.timestamp.as_millis();
    let mut attributes = Attributes::default();
    attributes
        .text("gen_ai.operation.name", Some("execute_tool"))
        .text("gen_ai.tool.name", Some(&call.name))
        .text("gen_ai.tool.type", Some("function"))
        .text("error.type", call.error.as_ref().map(|_| "_OTHER"));
    if parent.content {
        let result = call.result.as_ref().map(Json::text);
        attributes
            .text("gen_ai.tool.call.arguments", Some(call.arguments.text()))
            .text("gen_ai.tool.call.result", result);
    }
    Span {
        trace_id: parent.trace_id.to_owned(),
        id: span_id(parent.trace_id, &format!("{reply}\n{index}")),
        parent: Some(reply.to_owned()),
        name: format!("execute_tool {}", call.name),
        kind: Kind::Internal,
        start: time,
        end: time,
        attributes,
        error: call.error.as_ref().map(|error| {
            let error = if parent.content {
                error
            } else {
                "the tool failed"
            };
            error.to_owned()
        }),
    }
}

/// A list of one message, as JSON text.
fn messages(text: &str, role: &str) -> String {
    json!([{"role": role, "parts": [{"type": "text", "content": text}]}]).to_string()
}
