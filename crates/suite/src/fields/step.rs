//! The fields of steps.

use super::terminal::TERMINAL;
use super::{Field, IGNORE_CASE, Shape, TEST_ASSERTIONS, concat, field};

/// The fields of a step.
pub const STEP: &[Field] = &concat::<
    { STEP_ONLY.len() + 1 + TERMINAL.len() + TEST_ASSERTIONS.len() },
>(&[STEP_ONLY, &[EVENTUALLY], &TERMINAL, &TEST_ASSERTIONS]);

const STEP_ONLY: &[Field] = &[
    field("name", Shape::NonEmptyText, "Name of the step"),
    field("command", Shape::NonEmptyText, "Command, run with bash -c"),
    field(
        "stdin",
        Shape::Text,
        "Standard input of the command (default: empty)",
    ),
    field("env", Shape::TextMap, "Environment variables of this step"),
    field(
        "workdir",
        Shape::NonEmptyText,
        "Working directory of the command, relative to the suite's directory",
    ),
    IGNORE_CASE,
    field(
        "timeout",
        Shape::Duration,
        "Timeout of the step: seconds, or 500ms, 2m",
    ),
    field(
        "capture",
        Shape::Each(&Shape::Either(&Shape::Text, &Shape::Object(CAPTURE_SOURCE))),
        "Values for later steps: a JSON Pointer, output, stdout, stderr, exitCode, or a mapping",
    ),
];

/// The steps of a test.
pub const STEPS: Field = field(
    "steps",
    Shape::Many(&Shape::Object(STEP)),
    "Commands, run one after another until one fails",
);

/// Runs a command again until its assertions pass.
pub const EVENTUALLY: Field = field(
    "eventually",
    Shape::Object(EVENTUALLY_FIELDS),
    "Run the command again until its assertions pass",
);

/// The fields of `eventually`.
pub const EVENTUALLY_FIELDS: &[Field] = &[
    field("within", Shape::Duration, "Time for all attempts"),
    field(
        "every",
        Shape::Duration,
        "Pause between attempts (default: 200ms)",
    ),
];

/// The fields of a captured value.
pub const CAPTURE_SOURCE: &[Field] = &[
    field("json", Shape::Text, "JSON Pointer into standard output"),
    field(
        "matches",
        Shape::NonEmptyText,
        "POSIX ERE: the first group, or the whole match",
    ),
    field(
        "line",
        Shape::Number,
        "Number of a line; negative numbers count from the end",
    ),
    field(
        "file",
        Shape::NonEmptyText,
        "Path of a file, relative to the working directory",
    ),
    field(
        "stream",
        Shape::Choice(&["output", "stdout", "stderr"]),
        "The stream of matches and line; alone: the whole stream",
    ),
    field("secret", Shape::Bool, "Redact the value everywhere"),
];
