//! Directories of runs, and lookup by name.

use std::fs;
use std::path::Path;

use casebook_record::{RunDir, Store, StoreError, Time, write_run};
use serde_json::json;

use crate::sample_events::run;

fn started() -> Time {
    "2026-11-15T08:40:51.594Z".parse().unwrap()
}

fn recorded(store: &Store, run_id: &str) -> RunDir {
    let dir = store.create(run_id, started()).unwrap();
    store.set_latest(&dir).unwrap();
    write_run(
        &dir.run_file(),
        &run(&[("SuiteStarted", json!({ "run_id": run_id }))]),
    )
    .unwrap();
    dir
}

fn name(path: &Path) -> &str {
    path.file_name().unwrap().to_str().unwrap()
}

#[test]
fn a_runs_directory_is_named_for_its_time_and_id_and_ignored_by_git() {
    let project = tempfile::tempdir().unwrap();
    let store = Store::in_project(project.path());
    let dir = recorded(&store, "D00FA811-aa61-46cd");
    assert_eq!(
        dir.path().strip_prefix(project.path()).unwrap(),
        Path::new(".casebook/runs/20261115-084051-d00fa811")
    );
    let ignored = fs::read_to_string(project.path().join(".casebook/.gitignore")).unwrap();
    assert!(ignored.lines().any(|line| line == "*"), "{ignored}");
    let second = recorded(&store, "d00fa811");
    assert_eq!(name(second.path()), "20261115-084051-d00fa811-2");
    assert_eq!(
        name(recorded(&store, "../../etc").path()),
        "20261115-084051-etc"
    );
    assert_eq!(name(recorded(&store, "..").path()), "20261115-084051-run");
}

#[test]
fn when_the_latest_run_was_deleted_the_one_before_it_is_the_newest() {
    let project = tempfile::tempdir().unwrap();
    let store = Store::in_project(project.path());
    let before = recorded(&store, "before");
    let deleted = recorded(&store, "deleted");
    fs::remove_dir_all(deleted.path()).unwrap();
    fs::create_dir(project.path().join(".casebook/runs/not-a-run")).unwrap();
    let found = store.find(None, project.path()).unwrap();
    assert_eq!(found, before.run_file());
    fs::remove_dir_all(before.path()).unwrap();
    let error = store.find(None, project.path()).unwrap_err();
    assert!(matches!(error, StoreError::NoRuns(_)), "{error}");
}

#[test]
fn latest_points_to_the_newest() {
    let project = tempfile::tempdir().unwrap();
    let store = Store::in_project(project.path());
    for id in ["first", "second"] {
        let dir = recorded(&store, id);
        let latest = project.path().join(".casebook/runs/latest");
        assert_eq!(fs::read_link(&latest).unwrap(), Path::new(name(dir.path())));
        assert_eq!(
            store.find(None, project.path()).unwrap(),
            dir.path().join("run.json"),
            "not through the link, which changes"
        );
    }
    let entries = fs::read_dir(project.path().join(".casebook/runs"))
        .unwrap()
        .count();
    assert_eq!(entries, 3, "two runs and the link");
}

#[test]
fn a_run_is_found_by_path_name_or_id() {
    let project = tempfile::tempdir().unwrap();
    let store = Store::in_project(project.path());
    let dir = recorded(&store, "abcdef12-3456");
    recorded(&store, "abcd9999");
    for found in [
        ".casebook/runs/20261115-084051-abcdef12",
        ".casebook/runs/20261115-084051-abcdef12/run.json",
        "20261115-084051-abcdef12",
        "abcdef12",
        "abcdef",
        "ABCDEF12-3456-7890",
    ] {
        let path = store.find(Some(found), project.path()).unwrap();
        assert_eq!(path, dir.run_file(), "{found}");
    }
    let error = store.find(Some("abcd"), project.path()).unwrap_err();
    assert!(
        matches!(&error, StoreError::Ambiguous { matches, .. } if matches.len() == 2),
        "{error}"
    );
    for missing in ["abc", "nothing", "", "-"] {
        let error = store.find(Some(missing), project.path()).unwrap_err();
        assert!(
            matches!(error, StoreError::Unknown { .. } | StoreError::NotARun(_)),
            "{missing}: {error}"
        );
    }
}

#[test]
fn run_json_is_preferred_to_the_journal_and_plain_to_compressed() {
    let project = tempfile::tempdir().unwrap();
    let store = Store::in_project(project.path());
    let dir = project.path().join("run");
    fs::create_dir(&dir).unwrap();
    assert!(matches!(
        store.find(Some("run"), project.path()),
        Err(StoreError::NotARun(_))
    ));
    for name in [
        "events.jsonl.zst",
        "events.jsonl.gz",
        "events.jsonl",
        "run.json.zst",
        "run.json.gz",
        "run.json",
    ] {
        fs::write(dir.join(name), "").unwrap();
        assert_eq!(
            store.find(Some("run"), project.path()).unwrap(),
            dir.join(name)
        );
    }
    assert_eq!(
        store.find_journal(Some("run"), project.path()).unwrap(),
        dir.join("events.jsonl")
    );
}

#[test]
fn a_directory_that_contains_a_run_is_not_reused() {
    let project = tempfile::tempdir().unwrap();
    for name in ["run.json", "events.jsonl", "events.jsonl.gz"] {
        let dir = project.path().join(name.replace('.', "-"));
        RunDir::create_at(&dir).unwrap();
        fs::write(dir.join(name), "").unwrap();
        assert!(
            matches!(RunDir::create_at(&dir), Err(StoreError::Occupied(_))),
            "{name}"
        );
    }
}

#[test]
fn without_runs_the_error_contains_the_searched_directory() {
    let project = tempfile::tempdir().unwrap();
    let error = Store::in_project(project.path())
        .find(None, project.path())
        .unwrap_err();
    assert!(
        matches!(&error, StoreError::NoRuns(path) if path.ends_with(".casebook/runs")),
        "{error}"
    );
}
