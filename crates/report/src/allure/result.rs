//! The result file of one attempt.

use casebook_record::model::EvaluationData;
use casebook_record::{ExampleData, hex_of_sha256};
use serde::Serialize;
use serde_json::{Value, json};

use super::attachment::Attachment;
use crate::examples::groups;
use crate::locks;
use crate::terminal::{self, failure_text};
use crate::test_row::{RowStatus, TestRow};

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct TestResult<'a> {
    uuid: &'a str,
    /// The same for all attempts at a test, and in all runs.
    history_id: String,
    test_case_id: String,
    full_name: &'a str,
    title_path: Vec<&'a str>,
    name: &'a str,
    status: &'static str,
    status_details: StatusDetails<'a>,
    stage: &'static str,
    start: i64,
    stop: i64,
    labels: Vec<Value>,
    steps: Vec<Value>,
    attachments: &'a [Attachment],
}

#[derive(Serialize)]
struct StatusDetails<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    trace: Option<String>,
    flaky: bool,
}

/// The result of one attempt at an example.
pub(super) fn of<'a>(
    example: &'a ExampleData,
    attempt: &'a ExampleData,
    uuid: &'a str,
    attachments: &'a [Attachment],
) -> TestResult<'a> {
    let row = TestRow::of(attempt);
    let id = example.stable_id.as_deref().unwrap_or(&example.id);
    let history_id = hex_of_sha256(id.as_bytes(), 32);
    TestResult {
        uuid,
        test_case_id: history_id.clone(),
        history_id,
        full_name: example.title(),
        title_path: groups(example).map_or_else(Vec::new, |groups| groups.split("::").collect()),
        name: row.name,
        status: status(attempt, &row),
        status_details: StatusDetails {
            message: row.message,
            trace: (row.status == RowStatus::Failed)
                .then(|| failure_text(attempt, &terminal::Options::default())),
            flaky: row.is_flaky,
        },
        stage: "finished",
        start: row.started_at.as_millis(),
        stop: row.stop_millis(),
        labels: labels(example, &row),
        steps: attempt.evaluations.iter().map(step).collect(),
        attachments,
    }
}

/// Allure distinguishes tests whose assertions failed from those that could not be checked.
fn status(attempt: &ExampleData, row: &TestRow<'_>) -> &'static str {
    match row.status {
        RowStatus::Failed if is_assertion(attempt, row) => "failed",
        RowStatus::Failed => "broken",
        RowStatus::Unfinished => "unknown",
        known => known.name(),
    }
}

/// Whether a condition of the test is not met, in Casebook or in another runner whose results were recorded.
fn is_assertion(attempt: &ExampleData, row: &TestRow<'_>) -> bool {
    const CLASSES: [&str; 4] = [
        "AssertionFailed",
        "UnexpectedPass",
        "ExpectationNotMetError",
        "AssertionError",
    ];
    let mut checks = attempt.evaluations.iter();
    let is_hard = |check: &EvaluationData| check.mode.as_deref() != Some("soft");
    checks.any(|check| !check.passed && is_hard(check))
        || row
            .failure_class
            .is_none_or(|class| CLASSES.iter().any(|known| class.ends_with(known)))
}

fn labels(example: &ExampleData, row: &TestRow<'_>) -> Vec<Value> {
    let label = |name: &str, value: &str| json!({"name": name, "value": value});
    let tags = example.metadata.get("tags").and_then(Value::as_array);
    let tags = tags.into_iter().flatten().filter_map(Value::as_str);
    let locks = locks::names(&example.metadata);
    let known = [
        ("framework", Some("casebook")),
        ("suite", row.suite.or(groups(example)).or(Some(row.file))),
        ("package", Some(row.file)),
    ];
    known
        .into_iter()
        .filter_map(|(name, value)| Some(label(name, value.filter(|text| !text.is_empty())?)))
        .chain(tags.map(|tag| label("tag", tag)))
        .chain(locks.iter().map(|lock| label("lock", lock)))
        .collect()
}

/// A checked condition.
fn step(check: &EvaluationData) -> Value {
    let time = check.timestamp.as_millis();
    json!({
        "name": check.description,
        "status": if check.passed { "passed" } else { "failed" },
        "stage": "finished",
        "start": time,
        "stop": time,
        "statusDetails": {"message": check.failure_message},
    })
}
