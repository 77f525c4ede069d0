//! How the outcome of one test changed between two runs.

use casebook_record::ExampleData;
use serde::Serialize;

use super::TestOutcome;
use super::sides::{Pair, TestSide};
use super::{SIGNIFICANT, fisher, side_by_side};

/// How a test's outcome changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "`words` describes each variant")]
pub enum ChangeKind {
    NewlyFailing,
    NewlyPassing,
    StillFailing,
    NewlyFlaky,
    NowSkipped,
    CutShort,
    NowRun,
    Added,
    Removed,
    Unchanged,
}

/// One test in both runs.
#[derive(Debug, Serialize)]
pub struct Change<'r> {
    /// How its outcome changed.
    pub kind: ChangeKind,
    /// Its stable id.
    pub id: &'r str,
    /// Its name with the names of its groups.
    pub title: String,
    /// The test in the earlier run; `None` if it was added.
    pub base: Option<TestSide<'r>>,
    /// The test in the later run; `None` if it was removed.
    pub new: Option<TestSide<'r>>,
    /// The probability of pass rates this different by chance alone; `None` without trials in both runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub p_value: Option<f64>,
    /// Whether it is newly failing. With trials: whether it passes significantly less often, or no longer at all.
    pub regression: bool,
    /// For a test that fails in both runs: whether its message, output or conversation differs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub differs: Option<bool>,
}

impl ChangeKind {
    /// All kinds, the most important first.
    pub const ALL: [ChangeKind; 10] = [
        ChangeKind::NewlyFailing,
        ChangeKind::StillFailing,
        ChangeKind::NewlyPassing,
        ChangeKind::NewlyFlaky,
        ChangeKind::NowSkipped,
        ChangeKind::CutShort,
        ChangeKind::NowRun,
        ChangeKind::Added,
        ChangeKind::Removed,
        ChangeKind::Unchanged,
    ];

    /// A short description, such as `newly failing`.
    pub(super) fn words(self) -> &'static str {
        match self {
            ChangeKind::NewlyFailing => "newly failing",
            ChangeKind::NewlyPassing => "newly passing",
            ChangeKind::StillFailing => "still failing",
            ChangeKind::NewlyFlaky => "newly flaky",
            ChangeKind::NowSkipped => "now skipped",
            ChangeKind::CutShort => "interrupted",
            ChangeKind::NowRun => "no longer skipped",
            ChangeKind::Added => "added",
            ChangeKind::Removed => "removed",
            ChangeKind::Unchanged => "unchanged",
        }
    }

    /// The heading over tests of this kind.
    pub(super) fn heading(self) -> &'static str {
        match self {
            ChangeKind::NewlyFailing => "Newly failing",
            ChangeKind::NewlyPassing => "Newly passing",
            ChangeKind::StillFailing => "Still failing",
            ChangeKind::NewlyFlaky => "Newly flaky",
            ChangeKind::NowSkipped => "Now skipped",
            ChangeKind::CutShort => "Interrupted",
            ChangeKind::NowRun => "No longer skipped",
            ChangeKind::Added => "Added",
            ChangeKind::Removed => "Removed",
            ChangeKind::Unchanged => "Unchanged",
        }
    }

    fn of(base: Option<&TestSide>, new: Option<&TestSide>) -> ChangeKind {
        let (Some(base), Some(new)) = (base, new) else {
            return if base.is_none() {
                ChangeKind::Added
            } else {
                ChangeKind::Removed
            };
        };
        match (base.outcome, new.outcome) {
            (TestOutcome::Failed, TestOutcome::Failed) => ChangeKind::StillFailing,
            (_, TestOutcome::Failed) => ChangeKind::NewlyFailing,
            (TestOutcome::Passed, TestOutcome::Passed) if new.flaky && !base.flaky => {
                ChangeKind::NewlyFlaky
            }
            (base, new) if base == new => ChangeKind::Unchanged,
            (TestOutcome::Failed, TestOutcome::Passed) => ChangeKind::NewlyPassing,
            (_, TestOutcome::Passed) => ChangeKind::NowRun,
            (_, TestOutcome::Skipped) => ChangeKind::NowSkipped,
            (_, TestOutcome::Unfinished) => ChangeKind::CutShort,
        }
    }
}

impl<'r> Change<'r> {
    pub(super) fn of(pair: &Pair<'r>) -> Change<'r> {
        let (base, new) = (pair.base.clone(), pair.new.clone());
        let mut change = Change {
            kind: ChangeKind::of(base.as_ref(), new.as_ref()),
            id: pair.id,
            title: pair.title.clone(),
            p_value: p_value(base.as_ref(), new.as_ref()),
            base,
            new,
            regression: false,
            differs: None,
        };
        change.regression = change.is_regression();
        if change.kind == ChangeKind::StillFailing {
            change.differs = Some(side_by_side::fails_differently(change.examples()));
        }
        change
    }

    fn is_regression(&self) -> bool {
        let score = |side: &Option<TestSide>| side.as_ref()?.trials;
        match (score(&self.base), score(&self.new), self.p_value) {
            // One more failed trial may be chance, but a test that no longer passes at all is always a regression.
            (Some(base), Some(new), Some(p)) => {
                let is_less = new.rate() < base.rate();
                is_less && (p < SIGNIFICANT || new.passed == 0)
            }
            _ => self.kind == ChangeKind::NewlyFailing,
        }
    }

    /// The record of the test in both runs.
    pub(super) fn examples(&self) -> [Option<&'r ExampleData>; 2] {
        [&self.base, &self.new].map(|side| side.as_ref()?.example)
    }

    /// The side to show: the later run if it contains the test, else the earlier one.
    pub fn side(&self) -> &TestSide<'r> {
        let side = self.new.as_ref().or(self.base.as_ref());
        side.expect("a test is in at least one of the runs")
    }

    /// Why it fails or is skipped; `None` if the reason is the same in both runs.
    pub fn new_reason(&self) -> Option<&'r str> {
        let is_new = !matches!(
            self.kind,
            ChangeKind::NewlyPassing | ChangeKind::NowRun | ChangeKind::Removed
        );
        self.side().reason.filter(|_| is_new)
    }

    /// `3 of 5 → 1 of 5 (p = 0.52, could be chance)`; `None` without trials.
    pub fn rates(&self) -> Option<String> {
        let rate = |side: &Option<TestSide>| {
            let score = side.as_ref()?.trials?;
            Some(format!("{} of {}", score.passed, score.trials))
        };
        let chance = |p: f64| {
            let word = if p < SIGNIFICANT {
                "significant"
            } else {
                "could be chance"
            };
            format!(" (p = {}, {word})", fisher::rounded(p))
        };
        match (rate(&self.base), rate(&self.new)) {
            (None, None) => None,
            (Some(only), None) | (None, Some(only)) => Some(format!("{only} trials passed")),
            (Some(base), Some(new)) if base == new => {
                Some(format!("{new} trials passed, as before"))
            }
            (Some(base), Some(new)) => Some(format!(
                "{base} → {new} trials passed{}",
                self.p_value.map_or_else(String::new, chance)
            )),
        }
    }
}

fn p_value(base: Option<&TestSide>, new: Option<&TestSide>) -> Option<f64> {
    let (base, new) = (base?.trials?, new?.trials?);
    fisher::p_value(base, new)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn side(outcome: TestOutcome, flaky: bool) -> TestSide<'static> {
        TestSide {
            outcome,
            flaky,
            trials: None,
            duration_ms: None,
            reason: None,
            location: "",
            rerun: None,
            example: None,
        }
    }

    #[test]
    fn every_transition_has_its_kind() {
        use TestOutcome::{Failed, Passed, Skipped, Unfinished};
        for (base, new, kind) in [
            (Passed, Passed, ChangeKind::Unchanged),
            (Passed, Failed, ChangeKind::NewlyFailing),
            (Skipped, Failed, ChangeKind::NewlyFailing),
            (Unfinished, Failed, ChangeKind::NewlyFailing),
            (Failed, Failed, ChangeKind::StillFailing),
            (Failed, Passed, ChangeKind::NewlyPassing),
            (Skipped, Passed, ChangeKind::NowRun),
            (Unfinished, Passed, ChangeKind::NowRun),
            (Passed, Skipped, ChangeKind::NowSkipped),
            (Failed, Skipped, ChangeKind::NowSkipped),
            (Skipped, Skipped, ChangeKind::Unchanged),
            (Passed, Unfinished, ChangeKind::CutShort),
            (Unfinished, Unfinished, ChangeKind::Unchanged),
        ] {
            let (base, new) = (side(base, false), side(new, false));
            assert_eq!(
                ChangeKind::of(Some(&base), Some(&new)),
                kind,
                "{base:?} → {new:?}"
            );
        }
        let (steady, flaky) = (side(Passed, false), side(Passed, true));
        for (base, new, kind) in [
            (Some(&steady), Some(&flaky), ChangeKind::NewlyFlaky),
            (Some(&flaky), Some(&flaky), ChangeKind::Unchanged),
            (Some(&flaky), Some(&steady), ChangeKind::Unchanged),
            (None, Some(&steady), ChangeKind::Added),
            (Some(&steady), None, ChangeKind::Removed),
        ] {
            assert_eq!(ChangeKind::of(base, new), kind);
        }
    }
}
