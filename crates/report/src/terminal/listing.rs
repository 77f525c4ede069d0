//! Examples that neither passed nor failed plainly, with the reason: pending, flaky, still running.

use std::io;

use casebook_record::{ExampleData, Run, Status};
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

/// The pending, flaky and running examples of a run.
#[derive(Default)]
pub(super) struct Listings {
    pending: Vec<usize>,
    flaky: Vec<usize>,
    running: Vec<usize>,
}

impl Listings {
    pub(super) fn add(&mut self, index: usize, example: &ExampleData) {
        match example.status {
            Status::Pending => self.pending.push(index),
            Status::Running => self.running.push(index),
            Status::Passed if example.is_flaky() => self.flaky.push(index),
            Status::Passed | Status::Failed => {}
        }
    }

    pub(super) fn show(&self, page: &mut Page, run: &Run, are_tests: bool) -> io::Result<()> {
        let pending = if are_tests { "Skipped" } else { "Pending" };
        show(page, run, pending, &self.pending, |example| {
            text_at(&example.metadata, "pending_message")
                .into_iter()
                .collect()
        })?;
        show(page, run, "Flaky", &self.flaky, attempts)?;
        show(page, run, "Still running", &self.running, |_| Vec::new())
    }
}

fn show(
    page: &mut Page,
    run: &Run,
    heading: &str,
    examples: &[usize],
    reasons: impl Fn(&ExampleData) -> Vec<String>,
) -> io::Result<()> {
    if examples.is_empty() {
        return Ok(());
    }
    page.heading(heading)?;
    for index in examples.iter().take(LISTED) {
        let example = &*run.examples.read(*index)?;
        show_title(page, run, example)?;
        for reason in reasons(example) {
            page.paragraph(2, 2, &[(DIM, &elide_to(reason.trim(), MAX_REASON))])?;
        }
    }
    match examples.len().saturating_sub(LISTED) {
        0 => Ok(()),
        hidden => page.row(0, &[(DIM, &format!("… and {hidden} more"))]),
    }
}

fn show_title(page: &mut Page, run: &Run, example: &ExampleData) -> io::Result<()> {
    let title = title(run, example);
    let mut spans = vec![mark(example), (PLAIN, title.as_str())];
    if !example.location.is_empty() {
        spans.extend([(DIM, " · "), (LOCATION, example.location.as_str())]);
    }
    page.paragraph(0, 2, &spans)
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
