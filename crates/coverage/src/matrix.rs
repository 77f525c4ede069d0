//! Builds the methods of the coverage matrix from designs and covering tests.

use std::cmp::Reverse;

use casebook_design::metadata::read::Entry;
use casebook_report::coverage::{Characteristic, Combination, Method, State, Test};

use crate::covering_tests::{CoveringTest, CoveringTests};
use crate::designs::Design;
use crate::state_names::{State as StateIndex, States};

/// The selected methods, those with the most uncovered states first.
pub(crate) fn methods(designs: &[Design], tests: &CoveringTests) -> Vec<Method> {
    let mut methods: Vec<Method> = designs
        .iter()
        .enumerate()
        .filter(|(_, design)| design.is_selected)
        .map(|(index, design)| method(design, index, tests))
        .collect();
    methods.sort_by_key(|method| {
        let counts = method.counts();
        Reverse((
            counts.designed - counts.covered,
            counts.designed - counts.passed,
        ))
    });
    methods
}

fn method(design: &Design, index: usize, tests: &CoveringTests) -> Method {
    let covering: Vec<(&CoveringTest, States)> = tests
        .all
        .iter()
        .filter_map(|test| {
            let states = test.states.get(&index)?;
            (!states.is_empty()).then(|| (test, design.state_names.with_parents(states.clone())))
        })
        .collect();
    let covered_by = |required: &[StateIndex]| -> Vec<usize> {
        let fits = |states: &States| required.iter().all(|state| states.contains(state));
        let all = covering.iter().enumerate();
        all.filter(|(_, (_, states))| fits(states))
            .map(|(test, _)| test)
            .collect()
    };
    let entries = &design.plan.entries;
    let characteristic = |(index, entry): (usize, &Entry)| Characteristic {
        name: entry.name.clone(),
        kind: entry
            .kind
            .map_or("unknown", |kind| kind.as_str())
            .to_owned(),
        depends_on: entry.depends_on.clone(),
        states: entry
            .states
            .iter()
            .enumerate()
            .map(|(state, name)| State {
                name: name.clone(),
                tests: covered_by(&[(index, state)]),
                observed: None,
            })
            .collect(),
    };
    let named = |(entry, state): &StateIndex| {
        let entry = &entries[*entry];
        (entry.name.clone(), entry.states[*state].clone())
    };
    // A path of one state is that state, which is already listed.
    let leaves = design.state_names.leaves.iter();
    let combinations = leaves
        .filter(|leaf| leaf.len() > 1)
        .map(|leaf| Combination {
            states: leaf.iter().map(named).collect(),
            tests: covered_by(leaf),
            observed: None,
        });
    Method {
        name: design.id.clone(),
        file: design.plan.file.clone().unwrap_or_default(),
        metadata: design.metadata.clone(),
        characteristics: entries.iter().enumerate().map(characteristic).collect(),
        combinations: combinations.collect(),
        tests: covering.iter().map(|(test, _)| shown(test)).collect(),
    }
}

fn shown(test: &CoveringTest) -> Test {
    Test {
        name: test.name.clone(),
        location: test.place.clone(),
        source: test.known_by,
        outcome: test.outcome,
    }
}
