//! Whether the expectation of a leaf follows from the code alone.

use super::behaviour::fact;
use super::inputs::Inputs;
use crate::characteristic::Characteristic;
use crate::ruby::{MethodType, Outcome, TestLevel};

/// The states on the way to a leaf, outermost first.
pub(super) type Way<'a> = [(&'a Characteristic, &'a str)];

/// The outcome of a leaf, or why it is not certain.
pub(super) fn outcome(inputs: &Inputs<'_>, way: &Way<'_>) -> Result<Outcome, String> {
    callable(inputs)?;
    reachable(inputs, way)?;
    let Some((last, state)) = way.last() else {
        return plain_result(inputs, way);
    };
    match fact(inputs.analysis, &last.name, state) {
        Some(fact) if fact.outcome.is_some() && fact.is_certain => {
            passing(inputs, way, Some(&last.name))?;
            fact.outcome.clone().ok_or_else(String::new)
        }
        Some(fact) if fact.outcome.is_some() || !fact.calls.is_empty() => {
            Err("the code does more than its conditions say".to_owned())
        }
        _ if last.depends_on.is_none() => plain_result(inputs, way),
        _ => Err("what comes of it is not said in one place".to_owned()),
    }
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
        || analysis.is_plainly_made;
    if is_made {
        Ok(())
    } else {
        Err("how an instance is made is not known".to_owned())
    }
}

/// Whether every state on the way can be brought about, without one undoing another.
fn reachable(inputs: &Inputs<'_>, way: &Way<'_>) -> Result<(), String> {
    let mut given: Vec<(String, bool)> = Vec::new();
    for (found, state) in way {
        if !found.is_alone {
            return Err(format!(
                "`{}` is one of several conditions that decide together",
                found.name
            ));
        }
        let input = inputs.of(found, state).filter(|input| input.is_certain);
        let Some(input) = input else {
            return Err(format!("bring about `{}`: {state}", found.name));
        };
        let adds = input.told.is_some() || found.presence && *state == "present";
        let clash = given
            .iter()
            .any(|(parameter, adds)| *parameter == input.parameter && !adds);
        if clash {
            return Err(format!("`{}` is tested twice on the way", input.parameter));
        }
        given.push((input.parameter, adds));
    }
    Ok(())
}

/// Whether every other condition that is asked (before `until`, if given) is a guard that can be let pass.
fn passing(inputs: &Inputs<'_>, way: &Way<'_>, until: Option<&str>) -> Result<(), String> {
    let all = &inputs.analysis.characteristics;
    let earlier = all
        .iter()
        .take_while(|found| until != Some(found.name.as_str()));
    for other in earlier {
        if way.iter().any(|(found, _)| found.name == other.name) || !is_asked(other, way, all) {
            continue;
        }
        let unknown = || format!("let `{}` pass first", other.name);
        let state = other
            .states
            .iter()
            .find(|state| !other.terminal_states.contains(state));
        let is_guard = other.is_alone && !other.terminal_states.is_empty();
        let input = state
            .filter(|_| is_guard)
            .and_then(|state| inputs.of(other, state))
            .filter(|input| input.is_certain)
            .ok_or_else(unknown)?;
        let is_taken = way
            .iter()
            .filter_map(|(found, state)| inputs.of(found, state))
            .any(|given| given.parameter == input.parameter && !lets_pass(other, &given.value));
        if is_taken {
            return Err(unknown());
        }
    }
    Ok(())
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
fn is_asked(other: &Characteristic, way: &Way<'_>, all: &[Characteristic]) -> bool {
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
fn plain_result(inputs: &Inputs<'_>, way: &Way<'_>) -> Result<Outcome, String> {
    let unknown = || "what comes of it is not said in one place".to_owned();
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
