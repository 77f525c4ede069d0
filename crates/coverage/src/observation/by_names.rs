//! [`Observation::by_names`]: what the names of examples say about specs that were not observed.

use std::fs;
use std::path::Path;

use casebook_design::metadata::read::Plan;
use casebook_design::on_deep_stack;
use casebook_design::outline::{Group, Node, outline};
use casebook_design::probes::ProbePlan;
use casebook_record::canonical_path;

use super::collect::{StateHits, observed, states_of};
use super::{Observation, ObservedExample, VERSION};
use crate::covering_tests::shown;
use crate::designs::Design;
use crate::methods::Methods;
use crate::state_names::States;

/// An example in the order of its spec: the names of its groups and its own, and its location.
type NamedExample = (String, String);

impl Observation {
    /// An observation in which each example reaches the states that its groups name. Paths are relative to the root.
    pub fn by_names(plan: &ProbePlan, root: &Path) -> Observation {
        let probed: Vec<_> = plan.methods().collect();
        let design =
            |path: &str, analysis| Design::without_metadata(Plan::of(analysis, path), root);
        let designs = probed
            .iter()
            .map(|(file, one)| design(&file.path, &one.analysis));
        let designs: Vec<Design> = designs.collect();
        let methods = Methods::new(&designs);
        let mut observation = Observation {
            version: VERSION,
            is_by_names: true,
            ..Observation::default()
        };
        let mut covered: Vec<Vec<(usize, States)>> = vec![Vec::new(); designs.len()];
        let mut specs: Vec<_> = designs.iter().flat_map(|design| &design.specs).collect();
        specs.sort();
        specs.dedup();
        for spec in specs {
            for (path, location) in examples(spec, &shown(spec, root)) {
                let found = methods.covered_by(&path, spec);
                if !found.is_empty() {
                    let example = observation.examples.len();
                    for (method, states) in found {
                        let states = designs[method].state_names.with_parents(states);
                        covered[method].push((example, states));
                    }
                    observation.examples.push(ObservedExample {
                        id: format!("./{location}"),
                        description: path.replace("::", " "),
                        location,
                        passed: true,
                    });
                }
            }
        }
        for ((file, method), examples) in probed.into_iter().zip(covered) {
            let text = fs::read(root.join(&file.path)).unwrap_or_default();
            let reached = method.states.iter().map(|probe| {
                let state = (probe.characteristic, probe.state);
                let naming = examples
                    .iter()
                    .filter(|(_, states)| states.contains(&state));
                StateHits {
                    examples: naming.map(|(example, _)| *example).collect(),
                    outside: false,
                }
            });
            let states = states_of(method, reached, true);
            let mut observed = observed(file, method, &text, states);
            observed.examples = examples.iter().map(|(example, _)| *example).collect();
            observation.methods.push(observed);
        }
        observation
    }
}

/// The examples of a spec. A spec that cannot be read has none.
fn examples(spec: &Path, name: &str) -> Vec<NamedExample> {
    let text = fs::read_to_string(spec).unwrap_or_default();
    let found = on_deep_stack(|| outline(text.as_bytes(), name));
    let mut examples = Vec::new();
    for group in found.iter().flat_map(|outline| &outline.groups) {
        add_group(group, &mut Vec::new(), name, &mut examples);
    }
    examples
}

fn add_group<'g>(
    group: &'g Group,
    names: &mut Vec<&'g str>,
    spec: &str,
    examples: &mut Vec<NamedExample>,
) {
    names.push(&group.description);
    for child in &group.children {
        match child {
            Node::Group(group) => add_group(group, names, spec, examples),
            Node::Example(example) => {
                let own = example.description.as_str();
                let own = if own == "unknown" { "" } else { own };
                let path = canonical_path(names.iter().copied().chain([own]), None);
                examples.push((path, format!("{spec}:{}", example.line)));
            }
        }
    }
    names.pop();
}
