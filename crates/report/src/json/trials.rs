//! Scores of tests with several trials.

use std::collections::BTreeMap;

use casebook_record::{TestOutcome, TestTrials, TrialScore, TrialTotals, TrialsByTest, mean_at};
use serde::Serialize;

#[derive(Serialize)]
pub(super) struct Trials {
    #[serde(flatten)]
    overall: TrialTotals,
    /// The confidence interval over all trials.
    interval: Option<(f64, f64)>,
    /// Trials that could not be run, which are not among the others.
    #[serde(skip_serializing_if = "is_zero")]
    could_not_run: u64,
    /// pass@k and pass^k for the requested k.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    k: BTreeMap<u64, KRates>,
    by_test: Vec<TestRates>,
}

#[derive(Serialize)]
struct TestRates {
    test: String,
    title: String,
    #[serde(flatten)]
    rates: Rates,
    flaky: bool,
    /// How many trials must pass, and whether they did.
    #[serde(skip_serializing_if = "Option::is_none")]
    needs: Option<u64>,
    outcome: TestOutcome,
    #[serde(skip_serializing_if = "is_zero")]
    could_not_run: u64,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    k: BTreeMap<u64, KRates>,
}

#[derive(Serialize)]
struct KRates {
    pass_at: f64,
    pass_hat: f64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde requires it")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// A score and the rates computed from it.
#[derive(Serialize)]
struct Rates {
    #[serde(flatten)]
    score: TrialScore,
    interval: Option<(f64, f64)>,
    pass_at_1: Option<f64>,
    pass_at_n: Option<f64>,
    pass_hat_n: Option<f64>,
}

/// Returns `None` for a run without trials.
pub(super) fn of(trials: TrialsByTest, k: &[u64]) -> Option<Trials> {
    let tests = trials.tests;
    let scores: Vec<_> = tests.iter().map(|test| test.tally.score).collect();
    let overall = TrialTotals::of(scores.iter().copied());
    let rates = |k: u64| mean_at(scores.iter().copied(), k);
    (!tests.is_empty()).then(|| Trials {
        interval: overall.score.interval(),
        overall,
        could_not_run: tests.iter().map(|test| test.tally.not_run).sum(),
        k: by_k(k, rates),
        by_test: tests
            .into_iter()
            .map(|test| TestRates::of(test, k))
            .collect(),
    })
}

fn by_k(k: &[u64], rates: impl Fn(u64) -> Option<(f64, f64)>) -> BTreeMap<u64, KRates> {
    let rates = k.iter().filter_map(|k| {
        let (at, hat) = rates(*k)?;
        Some((
            *k,
            KRates {
                pass_at: at,
                pass_hat: hat,
            },
        ))
    });
    rates.collect()
}

impl TestRates {
    fn of(test: TestTrials, k: &[u64]) -> TestRates {
        let score = test.tally.score;
        TestRates {
            test: test.test,
            title: test.title,
            rates: Rates::of(score),
            flaky: score.is_mixed(),
            needs: test.tally.threshold.map(|threshold| threshold.needs),
            outcome: test.tally.outcome(),
            could_not_run: test.tally.not_run,
            k: by_k(k, |k| score.pass_at(k).zip(score.pass_hat(k))),
        }
    }
}

impl Rates {
    fn of(score: TrialScore) -> Rates {
        Rates {
            score,
            interval: score.interval(),
            pass_at_1: score.rate(),
            pass_at_n: score.pass_at(score.trials),
            pass_hat_n: score.pass_hat(score.trials),
        }
    }
}
