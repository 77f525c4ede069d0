//! Labels: verdicts of people, as lines of JSON.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

/// A verdict of a person on one criterion of a recorded conversation.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Label {
    /// The stable id, the id or the name of the test.
    pub example: String,
    /// The number of the turn; `None` for the whole conversation.
    #[serde(default)]
    pub turn: Option<u64>,
    /// The name of the criterion.
    pub criterion: String,
    /// The verdict.
    pub verdict: Verdict,
    /// Who gave it.
    #[serde(default)]
    pub by: Option<String>,
    /// Why.
    #[serde(default)]
    pub comment: Option<String>,
    /// The line in the file.
    #[serde(skip)]
    pub line: usize,
}

/// A verdict, by a person or by the judge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// The criterion is satisfied.
    Passed,
    /// It is not.
    Failed,
    /// It cannot be decided.
    Inconclusive,
}

impl Verdict {
    /// All verdicts, in the order of the matrix.
    pub const ALL: [Verdict; 3] = [Verdict::Passed, Verdict::Failed, Verdict::Inconclusive];

    /// The verdict with this name.
    pub fn of(name: &str) -> Option<Verdict> {
        Verdict::ALL
            .into_iter()
            .find(|verdict| verdict.name() == name)
    }

    /// The name in records and labels.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Passed => "passed",
            Verdict::Failed => "failed",
            Verdict::Inconclusive => "inconclusive",
        }
    }
}

/// A line that is not a label, or a label that belongs to no verdict.
#[derive(Debug, PartialEq, Eq)]
pub struct InvalidLabel {
    /// The line in the file.
    pub line: usize,
    /// What is wrong, and what to do.
    pub problem: String,
}

/// A correct label, for messages.
const EXAMPLE: &str =
    r#"{"example": "books a room", "turn": 1, "criterion": "friendly", "verdict": "passed"}"#;

/// What others call the example.
const EXAMPLE_FIELDS: [&str; 4] = ["conversation", "test", "name", "id"];

/// Why a line is not a label, without the words of the parser where they say little.
fn reason(text: &str, error: &serde_json::Error) -> String {
    let Ok(value) = serde_json::from_str::<serde_json::Value>(text) else {
        return "it is not JSON".to_owned();
    };
    let Some(fields) = value.as_object() else {
        return "it is not an object; write one JSON object per line".to_owned();
    };
    if !fields.contains_key("example")
        && let Some(name) = EXAMPLE_FIELDS
            .iter()
            .find(|name| fields.contains_key(**name))
    {
        return format!("unknown field `{name}`; did you mean `example`?");
    }
    match value.get("verdict") {
        Some(verdict) if verdict.as_str().and_then(Verdict::of).is_none() => {
            format!("`verdict` must be passed, failed or inconclusive, not {verdict}")
        }
        _ => {
            let error = error.to_string();
            error
                .split(" at line")
                .next()
                .unwrap_or_default()
                .to_owned()
        }
    }
}

/// Reads labels, one per line. Empty lines are ignored.
pub fn read_labels(text: &str) -> Result<Vec<Label>, Vec<InvalidLabel>> {
    if text.trim_start().starts_with('[') {
        let line = text
            .lines()
            .take_while(|line| line.trim().is_empty())
            .count()
            + 1;
        let problem = format!(
            "the labels are in a list; write one JSON object per line, without `[`, `]` and commas between them: {EXAMPLE}"
        );
        return Err(vec![InvalidLabel { line, problem }]);
    }
    let (mut labels, mut invalid) = (Vec::new(), Vec::new());
    let mut seen = HashMap::new();
    let lines = text.lines().zip(1..);
    for (text, line) in lines.filter(|(text, _)| !text.trim().is_empty()) {
        let label = serde_json::from_str::<Label>(text);
        let label = label.map_err(|error| {
            let why = reason(text, &error);
            format!("not a valid label: {why}; a label looks like {EXAMPLE}")
        });
        let label = label.and_then(|label| {
            let case = (
                label.example.clone(),
                label.turn,
                label.criterion.clone(),
                label.by.clone(),
            );
            match seen.insert(case, line) {
                Some(first) => Err(format!("line {first} labels the same; remove one of them")),
                None => Ok(Label { line, ..label }),
            }
        });
        match label {
            Ok(label) => labels.push(label),
            Err(problem) => invalid.push(InvalidLabel { line, problem }),
        }
    }
    if invalid.is_empty() {
        Ok(labels)
    } else {
        Err(invalid)
    }
}
