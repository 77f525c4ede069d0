//! The metadata of a conversation's start event.

use std::borrow::Cow;

use casebook_record::Json;
use casebook_suite::model::conversation::{Conversation, Topic, User};
use serde::{Serialize, Serializer};
use serde_json::Value;

use crate::plan::PlannedTest;

/// The scenario that drives the conversation.
pub(super) fn scenario(conversation: &Conversation) -> Option<Json> {
    let scenario = conversation.scenario.clone()?;
    Some(Value::Object(scenario).into())
}

/// The kind of conversation, the trial, and the topics.
#[derive(Serialize)]
pub(super) struct ConversationInfo<'a> {
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    trial: Option<Trial<'a>>,
    #[serde(skip_serializing_if = "Graph::is_empty")]
    topics: Graph<'a>,
}

#[derive(Serialize)]
struct Trial<'a> {
    number: u32,
    of: u32,
    test: Cow<'a, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    needs: Option<u32>,
}

/// Every topic with the topics that may follow it.
struct Graph<'a>(&'a [Topic]);

impl<'a> ConversationInfo<'a> {
    pub(super) fn of(
        conversation: &'a Conversation,
        planned: PlannedTest<'a>,
    ) -> ConversationInfo<'a> {
        ConversationInfo {
            kind: match conversation.user {
                User::Scripted(_) => "conversation",
                User::Simulated(_) | User::Mixed(..) => "simulation",
            },
            trial: planned.trial.map(|trial| Trial {
                number: trial.number,
                of: trial.of,
                test: planned.test_stable_id().into(),
                needs: trial.needs,
            }),
            topics: Graph(&conversation.topics),
        }
    }
}

impl Graph<'_> {
    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Serialize for Graph<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|topic| (&topic.name, &topic.next)))
    }
}
