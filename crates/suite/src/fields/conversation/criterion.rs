//! Fields of criteria, their scores and their examples.

use crate::fields::{Field, Shape, field};

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
