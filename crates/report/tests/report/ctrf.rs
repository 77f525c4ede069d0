//! Runs in the Common Test Report Format. `script/exports` validates them with the format's own library.

use casebook_record::RunData;
use serde_json::{Value, json};

use crate::junit::mixed;
use crate::sample::{example, exception, run};

fn written(run: &RunData) -> Value {
    let mut out = Vec::new();
    casebook_report::ctrf::write(run, &mut out).unwrap();
    serde_json::from_slice(&out).unwrap()
}

#[test]
fn the_summary_counts_every_test_once() {
    let report = written(&mixed().run());
    assert_eq!(report["reportFormat"], "CTRF");
    assert_eq!(report["results"]["tool"]["name"], "casebook");
    let summary = &report["results"]["summary"];
    let counts = [
        "tests", "passed", "failed", "skipped", "pending", "other", "flaky",
    ];
    assert_eq!(
        counts.map(|name| summary[name].as_u64().unwrap()),
        [5, 2, 2, 1, 0, 0, 1]
    );
    assert!(summary["start"].as_i64() < summary["stop"].as_i64());
}

#[test]
fn a_failed_test_has_its_message_text_and_output() {
    let report = written(&mixed().run());
    let test = &report["results"]["tests"][3];
    assert_eq!(test["name"], "lists");
    assert_eq!(test["suite"], json!(["venues"]));
    assert_eq!(
        (&test["filePath"], &test["line"]),
        (&json!("suites/venues.casebook.yaml"), &json!(13))
    );
    assert_eq!(test["message"], "the output does not contain \"x\"");
    assert!(
        test["trace"]
            .as_str()
            .unwrap()
            .contains("14 │ outputContains: x"),
        "{test}"
    );
    assert_eq!(
        test["stdout"],
        json!(["\u{1b}[31mHarbour\u{1b}[0m Hall\u{1}"])
    );
}

#[test]
fn a_retried_test_lists_all_attempts() {
    let report = written(&mixed().run());
    let test = &report["results"]["tests"][1];
    assert_eq!(
        (&test["retries"], &test["flaky"]),
        (&json!(1), &json!(true))
    );
    let attempts = test["retryAttempts"].as_array().unwrap();
    let statuses: Vec<_> = attempts.iter().map(|one| &one["status"]).collect();
    assert_eq!(statuses, ["failed", "passed"]);
    assert_eq!(attempts[0]["message"], "timed out after 2 s");
}

#[test]
fn an_interrupted_test_is_neither_passed_nor_failed() {
    let interrupted = exception("Casebook::Interrupted", "the run was stopped");
    let report = written(&run([example(
        "",
        "failed",
        json!({"exception": interrupted}),
    )]));
    let test = &report["results"]["tests"][0];
    assert_eq!(
        (&test["status"], &test["rawStatus"]),
        (&json!("other"), &json!("unfinished"))
    );
    assert_eq!(test["name"], "(no name)", "the format requires a name");
    assert_eq!(report["results"]["summary"]["other"], 1);
}
