//! `run --resume` and `run --failed`: finds the tests of an earlier run to run.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use casebook_record::{
    ExampleData, INTERRUPTED, Metadata, Redactor, Repetitions, RunData, Status, Store, StoreError,
    open_journal, replay, write_run,
};
use casebook_run::{Options, Plan};
use serde_json::Value;

use super::settings::Settings;
use crate::context::Context;
use crate::error::CommandError;

/// An earlier run of which some tests are run.
pub(super) struct EarlierRun {
    /// The id of the run.
    pub(super) run_id: String,
    journal: PathBuf,
    purpose: Purpose,
    /// The stable ids of the only tests to run; `None` selects all.
    pub(super) included: Option<HashSet<String>>,
    /// The stable ids of tests that are not run again.
    pub(super) finished: HashSet<String>,
    /// The location and title of each test that failed and is not run again.
    pub(super) failed: Vec<String>,
    /// The tests of its finished trials that are not run again, each with whether the trial passed.
    pub(super) trials: Vec<(String, bool)>,
}

/// Why an earlier run is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    /// To run its unfinished tests and add to its record.
    Resume,
    /// To run its failed and unfinished tests as a new run.
    Failed,
}

/// Finds the run and takes over its options, except those given now.
pub(super) fn find(
    name: &str,
    purpose: Purpose,
    settings: &mut Settings,
    context: &Context,
) -> Result<EarlierRun, CommandError> {
    let journal = find_journal(name, settings, context)?;
    let run = replay(&journal, &Redactor::default())?.run;
    refuse_other(
        &run.metadata,
        &journal,
        &["native", "bats"],
        "rspec",
        context,
    )?;
    let configuration = run.metadata.get("configuration").cloned();
    let configuration = configuration.unwrap_or_default();
    take_over(&configuration, settings)?;
    let included = recorded_selection(&configuration);
    Ok(match purpose {
        Purpose::Resume => unfinished_tests(&run, journal, included),
        Purpose::Failed => failed_tests(&run, journal, included),
    })
}

/// Fails if the engine of the recorded run is none of these, because the command `by` recorded it. Old records have no engine.
pub(in crate::commands) fn refuse_other(
    metadata: &Metadata,
    journal: &Path,
    engines: &[&str],
    by: &'static str,
    context: &Context,
) -> Result<(), CommandError> {
    let engine = metadata.dig("configuration.engine").and_then(Value::as_str);
    if engine.is_none_or(|engine| engines.contains(&engine)) {
        return Ok(());
    }
    let dir = journal.parent().unwrap_or(journal);
    let dir = dir.strip_prefix(&context.dir).unwrap_or(dir).to_owned();
    Err(CommandError::OtherCommand { dir, by })
}

/// The journal of the run. The name may be the first path instead: `--resume tests`.
fn find_journal(
    name: &str,
    settings: &mut Settings,
    context: &Context,
) -> Result<PathBuf, CommandError> {
    let store = Store::in_project(&context.dir);
    let find =
        |name: &str| store.find_journal(Some(name).filter(|name| !name.is_empty()), &context.dir);
    match find(name) {
        Err(StoreError::Unknown { .. } | StoreError::NoJournal(_) | StoreError::NotARun(_))
            if context.dir.join(name).exists() =>
        {
            settings.paths.insert(0, name.to_owned());
            Ok(find("")?)
        }
        found => Ok(found?),
    }
}

/// To run the tests without a final result.
fn unfinished_tests(
    run: &RunData,
    journal: PathBuf,
    included: Option<HashSet<String>>,
) -> EarlierRun {
    let examples = run.examples.values();
    let failed = examples.filter(|example| is_finished(example) && has_failed(example));
    EarlierRun {
        included,
        finished: stable_ids(run, is_finished),
        failed: failed.map(|example| named(example)).collect(),
        trials: trials(run),
        run_id: run.run_id.clone(),
        journal,
        purpose: Purpose::Resume,
    }
}

/// The results of the trials.
fn trials(run: &RunData) -> Vec<(String, bool)> {
    let examples = run.examples.values();
    examples
        .filter_map(|example| Some((example.trial_of()?.to_owned(), example.passed()?)))
        .collect()
}

/// To run the tests that failed or have no final result.
fn failed_tests(run: &RunData, journal: PathBuf, included: Option<HashSet<String>>) -> EarlierRun {
    EarlierRun {
        // Tests that were never started are not in the record.
        included: if is_complete(run) {
            Some(stable_ids(run, has_failed))
        } else {
            included
        },
        finished: stable_ids(run, |example| is_finished(example) && !has_failed(example)),
        failed: Vec::new(),
        trials: Vec::new(),
        run_id: run.run_id.clone(),
        journal,
        purpose: Purpose::Failed,
    }
}

/// The stable ids of the tests that match.
fn stable_ids(run: &RunData, matches: impl Fn(&ExampleData) -> bool) -> HashSet<String> {
    let examples = run.examples.values().filter(|example| matches(example));
    examples
        .filter_map(|example| example.stable_id.clone())
        .collect()
}

fn has_failed(example: &ExampleData) -> bool {
    example.status == Status::Failed
}

impl EarlierRun {
    /// Where the tests are recorded, if not in a new run.
    pub(super) fn journal(&self) -> Option<&Path> {
        (self.purpose == Purpose::Resume).then_some(&self.journal)
    }

    /// Writes the `run.json` of a run that was killed after its last test.
    pub(super) fn complete_record(&self, redactor: &Redactor) -> Result<(), CommandError> {
        let target = self.journal.with_file_name("run.json");
        if self.purpose == Purpose::Resume && !target.exists() {
            write_run(&target, &*open_journal(&self.journal, redactor)?.run)?;
        }
        Ok(())
    }

    /// Whether only its failed tests are run.
    pub(super) fn selects_failed(&self) -> bool {
        self.purpose == Purpose::Failed
    }

    /// The error if none of its failed tests exists any more.
    pub(super) fn no_failed_tests(&self, context: &Context) -> CommandError {
        CommandError::NoFailedTests {
            dir: self.dir(context).to_owned(),
        }
    }

    /// The directory of the record as the user can type it.
    fn dir<'d>(&'d self, context: &Context) -> &'d Path {
        let dir = self.journal.parent().unwrap_or(&self.journal);
        dir.strip_prefix(&context.dir).unwrap_or(dir)
    }

    /// The message for a run without tests to run.
    pub(super) fn nothing_to_run(&self, context: &Context) -> String {
        let dir = self.dir(context).display();
        match self.purpose {
            Purpose::Resume => format!("nothing to resume: all selected tests of {dir} have run"),
            Purpose::Failed => format!("no failed tests in {dir}; nothing was run"),
        }
    }

    /// Whether nothing to run is an answer and not an error in the selection.
    pub(super) fn explains_empty(&self, plan: &Plan) -> bool {
        plan.finished > 0 || self.included.as_ref().is_some_and(HashSet::is_empty)
    }
}

/// The tests of a run that ran only some of the selected ones.
fn recorded_selection(configuration: &Value) -> Option<HashSet<String>> {
    let ids = configuration.get("tests")?.as_array()?.iter();
    Some(ids.filter_map(Value::as_str).map(str::to_owned).collect())
}

/// Whether every planned test was started.
fn is_complete(run: &RunData) -> bool {
    let planned = run.metadata.get("example_count").and_then(Value::as_u64);
    planned.is_none_or(|planned| run.examples.len() as u64 >= planned)
}

fn named(example: &ExampleData) -> String {
    format!("{} {}", example.location, example.description)
}

/// Takes over the recorded options that were not given now.
fn take_over(configuration: &Value, settings: &mut Settings) -> Result<(), CommandError> {
    let text = |key: &str| configuration.get(key).and_then(Value::as_str);
    if settings.paths.is_empty() {
        settings.paths = texts(configuration, "paths");
    }
    settings.filter = settings
        .filter
        .take()
        .or_else(|| text("filter").map(str::to_owned));
    if settings.tags.is_empty() {
        let tags = texts(configuration, "tags");
        let parsed = tags.iter().map(|tag| tag.parse());
        settings.tags = parsed
            .collect::<Result<_, casebook_run::InvalidFilter>>()
            .map_err(|error| CommandError::Filter(error.to_string()))?;
    }
    if settings.shard.is_none() {
        settings.shard = text("shard").and_then(|shard| shard.parse().ok());
    }
    if settings.trials.is_none() {
        let trials = configuration.get("trials").and_then(Value::as_u64);
        settings.trials = trials.and_then(|trials| trials.try_into().ok());
    }
    take_over_limits(configuration, &mut settings.options);
    Ok(())
}

fn take_over_limits(configuration: &Value, options: &mut Options) {
    let timeout = configuration.get("timeout").and_then(Value::as_f64);
    let timeout = timeout.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    options.timeout = options.timeout.or(timeout);
    if options.retries == 0 {
        let retries = configuration.get("retries").and_then(Value::as_u64);
        options.retries = retries
            .and_then(|retries| retries.try_into().ok())
            .unwrap_or_default();
    }
}

fn texts(configuration: &Value, key: &str) -> Vec<String> {
    let list = configuration.get(key).and_then(Value::as_array);
    let texts = list.into_iter().flatten().filter_map(Value::as_str);
    texts.map(str::to_owned).collect()
}

/// Whether a test has a result that a resumed run keeps.
pub(in crate::commands) fn is_finished(example: &ExampleData) -> bool {
    let exception = example.exception.as_ref();
    let class = exception.and_then(|exception| exception.class_name.as_deref());
    let was_interrupted = class == Some(INTERRUPTED);
    let is_set = |key: &str| example.metadata.get(key) == Some(&Value::Bool(true));
    let was_to_be_retried = is_set("will_retry");
    match example.status {
        Status::Passed | Status::Failed if is_set(Repetitions::WILL_REPEAT) => false,
        Status::Passed | Status::Pending => true,
        Status::Failed => !was_interrupted && !was_to_be_retried,
        Status::Running => false,
    }
}
