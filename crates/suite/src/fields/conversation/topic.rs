//! Fields of topics and their triggers.

use super::check::{CALLS, CHECKS};
use crate::fields::{Field, Shape, field};

/// The fields of a topic.
pub const TOPIC: &[Field] = &[
    field(
        "description",
        Shape::NonEmptyText,
        "Description of the topic, for the judge",
    ),
    field(
        "intent",
        Shape::NonEmptyText,
        "What the agent should achieve in the topic",
    ),
    field(
        "triggers",
        Shape::Many(&Shape::Object(TRIGGER)),
        "Conditions that move a conversation to the topic; any one is enough",
    ),
    field(
        "next",
        Shape::List,
        "Topics a conversation may move to from this one",
    ),
    field(
        "expect",
        CHECKS,
        "Checks when a conversation leaves the topic, and at the end; a failure fails the test",
    ),
    field(
        "evaluate",
        CHECKS,
        "The same checks, but failures are only recorded",
    ),
];

/// The conditions of a trigger; each trigger has one of them.
pub const TRIGGER: &[Field] = &[
    field("called", CALLS, "The agent called this tool"),
    field(
        "agentMatches",
        Shape::Patterns,
        "POSIX EREs; one must match in the reply",
    ),
    field(
        "userMatches",
        Shape::Patterns,
        "POSIX EREs; one must match in the user's message",
    ),
    field(
        "afterTurns",
        Shape::Count(1000),
        "Number of turns in the current topic",
    ),
];
