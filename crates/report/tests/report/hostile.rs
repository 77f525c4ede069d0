//! Records whose texts try to take over the terminal.

use casebook_record::{ExampleData, RunData};
use casebook_report::terminal::{Options, Transcripts};
use insta::assert_snapshot;
use serde_json::{Map, Value, json};

use crate::sample::{
    conversation, evaluation, example, exception, run, shown_with, tool_call, turn,
};

const EVIL: &str = "a\u{1b}]0;owned\u{7}\u{1b}[2J\r\u{9b}31m\u{202e}x\u{2066}\u{8}\u{7f}\0\nb\tc";

/// Comparisons with their own form of display.
const KINDS: [&str; 7] = [
    "exitCode",
    "outputEquals",
    "stdoutContains",
    "outputNotContains",
    "outputJson",
    "files",
    "snapshot",
];

/// A run with every kind of section and the same hostile text in every string field.
fn hostile_run() -> RunData {
    let calls = [
        tool_call("t", json!({"result": "r"})),
        tool_call("t", json!({"error": "e"})),
    ];
    let mut talk = conversation(&[turn(
        1,
        "u",
        "a",
        json!({"topic": "t", "tool_calls": calls}),
    )]);
    talk["metadata"] = json!({"simulation": {"goal": "g", "termination_reason": "r"}});
    let place = json!({
        "file": "f", "line": 7, "source": "s", "expected": "e", "actual": "a", "path": "p", "name": "n", "output": "o",
    });
    let failed = |name| {
        example(
            name,
            "failed",
            json!({
                "exception": {"class_name": "C", "message": "m", "backtrace": ["b"], "location": "l"},
                "evaluations": KINDS.map(|kind| evaluation("d", false, json!({
                    "reasoning": "r", "failure_message": "f", "metadata": place, "type": kind,
                }))),
                "metadata": {"rerun": "r", "hook": place, "command": {"command": "c", "exit_code": "e", "signal": "s", "output": "o", "phase": "p"}},
            }),
        )
    };
    let mut failed_talk = failed("talk");
    failed_talk["conversation"] = talk.clone();
    let attempts = json!([{"exception": exception("c", "m")}]);
    let mut run = run([
        failed("command"),
        failed_talk,
        example(
            "pending",
            "pending",
            json!({"metadata": {"pending_message": "p"}}),
        ),
        example(
            "flaky",
            "passed",
            json!({"duration_ms": 5, "conversation": talk, "metadata": {"attempts": attempts}}),
        ),
    ]);
    for example in run.examples.values_mut() {
        **example = poisoned(example);
    }
    run.run_id = EVIL.into();
    run.git_commit = Some(EVIL.into());
    run
}

fn poisoned(example: &ExampleData) -> ExampleData {
    serde_json::from_value(poison(serde_json::to_value(example).unwrap())).unwrap()
}

/// Fields whose values the model restricts.
const TYPED: [&str; 8] = [
    "type",
    "status",
    "role",
    "timestamp",
    "started_at",
    "finished_at",
    "ended_at",
    "mode",
];

fn poison(value: Value) -> Value {
    match value {
        Value::String(_) => EVIL.into(),
        Value::Array(list) => list.into_iter().map(poison).collect(),
        Value::Object(map) => {
            Value::Object(map.into_iter().map(poison_field).collect::<Map<_, _>>())
        }
        other => other,
    }
}

fn poison_field((key, value): (String, Value)) -> (String, Value) {
    let value = if TYPED.contains(&key.as_str()) {
        value
    } else {
        poison(value)
    };
    (key, value)
}

fn options(color: bool, width: usize) -> Options {
    Options {
        color,
        width,
        transcripts: Transcripts::All,
        slowest: 5,
        record: None,
        k: Vec::new(),
    }
}

/// Whether a terminal would interpret the character instead of showing it.
fn is_dangerous(c: char) -> bool {
    (c.is_control() && c != '\n') || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[test]
fn no_control_character_reaches_the_terminal() {
    for width in [0, 1, 10, 40, 100, usize::MAX] {
        let report = shown_with(&hostile_run(), &options(false, width));
        assert!(!report.contains(is_dangerous), "{report:?}");
        assert!(report.contains("a␛]0;owned␇␛[2J␍") || width <= 40);
    }
}

#[test]
fn with_color_only_our_own_sequences_are_written() {
    let report = shown_with(&hostile_run(), &options(true, 100));
    let mut parts = report.split('\u{1b}');
    assert!(!parts.next().unwrap().contains(is_dangerous));
    for part in parts {
        let (sequence, text) = part.split_once('m').unwrap();
        assert!(
            [
                "[0", "[1", "[2", "[4", "[31", "[32", "[33", "[34", "[35", "[36"
            ]
            .contains(&sequence),
            "{part:?}"
        );
        assert!(!text.contains(is_dangerous), "{part:?}");
    }
}

#[test]
fn color_does_not_change_the_text() {
    let run = hostile_run();
    let mut plain = String::new();
    let colored = shown_with(&run, &options(true, 100));
    for part in colored.split('\u{1b}') {
        plain.push_str(
            part.split_once('m')
                .filter(|_| part.starts_with('['))
                .map_or(part, |(_, text)| text),
        );
    }
    let without_trailing_space: Vec<_> = plain.lines().map(str::trim_end).collect();
    let expected = shown_with(&run, &options(false, 100));
    assert_eq!(without_trailing_space, expected.lines().collect::<Vec<_>>());
}

#[test]
fn hostile_text_is_still_readable() {
    let failed = example(
        "rm\u{1b}[2J::\u{202e}txt.exe",
        "failed",
        json!({
            "exception": exception("Error", "\u{1b}[31mred\u{1b}[0m\r\nprogress 1%\rprogress 2%"),
            "metadata": {"command": {"command": "printf '\u{7}'", "exit_code": 0, "output": "\u{7}\tbell\n"}},
        }),
    );
    assert_snapshot!(shown_with(&run([failed]), &options(false, 80)), @r#"
    Run d00fa811 · 2026-11-15 08:40:51 UTC · 1.24 s

    ── Failures ────────────────────────────────────────────────────────────────────

    1) rm␛[2J › \u{202e}txt.exe
       suites/a.yml:7
       Error
         ␛[31mred␛[0m
         progress 1%␍progress 2%

       $ printf '␇'
         exit code 0
         output
         │ ␇       bell

    1 example: 1 failed in 1.24 s
    "#);
}
