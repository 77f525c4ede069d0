//! The parts around the failures: header, pending, flaky, slowest, summary.

use insta::assert_snapshot;
use serde_json::json;

use crate::sample::{example, exception, run, shown};

#[test]
fn an_empty_run_is_reported() {
    assert_snapshot!(shown(&run([])), @r#"
    Run d00fa811 · 2026-11-15 08:40:51 UTC · 1.24 s

    no examples in 1.24 s
    "#);
}

#[test]
fn header_and_summary_show_what_is_recorded() {
    let mut run = run([
        example("a", "passed", json!({})),
        example("b", "running", json!({})),
    ]);
    run.finished_at = None;
    run.seed = Some(7.into());
    run.git_commit = Some("53e511a472fd646012cf23cb6bca7a06065c3ca8".into());
    run.metadata.set("example_count", 15);
    assert_snapshot!(shown(&run), @r#"
    Run d00fa811 · 2026-11-15 08:40:51 UTC · seed 7 · commit 53e511a

    ── Still running ───────────────────────────────────────────────────────────────

    ▸ b · suites/a.yml:7

    2 examples (15 planned): 1 passed, 1 still running
    "#);
}

#[test]
fn an_example_without_a_location_is_listed() {
    let skipped = example("later", "pending", json!({"location": ""}));
    assert!(shown(&run([skipped])).contains("\n○ later\n"));
}

#[test]
fn pending_and_flaky_examples_have_reasons() {
    let mut pending = example(
        "group::later",
        "pending",
        json!({"metadata": {"pending_message": "not on Windows"}}),
    );
    pending["location"] = json!("spec/later_spec.rb:3");
    let attempts = json!([
        {"status": "failed", "exception": exception("Casebook::Timeout", "no answer within 2 s\nat all")},
        {"status": "running", "exception": null},
    ]);
    let flaky = example(
        "group::wobbles",
        "passed",
        json!({"duration_ms": 12, "metadata": {"attempts": attempts}}),
    );
    let quick = example("group::quick", "passed", json!({"duration_ms": 0}));
    let slow = example(
        "group::takes its time, and more of it than fits",
        "passed",
        json!({"duration_ms": 61_500}),
    );
    assert_snapshot!(shown(&run([pending, flaky, quick, slow])), @r#"
    Run d00fa811 · 2026-11-15 08:40:51 UTC · 1.24 s

    ── Pending ─────────────────────────────────────────────────────────────────────

    ○ group › later · spec/later_spec.rb:3
      not on Windows

    ── Flaky ───────────────────────────────────────────────────────────────────────

    ~ group › wobbles · suites/a.yml:7
      attempt 1: Casebook::Timeout: no answer within 2 s
      attempt 2: did not finish
      attempt 3: passed

    ── Slowest ─────────────────────────────────────────────────────────────────────

      1 min 02 s  group › takes its time, and more of it than fits  suites/a.yml:7
           12 ms  group › wobbles                                   suites/a.yml:7

    4 examples: 3 passed (1 flaky), 1 pending in 1.24 s
    "#);
}

#[test]
fn the_summary_lists_every_outcome() {
    let statuses = |statuses: &[&str]| {
        let examples = statuses.iter().enumerate();
        run(examples.map(|(n, status)| example(&n.to_string(), status, json!({}))))
    };
    for (examples, line) in [
        (vec!["passed"], "1 example: 1 passed in 1.24 s"),
        (vec!["failed"], "1 example: 1 failed in 1.24 s"),
        (
            vec!["passed", "failed", "pending"],
            "3 examples: 1 passed, 1 failed, 1 pending in 1.24 s",
        ),
        (
            vec!["running", "passed"],
            "2 examples: 1 passed, 1 still running in 1.24 s",
        ),
    ] {
        assert_eq!(shown(&statuses(&examples)).lines().last(), Some(line));
    }
}

#[test]
fn only_ten_pending_examples_are_listed() {
    let report =
        shown(&run((1..=12).map(|n| {
            example(&format!("later {n}"), "pending", json!({}))
        })));
    assert!(
        report.contains("later 10 ·") && !report.contains("later 11"),
        "{report}"
    );
    assert!(report.contains("… and 2 more\n"), "{report}");
}

#[test]
fn without_durations_there_is_no_table_of_slowest_tests() {
    let mut run = run([example("a", "passed", json!({"duration_ms": 0}))]);
    assert!(!shown(&run).contains("Slowest"));
    run.examples[0].duration_ms = Some(1);
    assert!(shown(&run).contains("Slowest"));
}
