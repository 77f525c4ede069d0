//! `casebook report`: show a recorded run.

use std::io::Write as _;

use casebook_record::{Store, load};
use casebook_report::{json, terminal};

use super::problems;
use crate::arguments::{Report, Transcripts};
use crate::context::Context;
use crate::error::CommandError;
use crate::exit::Exit;

pub(super) fn run(report: &Report, context: &mut Context) -> Result<Exit, CommandError> {
    let redactor = context.redactor(&[])?;
    context.messages.redact(redactor.clone());
    let path = Store::in_project(&context.folder).find(report.run.as_deref(), &context.folder)?;
    let mut loaded = load(&path)?;
    redactor.apply(&mut loaded.run);
    let shown = path.strip_prefix(&context.folder).unwrap_or(&path);
    problems::tell(
        &shown.display().to_string(),
        &loaded.problems,
        &context.messages,
    );
    if report.json {
        let summary = json::summary(&loaded.run, report.slowest);
        serde_json::to_writer_pretty(&mut context.stdout, &summary)
            .map_err(std::io::Error::from)?;
        context.stdout.write_all(b"\n")?;
    } else {
        terminal::report(&loaded.run, &options(report, context), &mut context.stdout)?;
    }
    context.stdout.flush()?;
    Ok(Exit::Passed)
}

fn options(report: &Report, context: &Context) -> terminal::Options {
    let defaults = terminal::Options::default();
    terminal::Options {
        color: context.color,
        width: context.width.unwrap_or(defaults.width),
        transcripts: match report.transcripts {
            Transcripts::Auto => terminal::Transcripts::Auto,
            Transcripts::All => terminal::Transcripts::All,
            Transcripts::Failed => terminal::Transcripts::Failed,
            Transcripts::None => terminal::Transcripts::None,
        },
        slowest: report.slowest,
    }
}
