//! A recorded conversation: its turns for a judge, and its example with new evaluations.

use std::ops::Range;

use casebook_record::event::ToolCall;
use casebook_record::model::{EvaluationData, ExceptionData, ToolCallData, TurnData};
use casebook_record::{ExampleData, Status, UnknownFields};
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
    let reply = turn.agent_response.as_ref().map(|response| Reply {
        text: response.content.clone(),
        calls: turn.tool_calls.iter().map(recorded_call).collect(),
        metadata: response.metadata.clone(),
        ..Reply::default()
    });
    ConversationTurn {
        user: user.map_or_else(String::new, |message| message.content.clone()),
        reply,
        topic: turn.topic.clone(),
        files: Vec::new(),
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

/// Replaces what the judge decided before. Evaluations stay in the order of the turns.
pub(super) fn replace_evaluations(
    example: &mut ExampleData,
    judged: &[EvaluationData],
    criterion: Option<&str>,
) {
    example.evaluations.retain(|evaluation| {
        let metadata = &evaluation.metadata;
        let is_judged = metadata.get("verdict").is_some();
        let has_name = |name| metadata.get("criterion").is_some_and(|own| own == name);
        !(is_judged && criterion.is_none_or(has_name))
    });
    example.evaluations.extend_from_slice(judged);
    let turn = |evaluation: &EvaluationData| evaluation.turn_number.unwrap_or(u64::MAX);
    example.evaluations.sort_by_key(turn);
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
