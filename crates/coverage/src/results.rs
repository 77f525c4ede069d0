//! Adds the results of recorded runs to covering tests.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::{Path, PathBuf};

use casebook_design::metadata::location::absolute;
use casebook_record::{ExampleData, RunData, Status, Time};
use casebook_report::coverage::{CoverageOutcome, CoverageSource};
use jiff::Timestamp;
use serde_json::Value;

use crate::claims::Claim;
use crate::covering_tests::{CoveringTest, CoveringTests, Key, shown};
use crate::methods::Methods;
use crate::stale::first_names;

/// Adds results to existing tests, and adds tests that only a record contains. Later runs override earlier ones.
pub(crate) fn add(tests: &mut CoveringTests, runs: &[&RunData], methods: &Methods<'_>, cwd: &Path) {
    let mut files: BTreeMap<PathBuf, Time> = BTreeMap::new();
    for run in runs {
        let mut outcomes: HashMap<usize, CoverageOutcome> = HashMap::new();
        for example in run.examples.values() {
            let Some(index) = test_index(tests, example, methods, cwd) else {
                continue;
            };
            files.insert(key(example, cwd).0, run.started_at);
            // Trials of one test count together.
            let outcome = outcomes.entry(index).or_default();
            *outcome = outcome_of(example).max(*outcome);
        }
        for (index, outcome) in outcomes {
            tests.all[index].outcome = outcome;
        }
    }
    let changed = files.iter().filter(|(file, run)| is_newer(file, **run));
    let changed: Vec<_> = changed.map(|(file, _)| shown(file, cwd)).collect();
    if !changed.is_empty() {
        let files = first_names(&changed);
        tests.warn(format!("changed since the run: {files}; run it again"));
    }
}

fn is_newer(file: &Path, run: Time) -> bool {
    let modified = fs::metadata(file).and_then(|file| file.modified()).ok();
    let modified = modified.and_then(|time| Timestamp::try_from(time).ok());
    modified.is_some_and(|time| Time::from(time) > run)
}

fn outcome_of(example: &ExampleData) -> CoverageOutcome {
    match example.status {
        Status::Passed => CoverageOutcome::Passed,
        Status::Failed => CoverageOutcome::Failed,
        Status::Pending | Status::Running => CoverageOutcome::NotRun,
    }
}

/// The index of the test to which this result belongs. A test that covers a state and is not known yet is added.
fn test_index(
    tests: &mut CoveringTests,
    example: &ExampleData,
    methods: &Methods<'_>,
    cwd: &Path,
) -> Option<usize> {
    let key = key(example, cwd);
    if let Some(index) = find(tests, &key) {
        return Some(index);
    }
    if tests.is_deleted(&key) {
        return None;
    }
    let mut covering = CoveringTest::new(
        &example.description,
        &example.location,
        CoverageSource::Context,
    );
    for (design, states) in methods.covered_by(&key.1, &key.0) {
        covering.cover(design, states);
    }
    let covers = covers(example);
    if !covers.is_empty() {
        covering.known_by = CoverageSource::Covers;
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

/// The canonical path of a test with a scenario ends with `@scenario`.
fn find(tests: &CoveringTests, key: &Key) -> Option<usize> {
    tests.find(key).or_else(|| {
        let (path, _scenario) = key.1.rsplit_once('@')?;
        tests.find(&(key.0.clone(), path.to_owned()))
    })
}

fn key(example: &ExampleData, cwd: &Path) -> Key {
    let path = example.canonical_path.as_ref().unwrap_or(&example.id);
    (absolute(&file(example), cwd), path.clone())
}

/// The file that a test was run from. RSpec's id names it even for shared examples, which are defined elsewhere.
fn file(example: &ExampleData) -> PathBuf {
    let of_suite = example.metadata.get("file").and_then(Value::as_str);
    let of_id = example.id.split_once('[').map(|(file, _)| file);
    let of_id = of_id.filter(|file| file.starts_with("./"));
    PathBuf::from(of_suite.or(of_id).unwrap_or(&example.file))
}

/// The `covers` of a recorded example: a map in suites, a list of `name=state` in other runners.
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
