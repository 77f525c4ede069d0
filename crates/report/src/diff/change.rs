//! What became of each test.

use serde::Serialize;

use super::Outcome;
use super::sides::{Pair, Side};
use super::{SIGNIFICANT, fisher};

/// How a test's outcome changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "`words` says what each means")]
pub enum Kind {
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
    pub kind: Kind,
    /// Its stable id.
    pub id: &'r str,
    /// What it is called.
    pub title: String,
    /// As it was.
    pub base: Option<Side<'r>>,
    /// As it is.
    pub new: Option<Side<'r>>,
    /// How likely such different pass rates are by chance alone, where the test was tried several times.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub p_value: Option<f64>,
    /// Whether it fails and did not; tried several times, whether it passes significantly less often, or never any more.
    pub regression: bool,
}

impl Kind {
    /// All of them, those first that matter most.
    pub const ALL: [Kind; 10] = [
        Kind::NewlyFailing,
        Kind::StillFailing,
        Kind::NewlyPassing,
        Kind::NewlyFlaky,
        Kind::NowSkipped,
        Kind::CutShort,
        Kind::NowRun,
        Kind::Added,
        Kind::Removed,
        Kind::Unchanged,
    ];

    /// What a test of this kind is.
    pub fn words(self) -> &'static str {
        match self {
            Kind::NewlyFailing => "newly failing",
            Kind::NewlyPassing => "newly passing",
            Kind::StillFailing => "still failing",
            Kind::NewlyFlaky => "newly flaky",
            Kind::NowSkipped => "now skipped",
            Kind::CutShort => "cut short",
            Kind::NowRun => "no longer skipped",
            Kind::Added => "added",
            Kind::Removed => "removed",
            Kind::Unchanged => "unchanged",
        }
    }

    /// The heading over tests of this kind.
    pub fn heading(self) -> &'static str {
        match self {
            Kind::NewlyFailing => "Newly failing",
            Kind::NewlyPassing => "Newly passing",
            Kind::StillFailing => "Still failing",
            Kind::NewlyFlaky => "Newly flaky",
            Kind::NowSkipped => "Now skipped",
            Kind::CutShort => "Cut short",
            Kind::NowRun => "No longer skipped",
            Kind::Added => "Added",
            Kind::Removed => "Removed",
            Kind::Unchanged => "Unchanged",
        }
    }

    fn of(base: Option<&Side>, new: Option<&Side>) -> Kind {
        let (Some(base), Some(new)) = (base, new) else {
            return if base.is_none() {
                Kind::Added
            } else {
                Kind::Removed
            };
        };
        match (base.outcome, new.outcome) {
            (Outcome::Failed, Outcome::Failed) => Kind::StillFailing,
            (_, Outcome::Failed) => Kind::NewlyFailing,
            (Outcome::Passed, Outcome::Passed) if new.flaky && !base.flaky => Kind::NewlyFlaky,
            (base, new) if base == new => Kind::Unchanged,
            (Outcome::Failed, Outcome::Passed) => Kind::NewlyPassing,
            (_, Outcome::Passed) => Kind::NowRun,
            (_, Outcome::Skipped) => Kind::NowSkipped,
            (_, Outcome::Unfinished) => Kind::CutShort,
        }
    }
}

impl<'r> Change<'r> {
    pub(super) fn of(pair: &Pair<'r>) -> Change<'r> {
        let (base, new) = (pair.base.clone(), pair.new.clone());
        let mut change = Change {
            kind: Kind::of(base.as_ref(), new.as_ref()),
            id: pair.id,
            title: pair.title.clone(),
            p_value: p_value(base.as_ref(), new.as_ref()),
            base,
            new,
            regression: false,
        };
        change.regression = change.is_regression();
        change
    }

    fn is_regression(&self) -> bool {
        let score = |side: &Option<Side>| side.as_ref()?.trials;
        match (score(&self.base), score(&self.new), self.p_value) {
            // One more trial that fails may be chance; a test that never passes any more is news at any rate.
            (Some(base), Some(new), Some(p)) => {
                let is_less = new.rate() < base.rate();
                is_less && (p < SIGNIFICANT || new.passed == 0)
            }
            _ => self.kind == Kind::NewlyFailing,
        }
    }

    /// The side to quote: as the test is now, or as it was last.
    pub fn side(&self) -> &Side<'r> {
        let side = self.new.as_ref().or(self.base.as_ref());
        side.expect("a test is in one run at least")
    }

    /// Why it fails or is skipped, where that is news.
    pub fn told_reason(&self) -> Option<&'r str> {
        let told = !matches!(self.kind, Kind::NewlyPassing | Kind::NowRun | Kind::Removed);
        self.side().reason.filter(|_| told)
    }

    /// `3 of 5 → 1 of 5 (p = 0.52, could be chance)`, where the test was tried several times.
    pub fn rates(&self) -> Option<String> {
        let rate = |side: &Option<Side>| {
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

fn p_value(base: Option<&Side>, new: Option<&Side>) -> Option<f64> {
    let (base, new) = (base?.trials?, new?.trials?);
    fisher::p_value(base, new)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn side(outcome: Outcome, flaky: bool) -> Side<'static> {
        Side {
            outcome,
            flaky,
            trials: None,
            duration_ms: None,
            reason: None,
            location: "",
            rerun: None,
        }
    }

    #[test]
    fn every_transition_has_its_kind() {
        use Outcome::{Failed, Passed, Skipped, Unfinished};
        for (base, new, kind) in [
            (Passed, Passed, Kind::Unchanged),
            (Passed, Failed, Kind::NewlyFailing),
            (Skipped, Failed, Kind::NewlyFailing),
            (Unfinished, Failed, Kind::NewlyFailing),
            (Failed, Failed, Kind::StillFailing),
            (Failed, Passed, Kind::NewlyPassing),
            (Skipped, Passed, Kind::NowRun),
            (Unfinished, Passed, Kind::NowRun),
            (Passed, Skipped, Kind::NowSkipped),
            (Failed, Skipped, Kind::NowSkipped),
            (Skipped, Skipped, Kind::Unchanged),
            (Passed, Unfinished, Kind::CutShort),
            (Unfinished, Unfinished, Kind::Unchanged),
        ] {
            let (base, new) = (side(base, false), side(new, false));
            assert_eq!(
                Kind::of(Some(&base), Some(&new)),
                kind,
                "{base:?} → {new:?}"
            );
        }
        let (steady, flaky) = (side(Passed, false), side(Passed, true));
        for (base, new, kind) in [
            (Some(&steady), Some(&flaky), Kind::NewlyFlaky),
            (Some(&flaky), Some(&flaky), Kind::Unchanged),
            (Some(&flaky), Some(&steady), Kind::Unchanged),
            (None, Some(&steady), Kind::Added),
            (Some(&steady), None, Kind::Removed),
        ] {
            assert_eq!(Kind::of(base, new), kind);
        }
    }
}
