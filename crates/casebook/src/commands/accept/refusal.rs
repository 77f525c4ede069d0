//! Why a value is not accepted.

use casebook_record::ExampleData;
use casebook_record::REDACTED;
use casebook_record::model::EvaluationData;
use serde_json::Value;

/// Why a value is not accepted.
#[derive(Debug, thiserror::Error)]
pub(super) enum Reason {
    #[error(transparent)]
    InSuite(#[from] casebook_suite::accept::Refusal),
    #[error("it was edited after the run; run it again, then accept")]
    SuiteChanged,
    #[error("the record does not say which version of the suite was run; run it again")]
    UnknownVersion,
    #[error("no actual value to write: {0}")]
    NoValue(String),
    #[error("the record has only an excerpt of the output, because it is long; change it by hand")]
    Excerpt,
    #[error("the output was truncated by --max-output; run the test again with a higher limit")]
    OverLimit,
    #[error(
        "the output contains a secret that was redacted; check a part without it, as with outputContains"
    )]
    Redacted,
    #[error(
        "the output contains a secret that was redacted; `casebook run --update` writes a snapshot without it"
    )]
    RedactedSnapshot,
    #[error("the output is not valid UTF-8, or contains characters that a suite cannot contain")]
    NotUtf8,
    #[error(
        "the attempts of the test had different results; run it again when its output is stable"
    )]
    Unstable,
    #[error("the command failed: {0}; fix that first, or change `exitCode`")]
    CommandFailed(String),
    #[error("the tests that share it have different results: {}", .0.join(", "))]
    Disagreement(Vec<String>),
    #[error("other tests share it and did not run: {}", .0.join(", "))]
    NotRun(Vec<String>),
    #[error("its assertion is not in the suite; run it again")]
    NoAssertion,
    #[error("{0}")]
    Edited(String),
}

/// The actual value of a failed expectation, if it may be written.
pub(super) fn actual<'e>(
    example: &ExampleData,
    evaluation: &'e EvaluationData,
) -> Result<&'e Value, Reason> {
    let metadata = &evaluation.metadata;
    let is_set = |key: &str| metadata.get(key) == Some(&Value::Bool(true));
    if let Some(failure) = failed_exit(example) {
        return Err(Reason::CommandFailed(failure));
    }
    let Some(actual) = metadata.get("actual") else {
        let message = evaluation.failure_message.clone();
        return Err(Reason::NoValue(message.unwrap_or_default()));
    };
    if is_over_limit(example, evaluation) && metadata.get("stream").is_some() {
        Err(Reason::OverLimit)
    } else if is_set("actual_truncated") {
        Err(Reason::Excerpt)
    } else if contains(actual, REDACTED) {
        Err(match comparison(evaluation) {
            Some("snapshot") => Reason::RedactedSnapshot,
            _ => Reason::Redacted,
        })
    } else if NOT_TEXT.iter().any(|part| contains(actual, part)) {
        Err(Reason::NotUtf8)
    } else if is_unstable(example, evaluation, actual) {
        Err(Reason::Unstable)
    } else {
        Ok(actual)
    }
}

/// The replacement of invalid bytes, and the characters that mark captured values in a checked suite.
const NOT_TEXT: [&str; 3] = ["\u{fffd}", "\u{fdd0}", "\u{fdd1}"];

/// Whether the command, or that of the step, wrote more than was kept.
fn is_over_limit(example: &ExampleData, evaluation: &EvaluationData) -> bool {
    let turns = example.conversation.iter().flat_map(|all| &all.turns);
    let mut turns = turns.filter(|turn| Some(turn.number) == evaluation.turn_number);
    let response = turns.find_map(|turn| turn.agent_response.as_ref());
    let metadata = response.map_or(&example.metadata, |response| &response.metadata);
    metadata.dig("command.over_limit") == Some(&Value::Bool(true))
}

/// Why the command's exit code is wrong: then its output is most likely an error message.
fn failed_exit(example: &ExampleData) -> Option<String> {
    let mut failed = example.evaluations.iter().filter(|one| !one.passed);
    let exit = failed.find(|one| comparison(one) == Some("exit_code"))?;
    Some(exit.failure_message.clone().unwrap_or_default())
}

/// The kind of comparison in the record.
pub(super) fn comparison(evaluation: &EvaluationData) -> Option<&str> {
    evaluation.metadata.get("comparison")?.as_str()
}

/// Whether a string in the value contains this text.
fn contains(value: &Value, part: &str) -> bool {
    match value {
        Value::String(text) => text.contains(part),
        Value::Array(values) => values.iter().any(|value| contains(value, part)),
        Value::Object(fields) => fields
            .iter()
            .any(|(key, value)| key.contains(part) || contains(value, part)),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

/// Whether an earlier attempt passed, or had another actual value.
fn is_unstable(example: &ExampleData, evaluation: &EvaluationData, actual: &Value) -> bool {
    let line = evaluation.metadata.get("line");
    example.attempts().iter().any(|attempt| {
        let evaluations = attempt["evaluations"].as_array();
        let mut same = evaluations.into_iter().flatten().filter(|one| {
            one["type"].as_str() == evaluation.r#type.as_deref()
                && one.pointer("/metadata/line") == line
                && one.pointer("/metadata/pointer") == evaluation.metadata.get("pointer")
                && one.pointer("/metadata/path") == evaluation.metadata.get("path")
        });
        attempt["status"] == "passed"
            || same.any(|one| one.pointer("/metadata/actual") != Some(actual))
    })
}
