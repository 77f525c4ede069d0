//! Compares the records of two runs, except for what always differs: times, durations, ids and workers.

use serde_json::Value;

use crate::support::Project;

const ALWAYS_DIFFERENT: [&str; 10] = [
    "run_id",
    "started_at",
    "finished_at",
    "ended_at",
    "timestamp",
    "duration",
    "duration_ms",
    "worker",
    "worker_name",
    "seed",
];

/// The record in this directory, without what always differs.
pub(crate) fn comparable(project: &Project, dir: &str) -> Value {
    without(project.json(&format!("{dir}/run.json")), &ALWAYS_DIFFERENT)
}

/// The value without these fields.
pub(crate) fn without(mut value: Value, names: &[&str]) -> Value {
    remove(&mut value, names);
    value
}

fn remove(value: &mut Value, names: &[&str]) {
    match value {
        Value::Object(fields) => {
            fields.retain(|name, _| !names.contains(&name.as_str()));
            fields.values_mut().for_each(|field| remove(field, names));
        }
        Value::Array(values) => values.iter_mut().for_each(|value| remove(value, names)),
        _ => {}
    }
}
