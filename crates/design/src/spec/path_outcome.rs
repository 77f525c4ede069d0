//! The outcome of a state path that no branch on it ends: later conditions are evaluated with the inputs of the spec.

use super::certainty::{StatePath, fact, guard_passes, is_evaluated};
use super::inputs::Inputs;
use crate::characteristic::Characteristic;
use crate::ruby::{BranchOutcome, JoinedFact};

/// The result of the conditions along a path.
enum PathEnd {
    /// A branch ends the method.
    With(BranchOutcome),
    /// No branch ends the method.
    Continues,
    /// The state of a condition is not certain.
    Unknown,
}

/// The outcome of the first branch that ends the method, if the states of all conditions before it are certain.
pub(super) fn path_outcome(inputs: &Inputs<'_>, path: &StatePath<'_>) -> Option<BranchOutcome> {
    match path_end(inputs, path, None) {
        PathEnd::With(outcome) => Some(outcome),
        PathEnd::Continues | PathEnd::Unknown => None,
    }
}

/// The outcome of a branch that several conditions decide together, if all of them are in its states.
pub(super) fn joint_outcome(inputs: &Inputs<'_>, path: &StatePath<'_>) -> Option<BranchOutcome> {
    let fact = joined(inputs, path)?;
    let outcome = fact.outcome.clone()?;
    let (first, _) = inputs.analysis.at(*fact.state_refs.first()?);
    matches!(path_end(inputs, path, Some(first)), PathEnd::Continues).then_some(outcome)
}

/// Whether several conditions are in the states in which they have no effect together.
pub(super) fn has_no_effect(inputs: &Inputs<'_>, path: &StatePath<'_>) -> bool {
    joined(inputs, path).is_some_and(|fact| fact.outcome.is_none())
}

/// The branch that is taken because the last condition of the path and those it is joined with are in its states.
fn joined<'a>(inputs: &Inputs<'a>, path: &StatePath<'_>) -> Option<&'a JoinedFact> {
    let (last, state) = path.last()?;
    inputs.of(last, state).filter(|input| input.is_certain)?;
    let mut joined = inputs.analysis.joined.iter();
    joined.find(|fact| fact.is_certain && is_taken(inputs, path, fact))
}

/// Whether the last condition of the path is part of the branch and the others are in the required states.
fn is_taken(inputs: &Inputs<'_>, path: &StatePath<'_>, fact: &JoinedFact) -> bool {
    let Some((last, state)) = path.last() else {
        return false;
    };
    let mut places = fact.state_refs.iter();
    places.any(|place| inputs.analysis.is_at(*place, &last.name, state))
        && fact.state_refs.iter().all(|place| {
            let (found, required) = inputs.analysis.at(*place);
            let state = if found.name == last.name {
                Some(*state)
            } else {
                state_without_context(inputs, path, found)
            };
            !found.is_repeated && state == Some(required)
        })
}

/// How the method ends, before this condition if one is given.
fn path_end(inputs: &Inputs<'_>, path: &StatePath<'_>, until: Option<&Characteristic>) -> PathEnd {
    let all = &inputs.analysis.characteristics;
    let mut evaluated: Vec<(&Characteristic, &str)> = path.to_vec();
    let before = all
        .iter()
        .take_while(|other| until.is_none_or(|until| until.name != other.name));
    for other in before {
        let on_path_state = path.iter().find(|(found, _)| found.name == other.name);
        let state = match on_path_state {
            Some((_, state)) => Some(*state),
            None if !is_evaluated(other, &evaluated, all) => continue,
            None if other.combination.is_some() => None,
            None => state_without_context(inputs, path, other),
        };
        let Some(state) = state.filter(|_| !other.is_repeated) else {
            return PathEnd::Unknown;
        };
        evaluated.push((other, state));
        let branch = fact(inputs, other, state, &evaluated);
        match branch.map(|branch| (&branch.outcome, branch.is_certain)) {
            Some((Some(outcome), true)) => return PathEnd::With(outcome.clone()),
            Some((Some(_), false)) => return PathEnd::Unknown,
            Some((None, _)) | None => {}
        }
    }
    PathEnd::Continues
}

/// The state of a condition that is not on the path, with the inputs of the spec.
pub(super) fn state_without_context<'c>(
    inputs: &Inputs<'_>,
    path: &StatePath<'_>,
    other: &'c Characteristic,
) -> Option<&'c str> {
    if guard_passes(inputs, path, other).is_some() {
        return other.first_continuing_state().map(String::as_str);
    }
    let tested = inputs.literal(other, other.states.first()?)?;
    let on_path = path
        .iter()
        .filter_map(|(found, state)| inputs.of(found, state))
        .rfind(|given| given.parameter == tested.parameter);
    let value = match on_path {
        Some(given) if given.factory_argument.is_some() => return None,
        Some(given) => given.value,
        None => {
            let mut parameters = inputs.parameters();
            inputs.base(parameters.find(|one| one.name == tested.parameter)?)
        }
    };
    inputs.state_of(other, &value)
}
