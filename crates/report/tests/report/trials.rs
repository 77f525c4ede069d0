//! Tests with several trials.

use casebook_report::json;
use casebook_report::terminal::Options;
use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::sample::{example, exception, run, shown, shown_with};

fn trial(test: &str, number: u64, of: u64, status: &str) -> Value {
    let id = format!("{test}~{number}");
    let failure =
        (status == "failed").then(|| exception("Casebook::AssertionFailed", "it did not"));
    example(
        test,
        status,
        json!({
            "id": id, "stable_id": id, "exception": failure,
            "metadata": {"suite": "s", "trial": {"number": number, "of": of, "test": test}},
        }),
    )
}

fn trials(test: &str, verdicts: &[&str]) -> Vec<Value> {
    let of = verdicts.len() as u64;
    (1..)
        .zip(verdicts)
        .map(|(number, status)| trial(test, number, of, status))
        .collect()
}

#[test]
fn rates_with_differing_trials_first() {
    let run = run([
        trials("agent::always", &["passed"; 5]),
        trials(
            "agent::finds a venue for a large party",
            &["passed", "failed", "passed", "passed", "failed"],
        ),
        trials("agent::never", &["failed", "pending"]),
        trials("agent::not at all", &["pending", "pending"]),
    ]
    .concat());
    let shown = shown(&run);
    let (_, table) = shown.split_once("── Trials").unwrap();
    assert_snapshot!(table, @"
     ──────────────────────────────────────────────────────────────────────

                                            passed  pass@1            pass@n  pass^n
      ~ …› finds a venue for a large party  3 of 5  60% (23–88%)        100%      0%
      ✗ agent › never                       0 of 1  0% (0–79%)            0%      0%
      ○ agent › not at all                  no verdict
      ✓ agent › always                      5 of 5  100% (57–100%)      100%    100%

      3 tests in 11 trials: 8 passed, 73% (43–90%) · pass@1 53% · pass@n 67% ·
        pass^n 33% · 1 flaky
      pass@1: one trial passes, with the 95% confidence interval · pass@n: at least
        one of n trials passes · pass^n: all n trials pass

    14 tests: 8 passed, 3 failed, 3 skipped in 1.24 s
    ");
}

#[test]
fn a_narrow_terminal_shows_every_number() {
    let run = run(trials(
        "agent::finds a venue for a large party",
        &["passed"; 12],
    ));
    for width in [45, 60, 70] {
        let options = Options {
            width,
            ..Options::default()
        };
        let shown = shown_with(&run, &options);
        assert!(shown.contains("   passed  pass@1"), "{shown}");
        assert!(shown.contains(" pass@n  pass^n\n"), "{shown}");
        assert!(shown.contains("   100%    100%\n"), "{shown}");
        assert_eq!(shown.contains(" (76–100%)  "), width > 64, "{shown}");
    }
}

#[test]
fn a_failure_shows_the_number_of_its_trial() {
    let shown = shown(&run(trials("agent::answers", &["passed", "failed"])));
    assert!(
        shown.contains("1) agent › answers (trial 2 of 2)"),
        "{shown}"
    );
}

#[test]
fn json_contains_the_rates() {
    let run = run(trials(
        "agent::answers",
        &["passed", "failed", "passed", "passed"],
    ));
    let summary = serde_json::to_value(json::summary(&run, 0, &[]).unwrap()).unwrap();
    assert_snapshot!(serde_json::to_string_pretty(&summary["trials"]).unwrap(), @r#"
    {
      "tests": 1,
      "flaky": 1,
      "trials": 4,
      "passed": 3,
      "pass_at_1": 0.75,
      "pass_at_n": 1.0,
      "pass_hat_n": 0.0,
      "interval": [
        0.3006418425824019,
        0.9544127391902995
      ],
      "by_test": [
        {
          "test": "agent::answers",
          "title": "agent::answers",
          "trials": 4,
          "passed": 3,
          "interval": [
            0.3006418425824019,
            0.9544127391902995
          ],
          "pass_at_1": 0.75,
          "pass_at_n": 1.0,
          "pass_hat_n": 0.0,
          "flaky": true,
          "outcome": "failed"
        }
      ]
    }
    "#);
}

#[test]
fn a_run_without_trials_has_no_such_table() {
    let run = run([example("a", "passed", json!({}))]);
    assert!(!shown(&run).contains("Trials"));
    let summary = serde_json::to_value(json::summary(&run, 0, &[]).unwrap()).unwrap();
    assert_eq!(summary.get("trials"), None);
}
