//! A record whose directory is deleted while the run is recorded.

use std::fs;
use std::path::Path;

use casebook_record::{
    Bus, Destination, Journal, Recorder, RecordingResult, Redactor, RunIdentity, Store, load,
};
use serde_json::json;

use crate::sample_events::{event, in_memory};

fn recorder(destination: Destination) -> Recorder {
    let identity = RunIdentity {
        run_id: "the-id".into(),
        git_commit: None,
        git_branch: None,
    };
    Recorder::new(Bus::new(), destination, identity, Redactor::default())
}

/// Records two examples and calls `disturb` between them.
fn record(recorder: Recorder, disturb: impl FnOnce(&Path)) -> RecordingResult {
    for id in ["a", "b"] {
        recorder.publish(event("ExampleStarted", 0, &json!({"example_id": id})));
    }
    disturb(recorder.dir().unwrap().path());
    for id in ["a", "b"] {
        recorder.publish(event("ExamplePassed", 1, &json!({"example_id": id})));
    }
    recorder.finish()
}

#[test]
fn a_deleted_directory_is_created_again_with_all_events() {
    let project = tempfile::tempdir().unwrap();
    let dir = project.path().join("deep/record");
    for whole in [
        &dir,
        &project.path().join("deep"),
        &dir.join("events.jsonl"),
    ] {
        let _ = fs::remove_dir_all(project.path().join("deep"));
        let recorded = record(recorder(Destination::Dir(dir.clone())), |_| {
            fs::remove_dir_all(whole)
                .or_else(|_| fs::remove_file(whole))
                .unwrap();
        });
        assert!(recorded.errors.is_empty(), "{:?}", recorded.errors);
        assert!(recorded.was_restored);
        assert_eq!(recorded.run_file, Some(dir.join("run.json")));
        let rebuilt = load(&dir.join("events.jsonl"), &Redactor::default()).unwrap();
        assert!(!rebuilt.problems.is_damage());
        assert_eq!(rebuilt.run.summary().passed_count, 2);
        assert_eq!(rebuilt.run, in_memory(&recorded.run.unwrap()));
    }
}

#[test]
fn a_deleted_store_is_created_again() {
    let project = tempfile::tempdir().unwrap();
    let store = Store::in_project(project.path());
    let recorded = record(recorder(Destination::Store(store.clone())), |_| {
        fs::remove_dir_all(project.path().join(".casebook")).unwrap();
    });
    assert!(recorded.errors.is_empty() && recorded.was_restored);
    assert!(project.path().join(".casebook/.gitignore").exists());
    let latest = store.find(None, project.path()).unwrap();
    let run = load(&latest, &Redactor::default()).unwrap().run;
    assert_eq!(run, in_memory(&recorded.run.unwrap()));
}

#[test]
fn another_run_in_the_same_place_is_not_overwritten() {
    let project = tempfile::tempdir().unwrap();
    let dir = project.path().join("record");
    let recorded = record(recorder(Destination::Dir(dir.clone())), |path| {
        fs::remove_dir_all(path).unwrap();
        fs::create_dir(path).unwrap();
        fs::write(path.join("events.jsonl"), "theirs").unwrap();
        fs::write(path.join("run.json"), "theirs").unwrap();
    });
    let errors: Vec<_> = recorded.errors.iter().map(ToString::to_string).collect();
    assert_eq!(errors.len(), 1, "{errors:?}");
    assert!(
        errors[0].ends_with("it was replaced by another file while the run was recorded"),
        "{errors:?}"
    );
    assert_eq!(recorded.run_file, None);
    for name in ["events.jsonl", "run.json"] {
        assert_eq!(fs::read_to_string(dir.join(name)).unwrap(), "theirs");
    }
}

#[test]
fn a_compressed_journal_is_restored_too() {
    let project = tempfile::tempdir().unwrap();
    for name in ["events.jsonl.gz", "events.jsonl.zst"] {
        let path = project.path().join(name);
        let journal = Journal::create(&path).unwrap();
        for (second, kind) in [(0, "ExampleStarted"), (1, "ExamplePassed")] {
            journal.append(&event(kind, second, &json!({}))).unwrap();
            let _ = fs::remove_file(&path);
            journal.restore().unwrap();
        }
        journal.finish().unwrap();
        let loaded = load(&path, &Redactor::default()).unwrap();
        assert_eq!(loaded.run.summary().passed_count, 1);
    }
}

#[test]
fn a_journal_is_restored_while_the_run_continues() {
    let project = tempfile::tempdir().unwrap();
    let path = project.path().join("record/events.jsonl");
    fs::create_dir(path.parent().unwrap()).unwrap();
    let journal = Journal::create(&path).unwrap();
    journal
        .append(&event("ExampleStarted", 0, &json!({})))
        .unwrap();
    fs::remove_dir_all(path.parent().unwrap()).unwrap();
    for _ in 0..200 {
        if path.exists() {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    journal
        .append(&event("ExamplePassed", 1, &json!({})))
        .unwrap();
    // As if the process had been killed: nothing is finished.
    let rebuilt = load(&path, &Redactor::default()).unwrap();
    assert_eq!(rebuilt.run.summary().passed_count, 1);
}
