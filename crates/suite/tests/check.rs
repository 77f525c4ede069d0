//! Tests of the checker: the problems with their positions, and the decoded suites.

use std::collections::BTreeMap;
use std::time::Duration;

use casebook_source::SourceFile;
use casebook_suite::model::{Check, FileCheck, Stream, TextCheck};
use casebook_suite::{CheckContext, Checked, Suite, check, deny_files};
use serde_json::json;

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
            "8:15 wrong-value: `exitCode` must be a whole number from 0 to 255, got '256'",
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
            "1:1 not-a-suite: the file is empty (write `tests:` and a list of tests)",
        ),
        (
            "# only a comment\n",
            "1:1 not-a-suite: the file is empty (write `tests:` and a list of tests)",
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
            "1:8 wrong-value: `tests` must be a list, not a mapping",
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
            "4:15 wrong-value: `exitCode` must be a whole number from 0 to 255, got 'zero'",
        ),
        (
            "exitCode: -1",
            "4:15 wrong-value: `exitCode` must be a whole number from 0 to 255, got '-1'",
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
            "4:21 vacuous: `outputContains` is an empty list and asserts nothing",
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
            "4:14 wrong-value: `workdir` must not be empty",
        ),
        (
            "env: [A]",
            "4:10 wrong-value: `env` must be a mapping, not a list",
        ),
        (
            "tags: slow",
            "4:11 wrong-value: `tags` must be a list, not a string",
        ),
        (
            "outputJson: {a.b: 1}",
            "4:18 wrong-value: `a.b` is not a JSON Pointer (a pointer begins with a slash: `/a/b`)",
        ),
        (
            "outputJson: {}",
            "4:17 vacuous: `outputJson` is empty and asserts nothing",
        ),
        (
            "files: {a: {}}",
            "4:16 vacuous: no assertions for `a` (write `exists: true`)",
        ),
        (
            "files: {a: {exist: true}}",
            "4:17 unknown-field: a file has no field `exist` (did you mean `exists`?)",
        ),
        (
            "files: {a: {contains: \"\"}}",
            "4:27 vacuous: `contains` asserts nothing: an empty string is in every text",
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
            "4:17 wrong-value: `n` must be a list, not a string",
        ),
    ] {
        assert_eq!(problems_of_test(fields), [message], "{fields}");
    }
    assert_eq!(
        problems("tests: [{name: '', command: ' '}]"),
        [
            "1:16 wrong-value: `name` must not be empty",
            "1:29 wrong-value: `command` must not be empty",
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
            "4:17 unknown-field: a file has no field `size` (its fields are `exists`, `equals`, `contains` and `matches`)",
        ),
        (
            "exitCode:",
            "4:13 wrong-value: `exitCode` has no value; it must be a whole number from 0 to 255 (write a value, or remove the field)",
        ),
        (
            "exitCode: [1, 2]",
            "4:15 wrong-value: `exitCode` must be a whole number from 0 to 255, not a list",
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
            "1:26 bad-name: `casebook_x`: names that begin with bashi_ or casebook_ are reserved",
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
fn shows_complete_cycles() {
    assert_eq!(
        problems("variables: {a: '{{b}}', b: '{{a}}'}\ntests: [{name: t, command: '{{a}}'}]\n"),
        ["1:16 cycle: cyclic reference: a -> b -> a"]
    );
    assert_eq!(
        problems(
            "fragments:\n  a: {$ref: b}\n  b: {$ref: [c]}\n  c: {$ref: '#/fragments/a'}\ntests: [{name: t, command: x, $ref: b}]\n"
        ),
        ["4:13 cycle: cyclic reference: a -> b -> c -> a"]
    );
}

#[test]
fn reports_unused_cycles() {
    assert_eq!(
        problems(
            "variables: {a: '{{b}}', b: '{{a}}', c: '{{m}}'}\ntests: [{name: t, command: c}]\n"
        ),
        [
            "1:16 cycle: cyclic reference: a -> b -> a",
            "1:41 undefined-variable: variable `m` is not defined (define it under `variables:`, or for literal braces write `\\{{`)",
        ]
    );
}

#[test]
fn unused_definitions_are_checked() {
    let text = "\
variables: {a: '{{zzz}}', n: '{{size}} {{scenario.size}}'}
fragments:
  slow: {timeout: abc, exitCode: 999}
  match: {outputMatches: '(', command: '{{yyy}} {{size}}', outpt: x}
  later: {exitCode: '{{size}}', $ref: missing}
  talk: {conversation: [{user: hi, expect: [{contains: ''}]}]}
tests: [{name: t, command: c, matrix: {size: [1]}}]
";
    assert_eq!(
        problems(text),
        [
            "1:17 undefined-variable: variable `zzz` is not defined (define it under `variables:`, or for literal braces write `\\{{`)",
            "3:19 wrong-value: `timeout` must be a positive number of seconds, or a duration such as 500ms, 30s or 2m, got 'abc'",
            "3:34 wrong-value: `exitCode` must be a whole number from 0 to 255, got '999'",
            "4:26 bad-pattern: `outputMatches`: `(` without its `)`: for the character itself write `\\(`",
            "4:41 undefined-variable: variable `yyy` is not defined (define it under `variables:`, or for literal braces write `\\{{`)",
            "4:60 unknown-field: a test has no field `outpt` (`casebook schema` prints all fields)",
            "5:39 unknown-fragment: unknown fragment `missing` (define it under `fragments:`)",
            "6:56 vacuous: `contains` asserts nothing: an empty string is in every text",
        ]
    );
}

#[test]
fn a_problem_of_a_fragment_is_reported_once() {
    assert_eq!(
        problems(
            "fragments: {f: {timeout: abc, comand: x}}\ntests: [{name: a, $ref: f}, {name: b, $ref: f}]\n"
        ),
        [
            "1:26 wrong-value: `timeout` must be a positive number of seconds, or a duration such as 500ms, 30s or 2m, got 'abc'",
            "1:31 unknown-field: a test has no field `comand` (did you mean `command`?)",
        ]
    );
}

#[test]
fn all_undefined_variables_of_a_string_are_reported() {
    let help = "(define it under `variables:`, or for literal braces write `\\{{`)";
    assert_eq!(
        problems("tests: [{name: t, command: 'echo {{one}} {{two}} {{one}}'}]\n"),
        [
            format!("1:34 undefined-variable: variable `one` is not defined {help}"),
            format!("1:42 undefined-variable: variable `two` is not defined {help}"),
        ]
    );
}

#[test]
fn an_unknown_fragment_is_the_only_problem_of_its_test() {
    assert_eq!(
        problems("fragments: {run: {command: c}}\ntests: [{name: t, $ref: rnu}]\n"),
        ["2:25 unknown-fragment: unknown fragment `rnu` (did you mean `run`?)"]
    );
    assert_eq!(
        problems("tests: [{name: t, $ref: 'other.yaml#/fragments/run'}]\n"),
        [
            "1:25 unknown-fragment: unknown fragment `other.yaml#/fragments/run` (a `$ref` names a fragment of this file: `NAME` or `#/fragments/NAME`)"
        ]
    );
}

#[test]
fn a_suggested_variable_creates_no_cycle() {
    let help = "(define it under `variables:`, or for literal braces write `\\{{`)";
    assert_eq!(
        problems("variables: {program: '{{progam}}'}\ntests: [{name: t, command: c}]\n"),
        [format!(
            "1:23 undefined-variable: variable `progam` is not defined {help}"
        )]
    );
    assert_eq!(
        problems(
            "variables: {base: '{{rooty}}', root: '{{base}}/x', roots: y}\ntests: [{name: t, command: c}]\n"
        ),
        [
            "1:20 undefined-variable: variable `rooty` is not defined (did you mean `{{roots}}`? (for literal braces write `\\{{`))"
        ]
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
fn fragments_that_refer_to_others_twice_are_resolved_once() {
    let fragments: Vec<_> = (1..60)
        .map(|n| format!("  f{n}: {{$ref: [f{}, f{}]}}\n", n - 1, n - 1))
        .collect();
    let fragments = fragments.concat();
    let text =
        format!("fragments:\n  f0: {{command: c}}\n{fragments}tests: [{{name: t, $ref: f59}}]\n");
    assert_eq!(suite(&text).tests.len(), 1);
}

#[test]
fn cached_values_do_not_leak_into_a_matrix() {
    let suite = suite(
        "variables: {item: beer, greeting: 'want {{item}}?'}\n\
         tests:\n  - {name: a, command: '{{greeting}}'}\n  - {name: b, command: '{{greeting}}', matrix: {item: [wine]}}\n",
    );
    let commands: Vec<_> = suite.tests.iter().map(command_of).collect();
    assert_eq!(commands, ["want beer?", "want wine?"]);
}

#[test]
fn a_pattern_in_a_block_has_no_trailing_newline() {
    let suite = suite(
        "tests:\n  - name: t\n    command: c\n    outputMatches: |\n      ^a\n      b$\n    exitCode: 1\n",
    );
    let assertion = &suite.tests[0].assertions[1];
    assert_eq!(
        assertion.check,
        Check::Text(Stream::Output, TextCheck::Matches("^a\nb$".into()))
    );
    // The span includes the key.
    assert_eq!(suite.file.position(assertion.span.start).line, 4);
}

#[test]
fn a_problem_in_a_fragment_is_reported_once() {
    let text = "fragments: {f: {exitCode: x}}\ntests:\n  - {name: a, command: c, $ref: f}\n  - {name: b, command: c, $ref: f, matrix: {n: [1, 2]}}\n";
    assert_eq!(
        problems(text),
        ["1:27 wrong-value: `exitCode` must be a whole number from 0 to 255, got 'x'"]
    );
    let unused = "fragments: {f: {comand: x}}\ntests: [{name: a, command: c}]\n";
    assert_eq!(
        problems(unused),
        ["1:17 unknown-field: a test has no field `comand` (did you mean `command`?)"]
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

#[test]
fn decodes_a_minimal_suite() {
    let suite = suite("tests:\n  - name: lists\n    command: ls\n");
    assert_eq!(suite.name, "shop", "the file's stem");
    assert!(suite.parallel && suite.timeout.is_none() && suite.env.is_empty());
    let [test] = suite.tests.as_slice() else {
        panic!()
    };
    assert_eq!((test.name.as_str(), command_of(test)), ("lists", "ls"));
    assert!(
        matches!(test.assertions.as_slice(), [only] if only.check == Check::ExitCode(0)),
        "{:?}",
        test.assertions
    );
    assert!(!test.keeps_streams_apart());
}

#[test]
fn decodes_every_field_of_a_suite() {
    let suite = suite(
        "name: Shop\ndescription: d\nx-own: {any: thing}\nvariables: {v: 1.10, no: no}\nsetupFile: a\nteardownFile: b\nsetupEach: c\n\
         teardown: d {{v}}\nenv: {A: '{{no}}', B:}\ntimeout: 1.5\nparallel: false\ntags: [one]\nredact: ['*PIN*']\n\
         tests: [{name: t, command: c, tags: [two], timeout: 500ms}]\n",
    );
    assert_eq!(
        (suite.name.as_str(), suite.description.as_deref()),
        ("Shop", Some("d"))
    );
    let script =
        |script: &Option<casebook_suite::model::Script>| script.as_ref().unwrap().text.clone();
    let hooks = &suite.hooks;
    assert_eq!(
        [
            script(&hooks.setup_file),
            script(&hooks.teardown_file),
            script(&hooks.setup),
            script(&hooks.teardown)
        ],
        ["a", "b", "c", "d 1.10"]
    );
    assert_eq!(
        suite.env,
        [
            ("A".to_owned(), "no".to_owned()),
            ("B".to_owned(), String::new())
        ]
    );
    assert_eq!(
        (suite.timeout, suite.parallel),
        (Some(Duration::from_millis(1500)), false)
    );
    assert_eq!(suite.redact, ["*PIN*"]);
    assert_eq!(suite.tests[0].tags, ["one", "two"]);
    assert_eq!(suite.tests[0].timeout, Some(Duration::from_millis(500)));
}

#[test]
fn decodes_every_assertion() {
    let suite = suite(
        "variables: {code: 3}\ntests:\n  - name: t\n    command: c\n    exitCode: '{{code}}'\n    outputEquals: ''\n    outputContains: [a, b]\n\
         \x20   stdoutNotContains: c\n    stderr: e\n    outputJson: {/n: 1, /s: '1', /l: [true, null, x]}\n\
         \x20   files: {'out.txt': {exists: true, equals: '', contains: [x]}, gone: {exists: false}}\n    snapshot: true\n",
    );
    let test = &suite.tests[0];
    let checks: Vec<_> = test
        .assertions
        .iter()
        .map(|assertion| (assertion.field, assertion.check.clone()))
        .collect();
    let stream_is = |stream, check| Check::Text(stream, check);
    let json = |pointer: &str, expected| Check::Json {
        pointer: pointer.into(),
        expected,
    };
    let file = |path: &str, check| Check::File {
        path: path.into(),
        check,
    };
    assert_eq!(
        checks,
        [
            ("exitCode", Check::ExitCode(3)),
            (
                "outputEquals",
                stream_is(Stream::Output, TextCheck::Equals(String::new()))
            ),
            (
                "outputContains",
                stream_is(Stream::Output, TextCheck::Contains("a".into()))
            ),
            (
                "outputContains",
                stream_is(Stream::Output, TextCheck::Contains("b".into()))
            ),
            (
                "stdoutNotContains",
                stream_is(Stream::Stdout, TextCheck::NotContains("c".into()))
            ),
            (
                "stderr",
                stream_is(Stream::Stderr, TextCheck::Equals("e".into()))
            ),
            ("outputJson", json("/n", json!(1))),
            ("outputJson", json("/s", json!("1"))),
            ("outputJson", json("/l", json!([true, null, "x"]))),
            ("files", file("out.txt", FileCheck::Exists(true))),
            (
                "files",
                file(
                    "out.txt",
                    FileCheck::Content(TextCheck::Equals(String::new()))
                )
            ),
            (
                "files",
                file(
                    "out.txt",
                    FileCheck::Content(TextCheck::Contains("x".into()))
                )
            ),
            ("files", file("gone", FileCheck::Exists(false))),
            ("snapshot", Check::Snapshot(None)),
        ]
    );
    assert!(test.keeps_streams_apart());
}

#[test]
fn fragments_are_defaults_and_fields_are_replaced_completely() {
    let suite = suite(
        "fragments:\n  base: {command: base, outputContains: [a, b], exitCode: 1}\n  loud: {$ref: base, outputContains: [c], stdin: x}\n\
         tests:\n  - {name: one, $ref: loud}\n  - {name: two, $ref: ['#/fragments/loud', base], exitCode: 2}\n",
    );
    let [one, two] = suite.tests.as_slice() else {
        panic!()
    };
    let contains = |test: &casebook_suite::model::Test| -> Vec<String> {
        let texts = test
            .assertions
            .iter()
            .filter_map(|assertion| match &assertion.check {
                Check::Text(_, TextCheck::Contains(text)) => Some(text.clone()),
                _ => None,
            });
        texts.collect()
    };
    assert_eq!((command_of(one), one.stdin.as_deref()), ("base", Some("x")));
    assert_eq!(contains(one), ["c"]);
    assert_eq!(contains(two), ["a", "b"], "the later reference wins");
    assert_eq!(two.assertions[0].check, Check::ExitCode(2));
}

#[test]
fn a_matrix_creates_a_test_per_combination() {
    let suite = suite(
        "matrix: {os: [linux, mac]}\nvariables: {greeting: 'hello {{os}}'}\n\
         tests:\n  - {name: '{{n}} on', command: 'echo {{greeting}} {{n}}', matrix: {n: [1, 2]}}\n  - {name: plain, command: c, matrix: {os: [bsd]}}\n",
    );
    let told: Vec<_> = suite
        .tests
        .iter()
        .map(|test| format!("{}: {}", test.name, command_of(test)))
        .collect();
    assert_eq!(
        told,
        [
            "1 on [os=linux, n=1]: echo hello linux 1",
            "2 on [os=linux, n=2]: echo hello linux 2",
            "1 on [os=mac, n=1]: echo hello mac 1",
            "2 on [os=mac, n=2]: echo hello mac 2",
            "plain [os=bsd]: c",
        ]
    );
    let many: Vec<String> = (0..200).map(|n| n.to_string()).collect();
    let many = many.join(", ");
    let text = format!(
        "tests: [{{name: t, command: c, matrix: {{a: [{many}], b: [{many}], c: [{many}]}}}}]"
    );
    assert!(problems(&text)[0].contains("too-large: the matrix has more than 10000 combinations"));
}

#[test]
fn skips_and_texts_with_variables_for_numbers_and_booleans() {
    let suite = suite(
        "variables: {yes_: true, n: 2}\ntests:\n  - {name: a, command: c, skip: true}\n  - {name: b, command: c, skip: later}\n\
         \x20 - {name: c, command: c, skip: false}\n  - {name: d, command: c, skip: '{{yes_}}', retries: '{{n}}', only: '{{yes_}}'}\n",
    );
    let skips: Vec<_> = suite
        .tests
        .iter()
        .map(|test| test.skip.as_deref())
        .collect();
    assert_eq!(skips, [Some(""), Some("later"), None, Some("")]);
    assert_eq!(suite.tests[3].retries, 2);
    assert!(suite.tests[3].only.is_some());
}

#[test]
fn anchors_and_merge_keys_work_as_an_alternative_to_fragments() {
    let suite = suite(
        "x-base: &base {command: ls, exitCode: 1}\ntests:\n  - {<<: *base, name: a}\n  - {<<: *base, name: b, exitCode: 2}\n",
    );
    let codes: Vec<_> = suite
        .tests
        .iter()
        .map(|test| test.assertions[0].check.clone())
        .collect();
    assert_eq!(codes, [Check::ExitCode(1), Check::ExitCode(2)]);
}

#[test]
fn a_hundred_thousand_tests_are_checked_in_one_pass() {
    let test = |n: u32| {
        format!("  - name: test {n}\n    command: echo {n}\n    outputContains: \"{n}\"\n")
    };
    let tests = (0..100_000).map(test).collect::<Vec<_>>().concat();
    let suite = suite(&format!("tests:\n{tests}"));
    assert_eq!(suite.tests.len(), 100_000);
}

fn command_of(test: &casebook_suite::model::Test) -> &str {
    &test.command().expect("the test must be a command").text
}

#[test]
fn a_snapshot_is_a_file_inside_of_its_directory() {
    for (name, reason) in [
        ("../../x", "`..` leads out of the directory of snapshots"),
        ("a/../b", "`..` leads out of the directory of snapshots"),
        ("/tmp/x", "it is an absolute path"),
        ("a//b", "a part of its path is empty or `.`"),
        ("./a", "a part of its path is empty or `.`"),
        ("a/", "a part of its path is empty or `.`"),
        (r"a\tb", "it contains a control character"),
        (
            &"x".repeat(251),
            "a part of its path is longer than 250 bytes",
        ),
    ] {
        assert_eq!(
            problems_of_test(&format!("snapshot: \"{name}\"")),
            [format!(
                "4:5 snapshot-name: `{name}` cannot be the name of a snapshot: {reason} (use a plain name, or `true` to name the snapshot after the test)"
            )]
        );
    }
    for name in ["a", "lists/short", "..a", "größe", "a b"] {
        assert_eq!(problems_of_test(&format!("snapshot: {name}")), [""; 0]);
    }
}

#[test]
fn two_tests_cannot_have_the_same_snapshot() {
    let text = "\
matrix: {os: [mac, linux]}
tests:
  - {name: a, command: c, snapshot: one}
  - {name: b, command: c, snapshot: 'two-{{os}}'}
  - {name: c, command: c, snapshot: true}
";
    assert_eq!(
        problems(text),
        [
            "3:27 same-snapshot: all combinations of the matrix would have the snapshot `one` (use a matrix variable in the name (`\"one-{{NAME}}\"`), or write `snapshot: true`)"
        ]
    );
    let text = "\
tests:
  - {name: a, command: c, snapshot: list}
  - {name: b, command: c, snapshot: List}
  - {name: list, command: c, snapshot: true}
  - {name: List, command: c, snapshot: true}
";
    assert_eq!(
        problems(text),
        [
            "3:27 same-snapshot: the test `a` already has the snapshot `List` (give each test its own snapshot)"
        ]
    );
    let suite = suite(&text.replace("snapshot: List", "snapshot: LIST-2"));
    let files: Vec<_> = casebook_suite::snapshot::files(&suite)
        .into_iter()
        .flatten()
        .collect();
    assert_eq!(
        files,
        ["list", "LIST-2", "list-3", "list-4"]
            .map(|name| format!("__snapshots__/shop/{name}.snap"))
    );
}
