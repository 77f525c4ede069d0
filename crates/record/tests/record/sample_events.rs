//! Builds events for tests from the relevant fields; fills in the others.

use casebook_record::{Event, Run, RunBuilder, RunData, decode};
use serde_json::{Value, json};

/// The event of that kind at second `second`, with these fields and defaults for other required ones.
pub(crate) fn event(kind: &str, second: u32, fields: &Value) -> Event {
    let mut payload = json!({
        "time": format!("2026-11-15T08:00:{second:02}.000Z"), "example_id": "1", "description": "adds",
        "full_description": "Sum adds", "location": "spec/sum_spec.rb:3", "duration": 0.25, "turn_number": 1, "text": "",
        "tool_calls": [], "goal": "g", "max_turns": 5, "turn_count": 2, "termination_reason": "done", "to_topic": "t",
        "tool_name": "search", "arguments": {}, "passed": true, "example_count": 1, "failure_count": 0, "pending_count": 0,
    });
    for (key, value) in fields.as_object().unwrap() {
        payload[key] = value.clone();
    }
    decode(&json!({"event_type": kind, "payload": payload}).to_string()).unwrap()
}

/// The run built from events given as kind and fields, one per second.
pub(crate) fn run(events: &[(&str, Value)]) -> RunData {
    let builder = RunBuilder::new("fallback");
    for (second, (kind, fields)) in (0..).zip(events) {
        builder.apply(event(kind, second, fields));
    }
    builder.close().expect("there were events")
}

/// The run with its examples in memory.
pub(crate) fn in_memory(run: &Run) -> RunData {
    let examples = run.each_example().map(|example| {
        let example = example.unwrap().into_owned();
        (example.id.clone(), Box::new(example))
    });
    RunData {
        schema_version: run.schema_version.clone(),
        run_id: run.run_id.clone(),
        started_at: run.started_at,
        finished_at: run.finished_at,
        seed: run.seed.clone(),
        git_commit: run.git_commit.clone(),
        metadata: run.metadata.clone(),
        scenarios: run.scenarios.clone(),
        extra: run.extra.clone(),
        examples: examples.collect(),
    }
}
