//! What an example is called, from the outermost group inwards.

use std::borrow::Cow;

use casebook_record::{ExampleData, Metadata, RunData};
use serde_json::Value;

/// `group › group › example`, with the scenario's name behind it for a scenario-driven one, and which trial it is.
pub(crate) fn title(run: &RunData, example: &ExampleData) -> String {
    match trial(&example.metadata).filter(|_| example.canonical_path.is_some()) {
        Some(trial) => format!("{} ({trial})", test_title(run, example)),
        None => test_title(run, example),
    }
}

/// `trial 2 of 5`, for one of several.
pub(crate) fn trial(metadata: &Metadata) -> Option<String> {
    let number = |path| metadata.dig(path).and_then(Value::as_u64);
    let (number, of) = (number("trial.number")?, number("trial.of")?);
    Some(format!("trial {number} of {of}"))
}

/// The title that all trials of a test share.
pub(crate) fn test_title(run: &RunData, example: &ExampleData) -> String {
    let Some(path) = &example.canonical_path else {
        return example.title().to_owned();
    };
    let suffix = example.scenario_id.as_ref().map(|id| format!("@{id}"));
    let without_scenario = suffix.and_then(|suffix| path.strip_suffix(&suffix));
    let parts = named(without_scenario.unwrap_or(path), example).replace("::", " › ");
    match scenario_name(run, example) {
        Some(name) => format!("{parts} [{name}]"),
        None => parts,
    }
}

/// An example without a name of its own is called by what it came to be called when it ran.
fn named<'e>(path: &'e str, example: &'e ExampleData) -> Cow<'e, str> {
    match path.strip_suffix("(anonymous)") {
        Some(groups) if !example.description.is_empty() => {
            format!("{groups}{}", example.description).into()
        }
        _ => path.into(),
    }
}

fn scenario_name<'r>(run: &'r RunData, example: &'r ExampleData) -> Option<&'r str> {
    let id = example.scenario_id.as_deref()?;
    let name = run.scenarios.get(id)?.name.as_deref();
    Some(name.unwrap_or(id))
}
