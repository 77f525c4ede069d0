//! The fields of conversation tests.

mod check;
mod criterion;
mod model;
mod topic;
mod user;

use super::agent::AGENT;
use super::{Field, Shape, field};
use crate::assertion::ASSERTIONS;
use check::CHECKS;
pub use check::{
    BOUNDS, CALL, CHECK, CHECK_OPTIONS, ENDED, ENDED_BY_ERROR, LATENCY, PATTERN, RETURNED,
};
pub use criterion::{CRITERION, SAMPLE, SCORED};
pub use model::{BUDGET, BUDGET_FIELD, JUDGE, LLM, MAX_BUDGET, MODEL, PRICE};
pub use topic::{TOPIC, TRIGGER};
pub use user::{HISTORY, HISTORY_CALL, MESSAGE, RULES, SIMULATION, TURN, TURN_CAPTURE};

/// Fields for conversations that both a suite and a test may have.
pub const SHARED: [Field; 7] = [
    field(
        "agent",
        Shape::Object(AGENT),
        "The agent under test: one of command, http, openai, anthropic",
    ),
    field(
        "llm",
        Shape::Object(LLM),
        "The models used as the judge and for simulated users",
    ),
    field("judge", Shape::Object(JUDGE), "Settings of the judge"),
    field(
        "criteria",
        Shape::Each(&Shape::Either(
            &Shape::NonEmptyText,
            &Shape::Object(CRITERION),
        )),
        "Criteria for the judge, by name",
    ),
    field(
        "topics",
        Shape::Each(&Shape::Object(TOPIC)),
        "Topics of conversations; each conversation starts in the first",
    ),
    field(
        "tools",
        Shape::List,
        "The agent's tools; checks that name other tools are reported",
    ),
    field(
        "trials",
        Shape::Either(&Shape::Count(MAX_TRIALS), &Shape::Object(TRIALS)),
        "Number of trials, each recorded separately, and how many must pass",
    ),
];

/// The maximum number of trials of a test.
pub const MAX_TRIALS: u32 = 1000;

/// The fields of trials with a threshold.
pub const TRIALS: &[Field] = &[
    field("count", Shape::Count(MAX_TRIALS), "Number of trials"),
    field(
        "atLeast",
        Shape::Count(MAX_TRIALS),
        "Number of trials that must pass (default: all)",
    ),
    field(
        "passRate",
        Shape::Number,
        "Share of trials that must pass, from 0 to 1",
    ),
];

/// The field for conversations that only a suite may have.
pub const SIMULATOR: Field = field(
    "simulator",
    Shape::Object(SIMULATION),
    "Settings of all simulated users",
);

/// Fields for conversations that only a test may have.
pub const CONVERSATION_TEST: [Field; 7] = [
    field(
        "history",
        Shape::Many(&Shape::Object(HISTORY)),
        "Earlier messages, for which neither the agent nor the simulated user is called",
    ),
    field(
        "conversation",
        Shape::Many(&Shape::Object(TURN)),
        "Messages of the user, turn by turn",
    ),
    field(
        "simulate",
        Shape::Object(SIMULATION),
        "Simulated user, who continues after a conversation; adds to the suite's simulator",
    ),
    field(
        "during",
        Shape::Each(&Shape::Object(RULES)),
        "Additional rules of the simulated user, by topic",
    ),
    field(
        "scenarios",
        Shape::Either(&Shape::NonEmptyText, &Shape::Many(&Shape::Mapping)),
        "One test per scenario: a JSON, JSON Lines, CSV or YAML file, or a list of mappings with name and goal",
    ),
    field(
        "expect",
        CHECKS,
        "Checks at the end of the conversation; a failure fails the test",
    ),
    field(
        "evaluate",
        CHECKS,
        "Checks at the end of the conversation; failures are only recorded",
    ),
];

/// Whether only command tests may have this field.
pub fn is_command_field(field: &str) -> bool {
    [
        "stdin",
        "steps",
        "eventually",
        "tty",
        "dialogue",
        "ignoreCase",
    ]
    .contains(&field)
        || ASSERTIONS.iter().any(|known| known.field.name == field)
}

/// Whether only conversation tests may have this field.
pub fn is_conversation_field(field: &str) -> bool {
    let mut fields = SHARED.iter().chain(&CONVERSATION_TEST);
    fields.any(|known| known.name == field)
}
