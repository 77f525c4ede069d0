//! Fields of the user: scripted turns, earlier messages, and a simulated user.

use super::check::CHECKS;
use crate::fields::{Field, Shape, field};
use crate::model::agent::StopReason;

/// The fields of a simulated user.
pub const SIMULATION: &[Field] = &[
    field("goal", Shape::NonEmptyText, "Goal of the user"),
    field("role", Shape::NonEmptyText, "Role of the user"),
    field("personality", Shape::Texts, "Traits of the user"),
    field("context", Shape::Texts, "Facts the user knows"),
    field("rules", Shape::Object(RULES), "Rules the user follows"),
    field(
        "maxTurns",
        Shape::Count(1000),
        "Maximum number of turns, without those of a script (default: 15)",
    ),
    field(
        "stopWhen",
        CHECKS,
        "End the conversation when any of these checks passes after a reply",
    ),
];

/// The rules a simulated user follows.
pub const RULES: &[Field] = &[
    field("should", Shape::Texts, "Behavior the user should show"),
    field("shouldNot", Shape::Texts, "Behavior the user should avoid"),
];

/// The fields of a turn of a scripted user.
pub const TURN: &[Field] = &[
    field(
        "user",
        Shape::Either(&Shape::NonEmptyText, &Shape::Object(MESSAGE)),
        "Message of the user: text, or {text, files}",
    ),
    field(
        "expect",
        CHECKS,
        "Checks after the reply; a failure ends the conversation",
    ),
    field(
        "evaluate",
        CHECKS,
        "Checks after the reply; failures are only recorded",
    ),
    ALLOW,
    field(
        "capture",
        Shape::Each(&Shape::Either(
            &Shape::NonEmptyText,
            &Shape::Object(TURN_CAPTURE),
        )),
        "Values for later turns, by name: a POSIX ERE for the reply, {tool, pointer} or {tool, argument}",
    ),
];

/// The fields of a message with files.
pub const MESSAGE: &[Field] = &[
    field("text", Shape::NonEmptyText, "Text of the message"),
    field(
        "files",
        Shape::Texts,
        "Images and PDF files, relative to the suite's directory; for the agents openai and anthropic",
    ),
];

/// The fields of a value that a turn captures.
pub const TURN_CAPTURE: &[Field] = &[
    field(
        "matches",
        Shape::NonEmptyText,
        "POSIX ERE for the reply: the first group, or the whole match",
    ),
    field(
        "tool",
        Shape::NonEmptyText,
        "Name of a called tool, or /ERE/; its last call counts",
    ),
    field("pointer", Shape::Text, "tool: JSON Pointer into the result"),
    field(
        "argument",
        Shape::Text,
        "tool: JSON Pointer into the arguments",
    ),
    field("secret", Shape::Bool, "Redact the value everywhere"),
];

/// The fields of an earlier message.
pub const HISTORY: &[Field] = &[
    field(
        "role",
        Shape::Choice(&["user", "assistant", "tool"]),
        "Who wrote the message",
    ),
    field(
        "content",
        Shape::Any,
        "Text of the message; of a tool, its result, which may be any value",
    ),
    field(
        "toolCalls",
        Shape::Many(&Shape::Object(HISTORY_CALL)),
        "assistant: the calls of tools",
    ),
    field(
        "tool",
        Shape::NonEmptyText,
        "tool: name of the tool, which the message before must have called",
    ),
];

/// The fields of a call of a tool in an earlier message.
pub const HISTORY_CALL: &[Field] = &[
    field("tool", Shape::NonEmptyText, "The tool's name"),
    field("arguments", Shape::Mapping, "Arguments of the call"),
    field(
        "result",
        Shape::Any,
        "Result of the call; or write it as a message with role tool",
    ),
];

/// The replies that are allowed although they are not complete.
const ALLOW: Field = field(
    "allow",
    Shape::OneOrMany(&Shape::Choice(StopReason::ALLOWED)),
    "Incomplete replies that do not fail the turn: refusal, filter, cut",
);
