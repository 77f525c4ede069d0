//! Examples that neither passed nor failed plainly, with the reason: pending, flaky, still running.

use std::io;

use casebook_record::{ExampleData, RunData, Status};
use serde_json::Value;

use super::page::Page;
use super::style::{DIM, LOCATION, PLAIN, mark};
use super::text::elide_to;
use super::title::title;
use super::value::text_at;

/// Examples listed of each kind.
const LISTED: usize = 10;
/// Characters of a reason.
const MAX_REASON: usize = 200;

/// Lists pending, flaky and running examples.
pub(super) fn show_all(page: &mut Page, run: &RunData, counts_tests: bool) -> io::Result<()> {
    let with_status = |status| move |example: &ExampleData| example.status == status;
    show(
        page,
        run,
        if counts_tests { "Skipped" } else { "Pending" },
        with_status(Status::Pending),
        |example| {
            text_at(&example.metadata, "pending_message")
                .into_iter()
                .collect()
        },
    )?;
    show(page, run, "Flaky", ExampleData::is_flaky, attempts)?;
    show(
        page,
        run,
        "Still running",
        with_status(Status::Running),
        |_| Vec::new(),
    )
}

fn show(
    page: &mut Page,
    run: &RunData,
    heading: &str,
    belongs: impl Fn(&ExampleData) -> bool,
    reasons: impl Fn(&ExampleData) -> Vec<String>,
) -> io::Result<()> {
    let examples: Vec<_> = run.examples.values().filter(|e| belongs(e)).collect();
    if examples.is_empty() {
        return Ok(());
    }
    page.heading(heading)?;
    for example in examples.iter().take(LISTED) {
        let title = title(run, example);
        let mut spans = vec![mark(example), (PLAIN, title.as_str())];
        if !example.location.is_empty() {
            spans.extend([(DIM, " · "), (LOCATION, example.location.as_str())]);
        }
        page.paragraph(0, 2, &spans)?;
        for reason in reasons(example) {
            page.paragraph(2, 2, &[(DIM, &elide_to(reason.trim(), MAX_REASON))])?;
        }
    }
    match examples.len().saturating_sub(LISTED) {
        0 => Ok(()),
        hidden => page.row(0, &[(DIM, &format!("… and {hidden} more"))]),
    }
}

/// Why each earlier attempt failed.
fn attempts(example: &ExampleData) -> Vec<String> {
    let attempts = example.attempts();
    attempts
        .iter()
        .take(LISTED)
        .enumerate()
        .map(|(index, attempt)| format!("attempt {}: {}", index + 1, failure_of(attempt)))
        .chain([format!("attempt {}: passed", attempts.len() + 1)])
        .collect()
}

fn failure_of(attempt: &Value) -> String {
    let field = |name| attempt.pointer(name).and_then(Value::as_str);
    let class = field("/exception/class_name");
    let message = field("/exception/message").and_then(|text| text.trim().lines().next());
    match (class, message) {
        (Some(class), Some(message)) => format!("{class}: {message}"),
        (Some(text), None) | (None, Some(text)) => text.to_owned(),
        (None, None) if field("/status") == Some("failed") => "failed".into(),
        (None, None) => "did not finish".into(),
    }
}
