//! The decoded suites.

use std::time::Duration;

use casebook_suite::model::{Check, FileCheck, Stream, TextCheck};
use serde_json::json;

use super::{problems, suite};

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
    let assertion = &suite.tests[0].steps()[0].assertions[1];
    assert_eq!(
        assertion.check,
        Check::Text(Stream::Output, TextCheck::Matches("^a\nb$".into()))
    );
    // The span includes the key.
    assert_eq!(suite.file.position(assertion.span.start).line, 4);
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
        matches!(test.steps()[0].assertions.as_slice(), [only] if only.check == Check::ExitCode(0.into())),
        "{:?}",
        test.steps()[0].assertions
    );
    assert!(!test.steps()[0].keeps_streams_apart());
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
        .assertions()
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
            ("exitCode", Check::ExitCode(3.into())),
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
    assert!(test.steps()[0].keeps_streams_apart());
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
            .assertions()
            .filter_map(|assertion| match &assertion.check {
                Check::Text(_, TextCheck::Contains(text)) => Some(text.clone()),
                _ => None,
            });
        texts.collect()
    };
    assert_eq!(
        (command_of(one), one.steps()[0].stdin.as_deref()),
        ("base", Some("x"))
    );
    assert_eq!(contains(one), ["c"]);
    assert_eq!(contains(two), ["a", "b"], "the later reference wins");
    assert_eq!(
        two.steps()[0].assertions[0].check,
        Check::ExitCode(2.into())
    );
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
        .map(|test| test.steps()[0].assertions[0].check.clone())
        .collect();
    assert_eq!(
        codes,
        [Check::ExitCode(1.into()), Check::ExitCode(2.into())]
    );
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
    &test.steps()[0].command.text
}
