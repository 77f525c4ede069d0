//! The recorder: one run, its two files, and the result after errors.

use std::fs;
use std::path::Path;
use std::thread;

use casebook_record::{
    Bus, Destination, Event, RecordError, Recorder, Redactor, RunIdentity, Status, Store, decode,
    load, read_run,
};
use serde_json::json;

use crate::sample_events::{event, in_memory};

fn recorder(dir: &Path) -> Recorder {
    recorder_to(Destination::Dir(dir.into()))
}

fn recorder_to(destination: Destination) -> Recorder {
    let identity = RunIdentity {
        run_id: "the-id".into(),
        git_commit: Some("abc123".into()),
        git_branch: None,
    };
    Recorder::new(
        Bus::new(),
        destination,
        identity,
        Redactor::of(["hidden-value"]),
    )
}

#[test]
fn a_rebuilt_run_is_the_recorded_one() {
    for first in [
        vec![],
        vec![("SuiteStarted", json!({})), ("GroupStarted", json!({}))],
    ] {
        let project = tempfile::tempdir().unwrap();
        let dir = project.path().join("record");
        let recorder = recorder(&dir);
        let rest = [
            ("ExampleStarted", json!({})),
            ("ExamplePassed", json!({})),
            ("SuiteStopped", json!({})),
        ];
        for (second, (kind, fields)) in (0..).zip(first.iter().chain(&rest)) {
            recorder.publish(event(kind, second, fields));
        }
        let outcome = recorder.finish();
        assert!(
            outcome.errors.is_empty() && outcome.listener_failures.is_empty(),
            "{:?}",
            outcome.errors
        );
        let run = read_run(&dir.join("run.json")).unwrap();
        assert_eq!(
            (run.run_id.as_str(), run.git_commit.as_deref()),
            ("the-id", Some("abc123"))
        );
        assert_eq!(run, in_memory(&outcome.run.unwrap()));
        assert_eq!(
            load(&dir.join("events.jsonl"), &Redactor::default())
                .unwrap()
                .run,
            run
        );
    }
}

#[test]
fn raw_json_of_events_is_laid_out_like_the_rest_of_run_json() {
    let project = tempfile::tempdir().unwrap();
    let dir = project.path().join("record");
    let recorder = recorder(&dir);
    let arguments = json!({"deep": [{"a": []}, {}], "text": "{\n \"x\": [1, 2]}", "n": 1.10});
    let calls = json!([{"name": "search", "arguments": arguments}]);
    let events = [
        ("ExampleStarted", json!({})),
        ("UserMessage", json!({"text": "Hello \u{1f600}"})),
        ("AgentResponse", json!({"text": "", "tool_calls": calls})),
        ("EvaluationRecorded", json!({"metadata": arguments})),
        ("ExamplePassed", json!({})),
    ];
    for id in 0..500 {
        for (second, (kind, fields)) in (0..).zip(&events) {
            let mut fields = fields.clone();
            fields["example_id"] = json!(id.to_string());
            recorder.publish(event(kind, second, &fields));
        }
    }
    let outcome = recorder.finish();
    assert!(outcome.errors.is_empty() && outcome.listener_failures.is_empty());
    let text = fs::read_to_string(dir.join("run.json")).unwrap();
    let run = read_run(&dir.join("run.json")).unwrap();
    assert_eq!(serde_json::to_string_pretty(&run).unwrap(), text);
    assert_eq!(in_memory(&outcome.run.unwrap()), run);
    let conversation = run.examples["499"].conversation.as_ref().unwrap();
    assert_eq!(*conversation.turns[0].tool_calls[0].arguments, arguments);
    let mut names: Vec<_> = fs::read_dir(&dir)
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    names.sort();
    assert_eq!(names, ["events.jsonl", "run.json"], "no other file remains");
}

#[test]
fn metadata_of_any_content_is_kept() {
    let deep = |depth| (0..depth).fold(json!(1), |inner, _| json!([inner]));
    for value in [
        json!({"b": [1, {}], "a": "hidden-value"}),
        deep(60),
        deep(300),
    ] {
        let recorder = recorder_to(Destination::Nowhere);
        recorder.publish(event("ExampleStarted", 0, &json!({})));
        let mut evaluation = event(
            "EvaluationRecorded",
            1,
            &json!({"name": "n", "passed": true}),
        );
        let Event::EvaluationRecorded(evaluated) = &mut evaluation else {
            panic!("expected an evaluation");
        };
        evaluated.metadata.set("found", value.clone());
        recorder.publish(evaluation);
        let run = recorder.finish().run.unwrap();
        let example = run.examples.read(0).unwrap();
        let kept = &example.evaluations[0].metadata;
        let found = kept.get("found").unwrap().to_string();
        assert_eq!(
            found,
            value.to_string().replace("hidden-value", "[redacted]")
        );
    }
}

#[test]
fn many_threads_make_one_record() {
    let project = tempfile::tempdir().unwrap();
    let dir = project.path().join("record");
    let recorder = recorder(&dir);
    thread::scope(|scope| {
        for worker in 0..4 {
            let recorder = &recorder;
            scope.spawn(move || {
                for number in 0..200 {
                    let id = json!({"example_id": format!("{worker}-{number}")});
                    recorder.publish(event("ExampleStarted", 0, &id));
                    recorder.publish(event("ExamplePassed", 1, &id));
                }
            });
        }
    });
    let outcome = recorder.finish();
    assert!(
        outcome.errors.is_empty() && outcome.listener_failures.is_empty(),
        "{:?}",
        outcome.errors
    );
    let run = in_memory(&outcome.run.unwrap());
    let passed = run.examples.values();
    let passed = passed.filter(|example| example.status == Status::Passed);
    assert_eq!((run.examples.len(), passed.count()), (800, 800));
    let journal = fs::read_to_string(dir.join("events.jsonl")).unwrap();
    assert_eq!(journal.lines().count(), 1601);
    let first = journal.lines().next().unwrap();
    assert!(first.contains("SuiteStarted"), "{first}");
    let rebuilt = load(&dir.join("events.jsonl"), &Redactor::default()).unwrap();
    let same = |example: &str| rebuilt.run.examples[example] == run.examples[example];
    assert!(run.examples.keys().all(|example| same(example)));
}

#[test]
fn events_published_together_are_recorded_in_order() {
    let project = tempfile::tempdir().unwrap();
    let dir = project.path().join("record");
    let recorder = recorder(&dir);
    let id = json!({"example_id": "1"});
    let kinds = [
        "ExampleStarted",
        "UserMessage",
        "AgentResponse",
        "ExamplePassed",
    ];
    let [first, second, third, last] = kinds.map(|kind| event(kind, 0, &id));
    assert!(recorder.publish_all(vec![first, second]).is_empty());
    assert!(recorder.publish_all(Vec::new()).is_empty());
    assert!(recorder.publish_all(vec![third, last]).is_empty());
    let outcome = recorder.finish();
    let turns = &in_memory(&outcome.run.unwrap()).examples["1"].conversation;
    assert_eq!(turns.as_ref().unwrap().turns.len(), 1);
    let journal = fs::read_to_string(dir.join("events.jsonl")).unwrap();
    let events: Vec<_> = journal.lines().map(|line| decode(line).unwrap()).collect();
    let names: Vec<_> = events.iter().map(|event| event.kind().name()).collect();
    assert_eq!(names[0], "SuiteStarted", "the journal starts with its run");
    assert_eq!(names[1..], kinds);
}

#[test]
fn run_facts_in_events_take_precedence() {
    let project = tempfile::tempdir().unwrap();
    let recorder = recorder(&project.path().join("record"));
    recorder.publish(event(
        "SuiteStarted",
        0,
        &json!({"run_id": "theirs", "git_commit": "def"}),
    ));
    let run = recorder.finish().run.unwrap();
    assert_eq!(
        (run.run_id.as_str(), run.git_commit.as_deref()),
        ("theirs", Some("def"))
    );
}

#[test]
fn a_late_suite_started_sets_the_run_id() {
    let project = tempfile::tempdir().unwrap();
    let dir = project.path().join("record");
    let recorder = recorder(&dir);
    recorder.publish(event("ExampleStarted", 0, &json!({})));
    recorder.publish(event(
        "SuiteStarted",
        1,
        &json!({"run_id": "theirs", "example_count": 3}),
    ));
    let outcome = recorder.finish();
    let run = in_memory(&outcome.run.unwrap());
    assert_eq!(
        (run.run_id.as_str(), run.git_commit.as_deref()),
        ("theirs", Some("abc123"))
    );
    assert_eq!(run.metadata.get("implicit"), None);
    assert_eq!(
        load(&dir.join("events.jsonl"), &Redactor::default())
            .unwrap()
            .run,
        run
    );
    assert_eq!(
        outcome.planned_if_incomplete,
        Some(3),
        "three were planned, one was reported, and no event ended the run"
    );
}

#[test]
fn nothing_is_written_before_the_first_event() {
    let project = tempfile::tempdir().unwrap();
    let dir = project.path().join("record");
    let outcome = recorder(&dir).finish();
    assert!(outcome.run.is_none() && outcome.dir.is_none() && outcome.errors.is_empty());
    assert!(!dir.exists());
}

#[test]
fn a_recording_that_cannot_be_started_does_not_affect_the_run() {
    let project = tempfile::tempdir().unwrap();
    let file = project.path().join("a file");
    fs::write(&file, "").unwrap();
    let recorder = recorder(&file.join("record"));
    recorder.publish(event("ExampleStarted", 0, &json!({})));
    recorder.publish(event("ExamplePassed", 1, &json!({})));
    let outcome = recorder.finish();
    assert!(
        matches!(outcome.errors.as_slice(), [RecordError::Dir(_)]),
        "{:?}",
        outcome.errors
    );
    let run = in_memory(&outcome.run.unwrap());
    assert_eq!(run.examples["1"].status, Status::Passed);
}

#[test]
fn a_destination_is_checked_without_creating_files() {
    let project = tempfile::tempdir().unwrap();
    let at = |name: &str| project.path().join(name);
    fs::write(at("file"), "").unwrap();
    fs::create_dir(at("used")).unwrap();
    fs::write(at("used/run.json.gz"), "").unwrap();
    let check = |name: &str| {
        let checked = Destination::Dir(at(name)).check();
        let text = checked.err().map(|error| error.to_string());
        text.map(|text| text.replace(project.path().to_str().unwrap(), ""))
    };
    assert_eq!(check("deep/down/here"), None);
    assert_eq!(
        check("file/here").as_deref(),
        Some("cannot create files in /file/here: not a directory")
    );
    let used = check("used").unwrap();
    assert!(used.starts_with("/used already contains a run"), "{used}");
    Destination::Store(Store::in_project(project.path()))
        .check()
        .unwrap();
    assert!(
        Destination::Store(Store::in_project(&at("file")))
            .check()
            .is_err()
    );
    assert!(Destination::After(at("events.jsonl")).check().is_err());
    Destination::Nowhere.check().unwrap();
    let mut names: Vec<_> = fs::read_dir(project.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    names.sort();
    assert_eq!(names, ["file", "used"]);
}

#[test]
fn secrets_reach_neither_file() {
    let project = tempfile::tempdir().unwrap();
    let dir = project.path().join("record");
    let recorder = recorder(&dir);
    recorder.publish(event(
        "ExampleStarted",
        0,
        &json!({"metadata": {"env": ["x hidden-value y"]}}),
    ));
    recorder.publish(event(
        "AgentResponse",
        1,
        &json!({"tool_calls": [{"name": "t", "arguments": {"key": "hidden\u{2d}value"}}]}),
    ));
    recorder.publish(event(
        "ExampleFailed",
        2,
        &json!({"message": "hidden-value"}),
    ));
    recorder.finish();
    for name in ["events.jsonl", "run.json"] {
        let text = fs::read_to_string(dir.join(name)).unwrap();
        assert!(
            !text.contains("hidden-value") && text.contains("[redacted]"),
            "{name}: {text}"
        );
    }
}

#[test]
fn a_run_resumes_after_a_complete_or_truncated_journal() {
    for cut in [0, 5] {
        let project = tempfile::tempdir().unwrap();
        let dir = project.path().join("record");
        let example = |kind, id| event(kind, 0, &json!({"example_id": id}));
        let first = recorder(&dir);
        first.publish(example("ExampleStarted", "a"));
        first.publish(example("ExamplePassed", "a"));
        first.publish(example("ExampleStarted", "b"));
        // As if the process had been killed: nothing is finished.
        std::mem::forget(first);
        let journal = dir.join("events.jsonl");
        let whole = fs::read(&journal).unwrap();
        fs::write(&journal, &whole[..whole.len() - cut]).unwrap();

        let second = recorder_to(Destination::After(journal.clone()));
        second.publish(example("ExampleStarted", "b"));
        second.publish(example("ExamplePassed", "b"));
        let outcome = second.finish();
        assert!(outcome.errors.is_empty(), "{:?}", outcome.errors);
        let run = in_memory(&outcome.run.unwrap());
        assert_eq!(run.examples.keys().collect::<Vec<_>>(), ["a", "b"]);
        assert_eq!(run.summary().passed_count, 2, "cut by {cut}");
        let rebuilt = load(&journal, &Redactor::default()).unwrap();
        assert_eq!(rebuilt.run.summary().passed_count, 2);
    }
}
