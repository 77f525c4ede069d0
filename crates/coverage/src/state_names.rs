//! Resolves the names of a spec's groups to states.
//!
//! A skeleton names each group after a state: `when parcel packed`, `and carrier is van`. Such names are often edited a
//! little, so the first word, articles, forms of `to be` and upper case are ignored.

use std::collections::{BTreeSet, HashMap};

use casebook_design::metadata::read::Plan;
use casebook_design::skeleton::{Context, contexts};

/// A characteristic and one of its states, by their indices in the plan.
pub(crate) type State = (usize, usize);

/// The states that one test covers.
pub(crate) type States = BTreeSet<State>;

const FIRST_WORDS: [&str; 7] = ["when", "with", "and", "but", "without", "if", "given"];
const FILLERS: [&str; 8] = ["the", "a", "an", "is", "are", "was", "were", "be"];

/// The states of a method by the names of groups.
#[derive(Debug)]
pub(crate) struct StateNames {
    states: HashMap<String, Vec<State>>,
    parents: Vec<Option<(usize, Vec<usize>)>>,
    /// State paths: the states from a root to a leaf.
    pub(crate) leaves: Vec<Vec<State>>,
}

impl StateNames {
    pub(crate) fn new(plan: &Plan) -> StateNames {
        let mut names = StateNames {
            states: HashMap::new(),
            parents: (0..plan.entries.len())
                .map(|entry| parent(plan, entry))
                .collect(),
            leaves: Vec::new(),
        };
        let mut path = Vec::new();
        for context in &contexts(plan) {
            names.add(plan, context, &mut path);
        }
        names
    }

    fn add(&mut self, plan: &Plan, context: &Context, path: &mut Vec<State>) {
        let states = &plan.entries[context.entry].states;
        let Some(index) = states.iter().position(|state| *state == context.state) else {
            return;
        };
        let state = (context.entry, index);
        let named = self
            .states
            .entry(normalize(&context.description))
            .or_default();
        if !named.contains(&state) {
            named.push(state);
        }
        path.push(state);
        if context.children.is_empty() {
            self.leaves.push(path.clone());
        }
        for child in &context.children {
            self.add(plan, child, path);
        }
        path.pop();
    }

    /// The states after which these groups are named, the outermost first. Groups with other names are ignored.
    pub(crate) fn states(&self, groups: &[&str]) -> States {
        let mut states = States::new();
        for group in groups {
            let named = self.states.get(&normalize(group)).map(Vec::as_slice);
            let named = named.unwrap_or_default();
            // An ambiguous name is the state whose parent an outer group has named.
            let fits = |state: &&State| {
                self.parents[state.0]
                    .as_ref()
                    .is_some_and(|(parent, when)| {
                        when.iter().any(|index| states.contains(&(*parent, *index)))
                    })
            };
            let state = named.iter().find(fits).or_else(|| named.first());
            states.extend(state.copied());
        }
        states
    }

    /// Adds the parents: the states on which these depend.
    pub(crate) fn with_parents(&self, mut states: States) -> States {
        let mut open: Vec<State> = states.iter().copied().collect();
        while let Some((entry, _)) = open.pop() {
            if let Some((parent, when)) = &self.parents[entry]
                && let [only] = when.as_slice()
                && states.insert((*parent, *only))
            {
                open.push((*parent, *only));
            }
        }
        states
    }
}

fn parent(plan: &Plan, entry: usize) -> Option<(usize, Vec<usize>)> {
    let entry = &plan.entries[entry];
    let name = entry.depends_on.as_ref()?;
    let parent = plan.entries.iter().position(|other| other.name == *name)?;
    let states = &plan.entries[parent].states;
    let when = entry.when_parent.iter();
    let when = when.filter_map(|state| states.iter().position(|other| other == state));
    Some((parent, when.collect()))
}

/// The form in which names are compared.
fn normalize(name: &str) -> String {
    let lower = name.to_lowercase().replace('_', " ");
    let mut words: Vec<_> = lower.split_whitespace().collect();
    if words
        .first()
        .is_some_and(|first| FIRST_WORDS.contains(first))
    {
        words.remove(0);
    }
    words.retain(|word| !FILLERS.contains(word));
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{PARCEL, design};

    #[test]
    fn a_state_includes_its_parent() {
        let design = design("Router", PARCEL);
        let with_parents = design.state_names.with_parents(States::from([(1, 1)]));
        assert_eq!(with_parents, States::from([(0, 0), (1, 1)]));
        assert_eq!(
            design.state_names.leaves,
            [vec![(0, 0), (1, 0)], vec![(0, 0), (1, 1)], vec![(0, 1)]]
        );
    }
}
