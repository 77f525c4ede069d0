//! What changed between two runs.
//!
//! Tests are found again by their stable id, wherever they have moved. [`Diff::of`] finds the changes; they are shown
//! by [`terminal::changes`](crate::terminal::changes), [`markdown`] and [`html`], and as JSON by serializing the [`Diff`].
//! What could be chance is said to be: durations are compared with what all tests of the run did, rates by
//! Fisher's exact test.

mod change;
mod configuration;
mod criteria;
mod durations;
mod fisher;
pub mod html;
pub mod markdown;
mod sides;
mod usage;

use casebook_record::{RunData, Time};
use serde::Serialize;

pub use casebook_record::TestOutcome;
pub use change::{Change, ChangeKind};
pub use configuration::Setting;
pub use criteria::Criterion;
pub use durations::{DurationChange, Durations};
pub use sides::TestSide;

pub use usage::Usage;

/// A difference less likely than this by chance alone is called significant.
pub const SIGNIFICANT: f64 = 0.05;

/// With fewer values on a side, a rate says little.
const SMALL_SAMPLE: u64 = 10;

/// All that changed from one run to another.
#[derive(Debug, Serialize)]
pub struct Diff<'r> {
    /// The earlier run.
    pub base: DiffedRun<'r>,
    /// The later run.
    pub new: DiffedRun<'r>,
    /// How many tests there are of each kind.
    pub counts: Counts,
    /// What differs in how the runs were made.
    pub configuration: Vec<Setting>,
    /// The tests that changed or still fail, in the order of the later run, then those that are gone.
    pub tests: Vec<Change<'r>>,
    /// The tests that became slower or faster.
    pub durations: Durations<'r>,
    /// What was judged by name in both runs.
    pub criteria: Vec<Criterion<'r>>,
    /// Turns, tokens and cost, where there are any.
    pub usage: Vec<Usage>,
}

/// Which run it is.
#[derive(Debug, Serialize)]
#[expect(missing_docs, reason = "the fields are those of the record")]
pub struct DiffedRun<'r> {
    pub run_id: &'r str,
    pub started_at: Time,
    pub git_commit: Option<&'r str>,
    pub example_count: usize,
    pub failed_count: usize,
}

/// How many tests there are of each kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[expect(missing_docs, reason = "each is a `Kind`")]
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
        let pairs = sides::pair(base, new);
        let mut counts = Counts::default();
        let mut tests = Vec::new();
        for pair in &pairs {
            let change = Change::of(pair);
            *counts.of(change.kind) += 1;
            if change.kind != ChangeKind::Unchanged {
                tests.push(change);
            }
        }
        Diff {
            base: DiffedRun::of(base),
            new: DiffedRun::of(new),
            counts,
            configuration: configuration::compare(base, new),
            tests,
            durations: Durations::of(&pairs),
            criteria: criteria::compare(base, new),
            usage: usage::compare(base, new),
        }
    }

    /// The tests of that kind.
    pub fn of_kind(&self, kind: ChangeKind) -> impl Iterator<Item = &Change<'r>> {
        self.tests.iter().filter(move |change| change.kind == kind)
    }

    /// Whether a test fails that did not, or passes significantly fewer of its trials than it did.
    pub fn has_regression(&self) -> bool {
        self.tests.iter().any(|change| change.regression)
    }

    /// Whether a criterion holds significantly less often than it did.
    pub fn has_worse_criterion(&self) -> bool {
        self.criteria.iter().any(Criterion::is_worse)
    }

    /// Whether a test became slower than chance explains.
    pub fn has_slower_test(&self) -> bool {
        self.durations.changed.iter().any(DurationChange::is_slower)
    }
}

impl<'r> DiffedRun<'r> {
    fn of(run: &'r RunData) -> DiffedRun<'r> {
        let summary = run.summary();
        DiffedRun {
            run_id: &run.run_id,
            started_at: run.started_at,
            git_commit: run.git_commit.as_deref(),
            example_count: summary.example_count,
            failed_count: summary.failed_count,
        }
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

    /// `2 newly failing, 1 added, 40 unchanged`: what there is of each kind.
    pub fn parts(mut self) -> Vec<(ChangeKind, String)> {
        ChangeKind::ALL
            .into_iter()
            .map(|kind| (kind, *self.of(kind)))
            .filter(|(_, number)| *number > 0)
            .map(|(kind, number)| (kind, format!("{number} {}", kind.words())))
            .collect()
    }
}
