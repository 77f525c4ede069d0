//! Invalid input: it is reported with line and reason, and all valid events are kept.

use insta::assert_snapshot;
use serde_json::json;

use crate::events::{event, failed, lines, passed, started, suite};
use crate::support::{Outcome, Project, gzip, zstd};

/// Records invalid lines in the middle of a valid run, and checks that the valid run is kept.
fn record_around(invalid: impl AsRef<[u8]>) -> Outcome {
    let mut input = lines(&[suite("around"), started("adds")]).into_bytes();
    input.extend(invalid.as_ref());
    input.extend(lines(&[passed("adds")]).into_bytes());
    let project = Project::with("in.jsonl", input);
    let outcome = project
        .casebook("record --from jsonl --record out in.jsonl")
        .run();
    assert_eq!(
        project.json("out/run.json")["examples"]["adds"]["status"],
        "passed",
        "{outcome:#?}"
    );
    assert_eq!(project.journal("out/events.jsonl").len(), 3);
    outcome
}

#[test]
fn unknown_kinds_are_skipped_counted_and_reported_once() {
    let invalid = lines(&[
        event("Nap", json!({"length": 3})),
        event("Yawn", json!({})),
        event("Nap", json!({})),
    ]);
    assert_snapshot!(record_around(invalid).shown(), @"
    exit code 0
    --- stderr
    warning: in.jsonl: skipped events of unknown kinds: Nap (2), Yawn (1)
    1 example: 1 passed in 0 ms
    recorded in out
    ");
}

#[test]
fn invalid_lines_are_reported_with_number_and_reason() {
    let invalid = lines(&[
        "not json".into(),
        "[1, 2]".into(),
        "{}".into(),
        r#"{"event_type": 7, "payload": {}}"#.into(),
        r#"{"event_type": "ExamplePassed"}"#.into(),
        event("ExamplePassed", json!({"example_id": "x"})),
        event(
            "ExampleStarted",
            json!({"example_id": 7, "description": "", "full_description": "", "location": ""}),
        ),
        event("SuiteStopped", json!({"time": "yesterday"})),
        event(
            "AgentResponse",
            json!({"example_id": "adds", "turn_number": -1, "text": "", "tool_calls": []}),
        ),
        event(
            "UserMessage",
            json!({"example_id": "adds", "turn_number": 1, "text": {"a": 1}}),
        ),
        r#"{"event_type":"SuiteStopped","payload":{"time":"2026-11-15T08:30:00Z"}} {}"#.into(),
    ]);
    assert_snapshot!(record_around(invalid).shown(), @r#"
    exit code 2
    --- stderr
    warning: in.jsonl:3: not valid JSON: expected a value at column 2
    warning: in.jsonl:4: invalid type: sequence, expected an event: {"event_type": NAME, "payload": {…}}
    warning: in.jsonl:5: missing field `event_type`
    warning: in.jsonl:6: invalid type: integer `7`, expected the name of an event
    warning: in.jsonl:7: ExamplePassed: missing field `payload`
    warning: in.jsonl:8: ExamplePassed: missing field `description`
    warning: in.jsonl:9: ExampleStarted: `example_id`: invalid type: integer `7`, expected a string
    warning: in.jsonl:10: SuiteStopped: `time`: `yesterday` is not a time such as 2026-11-15T08:40:51.594Z
    warning: in.jsonl:11: AgentResponse: `turn_number`: invalid value: integer `-1`, expected u64
    warning: in.jsonl:12: UserMessage: `text`: invalid type: map, expected a string
    warning: in.jsonl:13: not valid JSON: unexpected text after the end at column 73
    1 example: 1 passed in 0 ms
    recorded in out
    "#);
}

#[test]
fn a_failed_test_does_not_hide_damaged_lines() {
    let project = Project::new();
    let input = lines(&[started("adds"), "nonsense".into(), failed("adds", "no")]);
    let outcome = project
        .casebook("record --from jsonl --record out")
        .stdin(input)
        .run();
    assert_snapshot!(outcome.shown(), @"
    exit code 2
    --- stderr
    warning: standard input:2: not valid JSON: expected a value at column 2
    1 example: 1 failed in 0 ms
    recorded in out
    error: tests failed, and results may be missing: the input has damaged lines
    ");
    let whole = lines(&[started("adds"), failed("adds", "no")]);
    let call = project.casebook("record --from jsonl --record whole");
    call.stdin(whole).run().exits(1);
}

#[test]
fn only_the_first_of_many_invalid_lines_are_shown() {
    let outcome = record_around("bad\n".repeat(1_000)).exits(2);
    assert_eq!(outcome.stderr.matches("not valid JSON").count(), 20);
    assert!(
        outcome.stderr.contains("in.jsonl: 980 more invalid lines"),
        "{}",
        outcome.stderr
    );
}

#[test]
fn invalid_utf8_is_reported_with_line_and_byte() {
    let outcome = record_around(b"{\"event_type\":\"\xff\xfe\"}\n").exits(2);
    assert!(
        outcome
            .stderr
            .contains("in.jsonl:3: not valid UTF-8 at byte 16"),
        "{}",
        outcome.stderr
    );
}

#[test]
fn accepts_blank_lines_and_windows_line_endings() {
    let project = Project::new();
    let input = format!(
        "\r\n\n{}\r\n   \r\n{}\r\n\n",
        started("adds"),
        passed("adds")
    );
    let outcome = project
        .casebook("record --from jsonl --record out")
        .stdin(input)
        .run()
        .exits(0);
    assert!(!outcome.stderr.contains("warning"), "{}", outcome.stderr);
    assert_eq!(project.journal("out/events.jsonl").len(), 3);
}

#[test]
fn a_line_of_100_mb_is_reported_and_not_loaded_into_memory() {
    let project = Project::new();
    let mut live = project
        .casebook("record --from jsonl --ack --record out")
        .start();
    live.send(started("adds"));
    assert_eq!(live.answer(), "1");
    let chunk = vec![b'x'; 1_000_000];
    live.write(r#"{"event_type":""#);
    (0..100).for_each(|_| live.write(&chunk));
    live.send(r#"","payload":{}}"#);
    assert_eq!(live.answer(), "2 rejected");
    let peak = live.status("VmHWM");
    let kib: u64 = peak.trim_end_matches("kB").trim().parse().unwrap();
    // 64 MiB of the line, and the program. With the complete line it would be 125 MiB.
    assert!(kib < 100 * 1024, "{peak}");
    live.send(passed("adds"));
    assert_eq!(live.answer(), "3");
    let outcome = live.finish().exits(2);
    assert!(
        outcome
            .stderr
            .contains("standard input:2: longer than 64 MiB"),
        "{}",
        outcome.stderr
    );
    assert_eq!(
        project.json("out/run.json")["examples"]["adds"]["status"],
        "passed"
    );
}

#[test]
fn accepts_a_complete_last_line_without_newline() {
    let project = Project::new();
    let input = format!("{}\n{}", started("adds"), passed("adds"));
    let outcome = project
        .casebook("record --from jsonl --record none")
        .stdin(input)
        .run()
        .exits(0);
    assert!(!outcome.stderr.contains("warning"), "{}", outcome.stderr);
}

#[test]
fn an_incomplete_last_line_is_distinguished_from_an_invalid_one() {
    let project = Project::new();
    let before = lines(&[started("adds"), passed("adds")]);
    let incomplete = format!("{before}{}", &started("next")[..40]);
    let outcome = project
        .casebook("record --from jsonl --record cut")
        .stdin(incomplete)
        .run()
        .exits(2);
    assert!(
        outcome
            .stderr
            .contains("standard input:3: the last line is incomplete"),
        "{}",
        outcome.stderr
    );

    let invalid = format!("{before}{}", event("ExampleStarted", json!({})));
    let outcome = project
        .casebook("record --from jsonl --record wrong")
        .stdin(invalid)
        .run()
        .exits(2);
    assert!(
        outcome
            .stderr
            .contains("standard input:3: ExampleStarted: missing field"),
        "{}",
        outcome.stderr
    );
}

#[test]
fn unreadable_input_is_an_error_and_creates_no_record() {
    let project = Project::with("directory/file", "");
    let errors: String = [
        "jsonl directory",
        "jsonl missing.jsonl",
        "tap directory",
        "junit missing.xml",
    ]
    .map(|arguments| {
        let outcome = project
            .casebook(&format!("record --from {arguments}"))
            .run()
            .exits(2);
        format!("record --from {arguments}\n{}", outcome.stderr)
    })
    .concat();
    assert_snapshot!(errors, @"
    record --from jsonl directory
    error: cannot read directory: is a directory
    record --from jsonl missing.jsonl
    error: cannot read missing.jsonl: no such file or directory
    record --from tap directory
    error: cannot read directory: is a directory
    record --from junit missing.xml
    error: cannot read missing.xml: no such file or directory
    ");
    assert_eq!(project.files("."), ["directory"]);
}

#[test]
fn input_without_events_is_an_error_and_creates_no_record() {
    let garbage: Vec<u8> = (0..50_000_u32)
        .map(|n| (n.wrapping_mul(2_654_435_761) >> 24) as u8)
        .collect();
    for (input, what) in [
        (&b""[..], "events"),
        (b"\n\n\n", "events"),
        (b"{}\n", "valid events"),
        (&garbage, "valid events"),
    ] {
        let project = Project::new();
        let outcome = project
            .casebook("record --from jsonl")
            .stdin(input)
            .run()
            .exits(2);
        let message = format!("standard input contains no {what}; nothing was recorded");
        assert!(outcome.stderr.contains(&message), "{}", outcome.stderr);
        assert!(
            !outcome.stderr.chars().any(|c| c.is_control() && c != '\n'),
            "{:?}",
            outcome.stderr
        );
        assert!(project.files(".").is_empty());
    }
}

#[test]
fn a_truncated_compressed_file_is_recorded_up_to_its_end() {
    let many = crate::events::long_run(2_000);
    for (name, compressed) in [
        ("in.jsonl.gz", gzip(lines(&many))),
        ("in.jsonl.zst", zstd(lines(&many))),
    ] {
        let project = Project::with(name, &compressed[..compressed.len() * 3 / 4]);
        let outcome = project
            .casebook(&format!("record --from jsonl --record out {name}"))
            .run();
        assert!(
            outcome.stderr.contains("cannot read further"),
            "{outcome:#?}"
        );
        // 1 if an example was running, which is then failed; otherwise 2 for the truncated input.
        assert!([1, 2].contains(&outcome.code), "{outcome:#?}");
        let kept = project.json("out/run.json")["examples"]
            .as_object()
            .unwrap()
            .len();
        assert!((500..2_000).contains(&kept), "{kept}");
    }
}

#[test]
fn a_file_that_is_not_compressed_as_named_is_an_error() {
    for name in ["in.jsonl.gz", "in.jsonl.zst"] {
        let project = Project::with(name, lines(&[started("adds"), passed("adds")]));
        let outcome = project
            .casebook(&format!("record --from jsonl {name}"))
            .run()
            .exits(2);
        assert!(outcome.stderr.contains(name), "{}", outcome.stderr);
        assert!(!project.exists(".casebook"));
    }
}
