//! Scores of tests with several trials.

use casebook_record::{TrialScore, TrialTotals, TrialsByTest};
use serde::Serialize;

#[derive(Serialize)]
pub(super) struct Trials {
    #[serde(flatten)]
    overall: TrialTotals,
    /// The confidence interval over all trials.
    interval: Option<(f64, f64)>,
    by_test: Vec<TestRates>,
}

#[derive(Serialize)]
struct TestRates {
    test: String,
    title: String,
    #[serde(flatten)]
    rates: Rates,
    flaky: bool,
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
pub(super) fn of(trials: TrialsByTest) -> Option<Trials> {
    let tests = trials.tests;
    let overall = TrialTotals::of(tests.iter().map(|test| test.score));
    let by_test: Vec<_> = tests
        .into_iter()
        .map(|test| TestRates {
            test: test.test,
            title: test.title,
            rates: Rates::of(test.score),
            flaky: test.score.is_mixed(),
        })
        .collect();
    (!by_test.is_empty()).then(|| Trials {
        interval: overall.score.interval(),
        overall,
        by_test,
    })
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
