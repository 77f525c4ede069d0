//! The recorded conversations, each with its test in the suites.

use std::collections::{BTreeSet, HashMap};
use std::path::Path;

use casebook_record::{ExampleData, RunData};
use casebook_run::{Plan, PlannedSuite, PlannedTest};
use casebook_source::closest_match;

use crate::error::CommandError;

/// The recorded conversations.
pub(super) fn conversations(run: &RunData) -> impl Iterator<Item = &ExampleData> {
    let examples = run.examples.values().map(|example| &**example);
    examples.filter(|example| example.transcript().is_some())
}

/// The suites of the recorded conversations. Fails if there are none.
pub(super) fn suite_files(run: &RunData, shown: &Path) -> Result<Vec<String>, CommandError> {
    let files: BTreeSet<_> = conversations(run).map(|example| &example.file).collect();
    if files.is_empty() {
        return Err(CommandError::NoConversations(shown.to_owned()));
    }
    Ok(files.into_iter().cloned().collect())
}

/// Fails if no suite has the criterion.
pub(super) fn check_criterion(plan: &Plan, name: Option<&str>) -> Result<(), CommandError> {
    let criteria = || {
        let tests = planned_tests(plan).filter_map(|planned| planned.test().conversation());
        let criteria = tests.flat_map(|conversation| conversation.criteria.iter());
        criteria.map(|criterion| criterion.name.as_str())
    };
    match name.filter(|name| criteria().all(|known| known != *name)) {
        None => Ok(()),
        Some(name) => Err(CommandError::UnknownCriterion {
            name: name.to_owned(),
            near: closest_match(name, criteria()).map(str::to_owned),
        }),
    }
}

/// Each recorded conversation with its test. With `by_name`, a suite with another name also matches.
pub(super) fn tests<'p, 'r>(
    plan: &'p Plan,
    run: &'r mut RunData,
    by_name: bool,
) -> Result<Vec<(PlannedTest<'p>, &'r mut ExampleData)>, CommandError> {
    let mut by_id: HashMap<&str, PlannedTest<'p>> = HashMap::new();
    let mut by_path: HashMap<String, PlannedTest<'p>> = HashMap::new();
    for planned in planned_tests(plan) {
        by_id.entry(planned.test_stable_id()).or_insert(planned);
        if by_name {
            let path = path_in_suite(&planned.canonical_path).to_owned();
            by_path.entry(path).or_insert(planned);
        }
    }
    let examples = run.examples.values_mut();
    let recorded = examples.filter(|example| example.transcript().is_some());
    let tests = recorded.map(|example| {
        let id = example.trial_of().or(example.stable_id.as_deref());
        let path = example.canonical_path.as_deref().map(path_in_suite);
        let planned = id.and_then(|id| by_id.get(id));
        let planned = planned.or_else(|| by_path.get(path?)).copied();
        let planned = planned.filter(|planned| planned.test().conversation().is_some());
        match planned {
            Some(planned) => Ok((planned, &mut **example)),
            None => Err(not_in_suite(example, plan)),
        }
    });
    tests.collect()
}

fn planned_tests(plan: &Plan) -> impl Iterator<Item = PlannedTest<'_>> {
    plan.suites.iter().flat_map(PlannedSuite::planned_tests)
}

/// The canonical path of a test without the name of its suite.
fn path_in_suite(path: &str) -> &str {
    path.split_once("::").map_or(path, |(_, path)| path)
}

fn not_in_suite(example: &ExampleData, plan: &Plan) -> CommandError {
    let suites: Vec<_> = plan.suites.iter().map(PlannedSuite::name).collect();
    CommandError::TestNotInSuite {
        place: example.location.clone(),
        test: example.description.clone(),
        suites: suites.join(", "),
    }
}
