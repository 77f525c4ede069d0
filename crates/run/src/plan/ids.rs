//! Ids of tests, scenarios and trials.

use casebook_record::{StableIds, canonical_path, scenario_id};
use casebook_suite::model::Test;
use casebook_suite::model::conversation::Trials;
use casebook_suite::{LineRange, Suite};
use serde_json::Value;

use super::{PlannedSuite, SelectedSuite, TestEntry, Trial};

/// Assigns ids to all tests of a suite, before any is excluded, so that an id does not depend on the selection.
pub(super) fn assign_ids(
    selected: SelectedSuite,
    ids: &mut StableIds,
) -> (PlannedSuite, Vec<LineRange>) {
    let suite = &selected.suite;
    let mut tests = Vec::with_capacity(suite.tests.len());
    for (index, test) in suite.tests.iter().enumerate() {
        let scenario_id = scenario(test).map(|scenario| scenario_id(&scenario));
        let canonical_path =
            canonical_path([suite.name.as_str(), &test.name], scenario_id.as_deref());
        let test_id = ids.next(&canonical_path);
        for trial in trials(test) {
            let stable_id = match trial {
                None => test_id.clone(),
                Some(trial) => format!("{test_id}~{}", trial.number),
            };
            tests.push(TestEntry {
                index,
                id: file_safe(&stable_id),
                stable_id,
                canonical_path: canonical_path.clone(),
                position: 0,
                number: tests.len() + 1,
                run_number: 0,
                scenario_id: scenario_id.clone(),
                trial,
                first_line: None,
                expected_ms: None,
            });
        }
    }
    let suite = PlannedSuite::new(selected.suite, tests);
    (suite, selected.lines)
}

/// The tests of a suite with the ids that they have in records, if no earlier suite of the run has tests of the same names.
pub fn stable_ids(suite: &Suite) -> impl Iterator<Item = (&Test, String)> {
    let mut ids = StableIds::default();
    suite.tests.iter().map(move |test| {
        let scenario_id = scenario(test).map(|scenario| scenario_id(&scenario));
        let path = canonical_path([suite.name.as_str(), &test.name], scenario_id.as_deref());
        (test, ids.next(&path))
    })
}

fn scenario(test: &Test) -> Option<Value> {
    let scenario = test.conversation()?.scenario.clone()?;
    Some(scenario.into())
}

/// Every trial of a test; a test without trials has one entry, `None`.
fn trials(test: &Test) -> Vec<Option<Trial>> {
    let trials = test.conversation().map(|conversation| conversation.trials);
    let trials = trials.unwrap_or(Trials::ONE);
    let first = Trial {
        number: 1,
        of: trials.count,
        needs: trials.needs(),
        is_overridden: trials.is_overridden,
    };
    match first.of {
        0 | 1 => vec![None],
        of => (1..=of)
            .map(|number| Some(Trial { number, ..first }))
            .collect(),
    }
}

/// Turns `example:924d5a71dde0#2` into `924d5a71dde0-2`.
fn file_safe(stable_id: &str) -> String {
    stable_id.trim_start_matches("example:").replace('#', "-")
}
