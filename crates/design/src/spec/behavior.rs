//! Describes an example in words: rule W2. The description is a heuristic and is labeled as one.

use crate::negation::uppercase_not;
use crate::ruby::{Analysis, BranchFact, BranchOutcome};
use crate::skeleton::Context;
use crate::unknown_behavior::unknown_behavior;

/// One behavior of a leaf.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LeafBehavior {
    pub(super) description: String,
    pub(super) result: BehaviorResult,
}

/// What a behavior is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum BehaviorResult {
    /// The outcome of the branch.
    Ends(BranchOutcome),
    /// A side effect before the end.
    Effect,
    /// The code does not show it.
    Unknown,
}

/// The behaviors of a leaf: side effects first, then the result.
pub(super) fn behaviors(
    analysis: &Analysis,
    names: &[&str],
    leaf: &[&Context],
) -> Vec<LeafBehavior> {
    let states: Vec<_> = leaf
        .iter()
        .map(|context| (names[context.entry], context.state.as_str()))
        .collect();
    let fact = states
        .last()
        .and_then(|(name, state)| fact(analysis, name, state, &states));
    let mut found: Vec<LeafBehavior> = Vec::new();
    let ends = fact.is_some_and(|fact| fact.outcome.is_some());
    let own = fact.into_iter().flat_map(|fact| &fact.effects);
    // A leaf without an outcome continues to the end of the method.
    let last = analysis
        .last_effects
        .iter()
        .filter(|_| !ends && !may_end_early(analysis, &states));
    for effect in own.chain(last) {
        let effect = LeafBehavior {
            description: grammatical(effect),
            result: BehaviorResult::Effect,
        };
        if !found.contains(&effect) {
            found.push(effect);
        }
    }
    let outcome = fact.and_then(|fact| fact.outcome.as_ref());
    let last = analysis
        .last_outcome
        .as_ref()
        .filter(|_| !may_end_early(analysis, &states));
    if let Some(outcome) = outcome.or(last) {
        found.push(LeafBehavior {
            description: describe_outcome(outcome),
            result: BehaviorResult::Ends(outcome.clone()),
        });
    }
    if found.is_empty() {
        found.push(LeafBehavior {
            description: default(analysis),
            result: BehaviorResult::Unknown,
        });
    }
    found
}

/// Whether the method ends early in the last of these states, or may do so in combination with others.
fn may_end_early(analysis: &Analysis, states: &[(&str, &str)]) -> bool {
    let Some((name, state)) = states.last() else {
        return false;
    };
    let mut all = analysis.characteristics.iter();
    let found = all.find(|found| found.name == *name);
    found.is_none_or(|found| {
        found.combination.is_some() || found.terminal_states.iter().any(|end| end == state)
    })
}

/// The facts about the branch in which a characteristic is in a state, given the states around it.
pub(super) fn fact<'a>(
    analysis: &'a Analysis,
    name: &str,
    state: &str,
    states_around: &[(&str, &str)],
) -> Option<&'a BranchFact> {
    let is_under_parent = |under| {
        let (parent, required) = analysis.at(under);
        let parent = states_around.iter().find(|(name, _)| *name == parent.name);
        parent.is_none_or(|(_, state)| *state == required)
    };
    analysis.branches.iter().find(|branch| {
        analysis.is_at(branch.state_ref, name, state) && branch.under.is_none_or(is_under_parent)
    })
}

pub(super) fn describe_outcome(outcome: &BranchOutcome) -> String {
    match outcome {
        BranchOutcome::Raises(Some(class)) => format!("raises {class}"),
        BranchOutcome::Raises(None) => "raises an error".to_owned(),
        BranchOutcome::ReturnsTruthy(truth) => format!("returns {truth}"),
        BranchOutcome::ReturnsNothing => "returns nil".to_owned(),
        BranchOutcome::ReturnsError => "returns error result".to_owned(),
        BranchOutcome::Returns(_) if outcome.is_error_hash() => "returns error result".to_owned(),
        BranchOutcome::Returns(value) => format!("returns {}", plain(value)),
    }
}

/// A literal in plain words.
fn plain(value: &str) -> String {
    let word = value.trim_start_matches(':').trim_matches(['\'', '"']);
    grammatical(&word.replace('_', " "))
}

pub(super) fn default(analysis: &Analysis) -> String {
    grammatical(&unknown_behavior(&analysis.method.name))
}

/// Removes modal verbs and context words, and writes `NOT` in capitals.
fn grammatical(text: &str) -> String {
    let words = text.split_whitespace().filter(|word| {
        !matches!(
            *word,
            "should" | "can" | "must" | "will" | "when" | "with" | "and" | "but" | "without"
        )
    });
    let words: Vec<_> = words.collect();
    uppercase_not(words.join(" ").trim_start_matches("it "))
}
