//! Decides whether the expectation of a leaf follows from the code alone.

use super::behavior::fact as find;
use super::callable::{callable, can_be_created};
use super::inputs::{FactoryArgument, Input, Inputs};
use super::path_outcome::{has_no_effect, joint_outcome, path_outcome, state_without_context};
use crate::characteristic::Characteristic;
use crate::ruby::{BranchFact, BranchOutcome};

/// The states from the outermost context to a leaf.
pub(super) type StatePath<'a> = [(&'a Characteristic, &'a str)];

/// The facts about a branch on a path.
pub(super) fn fact<'a>(
    inputs: &Inputs<'a>,
    found: &Characteristic,
    state: &str,
    path: &StatePath<'_>,
) -> Option<&'a BranchFact> {
    let states_around: Vec<_> = path
        .iter()
        .map(|(found, state)| (found.name.as_str(), *state))
        .collect();
    find(inputs.analysis, &found.name, state, &states_around)
}

/// The outcome of a leaf, or the reason why it is not certain.
pub(super) fn outcome(inputs: &Inputs<'_>, path: &StatePath<'_>) -> Result<BranchOutcome, String> {
    let outcome = outcome_of_call(inputs, path)?;
    let is_raised = matches!(outcome, BranchOutcome::Raises(_));
    if inputs.analysis.method.is_assignment() && !is_raised {
        return Err("an assignment returns the assigned value".to_owned());
    }
    Ok(outcome)
}

fn outcome_of_call(inputs: &Inputs<'_>, path: &StatePath<'_>) -> Result<BranchOutcome, String> {
    callable(inputs)?;
    if !can_be_created(inputs) {
        return Err("it is unknown how to create an instance".to_owned());
    }
    decided_outcome(inputs, path)
}

/// The outcome that the conditions decide, for an instance that can be created.
pub(super) fn decided_outcome(
    inputs: &Inputs<'_>,
    path: &StatePath<'_>,
) -> Result<BranchOutcome, String> {
    if let Some((repeated, _)) = path.iter().find(|(found, _)| found.is_repeated) {
        return Err(evaluated_twice(repeated));
    }
    reachable(inputs, path)?;
    if let Some(outcome) = joint_outcome(inputs, path) {
        return Ok(outcome);
    }
    decided_alone(inputs, path)?;
    let Some((last, state)) = path.last() else {
        return plain_result(inputs, path);
    };
    match fact(inputs, last, state, path) {
        Some(fact) if fact.outcome.is_some() && last.is_repeated => Err(evaluated_twice(last)),
        Some(fact) if fact.outcome.is_some() && fact.is_certain => {
            passing(inputs, path, Some(&last.name))?;
            fact.outcome.clone().ok_or_else(String::new)
        }
        Some(fact) if fact.outcome.is_some() || fact.makes_calls => {
            Err("the code in this branch does more than return a value".to_owned())
        }
        _ if last.depends_on.is_none() => {
            plain_result(inputs, path).or_else(|reason| path_outcome(inputs, path).ok_or(reason))
        }
        _ => path_outcome(inputs, path)
            .ok_or_else(|| "the result does not follow from one branch".to_owned()),
    }
}

fn evaluated_twice(found: &Characteristic) -> String {
    format!("`{}` is evaluated in several places", found.name)
}

/// Fails if a state on the path cannot be set up, or if one setup overrides another.
fn reachable(inputs: &Inputs<'_>, path: &StatePath<'_>) -> Result<(), String> {
    let mut attributes: Vec<(String, String)> = Vec::new();
    for (found, state) in path {
        let input = inputs.of(found, state).filter(|input| input.is_certain);
        let Some(input) = input else {
            return Err(format!("set up `{}`: {state}", found.name));
        };
        if !is_kept(inputs, path, (found, state), &input) {
            return Err(format!(
                "`{}` is tested twice on this path",
                input.parameter
            ));
        }
        if input.factory_argument.is_some() {
            let arguments = inputs.factory_arguments(path, &input.variable);
            if let Some(reason) = inputs.contradiction(&arguments) {
                return Err(reason);
            }
        }
        let attribute = input
            .factory_argument
            .as_ref()
            .and_then(FactoryArgument::attribute);
        if let Some(attribute) = attribute {
            let one = (input.parameter.clone(), attribute.to_owned());
            if attributes.contains(&one) {
                return Err(format!("`{attribute}` is tested twice on this path"));
            }
            attributes.push(one);
        }
    }
    Ok(())
}

/// Fails for a condition that is decided together with others, unless it decides alone or the others have no effect.
fn decided_alone(inputs: &Inputs<'_>, path: &StatePath<'_>) -> Result<(), String> {
    for (index, (found, state)) in path.iter().enumerate() {
        let is_last = index + 1 == path.len();
        let decides =
            is_last && (fact(inputs, found, state, path).is_some() || has_no_effect(inputs, path));
        if found.combination.is_some() && !decides {
            return Err(format!(
                "`{}` decides only together with other conditions",
                found.name
            ));
        }
    }
    Ok(())
}

/// Whether a state stays the same when a later condition on the path sets the same parameter.
fn is_kept(
    inputs: &Inputs<'_>,
    path: &StatePath<'_>,
    (found, state): (&Characteristic, &str),
    input: &Input,
) -> bool {
    let last = path
        .iter()
        .filter_map(|(found, state)| inputs.of(found, state))
        .rfind(|given| given.parameter == input.parameter);
    match last {
        Some(last) if last.factory_argument.is_some() => {
            // A record made by a factory is always present.
            input.factory_argument.is_some() || found.presence && state == "present"
        }
        Some(last) => inputs.state_of(found, &last.value) == Some(state),
        None => true,
    }
}

/// Fails unless every other condition that is evaluated (before `until`, if given) is a guard that passes.
fn passing(inputs: &Inputs<'_>, path: &StatePath<'_>, until: Option<&str>) -> Result<(), String> {
    let all = &inputs.analysis.characteristics;
    let previous = all
        .iter()
        .take_while(|found| until != Some(found.name.as_str()));
    for other in previous {
        if path.iter().any(|(found, _)| found.name == other.name) || !is_evaluated(other, path, all)
        {
            continue;
        }
        let unknown = || format!("set up `{}` so that its guard passes", other.name);
        let last = path.last().and_then(|(last, _)| last.combination);
        if last.is_some() && other.combination == last {
            // It need not pass, but it is evaluated.
            (can_be_evaluated(inputs, other) && !other.is_repeated)
                .then_some(())
                .ok_or_else(unknown)?;
            continue;
        }
        let passes = other.is_guard()
            && state_without_context(inputs, path, other)
                == other.first_continuing_state().map(String::as_str);
        passes.then_some(()).ok_or_else(unknown)?;
    }
    Ok(())
}

/// Whether a guard that is not on the path passes.
pub(super) fn guard_passes(
    inputs: &Inputs<'_>,
    path: &StatePath<'_>,
    other: &Characteristic,
) -> Option<()> {
    let input = other
        .first_continuing_state()
        .filter(|_| other.is_guard())
        .and_then(|state| inputs.of(other, state))
        .filter(|input| input.is_certain)?;
    let passes_by_factory = input
        .factory_argument
        .as_ref()
        .is_some_and(|factory_argument| {
            let passing = inputs.passing(path, &input.variable);
            passing.contains(factory_argument) && is_free(inputs, path, factory_argument)
        });
    let is_overridden = path
        .iter()
        .filter_map(|(found, state)| inputs.of(found, state))
        .filter(|given| given.parameter == input.parameter)
        .any(|given| {
            !(lets_pass(other, &given.value)
                || passes_by_factory && given.factory_argument.is_some())
        });
    (!is_overridden).then_some(())
}

/// Whether nothing on the path sets the same attribute.
fn is_free(inputs: &Inputs<'_>, path: &StatePath<'_>, factory_argument: &FactoryArgument) -> bool {
    let on_path = path
        .iter()
        .filter_map(|(found, state)| inputs.of(found, state)?.factory_argument);
    let mut attributes = on_path.filter(|other| other.factory == factory_argument.factory);
    factory_argument.attribute().is_none()
        || !attributes.any(|other| other.attribute() == factory_argument.attribute())
}

/// Whether a condition can be evaluated without an error, for any result, with the default inputs.
fn can_be_evaluated(inputs: &Inputs<'_>, other: &Characteristic) -> bool {
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

/// Whether a value passes a guard against nil: any value but nil does.
fn lets_pass(guard: &Characteristic, value: &str) -> bool {
    let is_against_nil = guard.presence
        && guard.terminal_states == ["absent"]
        && guard
            .values
            .get(1)
            .is_some_and(|absent| absent.as_deref() == Some("nil"));
    is_against_nil && value != "nil"
}

/// Whether a condition is evaluated on this path: a root always, a child in its parent's states.
pub(super) fn is_evaluated(
    other: &Characteristic,
    path: &StatePath<'_>,
    all: &[Characteristic],
) -> bool {
    let Some(parent) = &other.depends_on else {
        return true;
    };
    if let Some((_, state)) = path.iter().find(|(found, _)| found.name == *parent) {
        return other.when_parent.iter().any(|when| when == state);
    }
    let parent = all.iter().find(|found| found.name == *parent);
    // Below a guard that passes it is evaluated. Below anything else that is unknown, and it counts as evaluated.
    parent.is_none_or(|parent| is_evaluated(parent, path, all))
}

/// The literal at the end of the method, if no branch ends it before.
fn plain_result(inputs: &Inputs<'_>, path: &StatePath<'_>) -> Result<BranchOutcome, String> {
    let unknown = || "the result does not follow from one branch".to_owned();
    let all = &inputs.analysis.characteristics;
    if let Some(repeated) = all.iter().find(|found| found.is_repeated) {
        return Err(evaluated_twice(repeated));
    }
    let ends_before = path
        .iter()
        .any(|(found, state)| found.terminal_states.iter().any(|end| end == state));
    let result = inputs
        .analysis
        .result
        .clone()
        .filter(|_| !ends_before)
        .ok_or_else(unknown)?;
    passing(inputs, path, None)?;
    Ok(result)
}
