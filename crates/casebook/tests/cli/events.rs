//! Creates event lines as another program would send them.

use serde_json::{Value, json};

pub(crate) const RUN_ID: &str = "0a1b2c3d-run";

/// One event line. The time is 08:30 unless the payload has one.
pub(crate) fn event(kind: &str, payload: Value) -> String {
    let mut fields = json!({"time": "2026-11-15T08:30:00.000Z"});
    let Value::Object(payload) = payload else {
        panic!("a payload must be an object")
    };
    fields.as_object_mut().unwrap().extend(payload);
    json!({"event_type": kind, "payload": fields}).to_string()
}

pub(crate) fn suite(run_id: &str) -> String {
    event(
        "SuiteStarted",
        json!({"example_count": 1, "run_id": run_id}),
    )
}

pub(crate) fn suite_stopped() -> String {
    event("SuiteStopped", json!({"time": "2026-11-15T08:30:02.000Z"}))
}

pub(crate) fn started(id: &str) -> String {
    let location = format!("spec/{id}_spec.rb:3");
    event(
        "ExampleStarted",
        with(described(id), json!({"location": location})),
    )
}

pub(crate) fn passed(id: &str) -> String {
    event(
        "ExamplePassed",
        with(described(id), json!({"duration": 0.25})),
    )
}

pub(crate) fn failed(id: &str, message: &str) -> String {
    let failure = json!({
        "duration": 0.5,
        "location": format!("spec/{id}_spec.rb:7"),
        "message": message,
        "exception_class": "Sum::Wrong",
    });
    event("ExampleFailed", with(described(id), failure))
}

pub(crate) fn user_message(id: &str, text: &str) -> String {
    event(
        "UserMessage",
        json!({"example_id": id, "turn_number": 1, "text": text, "source": "script"}),
    )
}

/// The events of a complete run with one passing example.
pub(crate) fn passing_run() -> Vec<String> {
    vec![
        suite(RUN_ID),
        started("adds"),
        passed("adds"),
        suite_stopped(),
    ]
}

/// The events of a complete run with two examples, one of which fails.
pub(crate) fn failing_run() -> Vec<String> {
    vec![
        suite(RUN_ID),
        started("adds"),
        passed("adds"),
        started("divides"),
        failed("divides", "expected 2, got 3"),
        suite_stopped(),
    ]
}

/// The events of a complete run with many passing examples.
pub(crate) fn long_run(examples: usize) -> Vec<String> {
    let middle = (0..examples).flat_map(|number| {
        let id = format!("example-{number}");
        [started(&id), passed(&id)]
    });
    std::iter::once(suite(RUN_ID))
        .chain(middle)
        .chain([suite_stopped()])
        .collect()
}

/// The lines as the text of a file.
pub(crate) fn lines(lines: &[String]) -> String {
    lines.join("\n") + "\n"
}

fn described(id: &str) -> Value {
    json!({"example_id": id, "description": id, "full_description": format!("Sum {id}")})
}

fn with(mut left: Value, right: Value) -> Value {
    if let (Value::Object(left), Value::Object(right)) = (&mut left, right) {
        left.extend(right);
    }
    left
}
