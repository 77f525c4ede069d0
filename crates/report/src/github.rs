//! Writes a run for the log of GitHub Actions: annotations at the lines of the suites, collapsed details, a job summary.
//!
//! The output of a program under test may look like a workflow command, so commands are disabled while it is shown.

mod command;
mod summary;

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io;

use casebook_record::{ExampleData, Run, Status};

use crate::examples::{ExampleIndex, failed_at, reason, split_location};
use crate::flag;
use crate::terminal::{self, failure_text, line_of, title};
pub use command::Command;

pub(crate) use summary::escaped;
pub use summary::job_summary;

/// Annotations written. GitHub shows ten errors and ten warnings per step; the others appear only in the log.
const ANNOTATED: usize = 50;

/// Writes annotations for failures and warnings, each failure's details as a group, and the summary.
pub fn annotations(run: &Run, out: &mut dyn io::Write) -> io::Result<()> {
    let token = token(run);
    let mut index = ExampleIndex::default();
    let mut warnings = Vec::new();
    for (number, example) in run.each_example().enumerate() {
        let example = &*example?;
        index.add(example);
        if warnings.len() < ANNOTATED {
            warnings.extend(warning(example).map(|warning| (number, warning)));
        }
    }
    for example in index.failed.iter().take(ANNOTATED) {
        let example = &*run.examples.read(*example)?;
        annotate(run, example, out)?;
        show_details(run, example, &token, out)?;
    }
    match index.failed.len().saturating_sub(ANNOTATED) {
        0 => {}
        more => {
            let message = format!("… and {more} more failures");
            Command::new("error").write(&message, out)?;
        }
    }
    for (example, warning) in warnings {
        let example = run.examples.read(example)?;
        at("warning", &example.location)
            .property("title", &title(run, &example))
            .write(&warning, out)?;
    }
    writeln!(out, "{}", line_of(run, &index))
}

fn annotate(run: &Run, example: &ExampleData, out: &mut dyn io::Write) -> io::Result<()> {
    at(
        "error",
        failed_line(example)
            .as_deref()
            .unwrap_or(failed_at(example)),
    )
    .property("title", &title(run, example))
    .write(&messages(example), out)
}

fn at(command: &'static str, location: &str) -> Command {
    let (file, line) = split_location(location);
    let line = line.map(|line| line.to_string());
    Command::new(command)
        .property("file", file)
        .property("line", line.as_deref().unwrap_or_default())
}

/// The location in the suite of the first failed expectation.
fn failed_line(example: &ExampleData) -> Option<String> {
    let failed = example.evaluations.iter().find(|one| !one.passed)?;
    let file = failed.metadata.get("file")?.as_str()?;
    let line = failed.metadata.get("line")?.as_u64()?;
    Some(format!("{file}:{line}"))
}

/// The failure messages, one line each.
fn messages(example: &ExampleData) -> String {
    let first_line = |text: &str| text.trim().lines().next().unwrap_or_default().to_owned();
    let messages: Vec<String> = example
        .evaluations
        .iter()
        .filter(|evaluation| !evaluation.passed)
        .map(|evaluation| match &evaluation.failure_message {
            Some(message) => first_line(message),
            None => evaluation.description.clone(),
        })
        .collect();
    if messages.is_empty() {
        reason(example).unwrap_or("failed").to_owned()
    } else {
        messages.join("\n")
    }
}

fn show_details(
    run: &Run,
    example: &ExampleData,
    token: &str,
    out: &mut dyn io::Write,
) -> io::Result<()> {
    let heading = format!("✗ {}", title(run, example));
    let details = failure_text(example, &terminal::Options::default());
    Command::new("group").write(&heading, out)?;
    writeln!(out, "::stop-commands::{token}")?;
    out.write_all(details.as_bytes())?;
    writeln!(out, "::{token}::")?;
    writeln!(out, "::endgroup::")
}

/// A token that the output of the run cannot contain by chance or guess.
fn token(run: &Run) -> String {
    let mut hasher = DefaultHasher::new();
    (
        &run.run_id,
        run.started_at,
        run.finished_at,
        run.examples.count(),
    )
        .hash(&mut hasher);
    format!("casebook-{:016x}", hasher.finish())
}

/// A warning about an example that did not fail, such as a flaky one.
fn warning(example: &ExampleData) -> Option<String> {
    let flaky = example.status == Status::Passed
        && (example.is_flaky() || flag(&example.metadata, "command.flaky"));
    let warnings: Vec<&str> = [
        (flaky, "flaky: passed only on a retry"),
        (
            flag(&example.metadata, "command.leaky"),
            "leaky: left processes running, which were killed",
        ),
    ]
    .into_iter()
    .filter_map(|(is, warning)| is.then_some(warning))
    .collect();
    (!warnings.is_empty()).then(|| warnings.join("\n"))
}
