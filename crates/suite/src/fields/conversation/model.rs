//! Fields of models: `llm`, `judge` and `budget`.

use crate::fields::{Field, Shape, concat, field};

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
