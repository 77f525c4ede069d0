//! Conversations from end to end: terminal output, records, and cleanup after faulty agents.

mod budget;
mod checks;
mod docs;
mod faults;
mod judge;
mod mixed;
mod models;
mod remote;
mod roles;
mod scripted;
#[path = "../../../run/src/http/testing.rs"]
#[expect(
    dead_code,
    reason = "each test binary uses only some of the server's functions"
)]
pub(crate) mod server;
mod simulate;
mod suites;
mod topics;
mod trials;

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use serde_json::Value;

use crate::run::{RunResult, Suite};

/// An agent in bash. It replies with the message in capitals. `look N` calls a tool with that number; `run WORDS`
/// evaluates the words, so that tests can make it do anything.
const AGENT: &str = r#"#!/bin/bash
while IFS= read -r line; do
  id=${line#*'"id":'} id=${id%%[,\}]*}
  text=${line##*'"content":"'} text=${text%%'"}'*}
  say() { printf '{"id":%s,"type":"response","text":"%s"}\n' "$id" "$1"; }
  case $text in
    look*) printf '{"type":"tool_call","name":"look","arguments":{"at":%s,"how":"well"},"result":[1]}\n' "${text#look }"; say "SEEN" ;;
    run*) eval "${text#run }" ;;
    *) say "${text^^}" ;;
  esac
done
"#;

/// A suite with that agent in the same directory.
fn suite(yaml: &str) -> Suite {
    let suite = Suite::new(&format!("agent: {{command: ./agent}}\n{yaml}"));
    suite.project.write("agent", AGENT);
    let path = suite.project.at("agent");
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    suite
}

/// A test's conversation, one line per turn and evaluation.
#[track_caller]
fn transcript(ran: &RunResult, name: &str) -> Vec<String> {
    let test = ran.test(name);
    let mut lines = Vec::new();
    let turns = test["conversation"]["turns"].as_array().unwrap();
    for turn in turns {
        let number = &turn["number"];
        let content = |role: &str| turn[role]["content"].as_str().unwrap_or("-").to_owned();
        let topic = turn["topic"]
            .as_str()
            .map_or(String::new(), |topic| format!(" [{topic}]"));
        let calls = turn["tool_calls"].as_array().unwrap();
        let calls: Vec<_> = calls
            .iter()
            .map(|call| format!(" {}{}", call["name"].as_str().unwrap(), call["arguments"]))
            .collect();
        let calls = calls.concat();
        lines.push(format!(
            "{number}{topic} {} → {}{calls}",
            content("user_message"),
            content("agent_response")
        ));
    }
    let evaluations = test["evaluations"].as_array().into_iter().flatten();
    lines.extend(evaluations.map(|evaluation| {
        let result = if evaluation["passed"] == true {
            "holds"
        } else {
            "fails"
        };
        let turn = evaluation["turn_number"]
            .as_u64()
            .map_or("end".to_owned(), |turn| turn.to_string());
        format!(
            "{turn} {} {} {result}",
            evaluation["mode"].as_str().unwrap(),
            evaluation["description"].as_str().unwrap()
        )
    }));
    lines
}

/// Why the conversation of a test ended.
#[track_caller]
fn end<'r>(ran: &'r RunResult, name: &str) -> &'r str {
    ran.test(name)["metadata"]["conversation"]["end"]
        .as_str()
        .unwrap()
}

#[track_caller]
fn failure<'r>(ran: &'r RunResult, name: &str) -> (&'r str, &'r str) {
    let exception = &ran.test(name)["exception"];
    let text = |field: &str| exception[field].as_str().unwrap_or_default();
    (text("class_name"), text("message"))
}

/// The record without values that differ from run to run.
fn comparable(record: &Value) -> Value {
    let mut record = record.clone();
    strip(&mut record);
    record
}

fn strip(value: &mut Value) {
    const VARIES: [&str; 13] = [
        "timestamp",
        "started_at",
        "finished_at",
        "ended_at",
        "duration_ms",
        "latency_ms",
        "run_id",
        "worker",
        "workers",
        "jobs",
        "duration",
        "time",
        "id",
    ];
    match value {
        Value::Object(object) => {
            for name in VARIES {
                object.remove(name);
            }
            object.values_mut().for_each(strip);
        }
        Value::Array(items) => items.iter_mut().for_each(strip),
        _ => {}
    }
}
