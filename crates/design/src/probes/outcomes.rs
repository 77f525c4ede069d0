//! Which outcomes of probes show that a state was reached.

use std::collections::HashMap;

use crate::decision::{Decision, DecisionKind};

/// How often each outcome occurred.
pub type Hits = HashMap<Outcome, u64>;

/// The outcome of a probe: twice its number if the condition was true or the branch was taken, otherwise one more.
pub type Outcome = usize;

/// How to find out whether a state was reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StateProbe {
    /// The index of the characteristic in its method.
    pub characteristic: usize,
    /// The index of the state.
    pub state: usize,
    /// Each of these outcomes shows that it was reached. If all of them are inverted, the method behaves as if it was
    /// in another state.
    pub outcomes: Vec<Outcome>,
    /// Values that match no branch of a `case` are in this state, too.
    pub unmatched: Vec<Unmatched>,
}

/// A `case` in which one state has no statements, so that only the other branches can report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unmatched {
    /// The outcome of the subject.
    pub subject: Outcome,
    /// The outcomes of all branches.
    pub arms: Vec<Outcome>,
}

impl StateProbe {
    /// Whether the state was reached.
    pub fn is_reached(&self, hits: &Hits) -> bool {
        let count = |outcome: &Outcome| hits.get(outcome).copied().unwrap_or(0);
        let is_unmatched = |one: &Unmatched| count(&one.subject) > one.arms.iter().map(count).sum();
        self.outcomes.iter().any(|outcome| count(outcome) > 0)
            || self.unmatched.iter().any(is_unmatched)
    }
}

/// The probes of one decision: numbers of its conditions, and of its branches with statements.
pub(super) struct DecisionProbes {
    pub(super) conditions: Vec<usize>,
    pub(super) arms: Vec<Option<usize>>,
}

pub(super) fn when_true(probe: usize) -> Outcome {
    probe * 2
}

fn when_false(probe: usize) -> Outcome {
    probe * 2 + 1
}

/// The outcomes of a decision that show a state, with the index of the state.
pub(super) fn outcomes(decision: &Decision, probes: &DecisionProbes) -> Vec<(usize, Outcome)> {
    match decision.kind {
        DecisionKind::Condition => of_condition(decision, probes),
        DecisionKind::Chain => of_chain(decision, probes),
        DecisionKind::Case => of_case(decision, probes),
    }
}

/// All conditions must be true for the first state, and are evaluated only as long as they are.
fn of_condition(decision: &Decision, probes: &DecisionProbes) -> Vec<(usize, Outcome)> {
    let last = probes.conditions.len().saturating_sub(1);
    let mut found = Vec::new();
    for (index, (span, probe)) in decision
        .conditions
        .iter()
        .zip(&probes.conditions)
        .enumerate()
    {
        let (met, unmet) = if span.negated {
            (when_false(*probe), when_true(*probe))
        } else {
            (when_true(*probe), when_false(*probe))
        };
        found.push((1, unmet));
        if index == last {
            found.push((0, met));
        }
    }
    found
}

/// A branch is taken if its last condition is true; the state after the last branch, if a condition of that is false.
fn of_chain(decision: &Decision, probes: &DecisionProbes) -> Vec<(usize, Outcome)> {
    let spans = &decision.conditions;
    let last_arm = spans.last().map_or(0, |span| span.arm);
    let mut found = Vec::new();
    for (index, (span, probe)) in spans.iter().zip(&probes.conditions).enumerate() {
        if spans.get(index + 1).is_none_or(|next| next.arm != span.arm) {
            found.push((span.arm, when_true(*probe)));
        }
        if span.arm == last_arm {
            found.push((last_arm + 1, when_false(*probe)));
        }
    }
    found
}

fn of_case(decision: &Decision, probes: &DecisionProbes) -> Vec<(usize, Outcome)> {
    let arms = decision.arms.iter().zip(&probes.arms);
    arms.filter_map(|(arm, probe)| Some((arm.state, when_true((*probe)?))))
        .collect()
}

/// The one state of a `case` that has no probe. `None` if there are several: they cannot be distinguished.
pub(super) fn unmatched(
    decision: &Decision,
    probes: &DecisionProbes,
    states: usize,
) -> Option<(usize, Unmatched)> {
    if decision.kind != DecisionKind::Case {
        return None;
    }
    let reported = of_case(decision, probes);
    let mut silent = (0..states).filter(|state| reported.iter().all(|(other, _)| other != state));
    let state = silent.next().filter(|_| silent.next().is_none())?;
    let subject = when_true(*probes.conditions.first()?);
    let arms = reported.into_iter().map(|(_, outcome)| outcome).collect();
    Some((state, Unmatched { subject, arms }))
}
