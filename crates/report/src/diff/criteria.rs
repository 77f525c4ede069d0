//! Pass rates of named criteria over all conversations of a run.

use std::collections::BTreeMap;

use casebook_record::model::EvaluationData;
use casebook_record::{RunData, TrialScore};
use serde::Serialize;

use super::{SIGNIFICANT, SMALL_SAMPLE, fisher};

/// A criterion and its pass rates in both runs.
#[derive(Debug, Serialize)]
pub struct Criterion<'r> {
    /// Its name.
    pub name: &'r str,
    /// How often it was judged and passed in the earlier run.
    pub base: TrialScore,
    /// How often it was judged and passed in the later run.
    pub new: TrialScore,
    /// The probability of rates this different by chance alone; `None` if only one run judged it.
    pub p_value: Option<f64>,
    /// Whether `p_value` is below [`SIGNIFICANT`](super::SIGNIFICANT).
    pub significant: bool,
    /// Whether a run judged it so seldom that only a large change is visible.
    pub small_sample: bool,
}

impl Criterion<'_> {
    /// Whether it passes significantly less often in the later run.
    pub fn is_worse(&self) -> bool {
        self.significant && self.new.rate() < self.base.rate()
    }

    /// `p = 0.034, significant`; `p = 0.52, a small sample`.
    pub fn significance(&self) -> String {
        let Some(p) = self.p_value else {
            return "in one run only".into();
        };
        let p = format!("p = {}", fisher::rounded(p));
        match (self.significant, self.small_sample) {
            (true, _) => format!("{p}, significant"),
            (false, true) => format!("{p}, a small sample"),
            (false, false) => p,
        }
    }
}

/// Compares the criteria: the lowest p-value first, equal ones by name.
pub(super) fn compare<'r>(base: &'r RunData, new: &'r RunData) -> Vec<Criterion<'r>> {
    let mut scores: BTreeMap<&str, [TrialScore; 2]> = BTreeMap::new();
    for (side, run) in [base, new].into_iter().enumerate() {
        let examples = run.examples.values();
        let evaluations = examples.flat_map(|example| &example.evaluations);
        for evaluation in evaluations.filter(|evaluation| is_judged(evaluation)) {
            scores.entry(&evaluation.name).or_default()[side].add(evaluation.passed);
        }
    }
    let mut criteria: Vec<_> = scores
        .into_iter()
        .map(|(name, [base, new])| Criterion::of(name, base, new))
        .collect();
    let likely = |criterion: &Criterion| criterion.p_value.unwrap_or(1.0);
    criteria.sort_by(|one, other| likely(one).total_cmp(&likely(other)));
    criteria
}

impl<'r> Criterion<'r> {
    fn of(name: &'r str, base: TrialScore, new: TrialScore) -> Criterion<'r> {
        let p_value = fisher::p_value(base, new);
        Criterion {
            name,
            base,
            new,
            p_value,
            significant: p_value.is_some_and(|p| p < SIGNIFICANT),
            small_sample: base.trials.min(new.trials) < SMALL_SAMPLE,
        }
    }
}

/// Whether the evaluation counts: soft evaluations and named criteria with a verdict. Unnamed expectations belong to
/// one test and cannot be compared. An inconclusive verdict counts as not passed.
fn is_judged(evaluation: &EvaluationData) -> bool {
    evaluation.mode.as_deref() == Some("soft") || evaluation.metadata.get("criterion").is_some()
}
