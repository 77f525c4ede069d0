//! `casebook report`: show a recorded run.

use std::io::Write as _;
use std::path::Path;

use casebook_record::RunData;
use casebook_report::{html, json, junit, terminal};

use super::recorded;
use super::whole_file::{self, ORDINARY};
use crate::arguments::{Report, Transcripts};
use crate::context::Context;
use crate::error::CommandError;
use crate::exit::Exit;

pub(super) fn run(report: &Report, context: &mut Context) -> Result<Exit, CommandError> {
    let recorded::Recorded { run, path, shown } = recorded::read(report.run.as_deref(), context)?;
    if let Some(file) = &report.junit {
        write_junit(&run, file, context)?;
    } else if let Some(file) = &report.html {
        let options = html::Options {
            threads: Context::cpus(),
            record: folder(&path, &shown),
        };
        write_page(file, context, |out| html::write(&run, &options, out))?;
    } else if report.json {
        let summary = json::summary(&run, report.slowest);
        write_json(&summary, context)?;
    } else {
        let options = terminal::Options {
            record: folder(&path, &shown),
            ..options(report, context)
        };
        terminal::report(&run, &options, &mut context.stdout)?;
    }
    context.stdout.flush()?;
    Ok(Exit::Passed)
}

/// Writes a document to standard output.
pub(super) fn write_json(
    document: &impl serde::Serialize,
    context: &mut Context,
) -> Result<(), CommandError> {
    serde_json::to_writer_pretty(&mut context.stdout, document).map_err(std::io::Error::from)?;
    Ok(context.stdout.write_all(b"\n")?)
}

/// A page as wide and colourful as the terminal is.
pub(super) fn page(context: &Context) -> terminal::Options {
    let defaults = terminal::Options::default();
    terminal::Options {
        color: context.color,
        width: context.width.unwrap_or(defaults.width),
        ..defaults
    }
}

/// The file is written whole: what is cut off half-way would be taken for a broken run.
fn write_junit(run: &RunData, file: &Path, context: &mut Context) -> Result<(), CommandError> {
    let mut xml = Vec::new();
    junit::write(run, &mut xml)?;
    if file == Path::new("-") {
        return Ok(context.stdout.write_all(&xml)?);
    }
    std::fs::write(context.folder.join(file), xml).map_err(|source| CommandError::Write {
        path: file.into(),
        source,
    })
}

/// Writes a page whole to a file, or to standard output for `-`.
pub(super) fn write_page(
    file: &Path,
    context: &mut Context,
    page: impl FnOnce(&mut dyn std::io::Write) -> std::io::Result<()>,
) -> Result<(), CommandError> {
    if file == Path::new("-") {
        return Ok(page(&mut context.stdout)?);
    }
    whole_file::write(&context.folder.join(file), ORDINARY, page).map_err(|source| {
        CommandError::Write {
            path: file.into(),
            source,
        }
    })
}

fn options(report: &Report, context: &Context) -> terminal::Options {
    terminal::Options {
        transcripts: match report.transcripts {
            Transcripts::Auto => terminal::Transcripts::Auto,
            Transcripts::All => terminal::Transcripts::All,
            Transcripts::Failed => terminal::Transcripts::Failed,
            Transcripts::None => terminal::Transcripts::None,
        },
        slowest: report.slowest,
        ..page(context)
    }
}

/// The folder of the record at that path, as the user would type it.
fn folder(path: &Path, shown: &Path) -> Option<String> {
    let folder = if path.is_dir() {
        shown
    } else {
        shown.parent()?
    };
    let named = !folder.as_os_str().is_empty();
    Some(
        if named { folder } else { Path::new(".") }
            .display()
            .to_string(),
    )
}
