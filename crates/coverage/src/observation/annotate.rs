//! Adds what was observed to the methods of a coverage matrix.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use casebook_report::coverage::{self, Method, ObservedStatus};

use super::{Observation, ObservedMethod, ObservedState};

impl Observation {
    /// Adds the observed status of each state and combination to these methods, by the names of the states. Those with the
    /// most states that no passed example reaches come first.
    pub fn annotate(&self, methods: &mut [Method]) {
        for method in &mut *methods {
            if let Some(observed) = self.method(&method.file, &method.name) {
                self.annotate_method(method, observed);
            }
        }
        methods.sort_by_key(|method| {
            let counts = method.observed_counts();
            Reverse(counts.all() - counts.reached())
        });
    }

    fn annotate_method(&self, method: &mut Method, observed: &ObservedMethod) {
        for characteristic in &mut method.characteristics {
            for state in &mut characteristic.states {
                let found = find(observed, &characteristic.name, &state.name);
                state.observed = found.map(|found| self.shown(found.status, &found.examples));
            }
        }
        for combination in &mut method.combinations {
            let states = combination.states.iter();
            let states = states.map(|(name, state)| find(observed, name, state));
            let states = states.collect::<Option<Vec<_>>>();
            combination.observed = states.map(|states| self.together(&states));
        }
    }

    /// States are reached together if one example reaches all of them.
    fn together(&self, states: &[&ObservedState]) -> coverage::Observed {
        let lists = states.iter().map(|state| &state.examples);
        let lists = lists.map(|list| list.iter().copied().collect::<BTreeSet<_>>());
        let common = lists.reduce(|a, b| &a & &b).unwrap_or_default();
        let lowest = states.iter().map(|state| state.status).min();
        let found = match lowest.unwrap_or(ObservedStatus::Never) {
            lowest if !common.is_empty() => lowest,
            ObservedStatus::NotLoaded => ObservedStatus::NotLoaded,
            _ => ObservedStatus::Never,
        };
        self.shown(found, &common.into_iter().collect::<Vec<_>>())
    }

    fn shown(&self, status: ObservedStatus, examples: &[usize]) -> coverage::Observed {
        let examples = examples
            .iter()
            .filter_map(|index| self.examples.get(*index));
        let examples = examples.map(|example| coverage::ObservedExample {
            name: example.description.clone(),
            location: example.location.clone(),
        });
        coverage::Observed {
            status,
            examples: examples.collect(),
        }
    }
}

fn find<'o>(
    method: &'o ObservedMethod,
    characteristic: &str,
    state: &str,
) -> Option<&'o ObservedState> {
    let mut states = method.states.iter();
    states.find(|one| one.characteristic == characteristic && one.state == state)
}
