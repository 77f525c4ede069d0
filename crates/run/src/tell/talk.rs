//! What the record says of a test that talks, before anything is said.

use casebook_record::{Json, Metadata};
use casebook_suite::model::conversation::{Conversation, User};
use serde_json::{Map, Value, json};

use crate::plan::PlannedTest;

/// The scenario that drives it.
pub(super) fn scenario(conversation: &Conversation) -> Option<Json> {
    let scenario = conversation.scenario.clone()?;
    Some(Value::Object(scenario).into())
}

/// What kind of conversation it is, which trial, and where it may go.
pub(super) fn describe(
    conversation: &Conversation,
    planned: &PlannedTest,
    metadata: &mut Metadata,
) {
    let kind = match conversation.user {
        User::Scripted(_) => "conversation",
        User::Simulated(_) => "simulation",
    };
    metadata.set("kind", kind);
    if let Some(trial) = planned.trial {
        let test = planned.test_stable_id();
        metadata.set(
            "trial",
            json!({"number": trial.number, "of": trial.of, "test": test}),
        );
    }
    if !conversation.topics.is_empty() {
        let graph = conversation.topics.iter();
        let graph = graph.map(|topic| (topic.name.clone(), json!(topic.next)));
        metadata.set("topics", Value::Object(graph.collect::<Map<_, _>>()));
    }
}
