//! Whether the conversation is, or has been, where it should.

use serde_json::json;

use super::format;
use crate::assertions::CheckResult;
use crate::transcript::Scope;

/// Whether it is in the topic: after the turn, or at the end.
pub(super) fn is_in(topic: &str, scope: Scope<'_>) -> CheckResult {
    let after_turn = scope
        .turns()
        .last()
        .and_then(|exchange| exchange.topic.as_ref());
    let current = match scope.exchange {
        Some(_) => after_turn,
        None => scope.transcript.topics.last(),
    };
    let problem = (current.map(String::as_str) != Some(topic)).then(|| match current {
        Some(current) => format!("the topic is {current}"),
        None => "the conversation has no topic".to_owned(),
    });
    CheckResult {
        problem,
        expected: Some(topic.into()),
        actual: Some(json!(current)),
        ..CheckResult::default()
    }
}

/// Whether it has been in the topic.
pub(super) fn reached(topic: &str, scope: Scope<'_>) -> CheckResult {
    let visited = &scope.transcript.topics;
    let reached = visited.iter().any(|visited| visited == topic);
    CheckResult {
        problem: (!reached).then(|| format!("the topics were {}", join_names(visited))),
        expected: Some(topic.into()),
        actual: Some(json!(visited)),
        ..CheckResult::default()
    }
}

/// Whether these are the topics it has been in, in this order.
pub(super) fn visited(topics: &[String], scope: Scope<'_>) -> CheckResult {
    let visited = &scope.transcript.topics;
    CheckResult {
        problem: (visited != topics).then(|| format!("the topics were {}", join_names(visited))),
        expected: Some(json!(topics)),
        actual: Some(json!(visited)),
        ..CheckResult::default()
    }
}

fn join_names(topics: &[String]) -> String {
    match topics {
        [] => "none".to_owned(),
        topics => format::list(topics),
    }
}
