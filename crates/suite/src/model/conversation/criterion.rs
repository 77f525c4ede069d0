//! [`Criterion`]: what a judge grades replies by.

/// A named criterion that the judge grades replies by.
#[derive(Debug, Clone, PartialEq)]
pub struct Criterion {
    /// Its name in checks.
    pub name: String,
    /// Its meaning, for the judge.
    pub description: String,
    /// Example replies with their verdicts.
    pub examples: Vec<Sample>,
    /// The scale of its scores; `None` if it passes or fails.
    pub scale: Option<Scale>,
}

/// The scale of a criterion's scores.
#[derive(Debug, Clone, PartialEq)]
pub struct Scale {
    /// The lowest score.
    pub min: f64,
    /// The highest score.
    pub max: f64,
    /// The meanings of scores, lowest first.
    pub anchors: Vec<(f64, String)>,
}

/// An example reply with its verdict.
#[derive(Debug, Clone, PartialEq)]
pub struct Sample {
    /// The reply.
    pub text: String,
    /// Whether it meets the criterion.
    pub passes: bool,
    /// Whether it is an edge case.
    pub edge: bool,
    /// The reason for its verdict.
    pub why: Option<String>,
}
