//! Sample runs: one with everything a report can show, one of any size, one with hostile text in every field.

use std::fmt::Write as _;

use casebook_record::RunData;
use serde_json::{Map, Value, json};

mod commands;
mod conversations;

use commands::commands;
use conversations::{conversations, trials};

const START: i64 = 1_794_732_051_594;
/// The start of every text in the hostile run. If any of it ran, it would set `owned`.
pub(crate) const HOSTILE: &str = "</script></noscript><img src=x onerror=\"window.owned=1\"><svg onload=window.owned=2><script>window.owned=3</script>\
                                  <style>*{display:none}</style><!--<iframe srcdoc='<script>parent.owned=4</script>'>{{7*7}}${owned}\u{202e}\u{1b}]0;x\u{7}";

pub(crate) fn run(examples: Vec<Value>, took: i64) -> RunData {
    let examples: Map<_, _> = examples
        .into_iter()
        .map(|example| {
            (
                example["id"].as_str().unwrap_or_default().to_owned(),
                example,
            )
        })
        .collect();
    let run = json!({
        "schema_version": "casebook/1",
        "run_id": "d00fa811-aa61-46cd-bea1-bb6729000564",
        "started_at": at(0),
        "finished_at": at(took),
        "seed": 29_982,
        "git_commit": "53e511a472fd646012cf23cb6bca7a06065c3ca8",
        "metadata": {"example_count": examples.len(), "versions": {"casebook": "0.1.0"}},
        "scenarios": {"scenario_b5e60561": {
            "id": "scenario_b5e60561", "name": "corporate event", "goal": "Find a venue for 50 people", "personality": ["efficient"],
            "context": null, "verification": null, "data": {"name": "corporate event", "goal": "Find a venue for 50 people"},
        }},
        "examples": examples,
    });
    serde_json::from_value(run).expect("a valid run")
}

/// Every kind of test, outcome and evaluation.
pub(crate) fn showcase() -> RunData {
    let mut examples = commands();
    examples.extend(conversations());
    examples.extend(trials());
    run(examples, 9_400)
}

/// A command in a terminal whose screen has colors and markup.
pub(crate) fn terminal() -> RunData {
    let screen = json!({"columns": 40, "rows": 10, "lines": [
        "<b>plain</b>",
        [{"text": "red", "color": "1", "bold": true}, {"text": " and "}, {"text": "blue", "color": "#0000ff"}, {"text": "!", "background": "11"}],
        [{"text": "inverse", "inverse": true}, {"text": "<img src=x onerror=window.owned=1>", "color": "208", "faint": true}],
        "",
        "last",
    ]});
    let command =
        json!({"command": {"command": "./menu", "output": "\u{1b}[2Jx\n", "screen": screen}});
    let test = Test::new("menu", "asks", "suites/menu.casebook.yaml", 3)
        .ran(20, 57, 1)
        .with("metadata", command)
        .failed(
            "Casebook::AssertionFailed",
            "\"Name?\" did not appear within 5 s",
        );
    run(vec![test.json()], 100)
}

/// Command tests with this many bytes of output each; one in 50 fails.
pub(crate) fn large(tests: u64, bytes: usize) -> RunData {
    let examples = (0..tests).map(|number| {
        let status = if number % 50 == 7 { "failed" } else { "passed" };
        let output = log(number, bytes);
        let passed = expectation("outputContains", &format!("outputContains \"fox {number}\""), status == "passed", json!({
            "file": "suites/large.casebook.yaml", "line": number, "source": "outputContains: fox", "expected": "fox",
        }));
        let mut test = Test::new(&format!("part {}", number / 100), &format!("does thing {number}"), "suites/large.casebook.yaml", number)
            .ran(i64::try_from(number % 97).unwrap_or(0) * 20, 5 + i64::try_from(number * 31 % 400).unwrap_or(0), number % 8)
            .with("metadata", json!({"command": {"command": format!("thing {number}"), "exit_code": 0, "output": output}, "tags": ["large"]}))
            .with("evaluations", json!([passed]));
        if status == "failed" {
            test = test.failed("Casebook::AssertionFailed", "the output does not contain \"fox\"");
        }
        test.json()
    });
    run(examples.collect(), 61_000)
}

/// The output of a program: similar lines with different numbers.
fn log(number: u64, bytes: usize) -> String {
    const STEPS: [&str; 5] = ["reading", "parsing", "checking", "writing", "closing"];
    let mut log = format!("[{number}] the quick brown fox starts\n");
    let mut random = number;
    while log.len() < bytes {
        random = random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let step = STEPS[usize::try_from(random >> 60).unwrap_or(0) % STEPS.len()];
        let _ = writeln!(
            log,
            "{step} item {:x} of batch {} took {} µs",
            random >> 32,
            random >> 54,
            random >> 48 & 0xfff
        );
    }
    log
}

/// The showcase with a hostile prefix in every text that a program, an agent or a suite may have written.
pub(crate) fn hostile() -> RunData {
    let mut run = serde_json::to_value(showcase()).expect("a run is JSON");
    spoil(&mut run, "");
    serde_json::from_value(run).expect("a valid run")
}

fn spoil(value: &mut Value, key: &str) {
    const KEPT: [&str; 7] = [
        "status",
        "role",
        "started_at",
        "finished_at",
        "ended_at",
        "timestamp",
        "schema_version",
    ];
    match value {
        Value::String(text) if !KEPT.contains(&key) => text.insert_str(0, HOSTILE),
        Value::Array(items) => items.iter_mut().for_each(|item| spoil(item, key)),
        Value::Object(fields) => {
            fields.iter_mut().for_each(|(key, value)| spoil(value, key));
            if ["arguments", "result", "topics"].contains(&key) {
                let modified = std::mem::take(fields).into_iter();
                *fields = modified
                    .map(|(key, value)| (format!("{HOSTILE}{key}"), value))
                    .collect();
            }
        }
        _ => {}
    }
}

fn at(millis: i64) -> String {
    casebook_record::Time::from_millis(START + millis).to_string()
}

/// A test under construction.
struct Test(Value);

impl Test {
    fn new(suite: &str, name: &str, file: &str, line: u64) -> Test {
        let path = format!("{suite}::{name}");
        Test(json!({
            "id": casebook_record::stable_id(&path), "stable_id": casebook_record::stable_id(&path), "canonical_path": path,
            "scenario_id": null, "file": file, "description": name, "location": format!("{file}:{line}"), "status": "passed",
            "started_at": at(0), "finished_at": null, "duration_ms": null, "exception": null, "conversation": null,
            "evaluations": [], "metadata": {
                "suite": suite, "file": file, "rerun": format!("casebook run {file}:{line}"),
            },
        }))
    }

    /// Sets a field of the example; metadata is merged.
    fn with(mut self, field: &str, value: Value) -> Test {
        match (&mut self.0[field], value) {
            (Value::Object(fields), Value::Object(more)) => fields.extend(more),
            (old, value) => *old = value,
        }
        self
    }

    fn ran(mut self, from: i64, took: i64, worker: u64) -> Test {
        self.0["started_at"] = at(from).into();
        self.0["finished_at"] = at(from + took).into();
        self.0["duration_ms"] = took.into();
        self.with("metadata", json!({"worker": worker}))
    }

    fn failed(self, class: &str, message: &str) -> Test {
        self.with("status", "failed".into()).with(
            "exception",
            json!({"class_name": class, "message": message, "backtrace": ["shop.rb:12:in `list'", "shop.rb:40:in `<main>'"]}),
        )
    }

    fn json(self) -> Value {
        self.0
    }
}

fn command(command: &str, exit_code: u64, output: &str) -> Value {
    json!({"command": {"command": command, "exit_code": exit_code, "output": output}})
}

fn expectation(kind: &str, description: &str, passed: bool, mut metadata: Value) -> Value {
    let comparison = match kind {
        "outputContains" | "files" => "contains",
        "outputEquals" => "equals",
        "exitCode" => "exit_code",
        other => panic!("no fixture has {other}"),
    };
    metadata["comparison"] = comparison.into();
    if kind.starts_with("output") {
        metadata["stream"] = "output".into();
    }
    let message = (!passed).then(|| match kind {
        "outputEquals" => "output differs from the expected text".to_owned(),
        _ => format!("expected {description}"),
    });
    json!({
        "name": description, "description": description, "passed": passed, "reasoning": null, "timestamp": at(10),
        "mode": "hard", "type": kind, "failure_message": message, "metadata": metadata,
    })
}
