//! The failures of a run, the first of them with all details.

use std::io;

use anstyle::Style;
use casebook_record::model::EvaluationData;
use casebook_record::{ExampleData, Repetitions, Run};

use super::Transcripts;
use super::command::Command;
use super::duration::human;
use super::evaluation::AlreadyShown;
use super::hook::FailedHook;
use super::page::Page;
use super::repetitions::repetitions_line;
use super::style::{BOLD, DIM, LOCATION, PLAIN, WARN};
use super::styled::Span;
use super::text::{count, one_line};
use super::title::title;
use super::value::text_at;
use super::{evaluation, exception, services, steps, transcript};
use crate::examples::{failed_at, reason};
use crate::locks;

/// Failures shown with all details; more would not be read.
pub(super) const IN_FULL: usize = 50;
/// Failures listed with a title; the others are only counted.
pub(super) const NAMED: usize = 500;
/// Failed expectations shown per example.
const EVALUATIONS: usize = 20;

const INDENT: usize = 3;

/// How failures are shown.
#[derive(Clone, Copy)]
pub(super) struct FailureOptions<'s> {
    pub(super) transcripts: Transcripts,
    /// The record's directory as the user can type it.
    pub(super) record: Option<&'s str>,
}

/// Shows failed or interrupted tests of the run, numbered.
pub(super) fn show_all(
    page: &mut Page,
    run: &Run,
    (heading, style): (&str, Style),
    failed: &[usize],
    options: FailureOptions,
) -> io::Result<()> {
    if failed.is_empty() {
        return Ok(());
    }
    page.heading(heading)?;
    for (index, example) in failed.iter().take(NAMED).enumerate() {
        let example = &*run.examples.read(*example)?;
        let number = format!("{}) ", index + 1);
        if (1..=IN_FULL).contains(&index) {
            page.blank()?;
        }
        if index < IN_FULL {
            show_in_full(page, (style.bold(), &number), run, example, options)?;
        } else {
            show_named(page, (style, &number), run, example)?;
        }
    }
    show_hidden_count(page, failed.len())
}

/// Shows one failure as one line.
pub(super) fn show_named(
    page: &mut Page,
    mark: Span,
    run: &Run,
    example: &ExampleData,
) -> io::Result<()> {
    let title = title(run, example);
    let reason = reason(example).map_or(String::new(), |reason| format!("  {reason}"));
    page.row(
        0,
        &[
            mark,
            (LOCATION, failed_at(example)),
            (PLAIN, "  "),
            (PLAIN, &title),
            (DIM, &reason),
        ],
    )
}

/// Shows one failure with its title and all details.
pub(super) fn show_in_full(
    page: &mut Page,
    mark: Span,
    run: &Run,
    example: &ExampleData,
    options: FailureOptions,
) -> io::Result<()> {
    page.paragraph(0, INDENT, &[mark, (BOLD, &title(run, example))])?;
    show_location(page, INDENT, example)?;
    show_details(page, INDENT, example, options)
}

/// Shows the details of one failure without its title.
pub(super) fn show_body(
    page: &mut Page,
    example: &ExampleData,
    options: FailureOptions,
) -> io::Result<()> {
    show_location(page, 0, example)?;
    show_details(page, 0, example, options)
}

fn show_location(page: &mut Page, indent: usize, example: &ExampleData) -> io::Result<()> {
    let duration = example.duration_ms.filter(|millis| *millis > 0);
    let duration = duration.map_or(String::new(), |millis| format!(" · {}", human(millis)));
    let attempts = match (example.repetitions(), example.attempts().len()) {
        (Some(repetitions), _) => {
            let number = example.metadata.get(Repetitions::NUMBER);
            let number = number.map_or(String::new(), |number| format!(" · repetition {number}"));
            format!("{number} · {}", repetitions_line(repetitions))
        }
        (None, 0) => String::new(),
        (None, earlier) => format!(" · after {}", count(earlier, "earlier attempt")),
    };
    let location = (LOCATION, failed_at(example));
    if [location.1, &duration, &attempts]
        .iter()
        .all(|part| part.is_empty())
    {
        return Ok(());
    }
    page.paragraph(indent, 2, &[location, (DIM, &duration), (WARN, &attempts)])
}

/// Shows the reason first, then the details, then the command to rerun.
fn show_details(
    page: &mut Page,
    indent: usize,
    example: &ExampleData,
    options: FailureOptions,
) -> io::Result<()> {
    let command = Command::of(&example.metadata);
    let mut already_shown = AlreadyShown {
        command,
        record: options.record,
        ..AlreadyShown::default()
    };
    if let Some(exception) = example.exception.as_ref().filter(|_| !repeats(example)) {
        exception::show(page, indent, exception)?;
        already_shown.message = exception.message.as_deref().unwrap_or_default();
    }
    let hook = FailedHook::of(example);
    if let Some(hook) = hook.filter(|hook| hook.is_cause) {
        hook.show_script(page, indent)?;
    }
    let conversation = example
        .transcript()
        .filter(|_| options.transcripts != Transcripts::None);
    let shown = match conversation {
        Some(_) => Vec::new(),
        None => show_evaluations(page, indent, example, &already_shown)?,
    };
    if let Some(hook) = hook.filter(|hook| !hook.is_cause) {
        page.blank()?;
        hook.show(page, indent)?;
    }
    if let Some(command) = command {
        page.blank()?;
        command.show(page, indent, &shown, options.record)?;
    }
    steps::show(page, indent, example)?;
    services::show(page, indent, &example.metadata, options.record)?;
    if let Some(conversation) = conversation {
        page.blank()?;
        transcript::show(page, indent, example, conversation, &already_shown)?;
    }
    if let Some(locks) = locks::shown(&example.metadata) {
        page.blank()?;
        page.verbatim(indent, &[(DIM, "locks: "), (PLAIN, &one_line(&locks))])?;
    }
    if let Some(dir) = text_at(&example.metadata, "temp_dir") {
        page.blank()?;
        page.verbatim(
            indent,
            &[(DIM, "kept directory: "), (PLAIN, &one_line(&dir))],
        )?;
    }
    match text_at(&example.metadata, "rerun") {
        Some(rerun) => {
            page.blank()?;
            page.verbatim(
                indent,
                &[(DIM, "run it again: "), (PLAIN, &one_line(&rerun))],
            )
        }
        None => Ok(()),
    }
}

/// Whether the exception has the same message as the first failed expectation, which is shown below it.
fn repeats(example: &ExampleData) -> bool {
    if example.transcript().is_some() {
        return false;
    }
    let exception = example.exception.as_ref();
    let message = exception.and_then(|exception| exception.message.as_deref());
    let first = failed_evaluations(example).next();
    let evaluation_message = first.and_then(|evaluation| evaluation.failure_message.as_deref());
    let is_ours = exception.is_some_and(|exception| {
        exception.class_name.as_deref() == Some("Casebook::AssertionFailed")
    });
    match (
        message.and_then(first_line),
        evaluation_message.and_then(first_line),
    ) {
        (Some(message), Some(evaluation_message)) => {
            is_ours
                && (message.contains(evaluation_message) || evaluation_message.contains(message))
        }
        _ => false,
    }
}

fn first_line(text: &str) -> Option<&str> {
    text.trim().lines().next()
}

fn failed_evaluations(example: &ExampleData) -> impl Iterator<Item = &EvaluationData> {
    let evaluations = example.evaluations.iter();
    evaluations.filter(|evaluation| !evaluation.passed)
}

/// Shows the failed expectations. Returns the streams that were shown with them.
fn show_evaluations(
    page: &mut Page,
    indent: usize,
    example: &ExampleData,
    already_shown: &AlreadyShown,
) -> io::Result<Vec<&'static str>> {
    let mut shown = Vec::new();
    // The reason stays close to the title; an empty line separates it from the next expectation.
    let mut first = example.exception.is_none() || repeats(example);
    for evaluation in failed_evaluations(example).take(EVALUATIONS) {
        if !std::mem::take(&mut first) {
            page.blank()?;
        }
        shown.extend(evaluation::show(page, indent, evaluation, already_shown)?);
    }
    let hidden = failed_evaluations(example)
        .count()
        .saturating_sub(EVALUATIONS);
    if hidden > 0 {
        let more = format!("… and {} that failed", count(hidden, "more expectation"));
        page.row(indent, &[(DIM, &more)])?;
    }
    Ok(shown)
}

fn show_hidden_count(page: &mut Page, failed: usize) -> io::Result<()> {
    let line = if failed > NAMED {
        let more = count(failed - NAMED, "more failure");
        format!("… and {more}; --json lists them all")
    } else if failed > IN_FULL {
        format!("The first {IN_FULL} are shown in full; --json lists every message")
    } else {
        return Ok(());
    };
    page.paragraph(0, 2, &[(DIM, &line)])
}
