//! Terminals and dialogues: what they mean, and every misuse with its line and fix.

use std::time::Duration;

use casebook_suite::bats::first_native_only;
use casebook_suite::model::key::Key;
use casebook_suite::model::{DialogueEntry, ExpectedText, Terminal, TerminalSize};

use super::{problems, problems_of_test, suite};

fn terminal(fields: &str) -> Option<Terminal> {
    let text = format!("tests:\n  - name: t\n    command: run\n    {fields}\n");
    suite(&text).tests[0].steps()[0].terminal.clone()
}

fn dialogue(entries: &str) -> Vec<DialogueEntry> {
    let terminal = terminal(&format!("tty: true\n    dialogue: {entries}"));
    terminal.expect("the test must have a terminal").dialogue
}

/// The problems of a test with a dialogue of this entry.
fn problems_of_entry(entry: &str) -> Vec<String> {
    problems_of_test(&format!("tty: true\n    dialogue:\n      - {entry}"))
}

#[test]
fn a_terminal_has_a_size() {
    let size = |columns, rows| Some(TerminalSize { columns, rows });
    for (fields, expected) in [
        ("tags: []", None),
        ("tty: false", None),
        ("tty: true", size(80, 24)),
        ("tty: {}", size(80, 24)),
        ("tty: {rows: 1}", size(80, 1)),
        ("tty: {columns: 1000, rows: 50}", size(1000, 50)),
    ] {
        let actual = terminal(fields).map(|terminal| terminal.size);
        assert_eq!(actual, expected, "{fields}");
    }
}

#[test]
fn an_entry_expects_and_sends() {
    let entries = dialogue(
        r#"[{expect: "Name?", sendLine: Ada, keys: up}, {expect: /a|b/, within: 200ms, send: "x\n"}, {expect: /, keys: [f12, ctrl-c]}, {resize: {columns: 3, rows: 4}}]"#,
    );
    let expected: Vec<_> = entries.iter().map(|entry| entry.expect.clone()).collect();
    let text = |text: &str| Some(ExpectedText::Text(text.into()));
    let pattern = Some(ExpectedText::Pattern("a|b".into()));
    assert_eq!(expected, [text("Name?"), pattern, text("/"), None]);
    assert_eq!(entries[0].send.as_deref(), Some("Ada"));
    assert_eq!(entries[0].keys, [Key::Enter, Key::Up]);
    assert_eq!(entries[0].within, Duration::from_secs(5));
    assert_eq!(entries[1].send.as_deref(), Some("x\n"));
    assert_eq!(entries[1].within, Duration::from_millis(200));
    assert_eq!(entries[2].keys, [Key::Function(12), Key::Control(b'c')]);
    assert_eq!(entries[3].resize.map(|size| size.rows), Some(4));
}

#[test]
fn a_dialogue_and_a_screen_need_a_terminal() {
    assert_eq!(
        problems_of_test("tty: false\n    dialogue: [{expect: a}]\n    screenEquals: b"),
        [
            "5:5 terminal-required: `dialogue` needs a terminal (add `tty: true`)",
            "6:5 terminal-required: `screenEquals` needs a terminal (add `tty: true`)",
        ]
    );
    assert_eq!(
        problems(
            "tests:\n  - name: t\n    steps:\n      - command: a\n        screenContains: b\n"
        ),
        ["5:9 terminal-required: `screenContains` needs a terminal (add `tty: true`)"]
    );
}

#[test]
fn a_terminal_has_one_stream() {
    let help = "(check the received output with `output…`, or the final screen with `screen…`)";
    assert_eq!(
        problems_of_test(
            "tty: true\n    stdin: a\n    stdoutEquals: b\n    stderr: c\n    outputJson: {/a: 1}"
        ),
        [
            "5:5 not-in-terminal: a command in a terminal reads from the terminal, not from `stdin` (send the text with `dialogue`)".to_owned(),
            format!("6:5 not-in-terminal: `stdoutEquals` is not possible in a terminal, which has one stream {help}"),
            format!("7:5 not-in-terminal: `stderr` is not possible in a terminal, which has one stream {help}"),
            format!("8:18 not-in-terminal: `outputJson` is not possible in a terminal, which has one stream {help}"),
        ]
    );
    let captures = "tests:\n  - name: t\n    steps:\n      - {command: a, tty: true, capture: {x: stderr, y: output}}\n      - command: echo {{x|sh}} {{y|sh}}\n";
    assert_eq!(
        problems(captures),
        [
            "4:43 not-in-terminal: `x` cannot be captured from standard output or standard error: a terminal has one stream (capture it from `output`, for example with `matches`)"
        ]
    );
}

#[test]
fn wrong_sizes_are_reported() {
    for (fields, expected) in [
        (
            "tty: {columns: 0}",
            "4:20 wrong-value: `columns` must be a whole number from 1 to 1000, got '0'",
        ),
        (
            "tty: {rows: 1001}",
            "4:17 wrong-value: `rows` must be a whole number from 1 to 1000, got '1001'",
        ),
        (
            "tty: {colums: 3}",
            "4:11 unknown-field: the size of a terminal has no field `colums` (did you mean `columns`?)",
        ),
        (
            "tty: [80, 24]",
            "4:10 wrong-value: `tty` must be true, false or a size, not a list (write `tty: true` or `tty: {columns: 80, rows: 24}`)",
        ),
    ] {
        assert_eq!(problems_of_test(fields), [expected], "{fields}");
    }
}

#[test]
fn wrong_entries_are_reported() {
    for (entry, expected) in [
        (
            "{keys: [entr]}",
            "6:17 wrong-value: `entr` is not the name of a key (did you mean `enter`?)",
        ),
        (
            "{within: 2s}",
            "6:9 missing-field: this entry of `dialogue` does nothing (add `expect`, `send`, `sendLine`, `keys` or `resize`)",
        ),
        (
            "{send: a, within: 2s}",
            "6:19 conflict: `within` has no effect without `expect` (remove it, or add the text to wait for)",
        ),
        (
            "{send: a, sendLine: b}",
            "6:19 conflict: an entry has `send` or `sendLine`, not both (write the text in one of them; `sendLine` also presses Enter)",
        ),
        (
            "{resize: {columns: 3}}",
            "6:18 missing-field: `resize` needs `columns` and `rows` (write `resize: {columns: 40, rows: 10}`)",
        ),
        (
            "{resize: 5}",
            "6:18 wrong-value: `resize` must be a mapping, not a number (its fields are `columns` and `rows`)",
        ),
        (
            "{keys: []}",
            "6:16 vacuous: `keys` is an empty list and has no effect (add a value, or remove the field)",
        ),
        (
            "{expect: /a(/}",
            "6:18 bad-pattern: `expect`: `(` without its `)`: for the character itself write `\\(`",
        ),
        (
            "{expct: a}",
            "6:10 unknown-field: an entry of `dialogue` has no field `expct` (did you mean `expect`?)",
        ),
        (
            "text",
            "6:9 wrong-value: an entry of `dialogue` must be a mapping, not a string (write `{expect: \"Name?\", sendLine: Ada}`)",
        ),
    ] {
        assert_eq!(problems_of_entry(entry), [expected], "{entry}");
    }
    let unknown = problems_of_entry("{keys: hyper}");
    assert!(unknown[0].ends_with("f1 to f12, and ctrl-a to ctrl-z; send other text with `send`)"));
}

#[test]
fn fragments_are_checked_alone_and_may_be_completed_by_a_test() {
    let text = "\
fragments:
  unused: {tty: {columns: 0}, dialogue: [{keys: entr}]}
  asks: {dialogue: [{expect: a}], screenContains: b}
tests: [{name: t, command: c, tty: true, $ref: asks}]
";
    assert_eq!(
        problems(text),
        [
            "2:27 wrong-value: `columns` must be a whole number from 1 to 1000, got '0'",
            "2:49 wrong-value: `entr` is not the name of a key (did you mean `enter`?)",
        ]
    );
}

#[test]
fn the_line_of_the_terminal_is_named_for_bats() {
    let suite =
        suite("tests:\n  - {name: a, command: b}\n  - name: c\n    command: d\n    tty: true\n");
    let found = first_native_only(&suite).unwrap();
    assert_eq!(found.test.name, "c");
    assert_eq!(suite.file.position(found.span.start).line, 5);
}
