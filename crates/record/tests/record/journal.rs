//! The journal: appended events are in the file, even after a crash.

use std::fs;
use std::path::{Path, PathBuf};

use casebook_record::{
    DecodeError, Event, EventReader, InvalidLine, Journal, Redactor, StoreError, load, replay,
};
use serde_json::json;

use crate::sample_events::event;

fn events(count: u32) -> Vec<Event> {
    (0..count)
        .map(|number| {
            event(
                "ExampleStarted",
                number % 60,
                &json!({"example_id": number.to_string()}),
            )
        })
        .collect()
}

fn written(dir: &Path, name: &str, events: &[Event]) -> PathBuf {
    let path = dir.join(name);
    let journal = Journal::create(&path).unwrap();
    events
        .iter()
        .for_each(|event| journal.append(event).unwrap());
    journal.finish().unwrap();
    path
}

fn read(path: &Path) -> Vec<Event> {
    let mut reader = EventReader::open(path).unwrap();
    let mut events = Vec::new();
    while let Some(line) = reader.next().unwrap() {
        events.push(line.event.unwrap());
    }
    events
}

#[test]
fn written_events_are_read_back_compressed_or_not() {
    let dir = tempfile::tempdir().unwrap();
    for name in ["events.jsonl", "events.jsonl.gz", "events.jsonl.zst"] {
        let path = written(dir.path(), name, &events(100));
        assert_eq!(read(&path), events(100), "{name}");
        assert_eq!(
            replay(&path, &Redactor::default())
                .unwrap()
                .run
                .examples
                .len(),
            100,
            "{name}"
        );
    }
    let size = |name| fs::metadata(dir.path().join(name)).unwrap().len();
    assert!(
        size("events.jsonl.gz") < size("events.jsonl")
            && size("events.jsonl.zst") < size("events.jsonl")
    );
}

#[test]
fn an_event_is_in_the_file_as_soon_as_it_is_appended() {
    let dir = tempfile::tempdir().unwrap();
    for name in ["events.jsonl", "events.jsonl.gz", "events.jsonl.zst"] {
        let path = dir.path().join(name);
        let journal = Journal::create(&path).unwrap();
        for (number, event) in events(5).iter().enumerate() {
            journal.append(event).unwrap();
            // The state after SIGKILL: neither finished nor synced.
            assert_eq!(
                replay(&path, &Redactor::default())
                    .unwrap()
                    .run
                    .examples
                    .len(),
                number + 1,
                "{name}"
            );
        }
    }
}

#[test]
fn an_existing_journal_is_never_overwritten() {
    let dir = tempfile::tempdir().unwrap();
    let path = written(dir.path(), "events.jsonl", &events(1));
    assert!(Journal::create(&path).is_err());
    assert_eq!(read(&path).len(), 1);
}

#[test]
fn a_journal_truncated_within_its_last_line_keeps_all_earlier_lines() {
    let dir = tempfile::tempdir().unwrap();
    let whole = fs::read(written(dir.path(), "whole.jsonl", &events(3))).unwrap();
    let last_line = whole[..whole.len() - 1]
        .iter()
        .rposition(|byte| *byte == b'\n')
        .unwrap()
        + 1;
    let path = dir.path().join("events.jsonl");
    for cut in last_line..=whole.len() {
        fs::write(&path, &whole[..cut]).unwrap();
        let loaded = load(&path, &Redactor::default()).unwrap();
        // If only its line end is missing, the last event is complete.
        let (complete, torn) = (
            cut >= whole.len() - 1,
            (last_line + 1..whole.len() - 1).contains(&cut),
        );
        assert_eq!(
            loaded.run.examples.len(),
            if complete { 3 } else { 2 },
            "cut at {cut}"
        );
        assert_eq!(loaded.problems.torn_line, torn.then_some(3), "cut at {cut}");
        assert!(!loaded.problems.is_damage(), "cut at {cut}");
    }
}

#[test]
fn a_truncated_compressed_journal_keeps_the_events_before() {
    let dir = tempfile::tempdir().unwrap();
    for name in ["events.jsonl.gz", "events.jsonl.zst"] {
        let path = written(dir.path(), name, &events(50));
        let whole = fs::read(&path).unwrap();
        fs::write(&path, &whole[..whole.len() - 40]).unwrap();
        let loaded = load(&path, &Redactor::default()).unwrap();
        assert!(
            (1..50).contains(&loaded.run.examples.len()),
            "{name}: {}",
            loaded.run.examples.len()
        );
        assert!(loaded.problems.torn_line.is_some(), "{name}");
    }
}

#[test]
fn damage_is_reported_with_its_line_and_the_rest_is_kept() {
    let dir = tempfile::tempdir().unwrap();
    let path = written(dir.path(), "events.jsonl", &events(2));
    let mut bytes = b"\n{\"event_type\":\"Nap\"}\n\xff\xfe\n{\"event_type\":\"SuiteStopped\",\"payload\":{}}\nnot json\n".to_vec();
    bytes.extend(fs::read(&path).unwrap());
    fs::write(&path, bytes).unwrap();
    let loaded = replay(&path, &Redactor::default()).unwrap();
    assert_eq!(loaded.run.examples.len(), 2);
    let problems: Vec<_> = loaded
        .problems
        .first
        .iter()
        .map(|p| format!("{}: {}", p.line, p.message))
        .collect();
    assert_eq!(
        problems,
        [
            "3: not valid UTF-8 at byte 1",
            "4: SuiteStopped: missing field `time`",
            "5: not valid JSON: expected a value at column 2"
        ]
    );
    assert_eq!(
        loaded.problems.unknown.iter().collect::<Vec<_>>(),
        [(&"Nap".to_owned(), &1)]
    );
}

#[test]
fn an_unknown_kind_differs_from_an_invalid_line() {
    let mut reader = EventReader::new(&b"{\"payload\":1,\"event_type\":\"Later\"}\n{}\n"[..]);
    let unknown = reader.next().unwrap().unwrap().event.unwrap_err();
    assert_eq!(
        unknown,
        InvalidLine::Undecodable(DecodeError::UnknownKind("Later".into()))
    );
    let broken = reader.next().unwrap().unwrap().event.unwrap_err();
    assert!(
        matches!(broken, InvalidLine::Undecodable(DecodeError::Malformed(_))),
        "{broken:?}"
    );
    assert!(reader.next().unwrap().is_none());
}

#[test]
fn a_journal_without_events_is_not_a_run() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("events.jsonl");
    let invalid = r#"{"event_type":"ExamplePassed","payload":{"example_id":"x"}}"#;
    for (content, reason) in [
        ("\n\n".to_owned(), "contains no valid events"),
        (
            format!("{invalid}\n"),
            "contains no valid events: line 1: ExamplePassed: missing field `time`",
        ),
        (
            format!("\n{invalid}\nnonsense\n"),
            "line 2: ExamplePassed: missing field `time` (and 1 more invalid line)",
        ),
        (invalid[..20].to_owned(), ": line 1 is incomplete"),
        (
            r#"{"event_type":"Nap","payload":{}}"#.to_owned(),
            ": `Nap` is not a known event",
        ),
    ] {
        fs::write(&path, content).unwrap();
        let error = replay(&path, &Redactor::default()).unwrap_err();
        assert!(
            matches!(error, StoreError::NoEvents { .. }) && error.to_string().ends_with(reason),
            "{error}"
        );
    }
}

#[test]
fn a_sync_after_a_failed_append_fails() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("events.jsonl");
    let journal = Journal::create(&path).unwrap();
    let [first, second, ..] = &events(3)[..] else {
        unreachable!()
    };
    journal.append(first).unwrap();
    journal.sync().unwrap();
    journal.finish().unwrap();
    let error = journal.append(second).unwrap_err();
    assert!(error.to_string().contains("events.jsonl"), "{error}");
    assert!(journal.sync().is_err(), "a lost event is an error");
    assert!(journal.finish().is_err(), "the file is incomplete");
    assert_eq!(read(&path).len(), 1);
}
