//! The job summary: Markdown that GitHub shows on the job's page.

use std::fmt::Write as _;
use std::io;

use casebook_record::{ExampleData, Run};

use crate::examples::{ExampleIndex, by_file, failed_at};
use crate::scores::Scores;
use crate::terminal::text::one_line;
use crate::terminal::{self, failure_text, human, line_of, repetitions_line, title};

/// Failures in the summary, which must stay below 1 MiB; the others are in the log.
const IN_FULL: usize = 30;
/// Rows of the table of suites, and repeated tests listed.
const SUITES: usize = 500;

/// Writes the run as Markdown: its summary, a table of suites, and the failures.
pub fn job_summary(run: &Run, out: &mut dyn io::Write) -> io::Result<()> {
    let index = ExampleIndex::of(run)?;
    let failed = &index.failed;
    let mark = if failed.is_empty() { "✅" } else { "❌" };
    writeln!(out, "### {mark} {}\n", escaped(&line_of(run, &index)))?;
    table(run, out)?;
    repetitions(run, out)?;
    scores(run, out)?;
    for example in failed.iter().take(IN_FULL) {
        details(run, &*run.examples.read(*example)?, out)?;
    }
    match failed.len().saturating_sub(IN_FULL) {
        0 => Ok(()),
        more => writeln!(out, "\n… and {more} more failures; see the log."),
    }
}

fn table(run: &Run, out: &mut dyn io::Write) -> io::Result<()> {
    writeln!(out, "| | suite | passed | failed | skipped | time |")?;
    writeln!(out, "|---|---|---:|---:|---:|---:|")?;
    let files = by_file(run)?;
    for (file, examples) in files.iter().take(SUITES) {
        let mark = if examples.failed > 0 { "❌" } else { "✅" };
        writeln!(
            out,
            "| {mark} | {} | {} | {} | {} | {} |",
            escaped(file),
            examples.passed,
            examples.failed,
            examples.pending,
            human(examples.millis)
        )?;
    }
    match files.len().saturating_sub(SUITES) {
        0 => Ok(()),
        more => writeln!(out, "| | … and {more} more | | | | |"),
    }
}

/// A table of the criteria with scores, if there are any.
fn scores(run: &Run, out: &mut dyn io::Write) -> io::Result<()> {
    let mut scores = Scores::default();
    for example in run.each_example() {
        scores.add_example(&*example?);
    }
    let mut figures = scores.figures().peekable();
    if figures.peek().is_some() {
        writeln!(out, "\n| criterion | mean score | distribution |")?;
        writeln!(out, "|---|---|---|")?;
    }
    for (criterion, figures) in figures {
        let (mean, distribution) = (figures.mean_text(), figures.distribution_text());
        writeln!(out, "| {} | {mean} | {distribution} |", escaped(criterion))?;
    }
    Ok(())
}

/// A list of the repeated tests, if there are any.
fn repetitions(run: &Run, out: &mut dyn io::Write) -> io::Result<()> {
    let mut listed = 0;
    for example in run.each_example() {
        let example = &*example?;
        let Some(repetitions) = example.repetitions().filter(|_| listed < SUITES) else {
            continue;
        };
        let gap = if listed == 0 { "\n" } else { "" };
        let mark = if repetitions.failed > 0 { "❌" } else { "✅" };
        let title = escaped(&title(run, example));
        writeln!(
            out,
            "{gap}- {mark} {title}: {}",
            repetitions_line(repetitions)
        )?;
        listed += 1;
    }
    Ok(())
}

fn details(run: &Run, example: &ExampleData, out: &mut dyn io::Write) -> io::Result<()> {
    let text = failure_text(example, &terminal::Options::default());
    let fence = "`".repeat(longest_run(&text, '`').max(2) + 1);
    writeln!(
        out,
        "\n<details><summary>❌ {} · {}</summary>\n",
        escaped(&title(run, example)),
        escaped(failed_at(example))
    )?;
    writeln!(out, "{fence}text\n{}\n{fence}\n", text.trim_end())?;
    writeln!(out, "</details>")
}

/// The text on one line, with the special characters of Markdown and HTML as entities, which both decode. Includes `@`
/// and `#`, because a mention would notify a user and a number would link an issue.
pub(crate) fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in one_line(text).chars() {
        if "&<>|@#\\`*_[]~!".contains(c) {
            write!(escaped, "&#{};", u32::from(c)).expect("writing to a string succeeds");
        } else {
            escaped.push(c);
        }
    }
    escaped
}

fn longest_run(text: &str, wanted: char) -> usize {
    let mut longest = 0;
    let mut run = 0;
    for c in text.chars() {
        run = if c == wanted { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    longest
}
