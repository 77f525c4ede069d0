//! What an example is called, from the outermost group inwards.

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
    run.named(example).title()
}
