//! [`Review`]: a person's verdict about a judged criterion, as `reviews.jsonl` next to the record keeps it.
//!
//! Each line is a label as `casebook judge --calibrate` reads it. Reviews never change the recorded results.

use std::fs;
use std::path::Path;

use casebook_record::Redactor;
use serde::{Deserialize, Serialize};

use crate::calibration::Verdict;

/// The file's name.
pub const FILE: &str = "reviews.jsonl";

/// A person's verdict about one criterion.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Review {
    /// The stable id or the id of the test.
    pub example: String,
    /// The number of the turn; `None` for the whole conversation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<u64>,
    /// The name of the criterion.
    pub criterion: String,
    /// The verdict.
    pub verdict: Verdict,
    /// Who gave it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// Why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
}

/// The reviews of the run in this directory. A line that is not a review is left out.
pub fn read(dir: &Path, redactor: &Redactor) -> Vec<Review> {
    let text = fs::read_to_string(dir.join(FILE)).unwrap_or_default();
    let reviews = text
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok());
    reviews
        .map(|review: Review| Review {
            comment: review.comment.map(|comment| redactor.text(&comment)),
            ..review
        })
        .collect()
}
