//! Every assertion field: its example passes with the right value and fails with the wrong one, natively and in Bats.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::process::{Command, Stdio};

use casebook_suite::assertion::{ASSERTIONS, Example, FILE_ASSERTIONS};
use serde_json::Value;

use crate::support::Project;

/// A suite with two tests for each field: one that must pass and one that must fail.
fn suite() -> String {
    let of_test = ASSERTIONS
        .iter()
        .filter(|row| !row.is_about_screen())
        .map(|row| (row.field.name.to_owned(), row.example));
    let of_file = FILE_ASSERTIONS.iter().map(|row| {
        let in_file = |value| -> &'static str {
            format!("{{out.txt: {{{}: {value}}}}}", row.field.name).leak()
        };
        let example = Example {
            passes: in_file(row.example.passes),
            fails: in_file(row.example.fails),
            ..row.example
        };
        (format!("files: {}", row.field.name), example)
    });
    let mut suite = "parallel: false\ntests:\n".to_owned();
    for (name, example) in of_test.chain(of_file) {
        let field = name.split(':').next().unwrap();
        for (status, value) in [("passed", example.passes), ("failed", example.fails)] {
            let command = serde_json::to_string(example.command).unwrap();
            writeln!(
                suite,
                "  - name: \"{name} {status}\"\n    command: {command}\n    {field}: {value}"
            )
            .unwrap();
        }
    }
    suite
}

/// The status of each test, and its assertions that failed.
fn run(project: &Project, engine: &str) -> BTreeMap<String, (String, Vec<Value>)> {
    let record = format!("record-{engine}");
    let status = Command::new(env!("CARGO_BIN_EXE_casebook"))
        .current_dir(project.at("."))
        .args(["run", "--quiet", "--engine", engine, "--record", &record])
        .arg("a.casebook.yaml")
        .env_remove("CI")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .unwrap();
    assert_eq!(status.code(), Some(1), "{engine}");
    let run: Value = serde_json::from_str(&project.read(&format!("{record}/run.json"))).unwrap();
    let examples = run["examples"].as_object().unwrap().values();
    examples
        .map(|example| {
            let name = example["description"].as_str().unwrap().to_owned();
            let status = example["status"].as_str().unwrap().to_owned();
            let evaluations = example["evaluations"].as_array().unwrap().iter();
            let failed = evaluations.filter(|one| one["passed"] == false);
            (name, (status, failed.cloned().collect()))
        })
        .collect()
}

#[test]
fn every_field_asserts_natively_and_in_bats() {
    let project = Project::new();
    project.write("a.casebook.yaml", suite());
    project.write("__snapshots__/a/accepted.snap", "one\n");
    project.write("__snapshots__/a/outdated.snap", "two\n");
    for (path, text) in [
        ("one.txt", "one\n"),
        ("two.txt", "two\n"),
        ("folder/one.txt", "one\n"),
        ("other/one.txt", "two\n"),
    ] {
        project.write(path, text);
    }
    for engine in ["native", "bats"] {
        // The last tests make a folder of this name.
        let _ = std::fs::remove_dir_all(project.at("out.txt"));
        let tests = run(&project, engine);
        let screens = ASSERTIONS.iter().filter(|row| row.is_about_screen());
        let rows = ASSERTIONS.len() - screens.count() + FILE_ASSERTIONS.len();
        assert_eq!(tests.len(), 2 * rows);
        for (name, (status, failed)) in tests {
            assert!(name.ends_with(&status), "{engine}: {name} has {status}");
            let field = name.split([':', ' ']).next().unwrap();
            assert!(
                failed.iter().all(|one| one["type"] == field),
                "{engine}: {name} failed for another reason: {failed:?}"
            );
            assert_eq!(failed.is_empty(), status == "passed", "{engine}: {name}");
            let typed = |one: &Value| one["metadata"]["comparison"].is_string();
            assert!(failed.iter().all(typed), "{engine}: {name}: {failed:?}");
        }
    }
}

#[test]
fn every_field_on_the_screen_asserts_natively() {
    let mut suite = "tests:\n".to_owned();
    for row in ASSERTIONS.iter().filter(|row| row.is_about_screen()) {
        let (name, example) = (row.field.name, row.example);
        for (status, value) in [("passed", example.passes), ("failed", example.fails)] {
            let command = example.command;
            writeln!(
                suite,
                "  - {{name: {name} {status}, command: {command}, tty: true, {name}: {value}}}"
            )
            .unwrap();
        }
    }
    let project = Project::with("a.casebook.yaml", suite);
    let tests = run(&project, "native");
    assert_eq!(tests.len(), 6);
    for (name, (status, failed)) in tests {
        assert!(name.ends_with(&status), "{name} has {status}: {failed:?}");
    }
}
