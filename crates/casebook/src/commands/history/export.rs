//! `casebook history --sqlite`: writes the complete runs to a database, not the summaries of the index.

use std::io;
use std::path::{Path, PathBuf};

use casebook_record::{ReadRunError, Redactor, Run, Store, StoreError, open_run};
use casebook_report::sqlite::Database;

use super::progress::Progress;
use crate::commands::shared::database;
use crate::commands::shared::plural::plural;
use crate::context::Context;
use crate::error::CommandError;
use crate::exit::Exit;

pub(super) fn run(
    file: &Path,
    limit: Option<u32>,
    context: &mut Context,
) -> Result<Exit, CommandError> {
    let redactor = context.redactor(&[])?;
    context.messages.redact(redactor.clone());
    let store = Store::in_project(&context.dir);
    let dirs = newest(store.dirs(), limit);
    if dirs.is_empty() {
        // Returns the error for an empty store.
        store.find(None, &context.dir)?;
    }
    let mut added = 0;
    let progress = Progress::new(context);
    let written = database::write(&context.dir.join(file), |database| {
        for (index, dir) in dirs.iter().enumerate() {
            match add(database, &store, dir, &redactor)? {
                Ok(is_new) => added += u64::from(is_new),
                Err(reason) => warn(dir, &reason, context),
            }
            progress.show(index + 1, dirs.len());
        }
        Ok(())
    });
    drop(progress);
    written.map_err(|source| CommandError::Write {
        path: file.into(),
        source,
    })?;
    let runs = plural(added, "run");
    let message = format!("wrote {added} {runs} to {}", file.display());
    context.messages.info(&message);
    Ok(Exit::Passed)
}

/// The newest of these directories, oldest first.
fn newest(mut dirs: Vec<PathBuf>, limit: Option<u32>) -> Vec<PathBuf> {
    let skipped = limit.map_or(0, |limit| dirs.len().saturating_sub(limit as usize));
    dirs.split_off(skipped)
}

/// Adds the run of a directory; false if it was added already. The inner error is the reason why it cannot be read.
fn add(
    database: &Database,
    store: &Store,
    dir: &Path,
    redactor: &Redactor,
) -> io::Result<Result<bool, String>> {
    let run = match open(store, dir, redactor) {
        Ok(run) => run,
        Err(error) => return Ok(Err(error.to_string())),
    };
    match database
        .add(&run)
        .map_err(io::Error::downcast::<ReadRunError>)
    {
        Ok(is_new) => Ok(Ok(is_new)),
        Err(Ok(unreadable)) => Ok(Err(unreadable.to_string())),
        Err(Err(error)) => Err(error),
    }
}

fn open(store: &Store, dir: &Path, redactor: &Redactor) -> Result<Box<Run>, StoreError> {
    let name = dir.to_string_lossy();
    let path = store.find(Some(&name), dir)?;
    Ok(open_run(&path, redactor)?.run)
}

fn warn(dir: &Path, reason: &str, context: &Context) {
    let dir = dir.strip_prefix(&context.dir).unwrap_or(dir);
    let reason = reason.replace(&format!("{}/", context.dir.display()), "");
    let warning = format!("skipped {}: {reason}", dir.display());
    context.messages.warn(&warning);
}
