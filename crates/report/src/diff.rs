//! Compares two runs.
//!
//! Tests are matched by their stable id, even if they have moved. [`Diff::of`] finds the changes. They are shown by
//! [`terminal::run_diff`](crate::terminal::run_diff), [`markdown`] and [`html`], and as JSON by serializing [`Diff`].
//! Differences that may be chance are marked so: durations are compared with those of all tests in the run, pass rates
//! with Fisher's exact test.

mod change;
mod configuration;
mod criteria;
mod diffed_run;
pub(crate) mod durations;
mod fisher;
pub mod html;
pub mod markdown;
mod scores;
mod side_by_side;
mod sides;
mod spreads;
mod usage;

use casebook_record::RunData;
use serde::Serialize;

pub use casebook_record::TestOutcome;
pub use change::{Change, ChangeKind};
pub use configuration::Setting;
pub use criteria::Criterion;
pub use diffed_run::DiffedRun;
pub use durations::{DurationChange, Durations};
pub use scores::ScoreChange;
pub(crate) use side_by_side::SideBySide;
pub use sides::TestSide;
pub use spreads::Spreads;

pub use usage::Usage;

/// A difference with a p-value below this is significant.
pub const SIGNIFICANT: f64 = 0.05;

/// With fewer values on a side, the criterion is marked as a small sample.
const SMALL_SAMPLE: u64 = 10;

/// The differences between two runs.
#[derive(Debug, Serialize)]
pub struct Diff<'r> {
    /// The earlier run.
    pub base: DiffedRun<'r>,
    /// The later run.
    pub new: DiffedRun<'r>,
    /// How many tests have each kind of change.
    pub counts: Counts,
    /// Settings with different values.
    pub configuration: Vec<Setting>,
    /// Tests that changed or still fail, in the order of the later run, then the removed ones.
    pub tests: Vec<Change<'r>>,
    /// Tests with the same outcome whose output or conversation differs.
    pub same_outcome: Vec<Change<'r>>,
    /// Tests that became slower or faster.
    pub durations: Durations<'r>,
    /// Named criteria that were judged.
    pub criteria: Vec<Criterion<'r>>,
    /// Criteria with scores.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub scores: Vec<ScoreChange>,
    /// Turns, tokens and cost of the conversations; empty without conversations.
    pub usage: Vec<Usage>,
}

/// How many tests have each kind of change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[expect(
    missing_docs,
    reason = "the fields are named like the variants of `ChangeKind`"
)]
pub struct Counts {
    pub newly_failing: usize,
    pub newly_passing: usize,
    pub still_failing: usize,
    pub newly_flaky: usize,
    pub now_skipped: usize,
    pub cut_short: usize,
    pub now_run: usize,
    pub added: usize,
    pub removed: usize,
    pub unchanged: usize,
}

impl<'r> Diff<'r> {
    /// Compares two runs.
    pub fn of(base: &'r RunData, new: &'r RunData) -> Diff<'r> {
        Diff::with_spreads(base, new, &Spreads::default())
    }

    /// Compares two runs; `spreads` are the variations of durations in earlier runs.
    pub fn with_spreads(base: &'r RunData, new: &'r RunData, spreads: &Spreads) -> Diff<'r> {
        let pairs = sides::pair(base, new);
        let mut counts = Counts::default();
        let (mut tests, mut same_outcome) = (Vec::new(), Vec::new());
        for pair in &pairs {
            let change = Change::of(pair);
            *counts.of(change.kind) += 1;
            if change.kind != ChangeKind::Unchanged {
                tests.push(change);
            } else if side_by_side::differs(change.examples()) {
                same_outcome.push(change);
            }
        }
        Diff {
            base: DiffedRun::of(base),
            new: DiffedRun::of(new),
            counts,
            configuration: configuration::compare(base, new),
            tests,
            same_outcome,
            durations: Durations::of(&pairs, spreads),
            criteria: criteria::compare(base, new),
            scores: scores::compare(base, new),
            usage: usage::compare(base, new),
        }
    }

    /// The tests with this kind of change.
    pub fn of_kind(&self, kind: ChangeKind) -> impl Iterator<Item = &Change<'r>> {
        self.tests.iter().filter(move |change| change.kind == kind)
    }

    /// `2 newly failing, 1 added, 40 unchanged`: one part per kind that occurs.
    pub fn parts(&self) -> Vec<(ChangeKind, String)> {
        let mut counts = self.counts;
        ChangeKind::ALL
            .into_iter()
            .map(|kind| (kind, *counts.of(kind)))
            .filter(|(_, number)| *number > 0)
            .map(|(kind, number)| (kind, format!("{number} {}", self.words(kind))))
            .collect()
    }

    /// A short description of a kind, such as `newly failing`. A test that a run did not select was not removed or added.
    fn words(&self, kind: ChangeKind) -> &'static str {
        match kind {
            ChangeKind::Removed if self.new.is_selection() => "not in the later run",
            ChangeKind::Added if self.base.is_selection() => "not in the earlier run",
            kind => kind.words(),
        }
    }

    /// The heading over the tests of a kind.
    pub fn heading(&self, kind: ChangeKind) -> &'static str {
        match kind {
            ChangeKind::Removed if self.new.is_selection() => "Not in the later run",
            ChangeKind::Added if self.base.is_selection() => "Not in the earlier run",
            kind => kind.heading(),
        }
    }

    /// Whether a test is newly failing, or passes significantly fewer of its trials.
    pub fn has_regression(&self) -> bool {
        self.tests.iter().any(|change| change.regression)
    }

    /// Whether a criterion passes significantly less often.
    pub fn has_worse_criterion(&self) -> bool {
        self.criteria.iter().any(Criterion::is_worse)
    }

    /// Whether a test became slower by more than chance explains.
    pub fn has_slower_test(&self) -> bool {
        self.durations.changed.iter().any(DurationChange::is_slower)
    }
}

impl Counts {
    fn of(&mut self, kind: ChangeKind) -> &mut usize {
        match kind {
            ChangeKind::NewlyFailing => &mut self.newly_failing,
            ChangeKind::NewlyPassing => &mut self.newly_passing,
            ChangeKind::StillFailing => &mut self.still_failing,
            ChangeKind::NewlyFlaky => &mut self.newly_flaky,
            ChangeKind::NowSkipped => &mut self.now_skipped,
            ChangeKind::CutShort => &mut self.cut_short,
            ChangeKind::NowRun => &mut self.now_run,
            ChangeKind::Added => &mut self.added,
            ChangeKind::Removed => &mut self.removed,
            ChangeKind::Unchanged => &mut self.unchanged,
        }
    }
}
