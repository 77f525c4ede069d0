//! Fields of checks.

use super::criterion::SCORED;
use crate::fields::{Field, Shape, field};
use crate::model::conversation::JsonType;

/// The conditions of a check and their options; each check has one condition.
pub const CHECK: &[Field] = &[
    field(
        "contains",
        Shape::Texts,
        "Strings that the reply must contain",
    ),
    field(
        "notContains",
        Shape::Texts,
        "Strings that the reply must not contain",
    ),
    field(
        "matches",
        Shape::Patterns,
        "POSIX EREs that must match in the reply",
    ),
    field(
        "notMatches",
        Shape::Patterns,
        "POSIX EREs that must not match in the reply",
    ),
    field("equals", Shape::Text, "The complete reply"),
    field(
        "ignoreCase",
        Shape::Bool,
        "contains, notContains, matches, notMatches: true ignores the case of letters",
    ),
    field(
        "maxLength",
        Shape::Count(1_000_000),
        "Maximum number of characters of the reply",
    ),
    field(
        "minLength",
        Shape::Count(1_000_000),
        "Minimum number of characters of the reply",
    ),
    field(
        "json",
        Shape::Json,
        "The reply is JSON: values at JSON Pointers, or {matches}, {min}, {max}, {oneOf}, {equals}, {absent: true}",
    ),
    field("called", CALLS, "The agent called this tool"),
    field("notCalled", CALLS, "The agent did not call this tool"),
    field("onlyCalled", Shape::List, "The agent called no other tools"),
    field(
        "calledInOrder",
        Shape::Texts,
        "The agent called these tools in this order",
    ),
    field(
        "exact",
        Shape::Bool,
        "calledInOrder: no other calls are allowed",
    ),
    field(
        "returned",
        Shape::OneOrMany(&Shape::Object(RETURNED)),
        "A tool returned this result",
    ),
    field(
        "satisfies",
        Shape::OneOrMany(&Shape::Either(&Shape::NonEmptyText, &Shape::Object(SCORED))),
        "The judge decides that the reply meets this criterion: its name, a sentence, or {criterion, min} for a score",
    ),
    field(
        "intent",
        Shape::Texts,
        "The judge decides that the agent intends to do this",
    ),
    field(
        "grounded",
        Shape::Texts,
        "The judge decides that the reply's statements about this come from tool results",
    ),
    field(
        "from",
        Shape::Texts,
        "grounded: the tools whose results count",
    ),
    field(
        "claims",
        Shape::Texts,
        "The judge decides that the reply makes a claim about this",
    ),
    field(
        "notClaims",
        Shape::Texts,
        "The judge decides that the reply makes no claim about this",
    ),
    field(
        "language",
        Shape::NonEmptyText,
        "The judge decides that the reply is written in this language, such as fr or French",
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
        "Number of turns",
    ),
    field(
        "latency",
        Shape::Object(LATENCY),
        "Time from request to response of each reply: seconds, or 500ms, 2m",
    ),
    field(
        "tokens",
        Shape::Bounds,
        "Number of tokens used by the agent",
    ),
    field("cost", Shape::Bounds, "Cost of the agent"),
    field(
        "run",
        Shape::NonEmptyText,
        "Command that reads the conversation as JSON; exit code 0 passes",
    ),
    field(
        "ended",
        Shape::OneOrMany(&Shape::Choice(&ENDED)),
        "How the conversation ended; one of these",
    ),
    field(
        "anyOf",
        Shape::Many(&Shape::Check),
        "Checks of which one must pass",
    ),
    field("not", Shape::Check, "A check that must not pass"),
];

/// The options of checks, each with the conditions it belongs to.
pub const CHECK_OPTIONS: [(&str, &[&str]); 3] = [
    ("from", &["grounded"]),
    ("exact", &["calledInOrder"]),
    (
        "ignoreCase",
        &["contains", "notContains", "matches", "notMatches"],
    ),
];

/// One check, or a list of them.
pub(super) const CHECKS: Shape = Shape::OneOrMany(&Shape::Check);

/// The ends of conversations that ended by themselves.
pub const ENDED: [&str; 4] = ["script_end", "stop_condition", "goal_reached", "max_turns"];

/// The ends of conversations that an error ended, so that the test fails.
pub const ENDED_BY_ERROR: [&str; 5] = [
    "agent_error",
    "judge_error",
    "simulator_error",
    "timeout",
    "interrupted",
];

/// The fields that select results of a tool.
pub const RETURNED: &[Field] = &[
    field("tool", Shape::NonEmptyText, "The tool's name, or /ERE/"),
    field(
        "with",
        Shape::Any,
        "The result: a value, at least the entries of a mapping, or {matches}, {min}, {max}, {oneOf}, {equals}",
    ),
];

pub(super) const CALLS: Shape =
    Shape::OneOrMany(&Shape::Either(&Shape::NonEmptyText, &Shape::Object(CALL)));

/// The fields that select calls of a tool.
pub const CALL: &[Field] = &[
    field("tool", Shape::NonEmptyText, "The tool's name, or /ERE/"),
    field(
        "with",
        Shape::Mapping,
        "Arguments the call must have: values, or {matches}, {min}, {max}, {oneOf}, {equals}, {absent: true}",
    ),
    field(
        "times",
        Shape::Either(&Shape::Integer(1_000_000), &Shape::Bounds),
        "Number of calls (default: at least one)",
    ),
    field(
        "before",
        Shape::NonEmptyText,
        "All calls must be before the first call of this tool",
    ),
    field(
        "after",
        Shape::NonEmptyText,
        "All calls must be after the first call of this tool",
    ),
    field("failed", Shape::Bool, "Whether the call must have failed"),
];

/// Conditions that can be written in place of a value.
pub const PATTERN: &[Field] = &[
    field(
        "matches",
        Shape::NonEmptyText,
        "POSIX ERE that must match in the text",
    ),
    field("min", Shape::Number, "Minimum of a number"),
    field("max", Shape::Number, "Maximum of a number"),
    field("oneOf", Shape::Many(&Shape::Any), "One of these values"),
    field(
        "equals",
        Shape::Any,
        "Exactly this value, also if it is a mapping",
    ),
    field("absent", Shape::Bool, "true: the value must not exist"),
    field(
        "type",
        Shape::Choice(JsonType::NAMES),
        "JSON type of the value",
    ),
    field(
        "length",
        Shape::Either(&Shape::Integer(1_000_000_000), &Shape::Bounds),
        "Number of characters, elements or keys",
    ),
    field(
        "contains",
        Shape::Any,
        "Part of a string, or an element of a list",
    ),
];

/// A minimum, a maximum or both.
pub const BOUNDS: &[Field] = &[
    field("min", Shape::Number, "Minimum"),
    field("max", Shape::Number, "Maximum"),
];

/// A bound of a duration, which may be 0.
const TIME: Shape = Shape::Either(&Shape::Number, &Shape::Duration);

/// Bounds of the time that a reply takes, and of the time to its first token.
pub const LATENCY: &[Field] = &[
    field("min", TIME, "Minimum"),
    field("max", TIME, "Maximum"),
    field(
        "firstToken",
        Shape::Bounds,
        "Time from request to the first token of a streamed reply",
    ),
];
