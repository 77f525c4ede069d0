//! Runs the conformance suites. The native engine, in one process and in workers, and `--engine bats` must have the
//! outcomes given by the tags of the tests. (The compiled Bats code is tested in `bats.rs`.)

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::support::Project;

const SUITES: &str = "crates/run/tests/conformance";

fn root() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.canonicalize().unwrap()
}

/// Runs suites in the root of the repository and returns the recorded examples.
fn run(arguments: &[&str], suites: &[String]) -> Vec<Value> {
    let project = Project::new();
    let status = Command::new(env!("CARGO_BIN_EXE_casebook"))
        .current_dir(root())
        .args(["run", "--quiet", "--record"])
        .arg(project.at("record"))
        .args(arguments)
        .args(suites)
        .env_remove("CI")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .unwrap();
    assert!(status.code().is_some_and(|code| code < 2), "{status}");
    let run: Value = serde_json::from_str(&project.read("record/run.json")).unwrap();
    run["examples"]
        .as_object()
        .unwrap()
        .values()
        .cloned()
        .collect()
}

/// All suites except the one with `only`, which is tested separately.
fn all_suites() -> Vec<String> {
    let entries = std::fs::read_dir(root().join(SUITES)).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let suites =
        names.filter(|name| name.ends_with(".casebook.yaml") && name != "only.casebook.yaml");
    suites.map(|name| format!("{SUITES}/{name}")).collect()
}

fn has(example: &Value, tag: &str) -> bool {
    let tags = example["metadata"]["tags"].as_array();
    tags.is_some_and(|tags| tags.iter().any(|other| other == tag))
}

/// The difference between the outcome of a test and its tags; `None` if they agree.
fn problem(example: &Value) -> Option<String> {
    let command = &example["metadata"]["command"];
    let is = |flag: &str| command[flag] == Value::Bool(true);
    let phase = command["phase"].as_str().unwrap_or_default();
    let actual = match example["status"].as_str().unwrap() {
        "failed" => format!("failed in {phase}"),
        status => format!(
            "{status}{}{}",
            if is("flaky") { " flaky" } else { "" },
            if is("leaky") { " leaky" } else { "" }
        ),
    };
    let expected = if example["description"] == "teardownFile" {
        "failed in "
    } else if has(example, "fails") {
        "failed in command"
    } else if has(example, "fails-setup") || has(example, "fails-setup-file") {
        "failed in setup"
    } else if has(example, "fails-teardown") {
        "failed in teardown"
    } else if has(example, "skipped") {
        "pending"
    } else if has(example, "flaky") {
        "passed flaky"
    } else if has(example, "leaky") {
        "passed leaky"
    } else {
        "passed"
    };
    (actual != expected).then(|| {
        format!(
            "{} {}: {actual}, not {expected}",
            example["location"], example["description"]
        )
    })
}

fn assert_as_tagged(examples: &[Value]) {
    let problems: Vec<_> = examples.iter().filter_map(problem).collect();
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn the_native_engine_has_the_tagged_outcomes() {
    let examples = run(&[], &all_suites());
    assert!(examples.len() > 250, "{}", examples.len());
    assert_as_tagged(&examples);
    let failing: Vec<_> = examples
        .iter()
        .filter(|example| example["description"] == "teardownFile")
        .collect();
    assert_eq!(failing.len(), 2, "two suites have a failing teardownFile");
}

#[test]
fn only_excludes_other_tests() {
    let examples = run(&[], &[format!("{SUITES}/only.casebook.yaml")]);
    assert!(!examples.is_empty() && !examples.iter().any(|example| has(example, "not-run")));
    assert_as_tagged(&examples);
}

/// The recorded examples by location and description, without times, attempts and workers.
fn comparable(examples: Vec<Value>) -> BTreeMap<String, Value> {
    let strip = |mut example: Value| {
        let key = format!("{} {}", example["location"], example["description"]);
        for field in ["started_at", "finished_at", "duration_ms"] {
            example[field] = Value::Null;
        }
        example["metadata"]["worker"] = Value::Null;
        for attempt in example["metadata"]["attempts"]
            .as_array_mut()
            .into_iter()
            .flatten()
        {
            *attempt = Value::Null;
        }
        (key, example)
    };
    examples.into_iter().map(strip).collect()
}

/// Only suites whose output does not depend on the time or the directory of the run can be compared literally.
#[test]
fn workers_and_one_process_have_equal_records() {
    let suites: Vec<_> = [
        "assertions",
        "hooks",
        "names",
        "setup-file-fails",
        "skips",
        "snapshots",
        "streams",
        "variables",
        "workdir",
    ]
    .iter()
    .map(|name| format!("{SUITES}/{name}.casebook.yaml"))
    .collect();
    let single = comparable(run(&["-j", "1"], &suites));
    let workers = comparable(run(&["--workers", "2"], &suites));
    assert_eq!(
        single.keys().collect::<Vec<_>>(),
        workers.keys().collect::<Vec<_>>()
    );
    for (name, example) in &single {
        let evaluations = |example: &Value| example["evaluations"].clone();
        let other = &workers[name];
        assert_eq!(example["status"], other["status"], "{name}");
        assert_eq!(example["exception"], other["exception"], "{name}");
        assert_eq!(
            without_times(evaluations(example)),
            without_times(evaluations(other)),
            "{name}"
        );
        assert_eq!(
            without_temp_dirs(&example["metadata"]),
            without_temp_dirs(&other["metadata"]),
            "{name}"
        );
    }
}

fn without_times(mut evaluations: Value) -> Value {
    for evaluation in evaluations.as_array_mut().into_iter().flatten() {
        evaluation["timestamp"] = Value::Null;
    }
    evaluations
}

/// Replaces the names of temporary directories, which differ between runs.
fn without_temp_dirs(value: &Value) -> String {
    let text = value.to_string();
    let mut parts = text.split("casebook-run-");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = part
            .find(|c: char| !c.is_ascii_alphanumeric() && !"/-".contains(c))
            .unwrap_or(part.len());
        out.push_str("[dir]");
        out.push_str(&part[end..]);
    }
    out
}

#[test]
fn bats_has_the_tagged_outcomes() {
    let suites: Vec<_> = [
        "retries",
        "setup-file-fails",
        "skips",
        "snapshots",
        "teardown-file-fails",
        "timeout-in-setup",
    ]
    .iter()
    .map(|name| format!("{SUITES}/{name}.casebook.yaml"))
    .collect();
    assert_as_tagged(&run(&["--engine", "bats"], &suites));
}
