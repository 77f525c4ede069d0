//! A recorded conversation: its turns for a judge, and its example with new evaluations.

use std::ops::Range;
use std::time::Duration;

use casebook_record::event::ToolCall;
use casebook_record::model::{EvaluationData, ExceptionData, ToolCallData, TurnData};
use casebook_record::{ExampleData, Metadata, Status, UnknownFields};
use serde_json::Value;

use super::expectations::failure_message;
use crate::transcript::{ConversationTurn, Reply, Transcript};

/// The failure of a test whose conversation stopped at a check that now passes.
const STOPPED: &str = "the recorded conversation stopped at a check that now passes, so the rest of the test is unknown; run the test again";

/// Whether the conversation stopped at a check that now passes.
pub(super) fn is_unknown(example: &ExampleData) -> bool {
    let message = example.exception.as_ref();
    message.is_some_and(|exception| exception.message.as_deref() == Some(STOPPED))
}

/// The turns of the record.
pub(super) fn transcript(example: &ExampleData) -> Transcript {
    let turns = example.transcript().map_or(&[][..], |all| &all.turns);
    let turns: Vec<_> = turns.iter().map(recorded_turn).collect();
    let topics = visits(&Transcript {
        turns: turns.clone(),
        ..Transcript::default()
    });
    Transcript {
        turns,
        topics: topics.into_iter().map(|(topic, _)| topic).collect(),
        ..Transcript::default()
    }
}

fn recorded_turn(turn: &TurnData) -> ConversationTurn {
    let user = turn.user_message.as_ref();
    let reply = turn.agent_response.as_ref().map(|response| {
        let calls = turn.tool_calls.iter().map(recorded_call).collect();
        recorded_reply(response.content.clone(), calls, &response.metadata)
    });
    ConversationTurn {
        user: user.map_or_else(String::new, |message| message.content.clone()),
        reply,
        topic: turn.topic.clone(),
        files: Vec::new(),
    }
}

/// The reply with its figures, which checks beside that of the judge may need.
fn recorded_reply(text: String, calls: Vec<ToolCall>, metadata: &Metadata) -> Reply {
    let figure = |path: &str| metadata.dig(path).cloned();
    let millis = |path| {
        let millis = figure(path).and_then(|millis| millis.as_u64());
        millis.map(Duration::from_millis)
    };
    let tokens = figure("tracing.tokens");
    Reply {
        text,
        calls,
        latency: millis("tracing.latency_ms").unwrap_or_default(),
        first_token: millis("tracing.first_token_ms"),
        tokens: tokens.and_then(|tokens| serde_json::from_value(tokens).ok()),
        cost: figure("tracing.cost").and_then(|cost| cost.as_f64()),
        metadata: metadata.clone(),
        ..Reply::default()
    }
}

fn recorded_call(call: &ToolCallData) -> ToolCall {
    ToolCall {
        name: call.name.clone(),
        arguments: call.arguments.clone(),
        result: call.result.clone(),
        error: call.error.clone(),
        metadata: call.metadata.clone(),
    }
}

/// The visits of topics, each with its turns.
pub(super) fn visits(transcript: &Transcript) -> Vec<(String, Range<usize>)> {
    let mut visits: Vec<(String, Range<usize>)> = Vec::new();
    for (index, turn) in transcript.turns.iter().enumerate() {
        let Some(topic) = &turn.topic else {
            continue;
        };
        match visits.last_mut() {
            Some((last, turns)) if last == topic && turns.end == index => turns.end += 1,
            _ => visits.push((topic.clone(), index..index + 1)),
        }
    }
    visits
}

/// Whether the conversation did not end with an error.
pub(super) fn is_complete(example: &ExampleData) -> bool {
    let end = example.metadata.dig("conversation.end");
    let end = end.and_then(Value::as_str);
    end.is_some_and(|end| {
        matches!(
            end,
            "script_end" | "stop_condition" | "goal_reached" | "max_turns"
        )
    })
}

/// Replaces what the judge decided before, each check in its place. New ones follow those of their turn.
pub(super) fn replace_evaluations(
    example: &mut ExampleData,
    judged: &[EvaluationData],
    criterion: Option<&str>,
) {
    let mut judged: Vec<_> = judged.to_vec();
    let recorded = std::mem::take(&mut example.evaluations);
    for evaluation in recorded {
        let same = judged.iter().position(|one| is_same(one, &evaluation));
        if let Some(index) = same {
            example.evaluations.push(judged.remove(index));
        } else if !is_judged(&evaluation, criterion) {
            example.evaluations.push(evaluation);
        }
    }
    example.evaluations.append(&mut judged);
    let turn = |evaluation: &EvaluationData| evaluation.turn_number.unwrap_or(u64::MAX);
    example.evaluations.sort_by_key(turn);
}

/// Whether both are the result of the same check.
fn is_same(one: &EvaluationData, other: &EvaluationData) -> bool {
    let key = |evaluation: &EvaluationData| {
        (
            evaluation.turn_number,
            evaluation.r#type.clone(),
            evaluation.description.clone(),
            evaluation.metadata.get("topic").cloned(),
        )
    };
    key(one) == key(other)
}

/// Whether the judge decided the check, and it has this criterion.
fn is_judged(evaluation: &EvaluationData, criterion: Option<&str>) -> bool {
    let metadata = &evaluation.metadata;
    match criterion {
        Some(name) => metadata.get("criterion").is_some_and(|own| own == name),
        None => ["verdict", "judge", "votes"]
            .iter()
            .any(|key| metadata.get(key).is_some()),
    }
}

/// Sets the status by the hard checks. A test that failed for another reason stays as recorded. `has_all_turns` is false if the
/// conversation stopped at a failed check, so that the rest of the test is unknown.
pub(super) fn update_status(example: &mut ExampleData, has_all_turns: bool) {
    let class = example.exception.as_ref();
    let class = class.and_then(|exception| exception.class_name.as_deref());
    let is_of_checks = matches!(
        class,
        None | Some("Casebook::AssertionFailed" | "Casebook::JudgeFailed")
    );
    let is_tolerated = example.metadata.dig("expected_failure.trial").is_some();
    let has_result = is_tolerated || matches!(example.status, Status::Passed | Status::Failed);
    if !is_of_checks || !has_result || !is_complete(example) {
        return;
    }
    example.metadata.remove("expected_failure");
    example.metadata.remove("pending_message");
    let mut evaluations = example.evaluations.iter();
    let failed = evaluations.find(|one| one.mode.as_deref() == Some("hard") && !one.passed);
    example.exception = match failed {
        Some(failed) => Some(exception(failed)),
        None if has_all_turns => None,
        None => Some(assertion_failed(STOPPED.to_owned())),
    };
    example.status = match example.exception {
        Some(_) => Status::Failed,
        None => Status::Passed,
    };
}

fn exception(evaluation: &EvaluationData) -> ExceptionData {
    let metadata = &evaluation.metadata;
    let problem = evaluation.failure_message.as_deref();
    let is_judged = metadata.get("verdict").is_some();
    let judged = (
        evaluation.description.as_str(),
        evaluation.reasoning.as_deref(),
    );
    let message = failure_message(
        problem.unwrap_or("failed"),
        is_judged.then_some(judged),
        metadata.get("topic").and_then(Value::as_str),
        evaluation.turn_number,
    );
    let mut exception = assertion_failed(message);
    if metadata.get("unjudged").is_some() {
        exception.class_name = Some("Casebook::JudgeFailed".to_owned());
    }
    exception
}

fn assertion_failed(message: String) -> ExceptionData {
    ExceptionData {
        class_name: Some("Casebook::AssertionFailed".to_owned()),
        message: Some(message),
        backtrace: Vec::new(),
        location: None,
        extra: UnknownFields::default(),
    }
}
