//! The fields of the agent under test.

use super::conversation::PRICE;
use super::{Field, Shape, field};

/// The kinds of agents; a suite has exactly one of them.
pub const AGENT: &[Field] = &[
    field(
        "command",
        Shape::NonEmptyText,
        "Command, run with bash -c for each conversation; it exchanges JSON lines with Casebook",
    ),
    field(
        "http",
        Shape::Object(HTTP),
        "HTTP server; by default it exchanges the same JSON objects",
    ),
    field(
        "openai",
        Shape::Object(OPENAI),
        "Chat-completions endpoint: an agent, or a model with tools",
    ),
    field(
        "anthropic",
        Shape::Object(ANTHROPIC),
        "Endpoint of the Anthropic Messages API: a model, with tools if there are any",
    ),
];

const HEADERS: Field = field("headers", Shape::TextMap, "Headers of every request");
const TIMEOUT: Field = field("timeout", Shape::Duration, "Timeout of a response");
const RETRY_FIELD: Field = field(
    "retry",
    Shape::Object(RETRY),
    "Which responses are retried; by default only 429 and 503 with Retry-After",
);

/// Which responses are retried.
pub const RETRY: &[Field] = &[
    field(
        "times",
        Shape::Integer(100),
        "Maximum number of retries; 0 retries nothing",
    ),
    field(
        "on",
        Shape::Many(&Shape::Integer(599)),
        "Statuses that are retried (default: 429 and 503)",
    ),
];

/// The fields of an HTTP agent.
pub const HTTP: &[Field] = &[
    field(
        "url",
        Shape::NonEmptyText,
        "URL that requests are sent to; may contain {{conversation.id}}",
    ),
    field(
        "method",
        Shape::Choice(&["POST", "PUT", "PATCH"]),
        "Method of requests (default: POST)",
    ),
    HEADERS,
    field(
        "body",
        Shape::Either(&Shape::Mapping, &Shape::NonEmptyText),
        "Body of a request: a mapping, sent as JSON, or text; {{message}} is the user's message, {{messages}} the list of all",
    ),
    field(
        "response",
        Shape::Object(RESPONSE),
        "Where the reply is in a response",
    ),
    field(
        "stream",
        Shape::Choice(&["sse", "none"]),
        "sse: the response consists of server-sent events (default: none)",
    ),
    field(
        "example",
        Shape::Any,
        "A response of the agent, to check the pointers in response; a list of events with stream: sse",
    ),
    TIMEOUT,
    RETRY_FIELD,
];

/// Where the reply is in a response of an HTTP agent: JSON Pointers.
pub const RESPONSE: &[Field] = &[
    field("text", Shape::Text, "JSON Pointer to the text of the reply"),
    field(
        "toolCalls",
        Shape::Text,
        "JSON Pointer to the list of tool calls",
    ),
    field(
        "name",
        Shape::Text,
        "JSON Pointer to the name within a tool call (default: /name)",
    ),
    field(
        "arguments",
        Shape::Text,
        "JSON Pointer to the arguments within a tool call (default: /arguments)",
    ),
    field(
        "tokens",
        Shape::Either(&Shape::Text, &Shape::Object(TOKENS)),
        "JSON Pointer to the number of tokens, or to {input, output}",
    ),
    field("cost", Shape::Text, "JSON Pointer to the cost"),
];

/// Pointers to the numbers of tokens.
pub const TOKENS: &[Field] = &[
    field(
        "input",
        Shape::Text,
        "JSON Pointer to the number of input tokens",
    ),
    field(
        "output",
        Shape::Text,
        "JSON Pointer to the number of output tokens",
    ),
];

const MODEL: Field = field("model", Shape::NonEmptyText, "Model name");
const SYSTEM: Field = field("system", Shape::Text, "System prompt");
const MAX_TOKENS: Field = field(
    "maxTokens",
    Shape::Count(1_000_000),
    "Maximum number of tokens of a response",
);
const PRICE_FIELD: Field = field(
    "price",
    Shape::Object(PRICE),
    "Price of a million tokens, if the server reports no cost",
);
const TOOLS: Field = field(
    "tools",
    Shape::Many(&Shape::Object(TOOL)),
    "Tools that the model can call, with their results",
);
const MAX_TOOL_ROUNDS: Field = field(
    "maxToolRounds",
    Shape::Count(100),
    "How often per turn the results of tools are sent to the model (default: 8)",
);

/// The fields of a chat-completions agent.
pub const OPENAI: &[Field] = &[
    field(
        "url",
        Shape::NonEmptyText,
        "Base URL; /chat/completions is appended",
    ),
    MODEL,
    SYSTEM,
    HEADERS,
    TIMEOUT,
    RETRY_FIELD,
    field(
        "stream",
        Shape::Bool,
        "true: responses are streamed, so that the time to the first token is known",
    ),
    MAX_TOKENS,
    PRICE_FIELD,
    TOOLS,
    MAX_TOOL_ROUNDS,
];

/// The fields of a model with the Anthropic Messages API.
pub const ANTHROPIC: &[Field] = &[
    field(
        "url",
        Shape::NonEmptyText,
        "Base URL; /v1/messages is appended",
    ),
    MODEL,
    SYSTEM,
    HEADERS,
    TIMEOUT,
    RETRY_FIELD,
    MAX_TOKENS,
    PRICE_FIELD,
    TOOLS,
    MAX_TOOL_ROUNDS,
];

/// The fields of a tool that Casebook provides to a model.
pub const TOOL: &[Field] = &[
    field("name", Shape::NonEmptyText, "Name of the tool"),
    field("description", Shape::Text, "Description, for the model"),
    field(
        "parameters",
        Shape::Mapping,
        "JSON Schema of the arguments (default: no arguments)",
    ),
    field(
        "result",
        Shape::Any,
        "Result of a call: a value, a list with one result per call, {run: COMMAND} or {error: TEXT}",
    ),
];

/// The forms of a tool's result that are not values.
pub const TOOL_RESULT: &[Field] = &[
    field(
        "run",
        Shape::NonEmptyText,
        "Command that reads the arguments as JSON and writes the result",
    ),
    field(
        "error",
        Shape::NonEmptyText,
        "Error message of a failed call",
    ),
];
