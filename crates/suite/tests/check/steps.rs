//! Steps, captured values and `eventually`.

use std::time::Duration;

use casebook_suite::model::{Action, CaptureSource, Stream};
use casebook_suite::run_time::shown;

use super::{problems, problems_of_test, suite};

/// The problems of a test with two steps. The second one uses the value `id`, and these are the fields of the first.
fn problems_of_step(fields: &str) -> Vec<String> {
    problems(&format!(
        "variables: {{v: 1}}\ntests:\n  - name: t\n    matrix: {{m: [1]}}\n    steps:\n      - {fields}\n      - command: show {{{{id|sh}}}}\n"
    ))
}

#[test]
fn steps_and_captured_values_are_decoded() {
    let suite = suite(
        "teardown: rm {{id|sh}}\ntests:\n  - name: t\n    steps:\n      - name: first\n        command: make\n        env: {A: b}\n        timeout: 2s\n\
         \x20       capture: {id: /id, last: {line: -1, stream: stderr, secret: true}, all: output}\n\
         \x20     - command: show {{ id | sh }} {{last|sh}}\n        outputContains: '{{all}}'\n        eventually: {within: 5s}\n",
    );
    let Action::Steps(steps) = &suite.tests[0].action else {
        panic!("{:?}", suite.tests[0].action);
    };
    let sources: Vec<_> = steps[0]
        .captures
        .iter()
        .map(|capture| (capture.name.as_str(), &capture.source, capture.is_secret))
        .collect();
    assert_eq!(
        sources,
        [
            ("id", &CaptureSource::Json("/id".into()), false),
            ("last", &CaptureSource::Line(Stream::Stderr, -1), true),
            ("all", &CaptureSource::Stream(Stream::Output), false),
        ]
    );
    assert!(steps[0].keeps_streams_apart() && !steps[1].keeps_streams_apart());
    assert_eq!(steps[0].timeout, Some(Duration::from_secs(2)));
    assert_eq!(shown(&steps[1].command.text), "show {{id|sh}} {{last|sh}}");
    let eventually = steps[1].eventually.unwrap();
    assert_eq!(
        (eventually.within, eventually.every),
        (Duration::from_secs(5), Duration::from_millis(200))
    );
    let values = |name: &str| (name == "id").then_some("it's");
    let step = steps[1].with_values(values);
    assert_eq!(step.command.text, r"show 'it'\''s' ''");
}

#[test]
fn misuse_of_steps_is_reported() {
    for (fields, problem) in [
        (
            "{command: make, capture: {id: /id}, tags: [a]}",
            "6:45 unknown-field: a step has no field `tags` (`tags` is a field of a test: move it out of the step)",
        ),
        (
            "{name: x, capture: {id: /id}}",
            "6:9 missing-field: the step has no `command`",
        ),
        (
            "{command: make, capture: {id: id}}",
            "6:39 wrong-value: `id` is not the source of a value (write a JSON Pointer (`/id`), output, stdout, stderr, exitCode, or a mapping with json, matches, line or file)",
        ),
        (
            "{command: make, capture: {id: stdotu}}",
            "6:39 wrong-value: `stdotu` is not the source of a value (did you mean `stdout`?)",
        ),
        (
            "{command: make, capture: {id: {secret: true}}}",
            "6:39 missing-field: the captured value has no source (add `json`, `matches`, `line`, `file` or `stream`)",
        ),
        (
            "{command: make, capture: {id: {line: 1, matches: x}}}",
            "6:49 conflict: a captured value has `line` or `matches`, not both",
        ),
        (
            "{command: make, capture: {id: {line: 0}}}",
            "6:46 wrong-value: `line` must be the number of a line from 1, or from the end: -1, got '0'",
        ),
        (
            "{command: make, capture: {id: {matches: '('}}}",
            "6:49 bad-pattern: ",
        ),
        (
            "{command: make, capture: {id: /id, v: output}}",
            "6:44 conflict: a variable has the name `v` too (give the captured value another name)",
        ),
        (
            "{command: make, capture: {id: /id, m: output}}",
            "6:44 conflict: a variable has the name `m` too (give the captured value another name)",
        ),
        (
            "{command: make, capture: {id: /id, 1x: output}}",
            "6:44 bad-name: `1x` cannot be the name of a captured value (a name is a letter or _, then letters, digits and _)",
        ),
        (
            "{command: make, capture: {id: /id, other: output}}",
            "6:44 unused-capture: the captured value `other` is never used (use it as `{{other}}` in a later step, or remove it)",
        ),
        (
            "{command: 'make {{id|sh}}', capture: {id: /id}}",
            "6:25 undefined-variable: `id` has no value here: step 1 captures it, after its command (use it after that, or capture it earlier)",
        ),
        (
            "{command: make, exitCode: '{{id}}', capture: {id: /id}}",
            "6:35 wrong-value: `exitCode` must be a whole number from 0 to 255, a list of them, or nonzero, got '{{id}}'",
        ),
        (
            "{command: make, snapshot: 'a-{{id}}', capture: {id: /id}}",
            "6:35 wrong-value: a captured value cannot be part of a snapshot's name",
        ),
        (
            "{command: make, capture: {id: /id, casebook_x: output}}",
            "6:44 bad-name: `casebook_x`: names that begin with bashi_ or casebook_ are reserved (give the captured value another name)",
        ),
        (
            "{command: make, workdir: {copy: x}, capture: {id: /id}}",
            "6:34 wrong-value: the `workdir` of a step must be a path, not a mapping (move it to the test: `copy` and `empty` make a directory for all its steps)",
        ),
        (
            "{command: make, capture: {id: /id}, eventually: {within: 1s, every: 1s}}",
            "6:57 vacuous: `every` is not shorter than `within`, so the command would run once (write a longer `within` or a shorter `every`)",
        ),
        (
            "{command: make, capture: {id: /id}, eventually: {every: 1s}}",
            "6:57 missing-field: `eventually` has no `within` (write the time for all attempts: `eventually: {within: 5s}`)",
        ),
    ] {
        let found = problems_of_step(fields);
        assert!(
            found.iter().any(|found| found.starts_with(problem)),
            "{fields}: {found:#?}"
        );
    }
}

#[test]
fn an_unquoted_value_in_a_command_is_a_warning() {
    let text = "tests:\n  - name: t\n    steps:\n      - {command: make, capture: {id: /id}}\n      - command: show {{id}}\n";
    assert_eq!(
        problems(text),
        [
            "5:18 unquoted-value: the captured value `id` becomes part of the code and can change the command (write `{{id|sh}}` without quotes around it: it quotes the value as one word)"
        ]
    );
}

#[test]
fn a_quoted_value_in_quotes_is_a_warning() {
    let text = "tests:\n  - name: t\n    steps:\n      - {command: make, capture: {id: /id}}\n      - command: show \"all of {{id|sh}}\" \"$(count {{id|sh}})\" {{id|sh}}\n";
    assert_eq!(
        problems(text),
        [
            "5:18 unquoted-value: `{{id|sh}}` is within quotes, so the quotes that it adds become text and the value can change the command (end the string before it: `\"a \"{{id|sh}}\" b\"`)"
        ]
    );
}

#[test]
fn a_test_has_a_command_or_steps() {
    assert_eq!(
        problems_of_test("steps: [{command: run}]"),
        ["4:5 conflict: a test has `command` or `steps`, not both (remove one of them)"]
    );
    assert_eq!(
        problems_of_test("capture: {id: /id}"),
        [
            "4:5 unknown-field: a test has no field `capture` (`capture` is a field of a step: write `steps` instead of `command`)"
        ]
    );
    let text = "tests:\n  - name: t\n    outputContains: x\n    steps: [{command: run}]\n";
    assert_eq!(
        problems(text),
        ["3:5 conflict: `outputContains` is a field of a step: this test has `steps`"]
    );
    let text = "tests:\n  - name: t\n    steps: []\n";
    assert_eq!(
        problems(text),
        ["3:12 missing-field: `steps` must contain at least one step (write `- command: …`)"]
    );
}
