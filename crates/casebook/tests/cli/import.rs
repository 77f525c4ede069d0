//! Importing TAP and JUnit with the binary. The dialects are tested with the parsers.

use insta::assert_snapshot;

use crate::support::{Outcome, Project, eventually};

fn record(project: &Project, format: &str, input: &str) -> Outcome {
    let arguments = format!("record --from {format} --record out");
    let mut outcome = project.casebook(&arguments).stdin(input).run();
    // TAP has no times, so the duration is measured and differs between runs.
    let without_duration = |line: &str| match line.split_once(" in ") {
        Some((counts, _)) if line.contains("example") => format!("{counts}\n"),
        _ => format!("{line}\n"),
    };
    outcome.stderr = outcome.stderr.lines().map(without_duration).collect();
    outcome
}

#[test]
fn imports_passing_tap() {
    let project = Project::new();
    let outcome = record(
        &project,
        "tap",
        "TAP version 14\n1..2\nok 1 - adds\nok 2 - divides # SKIP later\n",
    );
    assert_snapshot!(outcome.shown(), @"
    exit code 0
    --- stderr
    2 examples: 1 passed, 1 pending
    recorded in out
    ");
    assert_eq!(project.files("out"), ["events.jsonl", "run.json"]);
}

#[test]
fn imports_failing_tap() {
    let project = Project::new();
    let tap = "1..2\nok 1 - adds\nnot ok 2 - divides\n  ---\n  message: expected 2, got 3\n  ...\n";
    let outcome = record(&project, "tap", tap);
    assert_snapshot!(outcome.shown(), @"
    exit code 1
    --- stderr
    2 examples: 1 passed, 1 failed
    recorded in out
    ");
    assert!(project.read("out/run.json").contains("expected 2, got 3"));
}

#[test]
fn tap_with_missing_tests_fails() {
    let project = Project::new();
    let outcome = record(&project, "tap", "1..3\nok 1 - adds\n");
    assert_snapshot!(outcome.shown(), @"
    exit code 1
    --- stderr
    warning: standard input:2: planned 3 tests, 1 ran
    2 examples (3 planned): 1 passed, 1 failed
    recorded in out
    ");
}

#[test]
fn a_tap_line_is_in_the_journal_before_the_stream_ends() {
    let project = Project::new();
    let mut live = project.casebook("record --from tap --record out").start();
    live.send("TAP version 14\n1..2\nok 1 - adds\nok 2 - divides");
    eventually("the first test is in the journal", || {
        project.exists("out/events.jsonl")
            && project.read("out/events.jsonl").contains("ExamplePassed")
    });
    live.finish().exits(0);
}

#[test]
fn imports_passing_junit() {
    let project = Project::new();
    let xml = r#"<testsuite name="shop" tests="1"><testcase classname="sum" name="adds" time="0.5"/></testsuite>"#;
    let outcome = record(&project, "junit", xml);
    assert_snapshot!(outcome.shown(), @"
    exit code 0
    --- stderr
    1 example: 1 passed
    recorded in out
    ");
    assert_eq!(project.files("out"), ["events.jsonl", "run.json"]);
}

#[test]
fn imports_failing_junit_from_a_file() {
    let project = Project::with(
        "results.xml",
        r#"<testsuites><testsuite name="shop" tests="2" failures="1">
             <testcase classname="sum" name="adds" time="0.5"/>
             <testcase classname="sum" name="divides" time="0.1"><failure message="expected 2, got 3">at sum.rs:7</failure></testcase>
           </testsuite></testsuites>"#,
    );
    let outcome = project
        .casebook("record --from junit --record out results.xml")
        .run()
        .exits(1);
    assert!(
        outcome.stderr.contains("2 examples: 1 passed, 1 failed"),
        "{}",
        outcome.stderr
    );
    assert!(project.read("out/run.json").contains("expected 2, got 3"));
}

#[test]
fn invalid_xml_is_an_error_with_its_line_and_records_nothing() {
    let project = Project::with(
        "cut.xml",
        "<testsuite name=\"a\">\n<testcase name=\"b\"/>\n<testcase",
    );
    project.write(
        "crossed.xml",
        "<testsuite>\n<testcase name=\"b\">\n</testsuite>\n",
    );
    project.write("page.xml", "<html/>");
    project.write("text.xml", "ok 1 - adds\n");
    project.write("empty.xml", "");
    let errors: String = ["cut", "crossed", "page", "text", "empty"]
        .map(|name| {
            project
                .casebook(&format!("record --from junit {name}.xml"))
                .run()
                .exits(2)
                .stderr
        })
        .concat();
    assert_snapshot!(errors, @"
    error: cut.xml: line 3: syntax error: tag not closed: `>` not found before end of input
    error: crossed.xml: line 3: ill-formed document: expected `</testcase>`, but `</testsuite>` was found
    error: page.xml: not JUnit XML: its root is `html`, not `testsuites` or `testsuite`
    error: text.xml: line 2: no XML element found
    error: empty.xml: line 1: no XML element found
    ");
    assert!(!project.exists(".casebook"));
}

#[test]
fn invalid_xml_from_standard_input_is_an_error() {
    let outcome = record(&Project::new(), "junit", "<testsuite>").exits(2);
    assert!(
        outcome
            .stderr
            .starts_with("error: standard input: line 1: "),
        "{}",
        outcome.stderr
    );
}
