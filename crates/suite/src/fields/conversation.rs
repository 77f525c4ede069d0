//! The fields of tests that talk to an agent.

use super::{Field, Shape, field};
use crate::assertion::ASSERTIONS;

/// What an agent is: exactly one of these.
pub const AGENT: &[Field] = &[
    field(
        "command",
        Shape::NonEmptyText,
        "What bash -c runs: a process per conversation that speaks JSON lines",
    ),
    field(
        "http",
        Shape::Object(HTTP),
        "An address that takes and gives the same objects",
    ),
    field(
        "openai",
        Shape::Object(OPENAI),
        "A chat-completions endpoint",
    ),
];

/// What may be said of an agent behind an address.
pub const HTTP: &[Field] = &[
    field("url", Shape::NonEmptyText, "Where requests are posted to"),
    field("headers", Shape::TextMap, "Sent with every request"),
    field("timeout", Shape::Duration, "How long an answer may take"),
];

/// What may be said of an agent behind a chat-completions endpoint.
pub const OPENAI: &[Field] = &[
    field(
        "url",
        Shape::NonEmptyText,
        "Where it is; /chat/completions is added",
    ),
    field("model", Shape::NonEmptyText, "Which model is asked for"),
    field("system", Shape::Text, "What it is told first"),
    field("headers", Shape::TextMap, "Sent with every request"),
    field("timeout", Shape::Duration, "How long an answer may take"),
];

/// What may be said of the model that judges and simulates.
pub const LLM: &[Field] = &[
    field(
        "provider",
        Shape::Choice(&["anthropic", "openai", "scripted"]),
        "Who answers",
    ),
    field("model", Shape::NonEmptyText, "Which model is asked"),
    field(
        "url",
        Shape::NonEmptyText,
        "Another address than the provider's own",
    ),
    field(
        "keyEnv",
        Shape::NonEmptyText,
        "The environment variable that holds the key",
    ),
    field("timeout", Shape::Duration, "How long an answer may take"),
    field(
        "concurrency",
        Shape::Count(1000),
        "How many calls may be under way at once",
    ),
    field(
        "requestsPerMinute",
        Shape::Count(1_000_000),
        "How many calls may be begun in a minute",
    ),
    field("price", Shape::Object(PRICE), "What a million tokens cost"),
    field(
        "user",
        Shape::List,
        "scripted: what the simulated user says, in order",
    ),
    field(
        "verdicts",
        Shape::Each(&Shape::Either(&VERDICT, &Shape::Many(&VERDICT))),
        "scripted: verdicts by criterion; one for every call, or a list with one per call",
    ),
    field(
        "topics",
        Shape::List,
        "scripted: topics, in the order they are asked for",
    ),
];

const VERDICT: Shape = Shape::Choice(&["true", "false", "inconclusive"]);

/// What a million tokens cost.
pub const PRICE: &[Field] = &[
    field("input", Shape::Number, "Read by the model"),
    field("output", Shape::Number, "Written by the model"),
];

/// How verdicts are found.
pub const JUDGE: &[Field] = &[
    field(
        "votes",
        Shape::Count(99),
        "How often the judge is asked; a strict majority decides (default: 1)",
    ),
    field(
        "self",
        Shape::Bool,
        "Whether the model under test may judge itself (default: false)",
    ),
];

/// What a criterion may say.
pub const CRITERION: &[Field] = &[
    field("description", Shape::NonEmptyText, "What it means"),
    field("good", SAMPLES, "Replies that meet it"),
    field("bad", SAMPLES, "Replies that do not"),
    field("edge", SAMPLES, "Replies at the edge, with their verdicts"),
];

const SAMPLES: Shape = Shape::Many(&Shape::Either(&Shape::NonEmptyText, &Shape::Object(SAMPLE)));

/// A reply whose verdict is known.
pub const SAMPLE: &[Field] = &[
    field("text", Shape::NonEmptyText, "The reply"),
    field("why", Shape::NonEmptyText, "Why it is judged so"),
    field(
        "verdict",
        Shape::Bool,
        "edge: whether it meets the criterion",
    ),
];

/// What may be said of a simulated user.
pub const SIMULATION: &[Field] = &[
    field("goal", Shape::NonEmptyText, "What the user wants"),
    field("role", Shape::NonEmptyText, "Who the user is"),
    field("personality", Shape::Texts, "What the user is like"),
    field("context", Shape::Texts, "What the user knows"),
    field("rules", Shape::Object(RULES), "How the user behaves"),
    field(
        "maxTurns",
        Shape::Count(1000),
        "How many turns there may be (default: 15)",
    ),
    field(
        "stopWhen",
        Shape::Checks,
        "When the conversation is over: any of these checks, after a reply",
    ),
];

/// How a simulated user behaves.
pub const RULES: &[Field] = &[
    field("should", Shape::Texts, "What the user should do"),
    field("shouldNot", Shape::Texts, "What the user should not do"),
];

/// What may be said of a topic.
pub const TOPIC: &[Field] = &[
    field("description", Shape::NonEmptyText, "What it is about"),
    field(
        "intent",
        Shape::NonEmptyText,
        "What the agent is to achieve in it",
    ),
    field(
        "triggers",
        Shape::Many(&Shape::Object(TRIGGER)),
        "What brings a conversation to it: any of these",
    ),
    field("next", Shape::List, "Where a conversation may go from it"),
    field(
        "expect",
        Shape::Checks,
        "What must hold when a conversation leaves it, and at the end",
    ),
    field("evaluate", Shape::Checks, "What is worth knowing then"),
];

/// What brings a conversation to a topic: one of these.
pub const TRIGGER: &[Field] = &[
    field("called", CALLS, "The agent has called this tool"),
    field(
        "agentMatches",
        Shape::Patterns,
        "A POSIX ERE that matches in the reply",
    ),
    field(
        "userMatches",
        Shape::Patterns,
        "A POSIX ERE that matches in what the user said",
    ),
    field(
        "afterTurns",
        Shape::Count(1000),
        "So many turns have passed in the current topic",
    ),
];

/// What a scripted user says, and what is demanded of the reply.
pub const TURN: &[Field] = &[
    field("user", Shape::NonEmptyText, "What the user says"),
    field(
        "expect",
        Shape::Checks,
        "What must hold after the reply; a failure ends the conversation",
    ),
    field("evaluate", Shape::Checks, "What is worth knowing after it"),
];

/// What can be checked: one of these, and what belongs to it.
pub const CHECK: &[Field] = &[
    field("contains", Shape::Texts, "Each must be in the reply"),
    field("notContains", Shape::Texts, "None may be in the reply"),
    field(
        "matches",
        Shape::Patterns,
        "Each POSIX ERE must match in the reply",
    ),
    field(
        "notMatches",
        Shape::Patterns,
        "No POSIX ERE may match in the reply",
    ),
    field("equals", Shape::Text, "The whole reply"),
    field(
        "maxLength",
        Shape::Count(1_000_000),
        "The reply has at most so many characters",
    ),
    field("called", CALLS, "The agent has called this tool"),
    field("notCalled", CALLS, "The agent has not called this tool"),
    field(
        "onlyCalled",
        Shape::List,
        "The agent has called no other tools",
    ),
    field(
        "calledInOrder",
        Shape::Texts,
        "The agent has called these tools in this order",
    ),
    field(
        "exact",
        Shape::Bool,
        "calledInOrder: there were no other calls",
    ),
    field(
        "satisfies",
        Shape::Texts,
        "The judge says that the reply meets this criterion: its name, or what it is",
    ),
    field(
        "intent",
        Shape::Texts,
        "The judge says that the agent means to do this",
    ),
    field(
        "grounded",
        Shape::Texts,
        "The judge says that what the reply says of this comes from tool results",
    ),
    field(
        "from",
        Shape::Texts,
        "grounded: the tools whose results count",
    ),
    field(
        "claims",
        Shape::Texts,
        "The judge says that the reply claims something of this",
    ),
    field(
        "notClaims",
        Shape::Texts,
        "The judge says that the reply claims nothing of this",
    ),
    field(
        "topic",
        Shape::NonEmptyText,
        "The conversation is in this topic",
    ),
    field(
        "reachedTopic",
        Shape::Texts,
        "The conversation has been in this topic",
    ),
    field(
        "topics",
        Shape::Texts,
        "The topics the conversation has been in, in order",
    ),
    field(
        "turns",
        Shape::Either(&Shape::Integer(1_000_000), &Shape::Bounds),
        "How many turns there were",
    ),
    field(
        "latency",
        Shape::Bounds,
        "How long each reply took: seconds, or 500ms, 2m",
    ),
    field("tokens", Shape::Bounds, "How many tokens the agent used"),
    field("cost", Shape::Bounds, "What the agent cost"),
    field(
        "run",
        Shape::NonEmptyText,
        "A command that gets the conversation as JSON; exit code 0 passes",
    ),
];

/// Fields of a check that belong to another one, and to which.
pub const CHECK_OPTIONS: [(&str, &str); 2] = [("from", "grounded"), ("exact", "calledInOrder")];

const CALLS: Shape = Shape::OneOrMany(&Shape::Either(&Shape::NonEmptyText, &Shape::Object(CALL)));

/// Which calls are meant.
pub const CALL: &[Field] = &[
    field("tool", Shape::NonEmptyText, "The tool's name"),
    field(
        "with",
        Shape::Mapping,
        "What must be among its arguments: values, or {matches}, {min}, {max}, {oneOf}, {absent: true}",
    ),
    field(
        "times",
        Shape::Either(&Shape::Integer(1_000_000), &Shape::Bounds),
        "How often (default: at least once)",
    ),
    field(
        "before",
        Shape::NonEmptyText,
        "All of them before the first call of this tool",
    ),
    field(
        "after",
        Shape::NonEmptyText,
        "All of them after the first call of this tool",
    ),
    field("failed", Shape::Bool, "Whether the call itself failed"),
];

/// What a value may be instead of a value.
pub const PATTERN: &[Field] = &[
    field(
        "matches",
        Shape::NonEmptyText,
        "A text in which this POSIX ERE matches",
    ),
    field("min", Shape::Number, "A number that is at least this"),
    field("max", Shape::Number, "A number that is at most this"),
    field("oneOf", Shape::List, "One of these values"),
    field("absent", Shape::Bool, "true: there is no such value"),
];

/// From, to, or both.
pub const BOUNDS: &[Field] = &[
    field("min", Shape::Number, "At least"),
    field("max", Shape::Number, "At most"),
];

/// Fields that the suite and its tests both may have for tests that talk to an agent.
pub const SHARED: [Field; 6] = [
    field(
        "agent",
        Shape::Object(AGENT),
        "The agent under test: one of command, http, openai",
    ),
    field(
        "llm",
        Shape::Object(LLM),
        "The model that judges and speaks for simulated users",
    ),
    field("judge", Shape::Object(JUDGE), "How verdicts are found"),
    field(
        "criteria",
        Shape::Each(&Shape::Either(
            &Shape::NonEmptyText,
            &Shape::Object(CRITERION),
        )),
        "What a judge can be asked, by name",
    ),
    field(
        "topics",
        Shape::Each(&Shape::Object(TOPIC)),
        "The parts of conversations; each conversation starts in the first",
    ),
    field(
        "tools",
        Shape::List,
        "The agent's tools, so that a misspelt one is found",
    ),
];

/// What else a suite may say of such tests.
pub const SIMULATOR: Field = field(
    "simulator",
    Shape::Object(SIMULATION),
    "What simulated users have in common",
);

/// What else a test may say that talks to an agent.
pub const CONVERSATION_TEST: [Field; 7] = [
    field(
        "conversation",
        Shape::Many(&Shape::Object(TURN)),
        "What the user says, turn by turn",
    ),
    field(
        "simulate",
        Shape::Object(SIMULATION),
        "A simulated user, besides what the suite's simulator says",
    ),
    field(
        "during",
        Shape::Each(&Shape::Object(RULES)),
        "How the simulated user behaves in a topic, besides",
    ),
    field(
        "scenarios",
        Shape::Either(&Shape::NonEmptyText, &Shape::Many(&Shape::Mapping)),
        "One test per scenario: a JSON or YAML file, or a list of mappings with name and goal",
    ),
    field(
        "trials",
        Shape::Count(1000),
        "How often it is run, each on its own",
    ),
    field(
        "expect",
        Shape::Checks,
        "What must hold at the end of the conversation",
    ),
    field(
        "evaluate",
        Shape::Checks,
        "What is worth knowing at the end of the conversation",
    ),
];

/// Fields that a test has for its command alone.
pub fn is_for_commands(field: &str) -> bool {
    field == "stdin" || ASSERTIONS.iter().any(|known| known.field.name == field)
}

/// Fields that a test has for talking to an agent alone.
pub fn is_conversation_field(field: &str) -> bool {
    let talk = SHARED.iter().chain(&CONVERSATION_TEST);
    talk.into_iter().any(|known| known.name == field)
}
