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
    let covering = Covering::of(design, index, tests);
    let entries = design.plan.entries.iter().enumerate();
    let leaves = design.state_names.leaves.iter();
    // A path of one state is that state, which is already listed.
    let leaves = leaves.filter(|leaf| leaf.len() > 1);
    let shown = covering.0.iter().map(|(test, _)| shown(test));
    Method {
        name: design.id.clone(),
        file: design.plan.file.clone().unwrap_or_default(),
        metadata: design.metadata.clone(),
        characteristics: entries
            .map(|(index, entry)| characteristic(index, entry, &covering))
            .collect(),
        combinations: leaves
            .map(|leaf| combination(leaf, design, &covering))
            .collect(),
        tests: shown.collect(),
    }
}

/// The tests of a method, each with the states that it covers.
struct Covering<'t>(Vec<(&'t CoveringTest, States)>);

impl<'t> Covering<'t> {
    fn of(design: &Design, index: usize, tests: &'t CoveringTests) -> Covering<'t> {
        let all = tests.all.iter().filter_map(|test| {
            let states = test.states.get(&index)?;
            (!states.is_empty()).then(|| (test, design.state_names.with_parents(states.clone())))
        });
        Covering(all.collect())
    }

    /// The indexes of the tests that cover all of these states.
    fn tests(&self, required: &[StateIndex]) -> Vec<usize> {
        let fits = |states: &States| required.iter().all(|state| states.contains(state));
        let all = self.0.iter().enumerate();
        all.filter(|(_, (_, states))| fits(states))
            .map(|(test, _)| test)
            .collect()
    }
}

fn characteristic(index: usize, entry: &Entry, covering: &Covering<'_>) -> Characteristic {
    let states = entry.states.iter().enumerate();
    let states = states.map(|(state, name)| State {
        name: name.clone(),
        tests: covering.tests(&[(index, state)]),
        observed: None,
    });
    let kind = entry.kind.map_or("unknown", |kind| kind.as_str());
    Characteristic {
        name: entry.name.clone(),
        kind: kind.to_owned(),
        depends_on: entry.depends_on.clone(),
        states: states.collect(),
    }
}

fn combination(leaf: &[StateIndex], design: &Design, covering: &Covering<'_>) -> Combination {
    let named = |(entry, state): &StateIndex| {
        let entry = &design.plan.entries[*entry];
        (entry.name.clone(), entry.states[*state].clone())
    };
    Combination {
        states: leaf.iter().map(named).collect(),
        tests: covering.tests(leaf),
        observed: None,
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
