//! What an example is called, from the outermost group inwards.

use casebook_record::{ExampleData, RunData};

/// `group › group › example`, with the scenario's name behind it for a scenario-driven one.
pub(crate) fn title(run: &RunData, example: &ExampleData) -> String {
    let Some(path) = &example.canonical_path else {
        return example.title().to_owned();
    };
    let suffix = example.scenario_id.as_ref().map(|id| format!("@{id}"));
    let without_scenario = suffix.and_then(|suffix| path.strip_suffix(&suffix));
    let parts = without_scenario.unwrap_or(path).replace("::", " › ");
    match scenario_name(run, example) {
        Some(name) => format!("{parts} [{name}]"),
        None => parts,
    }
}

fn scenario_name<'r>(run: &'r RunData, example: &'r ExampleData) -> Option<&'r str> {
    let id = example.scenario_id.as_deref()?;
    let name = run.scenarios.get(id)?.name.as_deref();
    Some(name.unwrap_or(id))
}
