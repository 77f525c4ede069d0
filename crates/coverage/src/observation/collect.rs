//! Builds an observation from what the Ruby processes of a run reported.

use std::collections::{BTreeSet, HashMap};

use casebook_design::probes::{Hits, Outcome, ProbePlan, ProbedFile, ProbedMethod, StateProbe};
use casebook_record::hex_of_sha256;
use casebook_report::coverage::ObservedStatus;
use serde::Deserialize;

use super::line_numbers::LineNumbers;
use super::{Observation, ObservedExample, ObservedMethod, ObservedState, UnobservedFile, VERSION};

/// What one process observed, as `ruby/casebook_observer.rb` writes it.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct ProcessResult {
    examples: Vec<ExampleHits>,
    /// The hits outside of examples.
    outside: Vec<(Outcome, u64)>,
    /// Each planned file that was loaded, and why it was not rewritten.
    files: HashMap<String, Option<String>>,
}

#[derive(Debug, Clone, Deserialize)]
struct ExampleHits {
    id: String,
    description: String,
    location: String,
    status: String,
    hits: Vec<(Outcome, u64)>,
}

/// Combines the results of all processes. `source` reads a source file.
pub fn collect(
    plan: &ProbePlan,
    results: Vec<ProcessResult>,
    source: &dyn Fn(&str) -> Vec<u8>,
) -> Observation {
    let states: Vec<&StateProbe> = plan
        .methods()
        .flat_map(|(_, method)| &method.states)
        .collect();
    let mut reached = ReachedStates::new(&states);
    let mut observation = Observation {
        version: VERSION,
        ..Observation::default()
    };
    let mut files: HashMap<String, Option<String>> = HashMap::new();
    let mut known: HashMap<String, usize> = HashMap::new();
    for result in results {
        reached.add_outside(&result.outside.into_iter().collect());
        for example in result.examples {
            let index = observation.add_example(&example, &mut known);
            if example.status == "passed" {
                reached.add(index, &example.hits.into_iter().collect());
            }
        }
        files.extend(result.files);
    }
    observation.unobserved = unobserved(&files);
    let mut reached = reached.into_lists();
    for file in &plan.files {
        let text = source(&file.path);
        // A file that was not rewritten reports nothing, so nothing is known about it.
        let is_loaded = files.get(&file.path).is_some_and(Option::is_none);
        let lines = LineNumbers::new(&text);
        for method in &file.methods {
            let own = reached.by_ref().take(method.states.len());
            let mut states = states_of(method, own, is_loaded);
            for (state, probe) in states.iter_mut().zip(&method.states) {
                state.lines = lines.of_state(file, probe);
            }
            observation
                .methods
                .push(observed(file, method, &text, states));
        }
    }
    observation
}

/// The files that were not observed, sorted.
fn unobserved(files: &HashMap<String, Option<String>>) -> Vec<UnobservedFile> {
    let unobserved = files.iter().filter_map(|(file, reason)| {
        let (file, reason) = (file.clone(), reason.clone()?);
        Some(UnobservedFile { file, reason })
    });
    unobserved.collect::<BTreeSet<_>>().into_iter().collect()
}

impl Observation {
    /// Adds an example, or finds it. If it was run several times, it passed if it did once.
    fn add_example(&mut self, example: &ExampleHits, known: &mut HashMap<String, usize>) -> usize {
        let passed = example.status == "passed";
        let next = self.examples.len();
        let index = *known.entry(example.id.clone()).or_insert(next);
        if let Some(example) = self.examples.get_mut(index) {
            example.passed |= passed;
            return index;
        }
        self.examples.push(ObservedExample {
            id: example.id.clone(),
            description: example.description.clone(),
            location: example.location.clone(),
            passed,
        });
        index
    }
}

pub(super) fn observed(
    file: &ProbedFile,
    method: &ProbedMethod,
    text: &[u8],
    states: Vec<ObservedState>,
) -> ObservedMethod {
    let found = &method.analysis.method;
    ObservedMethod {
        id: found.id(),
        file: file.path.clone(),
        line: found.lines.0,
        last_line: found.lines.1,
        digest: digest(text, found.lines),
        states,
        examples: Vec::new(),
    }
}

/// The digest of some lines of a source.
pub(super) fn digest(text: &[u8], (first, last): (usize, usize)) -> String {
    let lines = text.split_inclusive(|byte| *byte == b'\n');
    let own = lines.skip(first.saturating_sub(1));
    let own: Vec<&[u8]> = own.take((last + 1).saturating_sub(first)).collect();
    hex_of_sha256(&own.concat(), 16)
}

pub(super) fn states_of(
    method: &ProbedMethod,
    reached: impl Iterator<Item = StateHits>,
    is_loaded: bool,
) -> Vec<ObservedState> {
    let states = method.states.iter().zip(reached);
    let states = states.map(|(probe, reached)| {
        let characteristic = &method.analysis.characteristics[probe.characteristic];
        ObservedState {
            characteristic: characteristic.name.clone(),
            state: characteristic.states[probe.state].clone(),
            line: characteristic.lines.0,
            lines: Vec::new(),
            status: match reached {
                _ if !reached.examples.is_empty() => ObservedStatus::Exercised,
                _ if reached.outside => ObservedStatus::OutsideExamples,
                _ if is_loaded => ObservedStatus::Never,
                _ => ObservedStatus::NotLoaded,
            },
            examples: reached.examples,
            proof: None,
        }
    });
    states.collect()
}

/// What reached one state.
#[derive(Debug, Clone, Default)]
pub(super) struct StateHits {
    pub(super) examples: Vec<usize>,
    pub(super) outside: bool,
}

/// What reached each state of the plan.
struct ReachedStates<'p> {
    states: &'p [&'p StateProbe],
    /// The states that an outcome may show.
    by_outcome: HashMap<Outcome, Vec<usize>>,
    reached: Vec<StateHits>,
}

impl<'p> ReachedStates<'p> {
    fn new(states: &'p [&'p StateProbe]) -> ReachedStates<'p> {
        let mut by_outcome: HashMap<Outcome, Vec<usize>> = HashMap::new();
        for (index, state) in states.iter().enumerate() {
            let subjects = state.unmatched.iter().map(|one| one.subject);
            for outcome in state.outcomes.iter().copied().chain(subjects) {
                by_outcome.entry(outcome).or_default().push(index);
            }
        }
        ReachedStates {
            states,
            by_outcome,
            reached: vec![StateHits::default(); states.len()],
        }
    }

    fn add(&mut self, example: usize, hits: &Hits) {
        for state in self.shown_by(hits) {
            self.reached[state].examples.push(example);
        }
    }

    fn add_outside(&mut self, hits: &Hits) {
        for state in self.shown_by(hits) {
            self.reached[state].outside = true;
        }
    }

    fn shown_by(&self, hits: &Hits) -> BTreeSet<usize> {
        let candidates = hits
            .keys()
            .filter_map(|outcome| self.by_outcome.get(outcome));
        let candidates = candidates.flatten().copied();
        candidates
            .filter(|state| self.states[*state].is_reached(hits))
            .collect()
    }

    /// In the order of the states. An example that was run several times is listed once.
    fn into_lists(mut self) -> std::vec::IntoIter<StateHits> {
        for one in &mut self.reached {
            one.examples.sort_unstable();
            one.examples.dedup();
        }
        self.reached.into_iter()
    }
}
