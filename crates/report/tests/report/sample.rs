//! Runs written as JSON; fields that a test does not set have defaults.

use casebook_record::RunData;
use casebook_report::terminal::{Options, report};
use serde_json::{Map, Value, json};

const TIME: &str = "2026-11-15T08:40:51.594+00:00";

/// A run of these examples that took 1.24 seconds.
pub(crate) fn run(examples: impl IntoIterator<Item = Value>) -> RunData {
    let examples: Map<String, Value> = examples
        .into_iter()
        .map(|example| (example["id"].as_str().unwrap().to_owned(), example))
        .collect();
    serde_json::from_value(json!({
        "run_id": "d00fa811-aa61-46cd-bea1-bb6729000564",
        "started_at": TIME,
        "finished_at": "2026-11-15T08:40:52.834+00:00",
        "seed": null,
        "git_commit": null,
        "examples": examples,
    }))
    .unwrap()
}

/// An example with this canonical path, status and additional fields.
pub(crate) fn example(path: &str, status: &str, fields: Value) -> Value {
    let example = json!({
        "id": path, "stable_id": null, "canonical_path": path, "scenario_id": null, "file": "suites/a.yml",
        "description": path, "location": "suites/a.yml:7", "status": status,
        "started_at": TIME, "finished_at": null, "duration_ms": null, "exception": null, "conversation": null,
    });
    merged(example, fields)
}

pub(crate) fn exception(class: &str, message: &str) -> Value {
    json!({"class_name": class, "message": message, "backtrace": []})
}

/// An expectation with additional fields.
pub(crate) fn evaluation(description: &str, passed: bool, fields: Value) -> Value {
    let evaluation = json!({
        "name": description, "description": description, "passed": passed, "reasoning": null,
        "timestamp": TIME, "mode": "hard", "type": null, "failure_message": null,
    });
    let mut evaluation = merged(evaluation, fields);
    let field = evaluation["type"]
        .as_str()
        .or(description.split(' ').next());
    let facts = facts(field.unwrap_or_default());
    let own = evaluation["metadata"].take();
    let own = if own.is_null() { json!({}) } else { own };
    evaluation["metadata"] = merged(facts, own);
    evaluation
}

/// The metadata that the runner records for an assertion of this kind.
pub(crate) fn facts(field: &str) -> Value {
    let mut streams = ["output", "stdout", "stderr"].into_iter();
    let of_stream = streams.find_map(|stream| Some((stream, field.strip_prefix(stream)?)));
    let (stream, how) = match of_stream {
        Some((stream, how)) => (Some(stream), how),
        None => (None, field),
    };
    match how {
        "Equals" => json!({"comparison": "equals", "stream": stream}),
        "Contains" => json!({"comparison": "contains", "stream": stream}),
        "NotContains" => json!({"comparison": "not_contains", "stream": stream}),
        "Matches" => json!({"comparison": "matches", "stream": stream}),
        "NotMatches" => json!({"comparison": "not_matches", "stream": stream}),
        "Json" => json!({"comparison": "json", "stream": "stdout"}),
        "exitCode" => json!({"comparison": "exit_code"}),
        "snapshot" => json!({"comparison": "snapshot", "stream": "output"}),
        "called" => json!({"comparison": "tool_calls"}),
        "turns" | "maxLength" => json!({"comparison": "number"}),
        "topic" | "next" => json!({"comparison": "topic"}),
        "equals" => json!({"comparison": "equals"}),
        "contains" => json!({"comparison": "contains"}),
        "notContains" => json!({"comparison": "not_contains"}),
        "matches" => json!({"comparison": "matches"}),
        _ => json!({}),
    }
}

pub(crate) fn conversation(turns: &[Value]) -> Value {
    json!({"started_at": TIME, "ended_at": null, "turns": turns, "final_topic": null})
}

/// A turn with a reply and additional fields.
pub(crate) fn turn(number: u64, user: &str, agent: &str, fields: Value) -> Value {
    let turn = json!({
        "number": number, "user_message": message("user", user), "agent_response": message("agent", agent),
        "topic": null,
    });
    merged(turn, fields)
}

pub(crate) fn message(role: &str, content: &str) -> Value {
    json!({"role": role, "content": content, "timestamp": TIME, "source": null})
}

pub(crate) fn tool_call(name: &str, fields: Value) -> Value {
    let call = json!({"name": name, "arguments": {"q": 1}, "error": null, "timestamp": TIME});
    merged(call, fields)
}

/// The report of a run, 80 columns wide, without color.
pub(crate) fn shown(run: &RunData) -> String {
    let options = Options {
        width: 80,
        ..Options::default()
    };
    shown_with(run, &options)
}

pub(crate) fn shown_with(run: &RunData, options: &Options) -> String {
    let mut out = Vec::new();
    report(run, options, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

fn merged(mut value: Value, fields: Value) -> Value {
    let Value::Object(fields) = fields else {
        panic!("fields are an object");
    };
    value.as_object_mut().unwrap().extend(fields);
    value
}
