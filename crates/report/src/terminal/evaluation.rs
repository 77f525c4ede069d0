//! One expectation: whether it held, and why not.

use std::io;

use casebook_record::Metadata;
use casebook_record::model::EvaluationData;
use serde_json::Value;

use super::page::Page;
use super::style::{BAD, DIM, PLACE, PLAIN, check};
use super::value::{text, text_at};

/// An expected or actual value longer than this is better read in the record.
const VALUE_LINES: usize = 12;

/// What the reader of a failure sees anyway and need not see again.
#[derive(Clone, Copy, Default)]
pub(super) struct Seen<'t> {
    /// The exception's message.
    pub(super) message: &'t str,
    /// The name and text of each stream of the command.
    pub(super) output: &'t [(&'static str, String)],
    /// That a failed expectation fails the example, as all of a command test do.
    pub(super) only_hard: bool,
}

impl Seen<'_> {
    /// Whether the text is worth a line of its own.
    fn lacks(&self, text: &str) -> bool {
        let text = text.trim();
        let is_output = |(_, output): &(_, String)| output.trim() == text;
        !text.is_empty() && !self.message.contains(text) && !self.output.iter().any(is_output)
    }
}

/// Shows the expectation, without what the reader has `seen` already.
pub(super) fn show(
    page: &mut Page,
    indent: usize,
    evaluation: &EvaluationData,
    seen: &Seen,
) -> io::Result<()> {
    let style = if evaluation.passed { PLAIN } else { BAD };
    page.paragraph(
        indent,
        2,
        &[
            check(evaluation.passed),
            (style, name(evaluation)),
            (DIM, &mode(evaluation, seen)),
        ],
    )?;
    let indent = indent + 2;
    let reasoning = evaluation.reasoning.as_deref().unwrap_or_default();
    if !reasoning.trim().is_empty() {
        // What went wrong is to be read; that all is well, only found.
        let style = if evaluation.passed { DIM } else { PLAIN };
        page.paragraph(indent, 0, &[(style, reasoning.trim_end())])?;
    }
    if !evaluation.passed {
        show_failure(page, indent, evaluation, seen)?;
    }
    Ok(())
}

fn name(evaluation: &EvaluationData) -> &str {
    if evaluation.description.is_empty() {
        &evaluation.name
    } else {
        &evaluation.description
    }
}

fn mode(evaluation: &EvaluationData, seen: &Seen) -> String {
    match evaluation.mode.as_deref() {
        Some("hard") if seen.only_hard => String::new(),
        Some(mode) => format!(" · {mode}"),
        None => String::new(),
    }
}

fn show_failure(
    page: &mut Page,
    indent: usize,
    evaluation: &EvaluationData,
    seen: &Seen,
) -> io::Result<()> {
    let message = evaluation.failure_message.as_deref().unwrap_or_default();
    let reasoning = evaluation.reasoning.as_deref().unwrap_or_default();
    if seen.lacks(message) && !reasoning.contains(message.trim()) {
        page.paragraph(indent, 0, &[(BAD, message.trim_matches('\n'))])?;
    }
    show_source(page, indent, &evaluation.metadata)?;
    for field in ["expected", "actual"] {
        if let Some(value) = evaluation.metadata.get(field)
            && is_news(value, message, seen)
        {
            show_value(page, indent, field, value)?;
        }
    }
    Ok(())
}

/// Whether the value tells the reader something. White space does, when it was expected.
fn is_news(value: &Value, message: &str, seen: &Seen) -> bool {
    let text = text(value);
    text.trim().is_empty() || (seen.lacks(&text) && !message.contains(text.trim()))
}

/// The place in the suite, and the lines there that demanded it: beside the place if it is one line.
fn show_source(page: &mut Page, indent: usize, metadata: &Metadata) -> io::Result<()> {
    let file = text_at(metadata, "file").unwrap_or_default();
    let line = text_at(metadata, "line").map(|line| format!(":{line}"));
    let source = text_at(metadata, "source").unwrap_or_default();
    let place = [
        (PLACE, &*file),
        (PLACE, line.as_deref().unwrap_or_default()),
    ];
    let source: Vec<_> = source.lines().take(VALUE_LINES).collect();
    match source.as_slice() {
        lines if file.is_empty() => page.quote(indent, lines),
        [line] => {
            let source = [(DIM, " │ "), (PLAIN, line.trim())];
            page.paragraph(indent, 2, &[place, source].concat())
        }
        lines => {
            page.paragraph(indent, 2, &place)?;
            page.quote(indent, lines)
        }
    }
}

fn show_value(page: &mut Page, indent: usize, field: &str, value: &Value) -> io::Result<()> {
    match value {
        Value::String(text) if text.trim_end_matches('\n').contains('\n') => {
            page.quote_end(indent, field, text, VALUE_LINES)
        }
        // A single line is shown as JSON, so that white space at its ends is seen.
        value => {
            let label = format!("{field:<10}");
            page.paragraph(indent, 10, &[(DIM, &label), (PLAIN, &value.to_string())])
        }
    }
}
