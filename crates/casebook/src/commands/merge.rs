//! `casebook merge`: merges the records of shards into one.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use casebook_record::{
    Destination, Event, EventReader, InputProblems, Metadata, RunIdentity, Store, StoreError,
    read_run, run_events,
};
use casebook_report::terminal;
use serde_json::Value;
use uuid::Uuid;

use crate::arguments::Merge;
use crate::commands::shared::input_problems;
use crate::commands::shared::recording::Recording;
use crate::commands::shared::upload::Upload;
use crate::context::Context;
use crate::error::CommandError;
use crate::exit::Exit;

/// The directory of the complete output of failed tests, in the directory of a run.
const OUTPUT: &str = "output";

/// Publishes the events of all runs again, one run after the other.
pub(super) fn run(merge: &Merge, context: &mut Context) -> Result<Exit, CommandError> {
    let store = Store::in_project(&context.dir);
    let journals: Vec<_> = merge
        .runs
        .iter()
        .map(|run| find(run, &store, &context.dir))
        .collect::<Result<_, _>>()?;
    let destination = match &merge.record {
        None => Destination::Store(store),
        Some(dir) => Destination::Dir(context.dir.join(dir)),
    };
    let identity = RunIdentity {
        run_id: Uuid::new_v4().to_string(),
        git_commit: None,
        git_branch: None,
    };
    let redactor = context.redactor(&[])?;
    destination.check()?;
    let upload = merge.upload.as_ref();
    let upload = upload.map(|location| Upload::to(location, context));
    let recording = Recording::new(destination, true, identity, redactor, context)
        .with_upload(upload.transpose()?);
    for journal in &journals {
        publish(journal, &recording, context)?;
    }
    let mut merged = recording.finish();
    if let (Some(_), Some(dir)) = (&merged.result.run_file, &merged.result.dir) {
        complete(dir, &journals, context)?;
    }
    merged.say_incomplete(&context.messages);
    merged.upload(&context.messages);
    let Some(run) = &merged.result.run else {
        return Ok(Exit::CouldNotTest);
    };
    context.messages.info(&terminal::summary_line(run)?);
    Ok(if merged.has_failures() {
        Exit::Failed
    } else {
        merged.exit(Exit::Passed)
    })
}

/// Copies the output of the tests into the new record.
fn complete(dir: &Path, journals: &[PathBuf], context: &Context) -> Result<(), CommandError> {
    for journal in journals {
        copy_output(journal, dir)?;
    }
    let shown = dir.strip_prefix(&context.dir).unwrap_or(dir);
    context
        .messages
        .info(&format!("merged into {}", shown.display()));
    Ok(())
}

/// The journal of a run, or its `run.json` if there is no journal, as for runs of the rspec-agents gem.
fn find(run: &str, store: &Store, dir: &Path) -> Result<PathBuf, StoreError> {
    let found = store.find(Some(run), dir)?;
    let name = found.file_name().unwrap_or_default().to_string_lossy();
    // Under another name, it does not belong to a journal in the same directory.
    if is_run_file(&found) && !name.starts_with("run.json") {
        return Ok(found);
    }
    match store.find_journal(Some(run), dir) {
        Err(StoreError::NoJournal(_)) => Ok(found),
        found => found,
    }
}

/// Whether the file is a `run.json` and not a journal.
fn is_run_file(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    !name.contains(".jsonl")
}

fn publish(journal: &Path, recording: &Recording, context: &Context) -> Result<(), CommandError> {
    if is_run_file(journal) {
        let run = read_run(journal).map_err(StoreError::from)?;
        for event in run_events(run) {
            recording.publish(of_a_shard(event));
        }
        return Ok(());
    }
    let unreadable = |source| CommandError::Input {
        path: journal.to_owned(),
        source,
    };
    let mut reader = EventReader::open(journal).map_err(unreadable)?;
    let mut found = InputProblems::default();
    while let Some(line) = reader.next().map_err(unreadable)? {
        if let Some(event) = found.take_event(line) {
            recording.publish(of_a_shard(event));
        }
    }
    let shown = journal.strip_prefix(&context.dir).unwrap_or(journal);
    input_problems::report(&shown.display().to_string(), &found, &context.messages);
    Ok(())
}

/// The event as part of the merged run, which has a new id.
fn of_a_shard(mut event: Event) -> Event {
    if let Event::SuiteStarted(suite) = &mut event {
        suite.run_id = None;
        forget_shard(&mut suite.metadata);
    }
    event
}

/// Removes the shard, because the merged run is complete.
fn forget_shard(metadata: &mut Metadata) {
    if let Some(Value::Object(configuration)) = metadata.get("configuration") {
        let mut configuration = configuration.clone();
        configuration.shift_remove("shard");
        metadata.set("configuration", configuration);
    }
}

/// Copies the saved output. Files are named after tests, and no two shards run the same test.
fn copy_output(journal: &Path, dir: &Path) -> Result<(), CommandError> {
    let from = journal.parent().unwrap_or(Path::new(".")).join(OUTPUT);
    let entries = match fs::read_dir(&from) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(source) => return Err(CommandError::Input { path: from, source }),
    };
    let to = dir.join(OUTPUT);
    let unwritable = |path: PathBuf| move |source| CommandError::Write { path, source };
    fs::create_dir_all(&to).map_err(unwritable(to.clone()))?;
    for entry in entries.flatten() {
        let path = to.join(entry.file_name());
        fs::copy(entry.path(), &path).map_err(unwritable(path.clone()))?;
    }
    Ok(())
}
