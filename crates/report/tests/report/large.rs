//! Reports of large runs stay readable.

use serde_json::json;

use crate::sample::{example, exception, run, shown};

#[test]
fn ten_thousand_passing_examples_take_a_few_lines() {
    let report = shown(&run((0..10_000).map(|n| {
        example(
            &format!("group::example {n}"),
            "passed",
            json!({"duration_ms": n}),
        )
    })));
    assert_eq!(report.lines().count(), 11, "{report}");
    assert!(
        report.ends_with("10000 examples: 10000 passed in 1.24 s\n"),
        "{report}"
    );
}

#[test]
fn fifty_failures_are_shown_in_full_and_500_listed() {
    let report = shown(&run((1..=10_000).map(|n| {
        let exception = exception("Error", &format!("message {n}\nsecond line"));
        example(
            &format!("group::example {n}"),
            "failed",
            json!({"exception": exception}),
        )
    })));
    assert!(report.contains("    message 50\n") && !report.contains("    message 51\n"));
    assert!(report.contains("\n500) suites/a.yml:7  group › example 500  message 500\n"));
    assert!(!report.contains("\n501)"));
    assert!(report.contains("\n… and 9500 more failures; --json lists them all\n"));
    assert!(report.ends_with("10000 examples: 10000 failed in 1.24 s\n"));
}

#[test]
fn hidden_details_are_mentioned() {
    let report = shown(&run(
        (1..=51).map(|n| example(&n.to_string(), "failed", json!({})))
    ));
    assert!(
        report.contains("The first 50 are shown in full; --json lists every message"),
        "{report}"
    );
}

#[test]
fn megabytes_of_text_are_shortened_to_a_screen() {
    let long = "words ".repeat(400_000);
    let failed = example(
        "long",
        "failed",
        json!({
            "location": "x".repeat(1_000_000),
            "exception": {"class_name": "Error", "message": long, "backtrace": ["x".repeat(1_000_000)]},
            "metadata": {"command": {"command": "x".repeat(1_000_000), "output": "x".repeat(5_000_000)}},
        }),
    );
    let report = shown(&run([failed]));
    assert!(report.len() < 100_000, "{} bytes", report.len());
    assert!(report.contains("characters hidden"), "{report}");
}
