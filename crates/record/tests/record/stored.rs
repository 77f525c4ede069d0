//! Runs whose examples are read from their file one at a time.

use std::fs;
use std::path::Path;

use casebook_record::{
    Event, ExampleData, Journal, Redactor, Run, open_journal, open_run, read_run, replay, write_run,
};
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::json;

use crate::arbitrary;
use crate::sample_events::run;

fn examples(run: &Run) -> Vec<ExampleData> {
    run.each_example()
        .map(|example| example.unwrap().into_owned())
        .collect()
}

fn write_journal(path: &Path, events: &[Event]) {
    let journal = Journal::create(path).unwrap();
    journal.append_all(events).unwrap();
    journal.finish().unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn an_opened_run_equals_a_complete_one(events in vec(arbitrary::event(), 1..40)) {
        let dir = tempfile::tempdir().unwrap();
        let journal = dir.path().join("events.jsonl");
        write_journal(&journal, &events);
        let redactor = Redactor::default();
        let complete = replay(&journal, &redactor).unwrap();
        let opened = open_journal(&journal, &redactor).unwrap();
        prop_assert_eq!(&opened.problems, &complete.problems);

        // The files are the same, and both are read alike.
        let [streamed, whole] = ["streamed.json", "whole.json"].map(|name| dir.path().join(name));
        write_run(&streamed, &*opened.run).unwrap();
        write_run(&whole, &complete.run).unwrap();
        prop_assert_eq!(fs::read_to_string(&streamed).unwrap(), fs::read_to_string(&whole).unwrap());
        let read = open_run(&streamed, &redactor).unwrap().run;
        prop_assert_eq!(examples(&read), examples(&complete.run));
        prop_assert_eq!(&read.metadata, &complete.run.metadata);
        prop_assert_eq!(&read.scenarios, &complete.run.scenarios);
    }
}

#[test]
fn a_compressed_run_is_read_one_example_at_a_time() {
    let dir = tempfile::tempdir().unwrap();
    let run = run(&[
        ("ExampleStarted", json!({"metadata": {"n": 1}})),
        ("ExamplePassed", json!({})),
    ]);
    for name in ["run.json", "run.json.gz", "run.json.zst"] {
        let path = dir.path().join(name);
        write_run(&path, &run).unwrap();
        let opened = open_run(&path, &Redactor::default()).unwrap().run;
        assert_eq!(examples(&opened), examples(&run), "{name}");
    }
}

#[test]
fn a_damaged_example_is_an_error_with_its_location() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("run.json");
    let run = run(&[("ExampleStarted", json!({})), ("ExamplePassed", json!({}))]);
    write_run(&path, &run).unwrap();
    let damaged = fs::read_to_string(&path)
        .unwrap()
        .replace("\"passed\"", "\"maybe\"");
    fs::write(&path, damaged).unwrap();
    let opened = open_run(&path, &Redactor::default()).unwrap().run;
    let error = opened.each_example().next().unwrap().unwrap_err();
    assert_eq!(
        error.to_string(),
        read_run(&path).unwrap_err().to_string(),
        "as if the file were read completely"
    );
    assert!(error.to_string().contains(".status"), "{error}");
}

#[test]
fn secrets_are_redacted_in_what_is_read() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("run.json");
    let run = run(&[
        ("ExampleStarted", json!({"metadata": {"n": "s3cr3t-value"}})),
        ("ExamplePassed", json!({})),
    ]);
    write_run(&path, &run).unwrap();
    let redactor = Redactor::new(["TOKEN"], [("TOKEN", "s3cr3t-value")]).unwrap();
    let opened = open_run(&path, &redactor).unwrap().run;
    let read = examples(&opened);
    assert_eq!(read[0].metadata.get("n").unwrap(), "[redacted]");
}
