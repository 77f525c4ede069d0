//! Output for GitHub Actions.

use casebook_record::RunData;
use casebook_report::github;
use insta::assert_snapshot;
use serde_json::json;

use crate::stream::Stream;

fn annotated(run: &RunData) -> String {
    let mut out = Vec::new();
    github::annotations(run, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

fn summarized(run: &RunData) -> String {
    let mut out = Vec::new();
    github::job_summary(run, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

fn mixed() -> Stream {
    let mut stream = Stream::planned(4);
    let hello = stream.begin("greet", "says hello");
    stream.pass(&hello, &json!({"command": "greet", "leaky": true}));
    let german = stream.begin("greet", "in German, 100%");
    stream.evaluation(
        &german,
        "exitCode",
        false,
        &json!({
            "message": "expected exit code 0, got 3",
            "metadata": {"file": "suites/greet.casebook.yaml", "line": 9, "source": "    exitCode: 0"},
        }),
    );
    stream.evaluation(
        &german,
        "outputContains",
        false,
        &json!({"message": "the output does not contain \"Hallo\"", "metadata": {}}),
    );
    stream.fail(
        &german,
        "AssertionFailed: expected exit code 0, got 3",
        &json!({"command": {"command": "greet --lang de", "exit_code": 3, "output": "::error::not ours\n```\n"}}),
    );
    let flaky = stream.begin("venues", "a | b <c> @d #1");
    stream.fail(&flaky, "Timeout: too slow", &json!({"will_retry": true}));
    stream.again("venues", &flaky);
    stream.pass(&flaky, &json!({}));
    let skipped = stream.begin("venues", "later");
    stream.skip(&skipped, None);
    stream.stop();
    stream
}

#[test]
fn failures_are_annotated_at_the_line_of_the_assertion() {
    assert_snapshot!(annotated(&mixed().run()), @r#"
    ::error file=suites/greet.casebook.yaml,line=9,title=greet › in German%2C 100%25::expected exit code 0, got 3%0Athe output does not contain "Hallo"
    ::group::✗ greet › in German, 100%25
    ::stop-commands::casebook-202b2f49a9434c33
    suites/greet.casebook.yaml:7 · 57 ms
    ✗ expected exit code 0, got 3
      --> suites/greet.casebook.yaml:9
      9 │ exitCode: 0

    ✗ the output does not contain "Hallo"

    $ greet --lang de
      exit code 3
      output
      │ ::error::not ours
      │ ```

    run it again: casebook run suites/greet.casebook.yaml:7
    ::casebook-202b2f49a9434c33::
    ::endgroup::
    ::warning file=suites/greet.casebook.yaml,line=4,title=greet › says hello::leaky: left processes running, which were killed
    ::warning file=suites/venues.casebook.yaml,line=10,title=venues › a | b <c> @d #1::flaky: passed only on a retry
    4 tests: 2 passed (1 flaky), 1 failed, 1 skipped in 13 ms
    "#);
}

#[test]
fn output_of_tests_cannot_contain_workflow_commands() {
    let annotated = annotated(&mixed().run());
    let (_, details) = annotated.split_once("::stop-commands::").unwrap();
    let (token, details) = details.split_once('\n').unwrap();
    let (details, _) = details.split_once(&format!("\n::{token}::\n")).unwrap();
    assert!(details.contains("::error::not ours"));
}

#[test]
fn a_summary_has_the_suites_and_the_failures() {
    assert_snapshot!(summarized(&mixed().run()), @r#"
    ### ❌ 4 tests: 2 passed (1 flaky), 1 failed, 1 skipped in 13 ms

    | | suite | passed | failed | skipped | time |
    |---|---|---:|---:|---:|---:|
    | ❌ | suites/greet.casebook.yaml | 1 | 1 | 0 | 69 ms |
    | ✅ | suites/venues.casebook.yaml | 1 | 0 | 1 | 13 ms |

    <details><summary>❌ greet › in German, 100% · suites/greet.casebook.yaml:7</summary>

    ````text
    suites/greet.casebook.yaml:7 · 57 ms
    ✗ expected exit code 0, got 3
      --> suites/greet.casebook.yaml:9
      9 │ exitCode: 0

    ✗ the output does not contain "Hallo"

    $ greet --lang de
      exit code 3
      output
      │ ::error::not ours
      │ ```

    run it again: casebook run suites/greet.casebook.yaml:7
    ````

    </details>
    "#);
}

#[test]
fn thousands_of_failures_fit() {
    let mut stream = Stream::planned(5_000);
    for n in 0..5_000 {
        let test = stream.begin("greet", &format!("test {n}"));
        let output = "x".repeat(10_000);
        stream.fail(
            &test,
            "AssertionFailed: no",
            &json!({"command": {"output": output}}),
        );
    }
    stream.stop();
    let run = stream.run();
    let annotated = annotated(&run);
    assert_eq!(annotated.matches("\n::error ").count(), 49);
    assert!(annotated.contains("\n::error::… and 4950 more failures\n"));
    let summary = summarized(&run);
    assert!(summary.len() < 500_000, "{}", summary.len());
    assert!(summary.ends_with("… and 4970 more failures; see the log.\n"));
}
