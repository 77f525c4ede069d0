//! Runs as TAP.

use std::io;

use casebook_record::event::{ExamplePassed, ExampleStarted};
use casebook_record::import::{self, ImportSource};
use casebook_record::{Metadata, RunBuilder, RunData, Status};
use casebook_report::tap::{self, Options, Tap};
use insta::assert_snapshot;
use proptest::prelude::*;
use serde_json::json;

use crate::stream::{ClosedPipe, Paper, Stream, hostile, time};

fn written(stream: &Stream, options: Options) -> String {
    let out = Paper::default();
    let mut tap = Tap::new(options, Box::new(out.clone()));
    assert!(stream.send_to(&RunBuilder::new("run"), &mut tap).is_none());
    out.text()
}

fn read(tap: &str) -> RunData {
    let builder = RunBuilder::new("read");
    let source = ImportSource {
        name: "tap",
        now: &|| time(0),
    };
    let problems = import::tap(tap.as_bytes(), &source, &mut |event| builder.apply(event)).unwrap();
    assert!(problems.is_empty(), "{problems:?}\n{tap}");
    builder.close().unwrap()
}

const TIMED: Options = Options {
    timing: true,
    trace: false,
};

fn mixed() -> Stream {
    let mut stream = Stream::planned(4);
    let hello = stream.begin("greet", "says hello # twice");
    let german = stream.begin("greet", "in German");
    let french = stream.begin("greet", "in French");
    let list = stream.begin("venues", "lists");
    stream.fail(
        &list,
        "AssertionFailed: the output does not contain \"x\"\nsecond line",
        &json!({"command": {
            "command": "venues list", "exit_code": 0, "output": "Harbour Hall\n", "phase": "command", "leaky": true,
        }}),
    );
    stream.skip(&french, Some("not translated yet"));
    stream.fail(&german, "Timeout: too slow", &json!({"will_retry": true}));
    stream.again("greet", &german);
    stream.pass(&german, &json!({}));
    stream.pass(&hello, &json!({}));
    stream.stop();
    stream
}

#[test]
fn a_finished_run_has_the_same_lines_as_a_running_one() {
    for options in [Options::default(), TIMED] {
        let (out, builder) = (Paper::default(), RunBuilder::new("run"));
        let mut live = Tap::new(options, Box::new(out.clone()));
        assert!(mixed().send_to(&builder, &mut live).is_none());
        let mut finished = Vec::new();
        tap::write(&builder.close().unwrap(), options, &mut finished).unwrap();
        assert_eq!(String::from_utf8(finished).unwrap(), out.text());
    }
}

#[test]
fn all_failures_are_listed_with_expected_and_actual_values() {
    let mut stream = Stream::planned(1);
    let test = stream.begin("greet", "in German");
    let failed = |line: u64, expected: &str| json!({"message": format!("no {expected}"), "metadata": {"file": "suites/greet.casebook.yaml", "line": line, "expected": expected, "actual": "Hello\nWorld"}});
    stream.evaluation(&test, "outputContains", false, &failed(8, "Servus"));
    stream.fail(
        &test,
        "AssertionFailed: no Servus",
        &json!({"will_retry": true}),
    );
    stream.again("greet", &test);
    stream.evaluation(&test, "outputContains", false, &failed(9, "Hallo"));
    stream.evaluation(&test, "exitCode", true, &json!({"metadata": {}}));
    stream.evaluation(&test, "outputContains", false, &failed(10, "Welt"));
    let hook = json!({"name": "teardown", "message": "`teardown` failed with exit code 4", "file": "suites/greet.casebook.yaml", "line": 2});
    stream.fail(&test, "AssertionFailed: no Hallo", &json!({"hook": hook}));
    stream.stop();
    let (out, builder) = (Paper::default(), RunBuilder::new("run"));
    let mut live = Tap::new(Options::default(), Box::new(out.clone()));
    assert!(stream.send_to(&builder, &mut live).is_none());
    let run = builder.close().unwrap();
    let mut finished = Vec::new();
    tap::write(&run, Options::default(), &mut finished).unwrap();
    assert_eq!(String::from_utf8(finished).unwrap(), out.text());
    assert_snapshot!(out.text(), @r#"
    TAP version 13
    1..1
    # suites/greet.casebook.yaml
    not ok 1 in German
      ---
      message: "no Hallo"
      type: "Casebook::AssertionFailed"
      file: "suites/greet.casebook.yaml"
      line: 4
      failures:
        - type: "outputContains"
          message: "no Hallo"
          file: "suites/greet.casebook.yaml"
          line: 9
          expected: "Hallo"
          actual: |
            Hello
            World
        - type: "outputContains"
          message: "no Welt"
          file: "suites/greet.casebook.yaml"
          line: 10
          expected: "Welt"
          actual: |
            Hello
            World
        - type: "Casebook::TeardownFailed"
          message: "`teardown` failed with exit code 4"
          file: "suites/greet.casebook.yaml"
          line: 2
      duration_ms: 57
      ...
    "#);
    let summary =
        serde_json::to_value(casebook_report::json::summary(&run, 0, &[]).unwrap()).unwrap();
    let failures = summary["failures"][0]["failures"].as_array().unwrap();
    assert_eq!(failures.len(), 3);
    assert_eq!(failures[1]["expected"], "Welt");
    assert_eq!(
        summary["tests"][0]["failures"],
        summary["failures"][0]["failures"]
    );
}

#[test]
fn results_come_in_the_planned_order() {
    assert_snapshot!(written(&mixed(), Options::default()), @r#"
    TAP version 13
    1..4
    # suites/greet.casebook.yaml
    ok 1 says hello \# twice
    ok 2 in German
    # flaky: passed on attempt 2
    ok 3 in French # skip not translated yet
    # suites/venues.casebook.yaml
    not ok 4 lists
      ---
      message: |
        the output does not contain "x"
        second line
      type: "Casebook::AssertionFailed"
      phase: "command"
      file: "suites/venues.casebook.yaml"
      line: 13
      duration_ms: 57
      command: "venues list"
      exit_code: 0
      output: "Harbour Hall"
      ...
    # leaky: left processes running, which were killed
    "#);
}

#[test]
fn durations_follow_names_as_in_bats() {
    let written = written(&mixed(), TIMED);
    let points: Vec<_> = written
        .lines()
        .filter(|line| line.contains("ok "))
        .collect();
    assert_snapshot!(points.join("\n"), @r#"
    ok 1 says hello \# twice in 12ms
    ok 2 in German in 12ms
    ok 3 in French # skip not translated yet
    not ok 4 lists in 57ms
    "#);
}

#[test]
fn an_example_outside_suites_has_its_groups_and_final_name() {
    let mut stream = Stream::planned(2);
    for (position, example) in ["adds", "(anonymous)"].into_iter().enumerate() {
        let description = example.replace("(anonymous)", "example at spec/sum_spec.rb:4");
        let id = position.to_string();
        stream.publish(ExampleStarted {
            time: time(0),
            example_id: id.clone(),
            stable_id: None,
            canonical_path: Some(format!("Sum::#plus::{example}")),
            full_description: format!("Sum#plus {description}"),
            description,
            location: "spec/sum_spec.rb:4".into(),
            scenario: None,
            position: u64::try_from(position).ok(),
            metadata: Metadata::new(),
        });
        stream.publish(ExamplePassed {
            time: time(1),
            example_id: id,
            stable_id: None,
            description: example.replace("(anonymous)", "is expected to eq 2"),
            full_description: String::new(),
            duration: 0.0,
            metadata: Metadata::new(),
        });
    }
    stream.stop();
    assert_snapshot!(written(&stream, Options::default()), @r"
    TAP version 13
    1..2
    # spec/sum_spec.rb
    ok 1 Sum › \#plus › adds
    ok 2 Sum › \#plus › is expected to eq 2
    ");
}

#[test]
fn a_trace_follows_its_result() {
    let mut stream = Stream::planned(2);
    let one = stream.begin("greet", "one");
    let two = stream.begin("greet", "two");
    let traced = json!({
        "command": "cd shop\n./greet\n", "exit_code": 3, "stdout": "ok 9 no result\n", "stderr": "",
    });
    stream.pass(&one, &traced);
    stream.fail(
        &two,
        "AssertionFailed: no",
        &json!({"command": {"command": "greet"}}),
    );
    stream.stop();
    let options = Options {
        trace: true,
        ..Options::default()
    };
    assert_snapshot!(written(&stream, options), @r#"
    TAP version 13
    1..2
    # suites/greet.casebook.yaml
    ok 1 one
    # Command: cd shop
    #          ./greet
    # Exit code: 3
    # Standard output:
    # ok 9 no result
    not ok 2 two
      ---
      message: "no"
      type: "Casebook::AssertionFailed"
      file: "suites/greet.casebook.yaml"
      line: 7
      duration_ms: 57
      command: "greet"
      ...
    # Command: greet
    "#);
}

#[test]
fn a_run_that_ends_early_bails_out() {
    let mut stream = Stream::planned(3);
    let one = stream.begin("greet", "one");
    let two = stream.begin("greet", "two");
    stream.pass(&two, &json!({}));
    stream.fail(&one, "Interrupted: the run was interrupted", &json!({}));
    stream.stop();
    assert_snapshot!(written(&stream, Options::default()), @r#"
    TAP version 13
    1..3
    # suites/greet.casebook.yaml
    not ok 1 one
      ---
      message: "the run was interrupted"
      type: "Casebook::Interrupted"
      file: "suites/greet.casebook.yaml"
      line: 4
      duration_ms: 57
      ...
    ok 2 two
    Bail out! 1 of 3 tests were not run
    "#);
}

#[test]
fn a_failed_file_teardown_is_an_additional_result() {
    let mut stream = Stream::planned(1);
    let one = stream.begin("greet", "one");
    stream.pass(&one, &json!({}));
    let teardown = stream.begin("greet", "teardownFile");
    stream.fail(
        &teardown,
        "TeardownFailed: teardownFile failed with exit code 1",
        &json!({}),
    );
    stream.stop();
    let written = written(&stream, Options::default());
    assert!(written.contains("\nnot ok 2 teardownFile\n"), "{written}");
}

#[test]
fn a_closed_pipe_is_reported_once() {
    let mut tap = Tap::new(Options::default(), Box::new(ClosedPipe));
    let error = mixed().send_to(&RunBuilder::new("run"), &mut tap).unwrap();
    let error = error.downcast::<io::Error>().unwrap();
    assert_eq!(error.kind(), io::ErrorKind::BrokenPipe);
}

proptest! {
    #[test]
    fn written_results_are_read_with_the_same_outcomes(
        tests in prop::collection::vec((hostile(), 0..3_u8, hostile(), any::<prop::sample::Index>()), 1..20),
        timing: bool,
        trace: bool,
    ) {
        let mut stream = Stream::planned(tests.len() as u64);
        let mut begun: Vec<_> = tests
            .iter()
            .map(|(name, verdict, text, index)| (stream.begin("greet", name), *verdict, text, index))
            .collect();
        begun.sort_by_key(|(_, _, _, index)| index.index(1_000));
        for (test, verdict, text, _) in begun {
            match verdict {
                0 => stream.pass(&test, &json!({"command": text})),
                1 => stream.skip(&test, Some(text)),
                _ => stream.fail(&test, &format!("AssertionFailed: {text}"), &json!({
                    "command": {"command": text, "output": text},
                })),
            }
        }
        stream.stop();
        let run = read(&written(&stream, Options { timing, trace }));
        let statuses: Vec<_> = run.examples.values().map(|example| example.status).collect();
        let expected: Vec<_> = tests
            .iter()
            .map(|(_, verdict, _, _)| match verdict {
                0 => Status::Passed,
                1 => Status::Pending,
                _ => Status::Failed,
            })
            .collect();
        prop_assert_eq!(statuses, expected);
    }
}
