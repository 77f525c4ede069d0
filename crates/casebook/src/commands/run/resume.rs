//! `run --resume`: finds the unfinished tests of a run.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use casebook_record::{ExampleData, Redactor, Status, Store, StoreError, replay};
use serde_json::Value;

use super::settings::Settings;
use crate::context::Context;
use crate::error::CommandError;

/// The run to resume.
pub(super) struct Resumed {
    pub(super) journal: PathBuf,
    /// The stable ids of finished tests.
    pub(super) finished: HashSet<String>,
    /// Whether one of them failed.
    pub(super) has_failed: bool,
}

/// Finds the run and takes over its options, except those given now.
pub(super) fn find(
    name: &str,
    settings: &mut Settings,
    context: &Context,
) -> Result<Resumed, CommandError> {
    let store = Store::in_project(&context.dir);
    let find =
        |name: &str| store.find_journal(Some(name).filter(|name| !name.is_empty()), &context.dir);
    let journal = match find(name) {
        // The name may be the first path: `--resume tests`.
        Err(StoreError::Unknown { .. } | StoreError::NoJournal(_) | StoreError::NotARun(_))
            if context.dir.join(name).exists() =>
        {
            settings.paths.insert(0, name.to_owned());
            find("")?
        }
        found => found?,
    };
    let run = replay(&journal, &Redactor::default())?.run;
    let configuration = run
        .metadata
        .get("configuration")
        .cloned()
        .unwrap_or_default();
    take_over(&configuration, settings)?;
    let finished = run.examples.values().filter(|example| is_finished(example));
    let mut failed = finished
        .clone()
        .filter(|example| example.status == Status::Failed);
    Ok(Resumed {
        journal,
        has_failed: failed.next().is_some(),
        finished: finished
            .filter_map(|example| example.stable_id.clone())
            .collect(),
    })
}

fn take_over(configuration: &Value, settings: &mut Settings) -> Result<(), CommandError> {
    let texts = |key: &str| -> Vec<String> {
        let list = configuration.get(key).and_then(Value::as_array);
        let texts = list.into_iter().flatten().filter_map(Value::as_str);
        texts.map(str::to_owned).collect()
    };
    let text = |key: &str| configuration.get(key).and_then(Value::as_str);
    if settings.paths.is_empty() {
        settings.paths = texts("paths");
    }
    settings.filter = settings
        .filter
        .take()
        .or_else(|| text("filter").map(str::to_owned));
    if settings.tags.is_empty() {
        let tags = texts("tags");
        let parsed = tags.iter().map(|tag| tag.parse());
        settings.tags = parsed
            .collect::<Result<_, casebook_run::InvalidFilter>>()
            .map_err(|error| CommandError::Filter(error.to_string()))?;
    }
    if settings.shard.is_none() {
        settings.shard = text("shard").and_then(|shard| shard.parse().ok());
    }
    let timeout = configuration.get("timeout").and_then(Value::as_f64);
    let timeout = timeout.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    settings.options.timeout = settings.options.timeout.or(timeout);
    if settings.options.retries == 0 {
        let retries = configuration.get("retries").and_then(Value::as_u64);
        settings.options.retries = retries
            .and_then(|retries| retries.try_into().ok())
            .unwrap_or_default();
    }
    Ok(())
}

/// Whether a test has a result that a resumed run keeps.
pub(in crate::commands) fn is_finished(example: &ExampleData) -> bool {
    let was_cut = example
        .exception
        .as_ref()
        .is_some_and(|exception| exception.class_name.as_deref() == Some("Casebook::Interrupted"));
    let was_to_be_retried = example.metadata.get("will_retry") == Some(&Value::Bool(true));
    match example.status {
        Status::Passed | Status::Pending => true,
        Status::Failed => !was_cut && !was_to_be_retried,
        Status::Running => false,
    }
}

/// The directory of the run, relative to the working directory.
pub(super) fn dir<'a>(resumed: &'a Resumed, context: &Context) -> &'a Path {
    let dir = resumed.journal.parent().unwrap_or(&resumed.journal);
    dir.strip_prefix(&context.dir).unwrap_or(dir)
}
