//! The run as JSON.

use casebook_report::json;
use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::sample::{evaluation, example, exception, run};
use crate::stream::Stream;

#[test]
fn the_summary_has_counts_failures_and_slowest() {
    let mut failure = exception("Error", "\u{1b}[31mno");
    failure["location"] = json!("lib/a.rb:3");
    let run = run([
        example(
            "a::b",
            "failed",
            json!({"stable_id": "example:1", "duration_ms": 3, "exception": failure}),
        ),
        example("c", "failed", json!({})),
        example(
            "d",
            "passed",
            json!({"duration_ms": 9, "metadata": {"attempts": [{"status": "failed"}]}}),
        ),
    ]);
    let mut summary = serde_json::to_value(json::summary(&run, 5, &[]).unwrap()).unwrap();
    let tests = summary.as_object_mut().unwrap().shift_remove("tests");
    assert_eq!(tests.unwrap().as_array().unwrap().len(), 3);
    assert_snapshot!(serde_json::to_string_pretty(&summary).unwrap(), @r#"
    {
      "example_count": 3,
      "passed_count": 1,
      "failed_count": 2,
      "pending_count": 0,
      "running_count": 0,
      "flaky_count": 1,
      "total_duration_ms": 12,
      "run_id": "d00fa811-aa61-46cd-bea1-bb6729000564",
      "started_at": "2026-11-15T08:40:51.594+00:00",
      "finished_at": "2026-11-15T08:40:52.834+00:00",
      "seed": null,
      "git_commit": null,
      "failures": [
        {
          "id": "a::b",
          "stable_id": "example:1",
          "title": "a::b",
          "location": "lib/a.rb:3",
          "exception_class": "Error",
          "message": "\u001b[31mno",
          "failures": [
            {
              "type": "Error",
              "message": "\u001b[31mno",
              "file": "lib/a.rb",
              "line": 3
            }
          ]
        },
        {
          "id": "c",
          "stable_id": null,
          "title": "c",
          "location": "suites/a.yml:7",
          "exception_class": null,
          "message": null,
          "failures": [
            {
              "type": null,
              "message": null,
              "file": "suites/a.yml",
              "line": 7
            }
          ]
        }
      ],
      "slowest": [
        {
          "id": "d",
          "title": "d",
          "location": "suites/a.yml:7",
          "duration_ms": 9
        },
        {
          "id": "a::b",
          "title": "a::b",
          "location": "suites/a.yml:7",
          "duration_ms": 3
        }
      ]
    }
    "#);
}

#[test]
fn every_test_is_listed_with_all_failures() {
    let mut stream = Stream::planned(3);
    let hello = stream.begin("greet", "says hello");
    stream.pass(&hello, &json!({"command": "greet", "exit_code": 0}));
    let german = stream.begin("greet", "in German");
    let place =
        json!({"file": "suites/greet.casebook.yaml", "line": 9, "expected": 0, "actual": 3});
    stream.evaluation(
        &german,
        "exitCode",
        false,
        &json!({"message": "expected exit code 0, got 3", "metadata": place}),
    );
    stream.evaluation(
        &german,
        "outputContains",
        false,
        &json!({"description": "outputContains \"x\"", "metadata": {}}),
    );
    stream.fail(
        &german,
        "AssertionFailed: expected exit code 0, got 3",
        &json!({"command": {"exit_code": 3}}),
    );
    let french = stream.begin("greet", "in French");
    stream.skip(&french, Some("not yet"));
    stream.stop();
    let summary = serde_json::to_value(json::summary(&stream.run(), 0, &[]).unwrap()).unwrap();
    assert_snapshot!(serde_json::to_string_pretty(&summary["tests"]).unwrap(), @r#"
    [
      {
        "id": "000000000000",
        "suite": "greet",
        "name": "says hello",
        "file": "suites/greet.casebook.yaml",
        "line": 4,
        "status": "passed",
        "duration_ms": 12,
        "flaky": false,
        "exit_code": 0,
        "rerun": "casebook run suites/greet.casebook.yaml:4",
        "failures": []
      },
      {
        "id": "000000000001",
        "suite": "greet",
        "name": "in German",
        "file": "suites/greet.casebook.yaml",
        "line": 7,
        "status": "failed",
        "duration_ms": 57,
        "flaky": false,
        "exit_code": 3,
        "rerun": "casebook run suites/greet.casebook.yaml:7",
        "failures": [
          {
            "type": "exitCode",
            "message": "expected exit code 0, got 3",
            "file": "suites/greet.casebook.yaml",
            "line": 9,
            "expected": 0,
            "actual": 3
          },
          {
            "type": "outputContains",
            "message": "outputContains \"x\"",
            "file": "suites/greet.casebook.yaml",
            "line": 7
          }
        ]
      },
      {
        "id": "000000000002",
        "suite": "greet",
        "name": "in French",
        "file": "suites/greet.casebook.yaml",
        "line": 10,
        "status": "pending",
        "duration_ms": 1,
        "flaky": false,
        "exit_code": null,
        "reason": "not yet",
        "rerun": "casebook run suites/greet.casebook.yaml:10",
        "failures": []
      }
    ]
    "#);
}

#[test]
fn a_failure_without_expectations_is_the_exception() {
    let run = run([example(
        "a",
        "failed",
        json!({
            "exception": exception("Casebook::Timeout", "timed out after 2 s"),
            "evaluations": [evaluation("exitCode 0", true, json!({}))],
        }),
    )]);
    let summary: Value = serde_json::to_value(json::summary(&run, 0, &[]).unwrap()).unwrap();
    assert_eq!(
        summary["tests"][0]["failures"],
        json!([{
            "type": "Casebook::Timeout", "message": "timed out after 2 s", "file": "suites/a.yml", "line": 7,
        }])
    );
}

#[test]
fn failed_soft_checks_are_listed_separately() {
    let soft = evaluation(
        "satisfies friendly",
        false,
        json!({"mode": "soft", "type": "satisfies", "failure_message": "the judge's verdict is failed"}),
    );
    let failed =
        json!({"exception": exception("Casebook::AgentFailed", "gone"), "evaluations": [soft]});
    let run = run([
        example("a", "failed", failed),
        example("b", "passed", json!({"evaluations": [soft]})),
    ]);
    let summary: Value = serde_json::to_value(json::summary(&run, 0, &[]).unwrap()).unwrap();
    let told = json!([{
        "type": "satisfies", "message": "the judge's verdict is failed", "file": "suites/a.yml", "line": 7,
    }]);
    for test in summary["tests"].as_array().unwrap() {
        assert_eq!(test["soft"], told);
    }
    assert_eq!(summary["tests"][0]["failures"][0]["message"], "gone");
    assert_eq!(summary["tests"][1]["failures"], json!([]));
}
