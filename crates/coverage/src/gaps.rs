//! What the specs of a project do not test: the states of each observed method that no example reaches or checks.

mod dead_states;
mod sentence;

use std::cmp::Reverse;
use std::path::Path;

use casebook_design::probes::{ProbePlan, ProbedMethod, StateProbe};
use casebook_report::coverage::ObservedStatus;

use crate::observation::{Observation, ObservedExample, ObservedMethod, ObservedState, Proof};

/// A method and what is missing.
#[derive(Debug)]
pub struct MethodGaps<'a> {
    /// The method as it was observed.
    pub observed: &'a ObservedMethod,
    /// Its characteristics.
    pub probed: &'a ProbedMethod,
    /// Its source text.
    pub code: String,
    /// The states to test, in the order of the code.
    pub missing: Vec<Gap<'a>>,
    /// States that no test can or needs to reach.
    pub excluded: Vec<Gap<'a>>,
}

/// One state.
#[derive(Debug)]
pub struct Gap<'a> {
    /// The state.
    pub state: &'a ObservedState,
    /// The texts of the conditions that decide it.
    pub conditions: Vec<String>,
    /// Why it is missing, or excluded.
    pub reason: GapReason,
    /// The state as the context of a spec would be named: `when key absent`.
    pub context: String,
    /// What is missing, in one sentence.
    pub sentence: String,
}

/// Why a state is not tested.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GapReason {
    /// No passed example reaches it.
    Never,
    /// Examples reach it, but none fails if it is inverted.
    NotChecked,
    /// No example is named after it. The specs were not observed.
    NotNamed,
    /// Its file is not loaded by the specs.
    NotLoaded,
    /// Only code outside of examples reaches it.
    OutsideExamples,
    /// No value can reach it.
    Dead,
    /// The Ruby version or the operating system decides it.
    Platform,
}

impl GapReason {
    /// The word used in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            GapReason::Never => "never",
            GapReason::NotChecked => "not_checked",
            GapReason::NotNamed => "not_named",
            GapReason::NotLoaded => "not_loaded",
            GapReason::OutsideExamples => "outside_examples",
            GapReason::Dead => "dead",
            GapReason::Platform => "platform",
        }
    }

    /// Whether an example should be written.
    fn is_missing(self) -> bool {
        matches!(
            self,
            GapReason::Never | GapReason::NotChecked | GapReason::NotNamed | GapReason::NotLoaded
        )
    }
}

impl MethodGaps<'_> {
    /// Whether a state is missing, or excluded.
    pub fn has_any(&self) -> bool {
        !self.missing.is_empty() || !self.excluded.is_empty()
    }

    /// The examples that reach the method's states: the first few of each state.
    pub fn examples<'o>(
        &self,
        observation: &'o Observation,
        of_each_state: usize,
    ) -> Vec<&'o ObservedExample> {
        let states = self.observed.states.iter().map(|state| &state.examples);
        let mut indexes: Vec<usize> = states
            .chain([&self.observed.examples])
            .flat_map(|examples| examples.iter().take(of_each_state).copied())
            .collect();
        indexes.sort_unstable();
        indexes.dedup();
        indexes
            .iter()
            .map(|index| &observation.examples[*index])
            .collect()
    }

    /// Names do not say whether a state is reached.
    fn go_by_names(&mut self) {
        let never = |gap: &&mut Gap<'_>| gap.reason == GapReason::Never;
        for gap in self.missing.iter_mut().filter(never) {
            gap.reason = GapReason::NotNamed;
            gap.sentence = sentence::sentence(gap.reason, self.observed, &gap.context);
        }
    }

    /// Methods that examples already call come first: what is missing there is a hole in existing tests.
    fn rank(&self) -> (bool, Reverse<usize>) {
        let is_loaded = |gap: &Gap<'_>| gap.reason != GapReason::NotLoaded;
        (
            !self.missing.iter().any(is_loaded),
            Reverse(self.missing.len()),
        )
    }
}

/// All methods with what is missing, the most valuable first.
pub fn gaps<'a>(
    observation: &'a Observation,
    plan: &'a ProbePlan,
    root: &Path,
) -> Vec<MethodGaps<'a>> {
    let mut found = Vec::new();
    for file in &plan.files {
        let source = std::fs::read(root.join(&file.path)).unwrap_or_default();
        for probed in &file.methods {
            let method = &probed.analysis.method;
            let observed = observation.unchanged_method(&file.path, method, &source);
            if let Some(observed) = observed {
                let mut method = method_gaps(observed, probed, &source);
                if observation.is_by_names {
                    method.go_by_names();
                }
                found.push(method);
            }
        }
    }
    found.sort_by_key(MethodGaps::rank);
    found
}

fn method_gaps<'a>(
    observed: &'a ObservedMethod,
    probed: &'a ProbedMethod,
    source: &[u8],
) -> MethodGaps<'a> {
    let states = observed.states.iter().zip(&probed.states);
    let gaps = states.filter_map(|(state, probe)| gap(state, probe, observed, probed, source));
    let (missing, excluded) = gaps.partition(|gap| gap.reason.is_missing());
    let text = String::from_utf8_lossy(source);
    let lines = text.lines().skip(observed.line.saturating_sub(1));
    let lines: Vec<&str> = lines.take(observed.last_line + 1 - observed.line).collect();
    MethodGaps {
        observed,
        probed,
        code: lines.join("\n"),
        missing,
        excluded,
    }
}

fn gap<'a>(
    state: &'a ObservedState,
    probe: &StateProbe,
    method: &ObservedMethod,
    probed: &ProbedMethod,
    source: &[u8],
) -> Option<Gap<'a>> {
    let conditions = conditions(probe.characteristic, probed, source);
    let reason = match state.status {
        ObservedStatus::Exercised if state.proof == Some(Proof::Survived) => GapReason::NotChecked,
        ObservedStatus::Proven | ObservedStatus::Exercised => return None,
        status => {
            dead_states::reason(&conditions, probe.state).unwrap_or_else(|| not_reached(status))
        }
    };
    let context = sentence::context(method, probed, probe);
    Some(Gap {
        state,
        sentence: sentence::sentence(reason, method, &context),
        context,
        conditions,
        reason,
    })
}

/// Why a state that no example reaches was not reached.
fn not_reached(status: ObservedStatus) -> GapReason {
    match status {
        ObservedStatus::NotLoaded => GapReason::NotLoaded,
        ObservedStatus::OutsideExamples => GapReason::OutsideExamples,
        _ => GapReason::Never,
    }
}

/// The texts of the conditions of a characteristic.
fn conditions(characteristic: usize, probed: &ProbedMethod, source: &[u8]) -> Vec<String> {
    let decisions = probed.analysis.decisions.iter();
    let own = decisions.filter(|decision| decision.characteristic == characteristic);
    let spans = own.flat_map(|decision| &decision.conditions);
    let texts = spans.filter_map(|span| source.get(span.start..span.end));
    let mut texts: Vec<String> = texts
        .map(|text| String::from_utf8_lossy(text).into_owned())
        .collect();
    texts.dedup();
    texts
}
