//! Whether the expectation of a leaf follows from the code alone.

use super::behavior::fact as find;
use super::inputs::{FactoryArgument, Input, Inputs};
use super::path_outcome::{answer, goes_on, joint_outcome, path_outcome};
use crate::characteristic::Characteristic;
use crate::ruby::{BranchFact, BranchOutcome, MethodType, TestLevel};

/// The states on the way to a leaf, outermost first.
pub(super) type StatePath<'a> = [(&'a Characteristic, &'a str)];

/// What the code says about a branch on a way.
pub(super) fn fact<'a>(
    inputs: &Inputs<'a>,
    found: &Characteristic,
    state: &str,
    way: &StatePath<'_>,
) -> Option<&'a BranchFact> {
    let around: Vec<_> = way
        .iter()
        .map(|(found, state)| (found.name.as_str(), *state))
        .collect();
    find(inputs.analysis, &found.name, state, &around)
}

/// The outcome of a leaf, or why it is not certain.
pub(super) fn outcome(inputs: &Inputs<'_>, way: &StatePath<'_>) -> Result<BranchOutcome, String> {
    callable(inputs)?;
    if let Some((again, _)) = way.iter().find(|(found, _)| found.is_asked_again) {
        return Err(asked_again(again));
    }
    reachable(inputs, way)?;
    if let Some(outcome) = joint_outcome(inputs, way) {
        return Ok(outcome);
    }
    decided_alone(inputs, way)?;
    let Some((last, state)) = way.last() else {
        return plain_result(inputs, way);
    };
    match fact(inputs, last, state, way) {
        Some(fact) if fact.outcome.is_some() && last.is_asked_again => Err(asked_again(last)),
        Some(fact) if fact.outcome.is_some() && fact.is_certain => {
            passing(inputs, way, Some(&last.name))?;
            fact.outcome.clone().ok_or_else(String::new)
        }
        Some(fact) if fact.outcome.is_some() || !fact.calls.is_empty() => {
            Err("the code does more than its conditions say".to_owned())
        }
        _ if last.depends_on.is_none() => {
            plain_result(inputs, way).or_else(|reason| path_outcome(inputs, way).ok_or(reason))
        }
        _ => path_outcome(inputs, way)
            .ok_or_else(|| "what comes of it is not said in one place".to_owned()),
    }
}

fn asked_again(found: &Characteristic) -> String {
    format!("`{}` is asked in several places", found.name)
}

/// Whether the method can be called without knowing the program around it.
fn callable(inputs: &Inputs<'_>) -> Result<(), String> {
    let analysis = inputs.analysis;
    if inputs.plan.test_level == Some(TestLevel::Request) {
        return Err("a request spec needs a route".to_owned());
    }
    if analysis.method.class == "Object" {
        return Err("the method belongs to no class".to_owned());
    }
    let is_made = analysis.method.method_type == MethodType::Class
        || analysis.method.in_module
        || analysis.is_plainly_made
        || inputs.own_factory().is_some();
    if is_made {
        Ok(())
    } else {
        Err("how an instance is made is not known".to_owned())
    }
}

/// Whether every state on the way can be brought about, without one undoing another.
fn reachable(inputs: &Inputs<'_>, way: &StatePath<'_>) -> Result<(), String> {
    let mut attributes: Vec<(String, String)> = Vec::new();
    for (found, state) in way {
        let input = inputs.of(found, state).filter(|input| input.is_certain);
        let Some(input) = input else {
            return Err(format!("bring about `{}`: {state}", found.name));
        };
        if !is_kept(inputs, way, (found, state), &input) {
            return Err(format!("`{}` is tested twice on the way", input.parameter));
        }
        let attribute = input.told.as_ref().and_then(FactoryArgument::attribute);
        if let Some(attribute) = attribute {
            let one = (input.parameter.clone(), attribute.to_owned());
            if attributes.contains(&one) {
                return Err(format!("`{attribute}` is tested twice on the way"));
            }
            attributes.push(one);
        }
    }
    Ok(())
}

/// One of several conditions says something only where it decides them alone, or where they do nothing.
fn decided_alone(inputs: &Inputs<'_>, way: &StatePath<'_>) -> Result<(), String> {
    for (index, (found, state)) in way.iter().enumerate() {
        let is_last = index + 1 == way.len();
        let decides =
            is_last && (fact(inputs, found, state, way).is_some() || goes_on(inputs, way));
        if found.combination.is_some() && !decides {
            return Err(format!(
                "`{}` is one of several conditions that decide together",
                found.name
            ));
        }
    }
    Ok(())
}

/// Whether a state still holds with what the last condition of the way on the same parameter gives it.
fn is_kept(
    inputs: &Inputs<'_>,
    way: &StatePath<'_>,
    (found, state): (&Characteristic, &str),
    input: &Input,
) -> bool {
    let last = way
        .iter()
        .filter_map(|(found, state)| inputs.of(found, state))
        .rfind(|given| given.parameter == input.parameter);
    match last {
        Some(last) if last.told.is_some() => {
            // Anything that a factory makes is there.
            input.told.is_some() || found.presence && state == "present"
        }
        Some(last) => inputs.state_of(found, &last.value) == Some(state),
        None => true,
    }
}

/// Whether every other condition that is asked (before `until`, if given) is a guard that can be let pass.
fn passing(inputs: &Inputs<'_>, way: &StatePath<'_>, until: Option<&str>) -> Result<(), String> {
    let all = &inputs.analysis.characteristics;
    let earlier = all
        .iter()
        .take_while(|found| until != Some(found.name.as_str()));
    for other in earlier {
        if way.iter().any(|(found, _)| found.name == other.name) || !is_asked(other, way, all) {
            continue;
        }
        let unknown = || format!("let `{}` pass first", other.name);
        let last = way.last().and_then(|(last, _)| last.combination);
        if last.is_some() && other.combination == last {
            // It need not pass, but it is asked.
            (can_be_asked(inputs, other) && !other.is_asked_again)
                .then_some(())
                .ok_or_else(unknown)?;
            continue;
        }
        let passes = other.is_guard()
            && answer(inputs, way, other) == other.first_continuing_state().map(String::as_str);
        passes.then_some(()).ok_or_else(unknown)?;
    }
    Ok(())
}

/// Whether a guard beside the way lets it pass.
pub(super) fn lets_through(
    inputs: &Inputs<'_>,
    way: &StatePath<'_>,
    other: &Characteristic,
) -> Option<()> {
    let input = other
        .first_continuing_state()
        .filter(|_| other.is_guard())
        .and_then(|state| inputs.of(other, state))
        .filter(|input| input.is_certain)?;
    let is_told = input.told.as_ref().is_some_and(|told| {
        let passing = inputs.passing(way, &input.given);
        passing.contains(told) && is_free(inputs, way, told)
    });
    let is_taken = way
        .iter()
        .filter_map(|(found, state)| inputs.of(found, state))
        .filter(|given| given.parameter == input.parameter)
        .any(|given| !(lets_pass(other, &given.value) || is_told && given.told.is_some()));
    (!is_taken).then_some(())
}

/// Whether nothing on the way sets the same attribute.
fn is_free(inputs: &Inputs<'_>, way: &StatePath<'_>, told: &FactoryArgument) -> bool {
    let on_way = way
        .iter()
        .filter_map(|(found, state)| inputs.of(found, state)?.told);
    let mut attributes = on_way.filter(|other| other.factory == told.factory);
    told.attribute().is_none() || !attributes.any(|other| other.attribute() == told.attribute())
}

/// Whether a condition can be asked without an error, whatever it answers, where nothing is said about it.
fn can_be_asked(inputs: &Inputs<'_>, other: &Characteristic) -> bool {
    let mut known = other
        .states
        .iter()
        .filter_map(|state| inputs.of(other, state));
    let Some(input) = known.find(|input| input.is_certain) else {
        return false;
    };
    let parameter = inputs.parameters().find(|one| one.name == input.parameter);
    let is_given = parameter.is_none_or(|parameter| inputs.base(parameter) != "nil");
    other.presence || is_given
}

/// Anything but nil passes a guard against nil.
fn lets_pass(guard: &Characteristic, value: &str) -> bool {
    let is_against_nil = guard.presence
        && guard.terminal_states == ["absent"]
        && guard
            .values
            .get(1)
            .is_some_and(|absent| absent.as_deref() == Some("nil"));
    is_against_nil && value != "nil"
}

/// Whether a condition is asked on this way: a root always, a child in its parent's states.
pub(super) fn is_asked(
    other: &Characteristic,
    way: &StatePath<'_>,
    all: &[Characteristic],
) -> bool {
    let Some(parent) = &other.depends_on else {
        return true;
    };
    if let Some((_, state)) = way.iter().find(|(found, _)| found.name == *parent) {
        return other.when_parent.iter().any(|when| when == state);
    }
    let parent = all.iter().find(|found| found.name == *parent);
    // Below a guard that is let pass it is asked; below anything else nobody knows.
    parent.is_none_or(|parent| is_asked(parent, way, all))
}

/// The literal at the method's end, reached when nothing ended it before.
fn plain_result(inputs: &Inputs<'_>, way: &StatePath<'_>) -> Result<BranchOutcome, String> {
    let unknown = || "what comes of it is not said in one place".to_owned();
    let all = &inputs.analysis.characteristics;
    if let Some(again) = all.iter().find(|found| found.is_asked_again) {
        return Err(asked_again(again));
    }
    let ends_before = way
        .iter()
        .any(|(found, state)| found.terminal_states.iter().any(|end| end == state));
    let result = inputs
        .analysis
        .result
        .clone()
        .filter(|_| !ends_before)
        .ok_or_else(unknown)?;
    passing(inputs, way, None)?;
    Ok(result)
}
