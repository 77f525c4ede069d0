//! `casebook report`: show a recorded run.

use std::io::{Read as _, Write as _};
use std::path::Path;

use casebook_record::{ReadRunError, RunData, Store, StoreError, load};
use casebook_report::{html, json, junit, terminal};

use super::problems;
use super::whole_file::{self, ORDINARY};
use crate::arguments::{Report, Transcripts};
use crate::context::Context;
use crate::error::CommandError;
use crate::exit::Exit;

pub(super) fn run(report: &Report, context: &mut Context) -> Result<Exit, CommandError> {
    let redactor = context.redactor(&[])?;
    context.messages.redact(redactor.clone());
    let path = Store::in_project(&context.folder).find(report.run.as_deref(), &context.folder)?;
    let shown = path.strip_prefix(&context.folder).unwrap_or(&path);
    let loaded = load(&path, &redactor).map_err(|error| hinted(error, &path, shown))?;
    problems::tell(
        &shown.display().to_string(),
        &loaded.problems,
        &context.messages,
    );
    if let Some(file) = &report.junit {
        write_junit(&loaded.run, file, context)?;
    } else if let Some(file) = &report.html {
        let options = html::Options {
            threads: Context::cpus(),
            record: folder(&path, shown),
        };
        write_html(&loaded.run, &options, file, context)?;
    } else if report.json {
        let summary = json::summary(&loaded.run, report.slowest);
        serde_json::to_writer_pretty(&mut context.stdout, &summary)
            .map_err(std::io::Error::from)?;
        context.stdout.write_all(b"\n")?;
    } else {
        let options = terminal::Options {
            record: folder(&path, shown),
            ..options(report, context)
        };
        terminal::report(&loaded.run, &options, &mut context.stdout)?;
    }
    context.stdout.flush()?;
    Ok(Exit::Passed)
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

fn write_html(
    run: &RunData,
    options: &html::Options,
    file: &Path,
    context: &mut Context,
) -> Result<(), CommandError> {
    if file == Path::new("-") {
        return Ok(html::write(run, options, &mut context.stdout)?);
    }
    whole_file::write(&context.folder.join(file), ORDINARY, |out| {
        html::write(run, options, out)
    })
    .map_err(|source| CommandError::Write {
        path: file.into(),
        source,
    })
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
        record: None,
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

/// Another tool's results are no record yet, but can become one.
fn hinted(error: StoreError, path: &Path, shown: &Path) -> CommandError {
    let format = match &error {
        StoreError::Read(ReadRunError::Invalid { .. }) => sniff(path),
        _ => None,
    };
    match format {
        Some(format) => CommandError::NotYetRecorded {
            path: shown.into(),
            format,
        },
        None => error.into(),
    }
}

fn sniff(path: &Path) -> Option<&'static str> {
    let mut start = [0; 64];
    let length = casebook_record::open(path).ok()?.read(&mut start).ok()?;
    let start = String::from_utf8_lossy(&start[..length]);
    let is_tap = |line: &str| {
        ["TAP version", "1..", "ok ", "not ok "]
            .iter()
            .any(|word| line.starts_with(word))
    };
    match start.trim_start() {
        text if text.starts_with('<') => Some("junit"),
        text if is_tap(text) => Some("tap"),
        text if text.starts_with("{\"event_type\"") => Some("jsonl"),
        _ => None,
    }
}
