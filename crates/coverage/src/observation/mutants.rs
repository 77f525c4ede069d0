//! Mutants: methods that behave as if they were in another state. One that no example notices shows a state that is
//! exercised, but not checked.

use std::collections::{BTreeSet, HashMap};
use std::path::Path;

use casebook_design::probes::{Outcome, ProbePlan, ProbedMethod};
use casebook_record::hex_of_sha256;
use casebook_report::coverage::ObservedStatus;
use serde::{Deserialize, Serialize};

use super::collect::digest;
use super::{Observation, ObservedMethod, ObservedState};

/// What happened when a state was inverted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Proof {
    /// An example failed.
    Killed,
    /// The examples did not end in time, which counts as a failure.
    Timeout,
    /// All examples passed.
    Survived,
    /// All examples fail in a forked process, also if nothing is inverted, so the result says nothing.
    NotRepeatable,
}

/// A mutant to run, as `ruby/casebook_prover.rb` reads it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Mutant {
    /// Identifies the state.
    state: usize,
    /// The outcomes to invert.
    outcomes: Vec<Outcome>,
    /// The ids of the examples that reach the state.
    examples: Vec<String>,
}

/// What `ruby/casebook_prover.rb` reports about a mutant.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct MutantResult {
    state: usize,
    result: Proof,
    /// How long it took.
    pub seconds: f64,
}

impl MutantResult {
    /// Whether its examples ran to an end.
    pub fn ended(&self) -> bool {
        matches!(self.result, Proof::Killed | Proof::Survived)
    }
}

/// All mutants of a project.
pub struct MutantPlan {
    /// Those to run.
    pub mutants: Vec<Mutant>,
    /// The state of each mutant: the indexes of its method and of the state in it.
    places: Vec<(usize, usize)>,
    /// What identifies the code and the examples of each mutant.
    keys: Vec<String>,
}

/// The results of earlier mutants, by what identifies their code and examples.
type Cache = HashMap<String, Proof>;

/// A mutant for each exercised state of the selected methods. What is already known is added to the observation instead.
pub fn mutants(
    observation: &mut Observation,
    plan: &ProbePlan,
    root: &Path,
    is_selected: &dyn Fn(&ObservedMethod) -> bool,
) -> MutantPlan {
    let mut found = MutantPlan {
        mutants: Vec::new(),
        places: Vec::new(),
        keys: Vec::new(),
    };
    let known: Cache = std::mem::take(&mut observation.proofs);
    let mut specs = SpecDigests::new(root);
    for (file, method) in plan.methods() {
        let id = method.analysis.method.id();
        let text = std::fs::read(root.join(&file.path)).unwrap_or_default();
        let now = digest(&text, method.analysis.method.lines);
        let mut methods = observation.methods.iter();
        let index = methods.position(|one| one.id == id && one.file == file.path);
        // The examples of changed code are unknown.
        let Some(index) = index.filter(|index| observation.methods[*index].digest == now) else {
            continue;
        };
        if is_selected(&observation.methods[index]) {
            found.add(index, method, observation, &mut specs);
        }
    }
    found.apply_known(observation, &known);
    observation.proofs = known;
    found
}

impl MutantPlan {
    fn add(
        &mut self,
        index: usize,
        method: &ProbedMethod,
        observation: &Observation,
        specs: &mut SpecDigests<'_>,
    ) {
        let observed = &observation.methods[index];
        for (place, (probe, state)) in method.states.iter().zip(&observed.states).enumerate() {
            // A value that matches no branch of a `case` has no statements to skip.
            if probe.outcomes.is_empty() || !state.status.is_reached() {
                continue;
            }
            let examples = state.examples.iter();
            let examples = examples.map(|index| observation.examples[*index].id.clone());
            let examples: Vec<String> = examples.collect();
            self.keys.push(key(observed, state, &examples, specs));
            self.mutants.push(Mutant {
                state: self.places.len(),
                outcomes: probe.outcomes.clone(),
                examples,
            });
            self.places.push((index, place));
        }
    }

    /// Removes mutants whose result is known.
    fn apply_known(&mut self, observation: &mut Observation, known: &Cache) {
        let mutants = std::mem::take(&mut self.mutants);
        for mutant in mutants {
            match known.get(&self.keys[mutant.state]) {
                Some(proof) => self.apply(observation, mutant.state, *proof),
                None => self.mutants.push(mutant),
            }
        }
    }

    fn apply(&self, observation: &mut Observation, mutant: usize, proof: Proof) {
        let (method, state) = self.places[mutant];
        let state = &mut observation.methods[method].states[state];
        state.proof = Some(proof);
        state.status = match proof {
            Proof::Killed | Proof::Timeout => ObservedStatus::Proven,
            Proof::Survived | Proof::NotRepeatable => ObservedStatus::Exercised,
        };
    }

    /// Adds the results of the mutants to the observation.
    pub fn finish(&self, observation: &mut Observation, results: &[MutantResult]) {
        for result in results {
            if let Some(key) = self.keys.get(result.state) {
                if result.result != Proof::NotRepeatable {
                    observation.proofs.insert(key.clone(), result.result);
                }
                self.apply(observation, result.state, result.result);
            }
        }
    }
}

/// What a result depends on: the method, the state, and the files of the examples.
fn key(
    method: &ObservedMethod,
    state: &ObservedState,
    examples: &[String],
    specs: &mut SpecDigests<'_>,
) -> String {
    let files: BTreeSet<&str> = examples.iter().map(|id| spec_file(id)).collect();
    let specs = files.into_iter().map(|file| specs.of(file).to_owned());
    let names = [
        &method.id,
        &method.digest,
        &state.characteristic,
        &state.state,
    ];
    let mut parts: Vec<String> = names.into_iter().cloned().collect();
    parts.extend(specs);
    parts.extend_from_slice(examples);
    hex_of_sha256(parts.join("\0").as_bytes(), 24)
}

/// `./spec/cart_spec.rb` of `./spec/cart_spec.rb[1:2]`.
fn spec_file(id: &str) -> &str {
    id.split_once('[').map_or(id, |(file, _)| file)
}

/// The digests of spec files, each read once.
struct SpecDigests<'r> {
    root: &'r Path,
    by_file: HashMap<String, String>,
}

impl<'r> SpecDigests<'r> {
    fn new(root: &'r Path) -> SpecDigests<'r> {
        SpecDigests {
            root,
            by_file: HashMap::new(),
        }
    }

    fn of(&mut self, file: &str) -> &str {
        self.by_file.entry(file.to_owned()).or_insert_with(|| {
            let text = std::fs::read(self.root.join(file)).unwrap_or_default();
            digest(&text, (1, usize::MAX - 1))
        })
    }
}
