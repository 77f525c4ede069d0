//! What the studio shows: the project in a directory, or a local copy of records in storage.

use std::collections::HashSet;
use std::io::ErrorKind::NotADirectory;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use casebook_record::{Store, hex_of_sha256};
use casebook_storage::{Location, Mirror, StorageError, Update};

use crate::arguments::studio::Source;
use crate::commands::shared::plural::plural;
use crate::commands::shared::upload;
use crate::context::Context;
use crate::error::CommandError;
use crate::messages::Messages;

/// How often the storage is asked for new records.
const INTERVAL: Duration = Duration::from_secs(5);

/// The directory of the project. For storage, it is the directory of its copies, which a thread keeps up to date from now on.
pub(super) fn prepare(source: Option<&Source>, context: &Context) -> Result<PathBuf, CommandError> {
    let dir = match source {
        Some(Source::Storage(location)) => return copy(location, context),
        Some(Source::Dir(dir)) => context.dir.join(dir),
        None => context.dir.clone(),
    };
    let found = dir.canonicalize().and_then(|found| {
        let is_dir = found.metadata()?.is_dir();
        is_dir.then_some(found).ok_or(NotADirectory.into())
    });
    found.map_err(|source| CommandError::Input { path: dir, source })
}

fn copy(location: &Location, context: &Context) -> Result<PathBuf, CommandError> {
    let storage = upload::open(location, context)?;
    let dir = cache_dir(location, context);
    let mirror = Mirror::new(storage, Store::in_project(&dir).runs_dir())?;
    let update = mirror.check()?;
    let count = update.record_count() as u64;
    let records = plural(count, "record");
    context
        .messages
        .info(&format!("{location}: {count} {records}"));
    let messages = context.messages.clone();
    thread::Builder::new()
        .name("storage".to_owned())
        .spawn(move || keep_up_to_date(&mirror, update, &messages))?;
    Ok(dir)
}

/// Copies stay for the next time, because a record does not change.
fn cache_dir(location: &Location, context: &Context) -> PathBuf {
    let variable = |name: &str| {
        let value = context.environment.get(name);
        value.filter(|value| !value.is_empty()).map(Path::new)
    };
    let home = || variable("HOME").map(|home| home.join(".cache"));
    let cache = variable("XDG_CACHE_HOME").map(Path::to_owned).or_else(home);
    let cache = cache.unwrap_or_else(|| context.system().temporary);
    // Buckets of the same name can be on several servers.
    let servers = ["AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"].map(variable);
    let identity = format!("{location} {servers:?}");
    cache
        .join("casebook/studio")
        .join(hex_of_sha256(identity.as_bytes(), 16))
}

/// Copies new records until the process ends. The same problem is reported once.
fn keep_up_to_date(mirror: &Mirror, first: Update, messages: &Messages) {
    let mut reported = HashSet::new();
    let mut report = |problem: StorageError| {
        let problem = problem.to_string();
        if reported.insert(problem.clone()) {
            messages.warn(&format!("{problem}; trying again"));
        }
    };
    let mut update = Some(first);
    loop {
        if let Some(update) = update {
            mirror.apply(&update).into_iter().for_each(&mut report);
        }
        thread::sleep(INTERVAL);
        update = mirror.check().map_err(&mut report).ok();
    }
}
