//! Statistics of tests with several trials: pass rates and their confidence.
//!
//! Every trial is recorded as an example whose `metadata.trial.test` names the test. A trial that neither passed nor
//! failed (skipped, still running, interrupted) is excluded from all numbers. So is one that could not be run, because the
//! agent could not be reached; it is counted separately.

use std::collections::HashMap;

use serde::Serialize;
use serde_json::Value;

use crate::metadata::Metadata;
use crate::model::ExampleData;
use crate::outcome::TestTally;

/// The standard normal quantile of a two-sided 95 % interval.
const Z95: f64 = 1.959_963_984_540_054;

/// The number of trials and how many of them passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct TrialScore {
    /// Trials that passed or failed.
    pub trials: u64,
    /// Those of them that passed.
    pub passed: u64,
}

/// The trials of one test.
#[derive(Debug, Clone)]
pub struct TestTrials {
    /// The test's stable id.
    pub test: String,
    /// The test's title.
    pub title: String,
    /// How many trials passed, and how many are needed.
    pub tally: TestTally,
}

/// How many trials of a test must pass, if not all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct TrialThreshold {
    /// How many must pass.
    pub needs: u64,
    /// How many trials the test has.
    pub of: u64,
}

/// What became of a trial that ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TrialResult {
    /// It passed.
    Passed,
    /// It failed.
    Failed,
    /// It could not be run: the agent could not be reached.
    NotRun,
}

impl TrialThreshold {
    /// The threshold in the metadata of a trial.
    pub fn of(metadata: &Metadata) -> Option<TrialThreshold> {
        let number = |path| metadata.dig(path).and_then(Value::as_u64);
        Some(TrialThreshold {
            needs: number("trial.needs")?,
            of: number("trial.of")?,
        })
    }
}

/// The tests that have trials, collected from the examples of a run.
#[derive(Debug, Default)]
pub struct TrialsByTest {
    /// In the order of their first trial.
    pub tests: Vec<TestTrials>,
    indices: HashMap<String, usize>,
}

/// Totals over all tests with trials. A test counts once, however many trials it has. A test without a passed or
/// failed trial is not counted.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct TrialTotals {
    /// Tests with at least one passed or failed trial.
    pub tests: usize,
    /// Tests of which some trials passed and some failed.
    pub flaky: usize,
    /// All their trials.
    #[serde(flatten)]
    pub score: TrialScore,
    /// The mean of the tests' pass rates.
    pub pass_at_1: Option<f64>,
    /// The share of tests that passed at least once.
    pub pass_at_n: Option<f64>,
    /// The share of tests whose trials all passed.
    pub pass_hat_n: Option<f64>,
}

impl TrialScore {
    /// Counts one more trial.
    pub fn add(&mut self, passed: bool) {
        self.trials += 1;
        self.passed += u64::from(passed);
    }

    /// The sum of two scores.
    #[must_use]
    pub fn plus(self, other: TrialScore) -> TrialScore {
        TrialScore {
            trials: self.trials + other.trials,
            passed: self.passed + other.passed,
        }
    }

    /// The share of trials that passed.
    pub fn rate(self) -> Option<f64> {
        (self.trials > 0).then(|| ratio(self.passed, self.trials))
    }

    /// pass@k: the probability that at least one of k trials passes. The unbiased estimate is 1 − C(n−c, k) / C(n,
    /// k). `None` with fewer than k trials.
    pub fn pass_at(self, k: u64) -> Option<f64> {
        (1..=self.trials)
            .contains(&k)
            .then(|| 1.0 - binomial_ratio(self.trials - self.passed, self.trials, k))
    }

    /// pass^k: the probability that k trials all pass. The unbiased estimate is C(c, k) / C(n, k). `None` with fewer
    /// than k trials.
    pub fn pass_hat(self, k: u64) -> Option<f64> {
        (1..=self.trials)
            .contains(&k)
            .then(|| binomial_ratio(self.passed, self.trials, k))
    }

    /// The 95 % Wilson interval of the pass rate.
    pub fn interval(self) -> Option<(f64, f64)> {
        let rate = self.rate()?;
        #[expect(clippy::cast_precision_loss, reason = "counts stay below 2⁵³")]
        let n = self.trials as f64;
        let z2 = Z95 * Z95 / n;
        let middle = rate + z2 / 2.0;
        let half = Z95 * (rate * (1.0 - rate) / n + z2 / n / 4.0).sqrt();
        // Exact bounds, because rounding would leave a value just above 0 or below 1.
        let low = if self.passed == 0 {
            0.0
        } else {
            (middle - half) / (1.0 + z2)
        };
        let high = if self.passed == self.trials {
            1.0
        } else {
            (middle + half) / (1.0 + z2)
        };
        Some((low, high))
    }

    /// Whether some trials passed and some failed.
    pub fn is_mixed(self) -> bool {
        self.passed > 0 && self.passed < self.trials
    }
}

impl TrialTotals {
    /// The totals of these tests.
    pub fn of(tests: impl IntoIterator<Item = TrialScore>) -> TrialTotals {
        let scores: Vec<TrialScore> = tests.into_iter().filter(|score| score.trials > 0).collect();
        let mean = |of: fn(TrialScore) -> Option<f64>| mean(scores.iter().copied().filter_map(of));
        TrialTotals {
            tests: scores.len(),
            flaky: scores.iter().filter(|score| score.is_mixed()).count(),
            score: scores
                .iter()
                .fold(TrialScore::default(), |sum, score| sum.plus(*score)),
            pass_at_1: mean(TrialScore::rate),
            pass_at_n: mean(|score| score.pass_at(score.trials)),
            pass_hat_n: mean(|score| score.pass_hat(score.trials)),
        }
    }
}

/// The mean of pass@k and of pass^k over the tests with at least k trials.
pub fn mean_at(scores: impl IntoIterator<Item = TrialScore>, k: u64) -> Option<(f64, f64)> {
    let scores: Vec<_> = scores.into_iter().collect();
    let at = mean(scores.iter().filter_map(|score| score.pass_at(k)))?;
    let hat = mean(scores.iter().filter_map(|score| score.pass_hat(k)))?;
    Some((at, hat))
}

/// The mean of the numbers; `None` without numbers.
pub fn mean(numbers: impl Iterator<Item = f64>) -> Option<f64> {
    let (mut sum, mut count) = (0.0, 0.0);
    numbers.for_each(|number| {
        sum += number;
        count += 1.0;
    });
    (count > 0.0).then(|| sum / count)
}

impl TrialsByTest {
    /// Counts the example if it is a trial. `title` returns the title of its test.
    pub fn add(&mut self, example: &ExampleData, title: impl FnOnce() -> String) {
        let Some(test) = example.trial_of() else {
            return;
        };
        let index = self.indices.get(test).copied().unwrap_or_else(|| {
            self.indices.insert(test.to_owned(), self.tests.len());
            self.tests.push(TestTrials {
                test: test.to_owned(),
                title: title(),
                tally: TestTally::default(),
            });
            self.tests.len() - 1
        });
        self.tests[index].tally.add(example);
    }
}

impl ExampleData {
    /// The stable id of the test that this is a trial of.
    pub fn trial_of(&self) -> Option<&str> {
        self.metadata.dig("trial.test").and_then(Value::as_str)
    }
}

/// C(part, k) / C(whole, k) as a product of ratios, so that no factor overflows.
fn binomial_ratio(part: u64, whole: u64, k: u64) -> f64 {
    if part < k {
        return 0.0;
    }
    // C(part, k) / C(whole, k) = C(whole − k, rest) / C(whole, rest). The form with fewer factors is faster and more
    // precise.
    let rest = whole - part;
    let (top, factors) = if k <= rest {
        (part, k)
    } else {
        (whole - k, rest)
    };
    (0..factors)
        .map(|taken| ratio(top - taken, whole - taken))
        .product()
}

#[expect(clippy::cast_precision_loss, reason = "counts stay below 2⁵³")]
fn ratio(part: u64, whole: u64) -> f64 {
    part as f64 / whole as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn score(passed: u64, trials: u64) -> TrialScore {
        TrialScore { trials, passed }
    }

    #[track_caller]
    fn assert_near(actual: Option<f64>, expected: f64) {
        let actual = actual.expect("a number");
        assert!(
            (actual - expected).abs() < 5e-5,
            "{actual} is not {expected}"
        );
    }

    #[test]
    fn pass_at_k_and_pass_hat_k_by_hand() {
        for (passed, trials, k, at, hat) in [
            (0, 1, 1, 0.0, 0.0),
            (1, 1, 1, 1.0, 1.0),
            (3, 5, 1, 3.0 / 5.0, 3.0 / 5.0),
            // C(2,2)/C(5,2) = 1/10; C(3,2)/C(5,2) = 3/10.
            (3, 5, 2, 0.9, 0.3),
            // C(2,3) = 0; C(3,3)/C(5,3) = 1/10.
            (3, 5, 3, 1.0, 0.1),
            (3, 5, 5, 1.0, 0.0),
            (5, 5, 5, 1.0, 1.0),
            (0, 5, 5, 0.0, 0.0),
            // C(6,4)/C(10,4) = 15/210; C(4,4)/C(10,4) = 1/210.
            (4, 10, 4, 1.0 - 15.0 / 210.0, 1.0 / 210.0),
        ] {
            assert_near(score(passed, trials).pass_at(k), at);
            assert_near(score(passed, trials).pass_hat(k), hat);
        }
    }

    /// The figures of 42 tests with up to 100 trials.
    #[test]
    fn pass_at_k_pass_hat_k_and_intervals_are_those_of_inspect_ai() {
        let fixture = include_str!("../tests/fixtures/inspect-ai.json");
        let fixture: Value = serde_json::from_str(fixture).unwrap();
        for case in fixture["trials"].as_array().unwrap() {
            let number = |value: &Value| value.as_f64().unwrap();
            let [passed, trials] = ["passed", "trials"].map(|key| case[key].as_u64().unwrap());
            let score = score(passed, trials);
            for (key, figure) in [
                (
                    "pass_at",
                    TrialScore::pass_at as fn(TrialScore, u64) -> Option<f64>,
                ),
                ("pass_hat", TrialScore::pass_hat),
            ] {
                for row in case[key].as_array().unwrap() {
                    assert_near(figure(score, row[0].as_u64().unwrap()), number(&row[1]));
                }
            }
            let (low, high) = score.interval().unzip();
            assert_near(low, number(&case["wilson"][0]));
            assert_near(high, number(&case["wilson"][1]));
        }
    }

    #[test]
    fn more_trials_than_were_run_give_no_estimate() {
        for k in [0, 6] {
            assert_eq!(score(3, 5).pass_at(k), None);
            assert_eq!(score(3, 5).pass_hat(k), None);
        }
        let none = score(0, 0);
        assert_eq!(
            (
                none.rate(),
                none.interval(),
                none.pass_at(1),
                none.pass_hat(0)
            ),
            (None, None, None, None)
        );
        assert!(!none.is_mixed());
    }

    #[test]
    fn large_numbers_do_not_overflow() {
        // C(n, k) itself has thousands of digits here.
        let many = score(999_000, 1_000_000);
        assert_near(many.pass_hat(1_000), 0.367_511);
        assert_near(many.pass_at(1_000_000), 1.0);
        assert_near(score(1_000, 1_000_000).pass_at(1_000), 1.0 - 0.367_511);
        assert_near(score(u64::MAX / 2, u64::MAX).rate(), 0.5);
    }

    #[test]
    fn the_wilson_interval_by_hand() {
        // Expected values are from the formula, computed with Python's decimal module.
        for (passed, trials, low, high) in [
            (0, 1, 0.0, 0.793_45),
            (1, 1, 0.206_55, 1.0),
            (3, 5, 0.230_72, 0.882_38),
            (5, 5, 0.565_52, 1.0),
            (0, 10, 0.0, 0.277_53),
            (50, 100, 0.403_83, 0.596_17),
        ] {
            let (actual_low, actual_high) = score(passed, trials).interval().unzip();
            assert_near(actual_low, low);
            assert_near(actual_high, high);
        }
    }

    #[test]
    fn trials_are_mixed_only_if_some_passed_and_some_failed() {
        for (passed, trials, disagrees) in
            [(0, 3, false), (1, 3, true), (3, 3, false), (1, 1, false)]
        {
            assert_eq!(
                score(passed, trials).is_mixed(),
                disagrees,
                "{passed} of {trials}"
            );
        }
    }

    #[test]
    fn a_test_counts_once_regardless_of_its_number_of_trials() {
        let overall = TrialTotals::of([score(4, 4), score(1, 2), score(0, 0), score(0, 2)]);
        assert_eq!(
            (overall.tests, overall.flaky, overall.score),
            (3, 1, score(5, 8))
        );
        assert_near(overall.pass_at_1, 0.5);
        assert_near(overall.pass_at_n, 2.0 / 3.0);
        assert_near(overall.pass_hat_n, 1.0 / 3.0);
        assert_eq!(TrialTotals::of([]), TrialTotals::default());
    }
}
