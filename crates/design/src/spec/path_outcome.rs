//! What comes of a way that nothing on it ends: the conditions after it are answered by what the spec gives anyway.

use super::certainty::{StatePath, fact, is_asked, lets_through};
use super::inputs::Inputs;
use crate::characteristic::Characteristic;
use crate::ruby::{BranchOutcome, JoinedFact};

/// What comes of the conditions along a way.
enum PathEnd {
    /// A branch ends the method.
    With(BranchOutcome),
    /// None of them does.
    GoesOn,
    /// An answer is not certain.
    Unknown,
}

/// The outcome of the first branch that ends the method, if every condition up to it has a certain answer.
pub(super) fn path_outcome(inputs: &Inputs<'_>, way: &StatePath<'_>) -> Option<BranchOutcome> {
    match ended(inputs, way, None) {
        PathEnd::With(outcome) => Some(outcome),
        PathEnd::GoesOn | PathEnd::Unknown => None,
    }
}

/// The outcome of a branch that several conditions decide together, if all of them are in its states.
pub(super) fn joint_outcome(inputs: &Inputs<'_>, way: &StatePath<'_>) -> Option<BranchOutcome> {
    let fact = joined(inputs, way)?;
    let outcome = fact.outcome.clone()?;
    let (first, _) = inputs.analysis.at(*fact.places.first()?);
    matches!(ended(inputs, way, Some(first)), PathEnd::GoesOn).then_some(outcome)
}

/// Whether several conditions are in the states in which together they do nothing.
pub(super) fn goes_on(inputs: &Inputs<'_>, way: &StatePath<'_>) -> bool {
    joined(inputs, way).is_some_and(|fact| fact.outcome.is_none())
}

/// The branch that is taken because the last condition of the way and those it is joined with agree.
fn joined<'a>(inputs: &Inputs<'a>, way: &StatePath<'_>) -> Option<&'a JoinedFact> {
    let (last, state) = way.last()?;
    inputs.of(last, state).filter(|input| input.is_certain)?;
    let mut joined = inputs.analysis.joined.iter();
    joined.find(|fact| fact.is_certain && is_taken(inputs, way, fact))
}

/// Whether the last condition of the way is one of those that decide, and the others are given what they need.
fn is_taken(inputs: &Inputs<'_>, way: &StatePath<'_>, fact: &JoinedFact) -> bool {
    let Some((last, state)) = way.last() else {
        return false;
    };
    let mut places = fact.places.iter();
    places.any(|place| inputs.analysis.is_at(*place, &last.name, state))
        && fact.places.iter().all(|place| {
            let (found, wanted) = inputs.analysis.at(*place);
            let state = if found.name == last.name {
                Some(*state)
            } else {
                answer(inputs, way, found)
            };
            !found.is_asked_again && state == Some(wanted)
        })
}

/// How the method ends, before this condition if one is given.
fn ended(inputs: &Inputs<'_>, way: &StatePath<'_>, until: Option<&Characteristic>) -> PathEnd {
    let all = &inputs.analysis.characteristics;
    let mut answered: Vec<(&Characteristic, &str)> = way.to_vec();
    let before = all
        .iter()
        .take_while(|other| until.is_none_or(|until| until.name != other.name));
    for other in before {
        let known = way.iter().find(|(found, _)| found.name == other.name);
        let state = match known {
            Some((_, state)) => Some(*state),
            None if !is_asked(other, &answered, all) => continue,
            None if other.combination.is_some() => None,
            None => answer(inputs, way, other),
        };
        let Some(state) = state.filter(|_| !other.is_asked_again) else {
            return PathEnd::Unknown;
        };
        answered.push((other, state));
        let branch = fact(inputs, other, state, &answered);
        match branch.map(|branch| (&branch.outcome, branch.is_certain)) {
            Some((Some(outcome), true)) => return PathEnd::With(outcome.clone()),
            Some((Some(_), false)) => return PathEnd::Unknown,
            Some((None, _)) | None => {}
        }
    }
    PathEnd::GoesOn
}

/// The state that a condition beside the way is in, by what the spec gives there.
pub(super) fn answer<'c>(
    inputs: &Inputs<'_>,
    way: &StatePath<'_>,
    other: &'c Characteristic,
) -> Option<&'c str> {
    if lets_through(inputs, way, other).is_some() {
        return other.first_continuing_state().map(String::as_str);
    }
    let tested = inputs.literal(other, other.states.first()?)?;
    let on_way = way
        .iter()
        .filter_map(|(found, state)| inputs.of(found, state))
        .rfind(|given| given.parameter == tested.parameter);
    let value = match on_way {
        Some(given) if given.told.is_some() => return None,
        Some(given) => given.value,
        None => {
            let mut parameters = inputs.parameters();
            inputs.base(parameters.find(|one| one.name == tested.parameter)?)
        }
    };
    inputs.state_of(other, &value)
}
