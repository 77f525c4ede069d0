//! Sample pages without scripts: a diff, a history, a coverage matrix.

use casebook_record::{History, RunData, RunEntry, TestName, TestOutcome, TestResult, Time};
use casebook_report::coverage::{
    self, Characteristic, Combination, CoverageOutcome, CoverageSource, Matrix, Method, Observed,
    ObservedExample, ObservedStatus, State, Test,
};
use casebook_report::diff::{self, Diff};
use casebook_report::history::{self, Trends};
use serde_json::Value;

use crate::sample_runs::showcase;

#[path = "../../src/coverage/fixture.rs"]
mod fixture;

/// Each page with its name. The names of tests start with this prefix.
pub(crate) fn pages(prefix: &str) -> [(&'static str, String); 3] {
    [
        ("diff", diff_page(prefix)),
        ("history", history_page(prefix)),
        ("coverage", coverage_page(prefix)),
    ]
}

fn written(write: impl FnOnce(&mut Vec<u8>) -> std::io::Result<()>) -> String {
    let mut page = Vec::new();
    write(&mut page).unwrap();
    String::from_utf8(page).unwrap()
}

fn diff_page(prefix: &str) -> String {
    let (base, new) = (earlier(prefix), renamed(prefix));
    written(|out| diff::html::write(&Diff::of(&base, &new), out))
}

fn renamed(prefix: &str) -> RunData {
    let mut run = showcase();
    for example in run.examples.values_mut() {
        if let Some(path) = &mut example.canonical_path {
            path.insert_str(0, prefix);
        }
    }
    run
}

/// The showcase as it was before: other tests failed, and it was faster.
fn earlier(prefix: &str) -> RunData {
    let mut run = serde_json::to_value(renamed(prefix)).unwrap();
    run["git_commit"] = "1c0ffee4".into();
    run["metadata"]["versions"]["casebook"] = "0.0.9".into();
    let examples = run["examples"].as_object_mut().unwrap();
    for (number, example) in examples.values_mut().enumerate() {
        if let Some(duration) = example["duration_ms"].as_i64() {
            example["duration_ms"] = (duration / 4).into();
        }
        match number {
            0 => {
                example["status"] = "passed".into();
                example["exception"] = Value::Null;
            }
            3 => example["status"] = "failed".into(),
            _ => {}
        }
    }
    examples.shift_remove("example:06645c93b83a");
    serde_json::from_value(run).unwrap()
}

fn history_page(prefix: &str) -> String {
    let mut history = History::default();
    for name in ["lists", "sells", "refuses"] {
        history.tests.push(TestName {
            id: name.into(),
            title: format!("{prefix}shop › {name}"),
            location: "suites/shop.casebook.yaml:6".into(),
        });
    }
    for number in 1..=12 {
        history.runs.push(run(number));
    }
    let options = history::Options {
        slowest: 3,
        test: Some("shop".into()),
        ..history::Options::default()
    };
    written(|out| history::html::write(&Trends::of(&history, &options), out))
}

/// The first test fails since the ninth run, the second one in every third run. All are slower since the seventh run.
fn run(number: u32) -> RunEntry {
    let outcome = |failed| {
        if failed {
            TestOutcome::Failed
        } else {
            TestOutcome::Passed
        }
    };
    let results = [number > 8, number.is_multiple_of(3), false];
    let started_at = Time::from_millis(1_794_732_051_594 + i64::from(number) * 3_600_000);
    RunEntry {
        dir: format!("20261115-{number:06}-run{number}"),
        run_id: format!("run{number}"),
        started_at,
        finished_at: Some(started_at.plus_seconds(if number < 7 { 0.9 } else { 1.5 })),
        git_commit: Some(format!("53e511a472fd{}", number / 4)),
        git_branch: Some("main".into()),
        finished: number != 5,
        results: (0..)
            .zip(results)
            .map(|(test, failed)| TestResult {
                test,
                outcome: outcome(failed),
                flaky: false,
                trials: None,
                duration_ms: Some(if number < 7 { 100 } else { 250 } + number),
            })
            .collect(),
    }
}

fn coverage_page(prefix: &str) -> String {
    let mut matrix = fixture::observed();
    matrix.minimum = Some(80.0);
    for method in &mut matrix.methods {
        method.name.insert_str(0, prefix);
        for test in &mut method.tests {
            test.name.insert_str(0, prefix);
        }
    }
    written(|out| coverage::html(&matrix, out))
}
