//! Tests of the checker: the problems with their positions, and the decoded suites.

mod assertions;
mod decode;
mod locks;
mod normalize;
mod references;
mod services;
mod snapshots;
mod steps;
mod terminal;

use std::collections::BTreeMap;

use casebook_source::SourceFile;
use casebook_suite::{CheckContext, Checked, Suite, check, deny_files};

fn checked(text: &str) -> Checked {
    let environment = BTreeMap::from([("HOME".to_owned(), "/home/me".to_owned())]);
    let context = CheckContext {
        environment: &environment,
        stem: "shop",
        read: &deny_files,
    };
    check(SourceFile::new("shop.casebook.yaml", text), &context)
}

fn suite(text: &str) -> Suite {
    let checked = checked(text);
    let problems: Vec<_> = checked
        .diagnostics
        .iter()
        .map(|diagnostic| &diagnostic.message)
        .collect();
    checked.suite.unwrap_or_else(|| panic!("{problems:?}"))
}

/// `line:column code: message (help)`.
fn problems(text: &str) -> Vec<String> {
    let checked = checked(text);
    let told = checked.diagnostics.iter().map(|diagnostic| {
        let place = checked.file.position(diagnostic.span.start);
        let help = diagnostic
            .help
            .as_ref()
            .map(|help| format!(" ({help})"))
            .unwrap_or_default();
        format!(
            "{}:{} {}: {}{help}",
            place.line, place.column, diagnostic.code, diagnostic.message
        )
    });
    told.collect()
}

/// The problems of a suite with one test that has these fields.
fn problems_of_test(fields: &str) -> Vec<String> {
    problems(&format!(
        "tests:\n  - name: t\n    command: run\n    {fields}\n"
    ))
}

#[test]
fn seven_mistakes_are_seven_problems_with_positions() {
    let text = "\
nmae: shop
timeout: soon
variables:
  program: ./shop
tests:
  - name: lists
    command: \"{{progam}} list\"
    exitCode: 256
    outputContain: beer
  - command: ./shop sell
    outputContains: \"\"
    $ref: missing
";
    assert_eq!(
        problems(text),
        [
            "1:1 unknown-field: a suite has no field `nmae` (did you mean `name`?)",
            "2:10 wrong-value: `timeout` must be a positive number of seconds, or a duration such as 500ms, 30s or 2m, got 'soon'",
            "7:15 undefined-variable: variable `progam` is not defined (did you mean `{{program}}`? (for literal braces write `\\{{`))",
            "8:15 wrong-value: `exitCode` must be a whole number from 0 to 255, a list of them, or nonzero, got '256'",
            "9:5 unknown-field: a test has no field `outputContain` (did you mean `outputContains`?)",
            "10:5 missing-field: the test has no `name`",
            "11:21 vacuous: `outputContains` asserts nothing: an empty string is in every output (to require no output, write `outputEquals: \"\"`)",
            "12:11 unknown-fragment: unknown fragment `missing` (define it under `fragments:`)",
        ]
    );
}

#[test]
fn reports_files_that_are_not_suites() {
    for (text, message) in [
        (
            "",
            "1:1 not-a-suite: the file is empty or contains only comments (write `tests:` and a list of tests)",
        ),
        (
            "# only a comment\n",
            "1:1 not-a-suite: the file is empty or contains only comments (write `tests:` and a list of tests)",
        ),
        (
            "- a\n- b\n",
            "1:1 not-a-suite: a suite must be a mapping with a field `tests`, not a list",
        ),
        (
            "text",
            "1:1 not-a-suite: a suite must be a mapping with a field `tests`, not a string",
        ),
        (
            "name: x\n",
            "1:1 missing-field: the suite has no `tests` (write `tests:` and a list of tests)",
        ),
        (
            "tests: []\n",
            "1:8 missing-field: `tests` must contain at least one test",
        ),
        (
            "tests: {}\n",
            "1:8 wrong-value: `tests` must be a list, not a mapping (begin each test with a dash: `- name: …`)",
        ),
        (
            "tests: [x]\n",
            "1:9 wrong-value: a test must be a mapping with `name` and `command`, not a string",
        ),
    ] {
        assert_eq!(problems(text), [message], "{text}");
    }
    let two = "tests: [{name: a, command: b}]\n---\ntests: []\n";
    assert_eq!(
        problems(two),
        [
            "3:1 not-a-suite: a suite must be one YAML document; a second one begins here (put it into a separate file)"
        ]
    );
}

#[test]
fn each_field_of_a_test_is_checked() {
    for (fields, message) in [
        (
            "exitCode: zero",
            "4:15 wrong-value: `exitCode` must be a whole number from 0 to 255, a list of them, or nonzero, got 'zero'",
        ),
        (
            "exitCode: -1",
            "4:15 wrong-value: `exitCode` must be a whole number from 0 to 255, a list of them, or nonzero, got '-1'",
        ),
        (
            "outputEquals: [a]",
            "4:19 wrong-value: `outputEquals` must be a string, not a list",
        ),
        (
            "outputEquals:",
            "4:17 wrong-value: `outputEquals` has no value (write \"\" for an empty string)",
        ),
        (
            "outputContains: []",
            "4:21 vacuous: `outputContains` is an empty list and has no effect (add a value, or remove the field)",
        ),
        (
            "outputContains: [a, {b: c}]",
            "4:25 wrong-value: `outputContains` must be a string, not a mapping (to write it as a string, put quotes around it: \"{b: c}\")",
        ),
        (
            "timeout: 0",
            "4:14 wrong-value: `timeout` must be a positive number of seconds, or a duration such as 500ms, 30s or 2m, got '0'",
        ),
        (
            "retries: 101",
            "4:14 wrong-value: `retries` must be a whole number from 0 to 100, got '101'",
        ),
        (
            "only: perhaps",
            "4:11 wrong-value: `only` must be true or false, got 'perhaps'",
        ),
        (
            "skip: \"\"",
            "4:11 wrong-value: `skip` must be true, false or the reason, got ''",
        ),
        (
            "workdir: \"\"",
            "4:14 wrong-value: `workdir` must not be empty (write a value, or remove the field)",
        ),
        (
            "env: [A]",
            "4:10 wrong-value: `env` must be a mapping, not a list (write entries of the form `name: value` below it)",
        ),
        (
            "tags: slow",
            "4:11 wrong-value: `tags` must be a list, not a string (write `tags: [slow]`)",
        ),
        (
            "outputJson: {a.b: 1}",
            "4:18 wrong-value: `a.b` is not a JSON Pointer (a pointer begins with a slash: `/a/b`)",
        ),
        (
            "outputJson: {}",
            "4:17 vacuous: `outputJson` is empty and asserts nothing (add an entry, such as `/name: value`, or remove `outputJson`)",
        ),
        (
            "files: {a: {}}",
            "4:16 vacuous: no assertions for `a` (write `exists: true`)",
        ),
        (
            "files: {a: {exists: false, contains: x}}",
            "4:32 vacuous: `contains` can never pass: `a` must not exist (remove `exists: false` or `contains`)",
        ),
        (
            "files: {a: {exist: true}}",
            "4:17 unknown-field: a file has no field `exist` (did you mean `exists`?)",
        ),
        (
            "files: {a: {contains: \"\"}}",
            "4:27 vacuous: `contains` asserts nothing: an empty string is in every text (write the text to find, or remove the field)",
        ),
        (
            "$ref: {a: b}",
            "4:11 wrong-value: `$ref` must be the name of a fragment or a list of names, not a mapping",
        ),
        (
            "matrix: {n: []}",
            "4:17 wrong-value: `n` must have at least one value",
        ),
        (
            "matrix: {n: 1}",
            "4:17 wrong-value: `n` must be a list, not a number (write `n: [1]`)",
        ),
    ] {
        assert_eq!(problems_of_test(fields), [message], "{fields}");
    }
    assert_eq!(
        problems("tests: [{name: '', command: ' '}]"),
        [
            "1:16 wrong-value: `name` must not be empty (write a value, or remove the field)",
            "1:29 wrong-value: `command` must not be empty (write a value, or remove the field)",
        ]
    );
}

/// YAML 1.1 reads these words as booleans, and `skip: no` would skip the test.
#[test]
fn words_that_are_booleans_in_yaml_1_1_are_errors() {
    let help = |field: &str, word: &str, meant: &str| {
        format!(
            "(write `{field}: {meant}`; `{word}` is a boolean in YAML 1.1, but a string in YAML 1.2)"
        )
    };
    for (word, meant) in [
        ("no", "false"),
        ("off", "false"),
        ("No", "false"),
        ("\"OFF\"", "false"),
        ("n", "false"),
        ("yes", "true"),
        ("on", "true"),
    ] {
        let text = word.trim_matches('"');
        for (field, column, expected) in [
            ("skip", 11, "true, false or the reason"),
            ("snapshot", 15, "true, false or a name"),
            ("only", 11, "true or false"),
        ] {
            let help = help(field, text, meant);
            assert_eq!(
                problems_of_test(&format!("{field}: {word}")),
                [format!(
                    "4:{column} wrong-value: `{field}` must be {expected}, got '{text}' {help}"
                )]
            );
        }
        let help = help("parallel", text, meant);
        assert_eq!(
            problems(&format!(
                "parallel: {word}\ntests: [{{name: t, command: c}}]\n"
            )),
            [format!(
                "1:11 wrong-value: `parallel` must be true or false, got '{text}' {help}"
            )]
        );
    }
    let exists = problems_of_test("files: {a: {exists: no}}");
    assert!(exists[0].contains("write `exists: false`"), "{exists:?}");
    let variable =
        problems("variables: {flag: no}\ntests: [{name: t, command: c, skip: '{{flag}}'}]\n");
    assert!(variable[0].contains("write `skip: false`"), "{variable:?}");
    let reasons = suite(
        "tests:\n  - {name: a, command: c, skip: no network}\n  - {name: b, command: c, skip: false, snapshot: none}\n",
    );
    assert_eq!(reasons.tests[0].skip.as_deref(), Some("no network"));
    assert_eq!(reasons.tests[1].skip, None);
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table")]
fn frequent_mistakes_have_helpful_errors() {
    for (fields, message) in [
        (
            "output: x",
            "4:5 unknown-field: a test has no field `output` (write `outputEquals` for the complete output, `outputContains` or `outputMatches` for a part of it)",
        ),
        (
            "stdout: x",
            "4:5 unknown-field: a test has no field `stdout` (write `stdoutEquals` for the complete output, `stdoutContains` or `stdoutMatches` for a part of it)",
        ),
        (
            "cwd: /tmp",
            "4:5 unknown-field: a test has no field `cwd` (did you mean `workdir`?)",
        ),
        (
            "teardown: x",
            "4:5 unknown-field: a test has no field `teardown` (`teardown` is a field of the suite: move it to the top level; it runs for each test there)",
        ),
        (
            "parallel: false",
            "4:5 unknown-field: a test has no field `parallel` (`parallel` is a field of the suite: move it to the top level)",
        ),
        (
            "color: red",
            "4:5 unknown-field: a test has no field `color` (`casebook schema` prints all fields)",
        ),
        (
            "files: {a: {size: 1}}",
            "4:17 unknown-field: a file has no field `size` (its fields are `exists`, `equals`, `equalsFile`, `contains`, `notContains`, `matches`, `mode`, `json` and `equalsFolder`)",
        ),
        (
            "files: {a: text}",
            "4:16 wrong-value: `a` must be a mapping, not a string (its fields are `exists`, `equals`, `equalsFile`, `contains`, `notContains`, `matches`, `mode`, `json` and `equalsFolder`)",
        ),
        (
            "files: a",
            "4:12 wrong-value: `files` must be a mapping, not a string (write entries of the form `PATH: {exists: true}` below it)",
        ),
        (
            "exitCode:",
            "4:13 wrong-value: `exitCode` has no value; it must be a whole number from 0 to 255, a list of them, or nonzero (write a value, or remove the field)",
        ),
        (
            "exitCode: {max: 2}",
            "4:15 wrong-value: `exitCode` must be a whole number from 0 to 255, a list of them, or nonzero, not a mapping",
        ),
        (
            "timeout: {max: 2}",
            "4:14 wrong-value: `timeout` must be a positive number of seconds, or a duration such as 500ms, 30s or 2m, not a mapping",
        ),
        (
            "skip:",
            "4:9 wrong-value: `skip` has no value; it must be true, false or the reason (write a value, or remove the field)",
        ),
        (
            "workdir:",
            "4:12 wrong-value: `workdir` has no value (write a value, or remove the field)",
        ),
        (
            "env: {FOO: ~}",
            "4:16 wrong-value: `FOO` has no value (write \"\" for an empty value; to run the command without FOO, write `env -u FOO COMMAND`)",
        ),
        (
            "outputContains: {a: b}",
            "4:21 wrong-value: `outputContains` must be a string or a list of strings, not a mapping (to write it as a string, put quotes around it: \"{a: b}\")",
        ),
        (
            "outputContains:\n      - Error: not found",
            "5:9 wrong-value: `outputContains` must be a string, not a mapping (to write it as a string, put quotes around it: \"Error: not found\")",
        ),
        (
            "outputNotContains: ''",
            "4:24 vacuous: `outputNotContains` always fails: an empty string is in every output (to require some output, write `outputMatches: .`)",
        ),
        (
            "outputNotMatches: .*",
            "4:23 vacuous: `outputNotMatches` always fails: `.*` matches every output (write the text itself, or anchor the pattern with ^ and $)",
        ),
        (
            "outputJson: {.a: 1}",
            "4:18 wrong-value: `.a` is not a JSON Pointer (a pointer begins with a slash: `/a`)",
        ),
        (
            "outputJson: {'$.items[0].name': 1}",
            "4:18 wrong-value: `$.items[0].name` is not a JSON Pointer (a pointer begins with a slash: `/items/0/name`)",
        ),
        (
            "matrix: {a-b: [1]}",
            "4:14 bad-name: `a-b` is not a valid matrix key (a matrix key is the name of a variable: a letter or _, then letters, digits and _)",
        ),
    ] {
        assert_eq!(problems_of_test(fields), [message], "{fields}");
    }
    for (text, message) in [
        (
            "exitCode: 1\ntests: [{name: t, command: c}]\n",
            "1:1 unknown-field: a suite has no field `exitCode` (`exitCode` is a field of a test: move it into a test below `tests`)",
        ),
        (
            "author: me\ntests: [{name: t, command: c}]\n",
            "1:1 unknown-field: a suite has no field `author` (remove it, or begin its name with `x-`; `casebook schema` prints all fields)",
        ),
        (
            "tests: [{name: t, cmd: c}]\n",
            "1:19 unknown-field: a test has no field `cmd` (did you mean `command`?)",
        ),
    ] {
        assert_eq!(problems(text), [message], "{text}");
    }
}

#[test]
fn patterns_must_be_posix_and_able_to_fail() {
    for (fields, message) in [
        ("outputMatches: 'a('", "4:20 bad-pattern: `outputMatches`: "),
        ("outputMatches: '[0-9]+\\d'", "4:20 bad-pattern: "),
        ("outputMatches: ['ok', '(?=x)']", "4:27 bad-pattern: "),
        (
            "outputMatches: '.*'",
            "4:20 vacuous: `outputMatches` asserts nothing: `.*` matches every output",
        ),
        ("files: {f: {matches: 'a+?'}}", "4:26 bad-pattern: "),
    ] {
        let problems = problems_of_test(fields);
        assert!(problems[0].starts_with(message), "{fields}: {problems:?}");
    }
    let portable = checked("tests: [{name: a, command: b, outputMatches: '\\w+'}]");
    assert!(
        portable.suite.is_some(),
        "a warning must not prevent the suite"
    );
    assert_eq!(portable.diagnostics[0].code.name, "not-portable");
    assert_eq!(
        problems_of_test("outputMatches: ['^[0-9]+$', 'a|b', '\\.txt']"),
        [""; 0]
    );
}

#[test]
fn rejects_a_field_under_two_names() {
    assert_eq!(
        problems("setup: a\nsetupEach: b\ntests: [{name: t, command: c}]\n"),
        [
            "2:1 given-twice: `setupEach` and `setup` are the same field (keep one of them; use `setupFile` for commands that run once before all tests)"
        ]
    );
    assert_eq!(
        problems_of_test("stderr: a\n    stderrEquals: b"),
        ["4:5 given-twice: `stderr` and `stderrEquals` are the same field (keep one of them)"]
    );
}

#[test]
fn rejects_invalid_names() {
    assert_eq!(
        problems(
            "variables: {base-url: x, casebook_x: y, 1a: z}\nfragments: {a b: {}}\ntests: [{name: t, command: c}]\n"
        ),
        [
            "1:13 bad-name: `base-url` cannot be the name of a variable (a name is a letter or _, then letters, digits and _)",
            "1:26 bad-name: `casebook_x`: names that begin with bashi_ or casebook_ are reserved (give the variable another name)",
            "1:41 bad-name: `1a` cannot be the name of a variable (a name is a letter or _, then letters, digits and _)",
            "2:13 bad-name: `a b` cannot be the name of a fragment (a name is a letter or _, then letters, digits, _ and -)",
        ]
    );
    let help = "(a name is a letter or _, then letters, digits and _)";
    let message = format!("bad-name: `A-B` is not a valid name of an environment variable {help}");
    assert_eq!(
        problems_of_test("env: {A-B: c}"),
        [format!("4:11 {message}")]
    );
    assert_eq!(
        problems("env: {A-B: c}\ntests: [{name: t, command: c}]\n"),
        [format!("1:7 {message}")]
    );
}

#[test]
fn problems_name_the_part_of_the_file_they_are_in() {
    let text = "\
fragments: {f: {timeout: x}}
tests:
  - {name: first, command: c, exitCode: x}
  - command: c
    exitCode: y
teardown: {}
";
    let checked = checked(text);
    let parts: Vec<_> = checked
        .diagnostics
        .iter()
        .map(|problem| problem.part.as_deref())
        .collect();
    assert_eq!(
        parts,
        [
            Some("fragment `f`"),
            Some("test `first`"),
            Some("the test at line 4"),
            Some("the test at line 4"),
            None
        ]
    );
}

#[test]
fn problems_contain_the_name_of_their_test() {
    let checked = checked("tests:\n  - {name: first, command: c}\n  - {name: second, comand: c}\n");
    assert!(
        checked
            .diagnostics
            .iter()
            .all(|diagnostic| diagnostic.part.as_deref() == Some("test `second`"))
    );
}
