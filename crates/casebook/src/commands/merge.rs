//! `casebook merge`: merges the records of shards into one.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use casebook_record::{
    Bus, Destination, Event, EventReader, InputProblems, Metadata, Recorder, RunIdentity, Store,
};
use casebook_report::terminal;
use serde_json::Value;
use uuid::Uuid;

use crate::arguments::Merge;
use crate::commands::shared::input_problems;
use crate::context::Context;
use crate::error::CommandError;
use crate::exit::Exit;

/// The directory of the complete output of failed tests, in the directory of a run.
const OUTPUT: &str = "output";

/// Publishes the events of all journals again, one journal after the other.
pub(super) fn run(merge: &Merge, context: &mut Context) -> Result<Exit, CommandError> {
    let store = Store::in_project(&context.dir);
    let journals: Vec<_> = merge
        .runs
        .iter()
        .map(|run| store.find_journal(Some(run), &context.dir))
        .collect::<Result<_, _>>()?;
    let destination = match &merge.record {
        None => Destination::Store(store),
        Some(dir) => Destination::Dir(context.dir.join(dir)),
    };
    let identity = RunIdentity {
        run_id: Uuid::new_v4().to_string(),
        git_commit: None,
    };
    let redactor = context.redactor(&[])?;
    let recorder = Recorder::new(Bus::new(), destination, identity, redactor);
    for journal in &journals {
        publish(journal, &recorder, context)?;
    }
    let merged = recorder.finish();
    if let Some(error) = merged.errors.into_iter().next() {
        return Err(CommandError::Record(error));
    }
    if let Some(dir) = &merged.dir {
        for journal in &journals {
            copy_output(journal, dir)?;
        }
        let shown = dir.strip_prefix(&context.dir).unwrap_or(dir);
        context
            .messages
            .info(&format!("merged in {}", shown.display()));
    }
    let Some(run) = merged.run else {
        return Ok(Exit::CouldNotTest);
    };
    context.messages.info(&terminal::summary_line(&run)?);
    Ok(if run.summary().failed_count > 0 {
        Exit::Failed
    } else {
        Exit::Passed
    })
}

fn publish(journal: &Path, recorder: &Recorder, context: &Context) -> Result<(), CommandError> {
    let unreadable = |source| CommandError::Input {
        path: journal.to_owned(),
        source,
    };
    let mut reader = EventReader::open(journal).map_err(unreadable)?;
    let mut found = InputProblems::default();
    while let Some(line) = reader.next().map_err(unreadable)? {
        if let Some(mut event) = found.take_event(line) {
            // The merged run has a new id.
            if let Event::SuiteStarted(suite) = &mut event {
                suite.run_id = None;
                forget_shard(&mut suite.metadata);
            }
            recorder.publish(event);
        }
    }
    let shown = journal.strip_prefix(&context.dir).unwrap_or(journal);
    input_problems::report(&shown.display().to_string(), &found, &context.messages);
    Ok(())
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
