//! What came of the tests: the records that count.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::{Path, PathBuf};

use casebook_design::metadata::place::absolute;
use casebook_record::{ExampleData, Redactor, RunData, Status, Store, StoreError, Time};
use casebook_report::coverage::{KnownBy, Outcome};
use jiff::Timestamp;
use serde_json::Value;

use super::contexts::Methods;
use super::covering::{Covering, Key, Tests, shown};
use super::covers::Claim;
use super::stale::some;
use crate::commands::problems;
use crate::context::Context;
use crate::error::CommandError;

/// A record.
pub(super) struct Run {
    /// As people would type it.
    pub(super) name: String,
    data: RunData,
}

/// The records that were named, the oldest first; without any, the newest there is.
pub(super) fn load(
    names: &[String],
    redactor: &Redactor,
    context: &Context,
) -> Result<Vec<Run>, CommandError> {
    let store = Store::in_project(&context.folder);
    let wanted: Vec<Option<&str>> = match names {
        [] => vec![None],
        names => names.iter().map(|name| Some(name.as_str())).collect(),
    };
    let mut runs = Vec::new();
    for name in wanted {
        let path = match store.find(name, &context.folder) {
            Ok(path) => path,
            // Coverage can be asked for before anything was run.
            Err(StoreError::NoRuns(_)) if names.is_empty() => continue,
            Err(error) => return Err(error.into()),
        };
        let loaded = casebook_record::load(&path, redactor)?;
        let name = called(&path, &context.folder);
        problems::tell(&name, &loaded.problems, &context.messages);
        runs.push(Run {
            name,
            data: loaded.run,
        });
    }
    runs.sort_by_key(|run| run.data.started_at);
    Ok(runs)
}

/// The record's folder, by its own name where a link led to it; a file that lies here by the file's.
fn called(path: &Path, cwd: &Path) -> String {
    let folder = path
        .parent()
        .filter(|folder| *folder != cwd)
        .unwrap_or(path);
    let own = fs::read_link(folder)
        .map_or_else(|_| folder.to_owned(), |name| folder.with_file_name(name));
    shown(&own, cwd)
}

/// Adds what these records say: results of the tests that are known, and tests that only a record knows.
pub(super) fn add(tests: &mut Tests, runs: &[Run], methods: &Methods<'_>, cwd: &Path) {
    let mut files: BTreeMap<PathBuf, Time> = BTreeMap::new();
    for run in runs {
        let mut outcomes: HashMap<usize, Outcome> = HashMap::new();
        for example in run.data.examples.values() {
            let Some(place) = place(tests, example, methods, cwd) else {
                continue;
            };
            files.insert(key(example, cwd).0, run.data.started_at);
            // Trials of one test count together.
            let outcome = outcomes.entry(place).or_default();
            *outcome = outcome_of(example).max(*outcome);
        }
        for (place, outcome) in outcomes {
            tests.all[place].outcome = outcome;
        }
    }
    let changed = files.iter().filter(|(file, run)| is_newer(file, **run));
    let changed: Vec<_> = changed.map(|(file, _)| shown(file, cwd)).collect();
    if !changed.is_empty() {
        let files = some(&changed);
        tests.warn(format!("changed since the run: {files}; run it again"));
    }
}

fn is_newer(file: &Path, run: Time) -> bool {
    let modified = fs::metadata(file).and_then(|file| file.modified()).ok();
    let modified = modified.and_then(|time| Timestamp::try_from(time).ok());
    modified.is_some_and(|time| Time::from(time) > run)
}

fn outcome_of(example: &ExampleData) -> Outcome {
    match example.status {
        Status::Passed => Outcome::Passed,
        Status::Failed => Outcome::Failed,
        Status::Pending | Status::Running => Outcome::NotRun,
    }
}

/// The place of the test that this is a result of; one that covers something and is not known yet becomes known.
fn place(
    tests: &mut Tests,
    example: &ExampleData,
    methods: &Methods<'_>,
    cwd: &Path,
) -> Option<usize> {
    let key = key(example, cwd);
    if let Some(place) = find(tests, &key) {
        return Some(place);
    }
    if tests.is_gone(&key) {
        return None;
    }
    let mut covering = Covering::new(&example.description, &example.location, KnownBy::Context);
    for (design, states) in methods.of_path(&key.1, &key.0) {
        covering.cover(design, states);
    }
    let covers = covers(example);
    if !covers.is_empty() {
        covering.known_by = KnownBy::Covers;
        let claim = Claim {
            place: &example.location,
            suite: example.metadata.get("suite").and_then(Value::as_str),
            covers: &covers,
        };
        claim.resolve(methods.designs, &mut covering, tests);
    }
    tests.add(key.clone(), covering);
    tests.find(&key)
}

/// A test that a scenario drives has its scenario behind its names.
fn find(tests: &Tests, key: &Key) -> Option<usize> {
    tests.find(key).or_else(|| {
        let (path, _scenario) = key.1.rsplit_once('@')?;
        tests.find(&(key.0.clone(), path.to_owned()))
    })
}

fn key(example: &ExampleData, cwd: &Path) -> Key {
    let path = example.canonical_path.as_ref().unwrap_or(&example.id);
    (absolute(&file(example), cwd), path.clone())
}

/// The file that a test was run from. Shared examples stand in another one, which RSpec's ids do not name.
fn file(example: &ExampleData) -> PathBuf {
    let of_suite = example.metadata.get("file").and_then(Value::as_str);
    let of_id = example.id.split_once('[').map(|(file, _)| file);
    let of_id = of_id.filter(|file| file.starts_with("./"));
    PathBuf::from(of_suite.or(of_id).unwrap_or(&example.file))
}

/// What the example itself says that it covers: a map in suites, `name=state` in a list of other runners.
fn covers(example: &ExampleData) -> Vec<(String, String)> {
    let text = |value: &Value| match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    match example.metadata.get("covers") {
        Some(Value::Object(map)) => map
            .iter()
            .map(|(name, state)| (name.clone(), text(state)))
            .collect(),
        Some(Value::Array(list)) => list
            .iter()
            .filter_map(|one| {
                let (name, state) = one.as_str()?.split_once('=')?;
                Some((name.trim().to_owned(), state.trim().to_owned()))
            })
            .collect(),
        _ => Vec::new(),
    }
}
