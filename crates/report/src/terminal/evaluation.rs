//! One expectation: whether it passed, and why not.

mod failed;

use std::io;

use casebook_record::model::EvaluationData;

use super::command::Command;
use super::page::Page;
use super::style::{BAD, DIM, PLAIN, check};
use failed::Failed;

/// What is already shown with the failure and need not be repeated.
#[derive(Clone, Copy, Default)]
pub(super) struct AlreadyShown<'t> {
    /// The exception's message.
    pub(super) message: &'t str,
    /// The command, which is shown below.
    pub(super) command: Option<Command<'t>>,
    /// The record's directory.
    pub(super) record: Option<&'t str>,
}

/// Shows the expectation without what `already_shown` contains. Returns the stream that was shown with it.
pub(super) fn show(
    page: &mut Page,
    indent: usize,
    evaluation: &EvaluationData,
    already_shown: &AlreadyShown,
) -> io::Result<Option<&'static str>> {
    let style = if evaluation.passed { PLAIN } else { BAD };
    page.paragraph(
        indent,
        2,
        &[
            check(evaluation.passed),
            (style, headline(evaluation, already_shown)),
            (DIM, &mode(evaluation, already_shown)),
        ],
    )?;
    let indent = indent + 2;
    if evaluation.passed {
        show_reasoning(page, indent, evaluation)?;
        return Ok(None);
    }
    if evaluation.metadata.get("verdict").is_some() {
        show_verdict(page, indent, evaluation)?;
    } else {
        show_reasoning(page, indent, evaluation)?;
        show_message(page, indent, evaluation, already_shown)?;
    }
    let failed = Failed {
        evaluation,
        already_shown,
    };
    failed.show(page, indent)
}

fn show_reasoning(page: &mut Page, indent: usize, evaluation: &EvaluationData) -> io::Result<()> {
    let reasoning = evaluation.reasoning.as_deref().unwrap_or_default();
    if reasoning.trim().is_empty() {
        return Ok(());
    }
    // Reasons of failures are plain text, those of passed checks are dimmed.
    let style = if evaluation.passed { DIM } else { PLAIN };
    page.paragraph(indent, 0, &[(style, reasoning.trim_end())])
}

/// Shows the judge's verdict and its reason.
fn show_verdict(page: &mut Page, indent: usize, evaluation: &EvaluationData) -> io::Result<()> {
    let verdict = evaluation.failure_message.as_deref().unwrap_or_default();
    let reasons = evaluation.reasoning.as_deref().unwrap_or_default();
    let reasons = match reasons.trim_end() {
        "" => String::new(),
        reasons => format!(": {reasons}"),
    };
    page.paragraph(indent, 0, &[(BAD, verdict), (PLAIN, &reasons)])
}

/// The first line. If lines of the suite follow, they name the expectation and the first line is the reason.
fn headline<'e>(evaluation: &'e EvaluationData, already_shown: &AlreadyShown) -> &'e str {
    let message = evaluation.failure_message.as_deref().unwrap_or_default();
    let first = message.trim().lines().next().unwrap_or_default();
    if !evaluation.passed && already_shown.command.is_some() && !first.is_empty() {
        first
    } else if evaluation.description.is_empty() {
        &evaluation.name
    } else {
        &evaluation.description
    }
}

fn mode(evaluation: &EvaluationData, already_shown: &AlreadyShown) -> String {
    match evaluation.mode.as_deref() {
        // Assertions of a command test are always hard.
        Some("hard") if already_shown.command.is_some() => String::new(),
        // The words of a suite.
        Some("hard") => " · expect".to_owned(),
        Some("soft") => " · evaluate".to_owned(),
        Some(mode) => format!(" · {mode}"),
        None => String::new(),
    }
}

fn show_message(
    page: &mut Page,
    indent: usize,
    evaluation: &EvaluationData,
    already_shown: &AlreadyShown,
) -> io::Result<()> {
    let message = evaluation.failure_message.as_deref().unwrap_or_default();
    let reasoning = evaluation.reasoning.as_deref().unwrap_or_default();
    let message = message.trim();
    let rest = message
        .strip_prefix(headline(evaluation, already_shown))
        .unwrap_or(message);
    let is_new = !rest.trim().is_empty()
        && !already_shown.message.contains(message)
        && !reasoning.contains(message);
    if is_new {
        page.paragraph(indent, 0, &[(BAD, rest.trim_matches('\n'))])?;
    }
    Ok(())
}
