//! Checks of the topics of a conversation.

use serde_json::json;

use super::format;
use crate::assertions::CheckResult;
use crate::transcript::Scope;

/// Checks the topic after the turn or at the end.
pub(super) fn is_in(topic: &str, scope: Scope<'_>) -> CheckResult {
    let after_turn = scope.turns().last().and_then(|turn| turn.topic.as_ref());
    let current = match scope.turn_index {
        Some(_) => after_turn,
        None => scope.transcript.topics.last(),
    };
    let problem = (current.map(String::as_str) != Some(topic)).then(|| match current {
        Some(current) => format!("the topic is {current} instead of {topic}"),
        None => format!("the conversation has no topic; {topic} was expected"),
    });
    CheckResult {
        problem,
        expected: Some(topic.into()),
        actual: Some(json!(current)),
        ..CheckResult::default()
    }
}

/// Checks that the conversation reached the topic.
pub(super) fn reached(topic: &str, scope: Scope<'_>) -> CheckResult {
    let visited = &scope.transcript.topics;
    let reached = visited.iter().any(|visited| visited == topic);
    CheckResult {
        problem: (!reached).then(|| {
            let visited = join_names(visited);
            format!("the topic {topic} was not reached; the topics were {visited}")
        }),
        expected: Some(topic.into()),
        actual: Some(json!(visited)),
        ..CheckResult::default()
    }
}

/// Checks that exactly these topics were visited, in this order.
pub(super) fn visited(topics: &[String], scope: Scope<'_>) -> CheckResult {
    let visited = &scope.transcript.topics;
    CheckResult {
        problem: (visited != topics).then(|| {
            let [visited, expected] = [visited, topics].map(join_names);
            format!("the topics were {visited} instead of {expected}")
        }),
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
