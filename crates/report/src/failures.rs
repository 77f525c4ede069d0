//! All failures of a test: failed assertions and checks, a failed hook, and the exception.

use std::borrow::Cow;

use casebook_record::event::EvaluationRecorded;
use casebook_record::model::EvaluationData;
use casebook_record::{ExampleData, Metadata};
use serde::Serialize;
use serde_json::Value;

use crate::examples::{failed_at, split_location};

/// One failure of a test.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Failure<'r> {
    pub(crate) r#type: Option<Cow<'r, str>>,
    pub(crate) message: Option<Cow<'r, str>>,
    pub(crate) file: Cow<'r, str>,
    pub(crate) line: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) expected: Option<Cow<'r, Value>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) actual: Option<Cow<'r, Value>>,
}

/// The end of a failed test, from its event or from its record.
pub(crate) struct FailedEnd<'r> {
    pub(crate) class: Option<&'r str>,
    pub(crate) message: Option<&'r str>,
    pub(crate) location: &'r str,
    pub(crate) metadata: &'r Metadata,
}

/// All failures of a recorded test. Soft checks are not included.
pub(crate) fn of(example: &ExampleData) -> Vec<Failure<'_>> {
    let exception = example.exception.as_ref();
    let end = FailedEnd {
        class: exception.and_then(|exception| exception.class_name.as_deref()),
        message: exception.and_then(|exception| exception.message.as_deref()),
        location: failed_at(example),
        metadata: &example.metadata,
    };
    complete(checks(example, false).collect(), &end)
}

/// The failed soft or hard checks of a recorded test.
pub(crate) fn checks(example: &ExampleData, soft: bool) -> impl Iterator<Item = Failure<'_>> {
    let evaluations = example.evaluations.iter();
    evaluations
        .filter(move |one| !one.passed && (one.mode.as_deref() == Some("soft")) == soft)
        .map(|evaluation| check(example, evaluation))
}

fn check<'r>(example: &'r ExampleData, evaluation: &'r EvaluationData) -> Failure<'r> {
    let metadata = &evaluation.metadata;
    let message = evaluation.failure_message.as_deref();
    Failure {
        r#type: evaluation.r#type.as_deref().map(Cow::Borrowed),
        message: Some(message.unwrap_or(&evaluation.description).into()),
        expected: metadata.get("expected").map(Cow::Borrowed),
        actual: metadata.get("actual").map(Cow::Borrowed),
        ..Failure::at(metadata, &example.location)
    }
}

/// The failure of a hard check during the run; `None` if it passed or is soft.
pub(crate) fn recorded_check(
    event: &EvaluationRecorded,
    location: &str,
) -> Option<Failure<'static>> {
    if event.passed || event.mode.as_deref() == Some("soft") {
        return None;
    }
    let value = |key: &str| event.metadata.get(key).cloned().map(Cow::Owned);
    let message = event.failure_message.as_ref();
    let Failure { file, line, .. } = Failure::at(&event.metadata, location);
    Some(Failure {
        r#type: event.r#type.clone().map(Cow::Owned),
        message: Some(message.unwrap_or(&event.description).clone().into()),
        file: file.into_owned().into(),
        line,
        expected: value("expected"),
        actual: value("actual"),
    })
}

/// Adds the failed hook, and the exception if no other failure has its message.
pub(crate) fn complete<'r>(
    mut failures: Vec<Failure<'r>>,
    end: &FailedEnd<'r>,
) -> Vec<Failure<'r>> {
    let hook = end.metadata.dig("hook.message").and_then(Value::as_str);
    if let (Some(message), Some(hook)) = (hook, end.metadata.get("hook")) {
        failures.push(Failure {
            r#type: hook.get("name").and_then(Value::as_str).map(class_of),
            message: Some(message.into()),
            file: hook
                .get("file")
                .and_then(Value::as_str)
                .unwrap_or_default()
                .into(),
            line: hook.get("line").and_then(Value::as_u64),
            expected: None,
            actual: None,
        });
    }
    let is_known = failures.iter().any(|failure| {
        let known = failure.message.as_deref().and_then(first_line);
        match (known, end.message.and_then(first_line)) {
            (Some(known), Some(message)) => message.contains(known) || known.contains(message),
            (_, None) => true,
            (None, _) => false,
        }
    });
    if !is_known {
        failures.push(Failure {
            r#type: end.class.map(Cow::Borrowed),
            message: end.message.map(Cow::Borrowed),
            ..Failure::at(&Metadata::new(), end.location)
        });
    }
    failures
}

/// The class of a test that failed only because of this hook.
fn class_of(hook: &str) -> Cow<'static, str> {
    if hook.starts_with("teardown") {
        "Casebook::TeardownFailed".into()
    } else {
        "Casebook::SetupFailed".into()
    }
}

fn first_line(text: &str) -> Option<&str> {
    text.trim().lines().next()
}

impl<'r> Failure<'r> {
    /// The location in the metadata, or that of the test.
    fn at(metadata: &Metadata, location: &'r str) -> Failure<'r> {
        let (file, line) = split_location(location);
        let own = metadata.get("file").and_then(Value::as_str);
        Failure {
            r#type: None,
            message: None,
            file: own.map_or(file.into(), |own| own.to_owned().into()),
            line: metadata.get("line").and_then(Value::as_u64).or(line),
            expected: None,
            actual: None,
        }
    }
}
