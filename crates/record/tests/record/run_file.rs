//! `run.json`: replaced atomically, and read back without loss.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use casebook_record::{RunData, read_run, write_run};
use serde_json::{Value, json};

use crate::sample_events::run;

/// A file written by the rspec-agents gem.
fn gem_file() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../report/tests/fixtures/run-json-example.json")
}

fn small_run() -> RunData {
    run(&[
        ("ExampleStarted", json!({"metadata": {"n": 1}})),
        ("ExamplePassed", json!({})),
    ])
}

#[test]
fn a_file_of_the_gem_survives_reading_and_writing() {
    let dir = tempfile::tempdir().unwrap();
    let original: Value = serde_json::from_slice(&fs::read(gem_file()).unwrap()).unwrap();
    for name in ["run.json", "run.json.gz", "run.json.zst"] {
        let copy = dir.path().join(name);
        write_run(&copy, &read_run(&gem_file()).unwrap()).unwrap();
        let plain = dir.path().join("plain.json");
        write_run(&plain, &read_run(&copy).unwrap()).unwrap();
        let again: Value = serde_json::from_slice(&fs::read(plain).unwrap()).unwrap();
        assert_eq!(again, original, "{name}");
    }
}

#[test]
fn it_is_written_like_serde_json_pretty_prints() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("run.json");
    let run = read_run(&gem_file()).unwrap();
    write_run(&path, &run).unwrap();
    let value: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    assert_eq!(
        fs::read_to_string(&path).unwrap(),
        serde_json::to_string_pretty(&value).unwrap()
    );
}

#[test]
fn fields_of_other_versions_are_kept_at_every_level() {
    let mut value = serde_json::to_value(read_run(&gem_file()).unwrap()).unwrap();
    let marker = json!({"big": 123_456_789_012_345_678_u64, "list": [1, {"x": null}]});
    for pointer in [
        "",
        "/examples/2cc319dba696",
        "/examples/2cc319dba696/conversation",
        "/examples/2cc319dba696/conversation/turns/1",
        "/examples/2cc319dba696/conversation/turns/1/user_message",
        "/examples/2cc319dba696/conversation/turns/1/tool_calls/0",
        "/examples/2cc319dba696/evaluations/0",
    ] {
        value.pointer_mut(pointer).unwrap()["from_tomorrow"] = marker.clone();
    }
    let run: RunData = serde_json::from_value(value.clone()).unwrap();
    assert_eq!(run.extra.get("from_tomorrow"), Some(&marker));
    assert_eq!(serde_json::to_value(run).unwrap(), value);
}

#[test]
fn directories_are_created_and_the_file_has_default_permissions() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a/b/run.json");
    write_run(&path, &small_run()).unwrap();
    assert_eq!(read_run(&path).unwrap(), small_run());
    let other = dir.path().join("other");
    fs::write(&other, "").unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode();
    assert_eq!(mode(&path), mode(&other), "permissions follow the umask");
    let names: Vec<_> = fs::read_dir(path.parent().unwrap())
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(names, ["run.json"], "no temporary file remains");
}

#[test]
fn a_failed_write_leaves_the_existing_file_unchanged() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("run.json");
    fs::create_dir(&path).unwrap();
    fs::write(path.join("precious"), "data").unwrap();
    let error = write_run(&path, &small_run()).unwrap_err();
    assert!(error.to_string().contains("run.json"), "{error}");
    assert_eq!(
        fs::read_dir(dir.path()).unwrap().count(),
        1,
        "no temporary file remains"
    );
}

#[test]
fn errors_contain_path_line_and_location() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("run.json");
    write_run(&path, &small_run()).unwrap();
    let good = fs::read_to_string(&path).unwrap();
    for (content, message) in [
        (
            good.replace("\"passed\"", "\"vanished\""),
            "run.json:19:26: not a valid run: unknown variant `vanished`, expected one of `pending`, `running`, `passed`, `failed` (in `examples.1.status`)",
        ),
        (
            good.replace("\"turns\": []", "\"turns\": 7"),
            "invalid type: integer `7`, expected a sequence (in `examples.1.conversation.turns`)",
        ),
        (
            good.replace("2026-11-15T08:00:01", "yesterday"),
            "is not a time such as 2026-11-15T08:40:51.594Z",
        ),
        (good[..good.len() / 2].to_owned(), "it ends "),
        ("[]".to_owned(), "run.json:1:"),
        (
            String::new(),
            "run.json:1:1: not a valid run: it ends where a value is expected",
        ),
        (
            good.replace("casebook/1", "casebook/2.1"),
            "has the format `casebook/2.1`; this version reads up to `casebook/1`",
        ),
        (
            json!({"schema_version": "casebook/9", "nothing": "known"}).to_string(),
            "has the format `casebook/9`",
        ),
    ] {
        fs::write(&path, &content).unwrap();
        let error = read_run(&path).unwrap_err().to_string();
        assert!(
            error.contains(message) && error.contains("run.json"),
            "{error}\n{content}"
        );
    }
    fs::write(&path, b"{\n  \"run_id\": \"\xff\"}").unwrap();
    assert!(
        read_run(&path)
            .unwrap_err()
            .to_string()
            .ends_with("run.json:2:14: not a valid run: not valid UTF-8")
    );
    let error = read_run(dir.path()).unwrap_err().to_string();
    assert!(error.ends_with("is a directory"), "{error}");
    assert!(
        read_run(&dir.path().join("missing"))
            .unwrap_err()
            .to_string()
            .contains("missing")
    );
}

#[test]
fn versions_of_other_programs_are_accepted() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("run.json");
    for version in [json!("rspec-agents 3"), json!(17), json!(null)] {
        let mut value = serde_json::to_value(small_run()).unwrap();
        value["schema_version"] = version.clone();
        fs::write(&path, value.to_string()).unwrap();
        assert!(read_run(&path).is_ok(), "{version}");
    }
}
