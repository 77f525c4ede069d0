//! What comes of a way that nothing on it ends: the conditions after it are answered by what the spec gives anyway.

use super::certain::{Way, fact, is_asked, lets_through};
use super::inputs::Inputs;
use crate::characteristic::Characteristic;
use crate::ruby::Outcome;

/// What comes of the conditions along a way.
enum End {
    /// A branch ends the method.
    With(Outcome),
    /// None of them does.
    GoesOn,
    /// An answer is not certain.
    Unknown,
}

/// The outcome of the first branch that ends the method, if every condition up to it has a certain answer.
pub(super) fn followed(inputs: &Inputs<'_>, way: &Way<'_>) -> Option<Outcome> {
    match ended(inputs, way, None) {
        End::With(outcome) => Some(outcome),
        End::GoesOn | End::Unknown => None,
    }
}

/// The outcome where a condition leaves the decision to the others it is joined with, and none of them decides
/// either: the opposite of what each alone would make of it.
pub(super) fn together(inputs: &Inputs<'_>, way: &Way<'_>) -> Option<Outcome> {
    let (last, state) = way.last()?;
    let combination = last.combination?;
    inputs.of(last, state).filter(|input| input.is_certain)?;
    let all = inputs.analysis.characteristics.iter();
    let joined: Vec<_> = all
        .filter(|found| found.combination == Some(combination))
        .collect();
    let mut truth = None;
    for one in &joined {
        let (deciding, makes) = decision(inputs, one, way)?;
        let state = if one.name == last.name {
            state
        } else {
            answer(inputs, way, one)?
        };
        let is_other = truth.is_some_and(|truth| truth != makes);
        if state == deciding || is_other || one.is_asked_again {
            return None;
        }
        truth = Some(makes);
    }
    let is_reached = matches!(ended(inputs, way, joined.first().copied()), End::GoesOn);
    truth
        .filter(|_| is_reached && joined.len() > 1)
        .map(|truth| Outcome::Counts(!truth))
}

/// How the method ends, before this condition if one is given.
fn ended(inputs: &Inputs<'_>, way: &Way<'_>, until: Option<&Characteristic>) -> End {
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
            return End::Unknown;
        };
        answered.push((other, state));
        let branch = fact(inputs, other, state, &answered);
        match branch.map(|branch| (&branch.outcome, branch.is_certain)) {
            Some((Some(outcome), true)) => return End::With(outcome.clone()),
            Some((Some(_), false)) => return End::Unknown,
            Some((None, _)) | None => {}
        }
    }
    End::GoesOn
}

/// The only state in which a condition decides the method's result alone, and which truth it makes it.
fn decision<'c>(
    inputs: &Inputs<'_>,
    found: &'c Characteristic,
    way: &Way<'_>,
) -> Option<(&'c str, bool)> {
    let mut deciding = found.states.iter().filter_map(|state| {
        let branch = fact(inputs, found, state, way).filter(|branch| branch.is_certain)?;
        // Nothing but a result made of conditions counts as true or false.
        match branch.outcome {
            Some(Outcome::Counts(truth)) => Some((state.as_str(), truth)),
            _ => None,
        }
    });
    let only = deciding.next()?;
    deciding.next().is_none().then_some(only)
}

/// The state that a condition beside the way is in, by what the spec gives there.
fn answer<'c>(inputs: &Inputs<'_>, way: &Way<'_>, other: &'c Characteristic) -> Option<&'c str> {
    if lets_through(inputs, way, other).is_some() {
        return other.going_on().map(String::as_str);
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
