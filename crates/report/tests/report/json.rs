//! The machine-readable summary.

use casebook_report::json;
use insta::assert_snapshot;
use serde_json::json;

use crate::sample::{example, exception, run};

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
            json!({"duration_ms": 9, "metadata": {"attempts": [{}]}}),
        ),
    ]);
    let summary = serde_json::to_string_pretty(&json::summary(&run, 5)).unwrap();
    assert_snapshot!(summary, @r#"
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
          "message": "\u001b[31mno"
        },
        {
          "id": "c",
          "stable_id": null,
          "title": "c",
          "location": "suites/a.yml:7",
          "exception_class": null,
          "message": null
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
