//! The failures: each with all that helps to understand it, as long as there are few enough to be read.

use std::io;

use casebook_record::{ExampleData, RunData};

use super::Transcripts;
use super::duration::human;
use super::evaluation::Seen;
use super::page::Page;
use super::style::{BAD, BOLD, DIM, PLACE, PLAIN, WARN};
use super::text::count;
use super::title::title;
use super::{command, evaluation, exception, transcript};
use crate::examples::{self, failed_at};

/// So many failures are shown in full; nobody reads on.
const IN_FULL: usize = 50;
/// So many are named; beyond that only their number says something.
const NAMED: usize = 500;
/// Failed expectations of one example.
const EVALUATIONS: usize = 20;

const INDENT: usize = 3;

/// Shows the run's failures, numbered.
pub(super) fn show_all(page: &mut Page, run: &RunData, which: Transcripts) -> io::Result<()> {
    let failed: Vec<_> = examples::failed(run).collect();
    if failed.is_empty() {
        return Ok(());
    }
    page.heading("Failures")?;
    for (index, example) in failed.iter().take(NAMED).enumerate() {
        let heading = Heading {
            number: format!("{}) ", index + 1),
            title: title(run, example),
        };
        if (1..=IN_FULL).contains(&index) {
            page.blank()?;
        }
        if index < IN_FULL {
            heading.show_in_full(page, example, which)?;
        } else {
            heading.show_named(page, example)?;
        }
    }
    say_hidden(page, failed.len())
}

struct Heading {
    number: String,
    title: String,
}

impl Heading {
    fn show_named(&self, page: &mut Page, example: &ExampleData) -> io::Result<()> {
        page.row(
            0,
            &[
                (BAD, &self.number),
                (PLACE, failed_at(example)),
                (PLAIN, "  "),
                (PLAIN, &self.title),
            ],
        )
    }

    fn show_in_full(
        &self,
        page: &mut Page,
        example: &ExampleData,
        which: Transcripts,
    ) -> io::Result<()> {
        page.paragraph(
            0,
            INDENT,
            &[(BAD.bold(), &self.number), (BOLD, &self.title)],
        )?;
        show_place(page, example)?;
        show_details(page, example, which)
    }
}

fn show_place(page: &mut Page, example: &ExampleData) -> io::Result<()> {
    let duration = example.duration_ms.filter(|millis| *millis > 0);
    let duration = duration.map_or(String::new(), |millis| format!(" · {}", human(millis)));
    let attempts = match example.attempts().len() {
        0 => String::new(),
        earlier => format!(" · after {}", count(earlier, "earlier attempt")),
    };
    let place = (PLACE, failed_at(example));
    if [place.1, &duration, &attempts]
        .iter()
        .all(|part| part.is_empty())
    {
        return Ok(());
    }
    page.paragraph(INDENT, 2, &[place, (DIM, &duration), (WARN, &attempts)])
}

fn show_details(page: &mut Page, example: &ExampleData, which: Transcripts) -> io::Result<()> {
    let output = command::streams(&example.metadata);
    let mut seen = Seen {
        output: &output,
        only_hard: command::is_recorded(&example.metadata),
        ..Seen::default()
    };
    if let Some(exception) = &example.exception {
        page.blank()?;
        exception::show(page, INDENT, exception)?;
        seen.message = exception.message.as_deref().unwrap_or_default();
    }
    if command::is_recorded(&example.metadata) {
        page.blank()?;
        command::show(page, INDENT, &example.metadata)?;
    }
    match transcript::talk(example).filter(|_| which != Transcripts::None) {
        Some(conversation) => {
            page.blank()?;
            transcript::show(page, INDENT, example, conversation, &seen)
        }
        None => show_evaluations(page, example, &seen),
    }
}

fn show_evaluations(page: &mut Page, example: &ExampleData, seen: &Seen) -> io::Result<()> {
    let failed: Vec<_> = example
        .evaluations
        .iter()
        .filter(|evaluation| !evaluation.passed)
        .collect();
    for evaluation in failed.iter().take(EVALUATIONS) {
        page.blank()?;
        evaluation::show(page, INDENT, evaluation, seen)?;
    }
    match failed.len().saturating_sub(EVALUATIONS) {
        0 => Ok(()),
        hidden => {
            let more = format!("… and {} that failed", count(hidden, "more expectation"));
            page.row(INDENT, &[(DIM, &more)])
        }
    }
}

fn say_hidden(page: &mut Page, failed: usize) -> io::Result<()> {
    let line = if failed > NAMED {
        let more = count(failed - NAMED, "more failure");
        format!("… and {more}; --json lists them all")
    } else if failed > IN_FULL {
        format!("The first {IN_FULL} are shown in full; --json has every message")
    } else {
        return Ok(());
    };
    page.paragraph(0, 2, &[(DIM, &line)])
}
