//! The fields of conversation tests.

use super::agent::AGENT;
use super::{Field, Shape, concat, field};
use crate::assertion::ASSERTIONS;
use crate::model::agent::StopReason;
use crate::model::conversation::JsonType;

/// The fields of a model: of one role, or a member of a jury.
pub const MODEL: &[Field] = &concat::<{ MODEL_COMMON.len() + 1 }>(&[
    MODEL_COMMON,
    &[field(
        "user",
        Shape::List,
        "scripted: messages of the simulated user, in order",
    )],
]);

/// The fields of `llm`: those of a model, and the models of the two roles.
pub const LLM: &[Field] = &concat::<{ MODEL_COMMON.len() + 2 }>(&[
    MODEL_COMMON,
    &[
        field(
            "judge",
            Shape::Object(MODEL),
            "The model of the judge; its fields add to the others",
        ),
        field(
            "user",
            Shape::Either(&Shape::List, &Shape::Object(MODEL)),
            "The model of simulated users, whose fields add to the others; or, scripted, their messages in order",
        ),
    ],
]);

const MODEL_COMMON: &[Field] = &[
    field(
        "provider",
        Shape::Choice(&["anthropic", "openai", "scripted"]),
        "API of the model",
    ),
    field("model", Shape::NonEmptyText, "Model name"),
    field(
        "url",
        Shape::NonEmptyText,
        "URL, if not the provider's default",
    ),
    field(
        "keyEnv",
        Shape::NonEmptyText,
        "Environment variable that contains the API key",
    ),
    field(
        "headers",
        Shape::TextMap,
        "Further headers of every request",
    ),
    field(
        "temperature",
        Shape::Number,
        "Temperature, from 0 to 2 (default: 0 for the judge, 0.7 for simulated users)",
    ),
    field(
        "maxTokens",
        Shape::Count(1_000_000),
        "Maximum number of tokens of a response (default: 4096)",
    ),
    field("timeout", Shape::Duration, "Timeout of a response"),
    field(
        "concurrency",
        Shape::Count(1000),
        "Maximum number of concurrent requests",
    ),
    field(
        "requestsPerMinute",
        Shape::Count(1_000_000),
        "Maximum number of requests started per minute",
    ),
    field("price", Shape::Object(PRICE), "Price of a million tokens"),
    field(
        "verdicts",
        Shape::Each(&Shape::Either(&VERDICT, &Shape::Many(&VERDICT))),
        "scripted: verdicts by criterion; one for all requests, or a list with one per request",
    ),
    field(
        "topics",
        Shape::List,
        "scripted: topics recognized by the judge, in order",
    ),
];

const VERDICT: Shape = Shape::Either(
    &Shape::Choice(&["true", "false", "inconclusive"]),
    &Shape::Number,
);

/// The price of a million tokens.
pub const PRICE: &[Field] = &[
    field("input", Shape::Number, "Input tokens"),
    field("output", Shape::Number, "Output tokens"),
];

/// The settings of the judge.
pub const JUDGE: &[Field] = &[
    field(
        "votes",
        Shape::Count(99),
        "Number of votes; a strict majority decides (default: 1)",
    ),
    field(
        "self",
        Shape::Bool,
        "Whether the model under test may judge itself (default: false)",
    ),
    field(
        "models",
        Shape::Many(&Shape::Either(&Shape::NonEmptyText, &Shape::Object(MODEL))),
        "A jury: names of models, or mappings with the fields of a model",
    ),
    field(
        "agree",
        Shape::Choice(&["majority", "all"]),
        "How many votes must agree (default: majority)",
    ),
    field(
        "batch",
        Shape::Bool,
        "true: judge all criteria of a turn in one request",
    ),
];

/// The fields of a criterion.
pub const CRITERION: &[Field] = &[
    field(
        "description",
        Shape::NonEmptyText,
        "Meaning of the criterion, for the judge",
    ),
    field(
        "scale",
        Shape::Each(&Shape::NonEmptyText),
        "Score the reply: meanings of at least two numbers of the scale",
    ),
    field("score", Shape::Bool, "true: score the reply from 0 to 1"),
    field("good", SAMPLES, "Replies that meet the criterion"),
    field("bad", SAMPLES, "Replies that do not meet it"),
    field("edge", SAMPLES, "Edge cases, with their verdicts"),
];

/// A criterion with the score that it requires.
pub const SCORED: &[Field] = &[
    field(
        "criterion",
        Shape::NonEmptyText,
        "Name of a criterion with a score",
    ),
    field(
        "min",
        Shape::Number,
        "Minimum score, in the units of its scale",
    ),
];

const SAMPLES: Shape = Shape::Many(&Shape::Either(&Shape::NonEmptyText, &Shape::Object(SAMPLE)));

/// An example reply with its verdict.
pub const SAMPLE: &[Field] = &[
    field("text", Shape::NonEmptyText, "The reply"),
    field("why", Shape::NonEmptyText, "Reason for the verdict"),
    field(
        "verdict",
        Shape::Bool,
        "edge: whether the reply meets the criterion",
    ),
];

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
const CHECKS: Shape = Shape::OneOrMany(&Shape::Check);

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

const CALLS: Shape = Shape::OneOrMany(&Shape::Either(&Shape::NonEmptyText, &Shape::Object(CALL)));

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

/// What the conversations of a suite may spend.
pub const BUDGET_FIELD: Field = field(
    "budget",
    Shape::Object(BUDGET),
    "What all conversations may spend; when it is spent, the remaining tests are not run",
);

/// The largest number of tokens or requests of a budget.
pub const MAX_BUDGET: u32 = u32::MAX;

/// The limits of a budget.
pub const BUDGET: &[Field] = &[
    field(
        "cost",
        Shape::Number,
        "Cost of agent, judge and simulated user",
    ),
    field(
        "tokens",
        Shape::Count(MAX_BUDGET),
        "Input and output tokens",
    ),
    field(
        "calls",
        Shape::Count(MAX_BUDGET),
        "Replies of the agent, and requests to the judge and the simulated user",
    ),
];

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
