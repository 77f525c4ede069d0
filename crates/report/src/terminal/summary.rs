//! The last line: how the run went.

use std::io;

use anstyle::Style;
use casebook_record::{RunData, Summary};
use serde_json::Value;

use super::duration::human;
use super::page::Page;
use super::style::{BAD, BOLD, DIM, GOOD, PLAIN, WARN};
use super::text::count;

/// Shows the counts by status, what is zero left out, and the time the run took.
pub(super) fn show(page: &mut Page, run: &RunData) -> io::Result<()> {
    let spans = spans(run);
    let spans: Vec<_> = spans
        .iter()
        .map(|(style, text)| (*style, text.as_str()))
        .collect();
    page.blank()?;
    page.paragraph(0, 2, &spans)
}

/// The same line as plain text: `12 examples: 9 passed, 2 failed, 1 pending in 1.2 s`.
pub fn summary_line(run: &RunData) -> String {
    spans(run).into_iter().map(|(_, text)| text).collect()
}

fn spans(run: &RunData) -> Vec<(Style, String)> {
    let summary = run.summary();
    let mut spans = vec![(BOLD, examples(run, &summary))];
    for (number, (style, part)) in parts(&summary).into_iter().enumerate() {
        let separator = if number == 0 { ": " } else { ", " };
        spans.extend([(PLAIN, separator.to_owned()), (style.bold(), part)]);
    }
    let time = run
        .finished_at
        .map(|end| format!(" in {}", human(end.millis_since(run.started_at))));
    spans.extend(time.map(|time| (DIM, time)));
    spans
}

fn examples(run: &RunData, summary: &Summary) -> String {
    let ran = match summary.example_count {
        0 => "no examples".to_owned(),
        number => count(number, "example"),
    };
    let planned = run.metadata.get("example_count").and_then(Value::as_u64);
    match planned {
        Some(planned) if planned > summary.example_count as u64 => {
            format!("{ran} ({planned} planned)")
        }
        _ => ran,
    }
}

fn parts(summary: &Summary) -> Vec<(Style, String)> {
    let passed = match summary.flaky_count {
        0 => "passed".to_owned(),
        flaky => format!("passed ({flaky} flaky)"),
    };
    [
        (GOOD, summary.passed_count, passed.as_str()),
        (BAD, summary.failed_count, "failed"),
        (WARN, summary.pending_count, "pending"),
        (WARN, summary.running_count, "still running"),
    ]
    .into_iter()
    .filter(|(_, number, _)| *number > 0)
    .map(|(style, number, word)| (style, format!("{number} {word}")))
    .collect()
}
