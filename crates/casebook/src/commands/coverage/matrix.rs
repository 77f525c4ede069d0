//! Designs and tests as the matrix that is shown.

use std::cmp::Reverse;

use casebook_design::metadata::read::Entry;
use casebook_report::coverage::{Characteristic, Combination, Method, State, Test};

use super::contexts::{State as Place, States};
use super::covering::{Covering, Tests};
use super::designs::Design;

/// The methods, those that lack most first.
pub(super) fn methods(designs: &[Design], tests: &Tests) -> Vec<Method> {
    let mut methods: Vec<Method> = designs
        .iter()
        .enumerate()
        .filter(|(_, design)| design.is_wanted)
        .map(|(place, design)| method(design, place, tests))
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

fn method(design: &Design, place: usize, tests: &Tests) -> Method {
    let covering: Vec<(&Covering, States)> = tests
        .all
        .iter()
        .filter_map(|test| {
            let states = test.states.get(&place)?;
            (!states.is_empty()).then(|| (test, design.vocabulary.closed(states.clone())))
        })
        .collect();
    let covered_by = |wanted: &[Place]| -> Vec<usize> {
        let fits = |states: &States| wanted.iter().all(|state| states.contains(state));
        let all = covering.iter().enumerate();
        all.filter(|(_, (_, states))| fits(states))
            .map(|(test, _)| test)
            .collect()
    };
    let entries = &design.plan.entries;
    let characteristic = |(place, entry): (usize, &Entry)| Characteristic {
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
                tests: covered_by(&[(place, state)]),
            })
            .collect(),
    };
    let named = |(entry, state): &Place| {
        let entry = &entries[*entry];
        (entry.name.clone(), entry.states[*state].clone())
    };
    // A leaf of one state is that state.
    let leaves = design.vocabulary.leaves.iter();
    let combinations = leaves
        .filter(|leaf| leaf.len() > 1)
        .map(|leaf| Combination {
            states: leaf.iter().map(named).collect(),
            tests: covered_by(leaf),
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

fn shown(test: &Covering) -> Test {
    Test {
        name: test.name.clone(),
        place: test.place.clone(),
        known_by: test.known_by,
        outcome: test.outcome,
    }
}
