//! Titles of examples, from the outermost group inwards.

use casebook_record::event::ExampleStarted;
use casebook_record::{ExampleData, Metadata, Run, TestNames, scenario_id};
use serde_json::Value;

/// `group › group › example`, followed by the scenario's name and the number of the trial, if any.
pub(crate) fn title(run: &Run, example: &ExampleData) -> String {
    match trial(&example.metadata).filter(|_| example.canonical_path.is_some()) {
        Some(trial) => format!("{} ({trial})", test_title(run, example)),
        None => test_title(run, example),
    }
}

/// `trial 2 of 5`; `None` without trials.
pub(crate) fn trial(metadata: &Metadata) -> Option<String> {
    let number = |path| metadata.dig(path).and_then(Value::as_u64);
    let (number, of) = (number("trial.number")?, number("trial.of")?);
    Some(format!("trial {number} of {of}"))
}

/// The title without the number of the trial.
pub(crate) fn test_title(run: &Run, example: &ExampleData) -> String {
    run.test_names(example).title()
}

/// The title of a starting example with its groups and the number of the trial.
pub(crate) fn started_title(event: &ExampleStarted) -> String {
    let title = started_test_title(event);
    match trial(&event.metadata).filter(|_| event.canonical_path.is_some()) {
        Some(trial) => format!("{title} ({trial})"),
        None => title,
    }
}

/// The title of a starting example without the number of the trial.
pub(crate) fn started_test_title(event: &ExampleStarted) -> String {
    let scenario = event.scenario.as_ref();
    let id = scenario.map(|scenario| scenario_id(scenario));
    let name = scenario.and_then(|scenario| scenario.get("name")?.as_str());
    let named = TestNames {
        canonical_path: event.canonical_path.as_deref(),
        full_description: Some(&event.full_description),
        description: &event.description,
        scenario_id: id.as_deref(),
        scenario_name: name.or(id.as_deref()),
    };
    named.title()
}

/// Replaces the name in a title: RSpec names an example without a description only when it runs.
pub(crate) fn rename(title: &mut String, before: &str, after: &str) {
    if let Some(groups) = title.strip_suffix(before) {
        *title = format!("{groups}{after}");
    }
}
