//! A recorded run by any of its names, as every command that looks at one reads it.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use casebook_record::{InputProblems, ReadRunError, Redactor, Run, RunData, Store, StoreError};

use crate::commands::shared::input_problems;
use crate::context::Context;
use crate::error::CommandError;

/// A recorded run and its path.
pub(crate) struct Record<R> {
    pub(crate) run: R,
    pub(crate) path: PathBuf,
    /// The path relative to the working directory.
    pub(crate) shown: PathBuf,
}

/// Loads the named run, or the newest, and reports problems in its file.
pub(crate) fn load(
    name: Option<&str>,
    context: &mut Context,
) -> Result<Record<RunData>, CommandError> {
    read(name, context, |path, redactor| {
        let loaded = casebook_record::load(path, redactor)?;
        Ok((loaded.run, loaded.problems))
    })
}

/// Opens the named run, or the newest, and reports problems in its file. Its examples stay in the file.
pub(crate) fn open(
    name: Option<&str>,
    context: &mut Context,
) -> Result<Record<Box<Run>>, CommandError> {
    read(name, context, |path, redactor| {
        let opened = casebook_record::open_run(path, redactor)?;
        Ok((opened.run, opened.problems))
    })
}

fn read<R>(
    name: Option<&str>,
    context: &mut Context,
    read: impl FnOnce(&Path, &Redactor) -> Result<(R, InputProblems), StoreError>,
) -> Result<Record<R>, CommandError> {
    let redactor = context.redactor(&[])?;
    context.messages.redact(redactor.clone());
    let path = Store::in_project(&context.dir).find(name, &context.dir)?;
    let shown = path.strip_prefix(&context.dir).unwrap_or(&path);
    let (run, problems) = read(&path, &redactor).map_err(|error| hinted(error, &path, shown))?;
    input_problems::report(&shown.display().to_string(), &problems, &context.messages);
    Ok(Record {
        run,
        shown: shown.to_owned(),
        path,
    })
}

/// Adds a hint if the file contains results of another tool, or if it can be rebuilt.
fn hinted(error: StoreError, path: &Path, shown: &Path) -> CommandError {
    let StoreError::Read(error @ ReadRunError::Invalid { .. }) = error else {
        return error.into();
    };
    if let Some(format) = sniff(path) {
        return CommandError::NotYetRecorded {
            path: shown.into(),
            format,
        };
    }
    if path.with_file_name("events.jsonl").exists() {
        let dir = shown.parent().filter(|dir| !dir.as_os_str().is_empty());
        return CommandError::DamagedRun {
            dir: dir.unwrap_or(Path::new(".")).into(),
            error,
        };
    }
    StoreError::from(error).into()
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
