//! Coverage of designed states: which states of which characteristics have tests, and whether those passed.
//!
//! The caller builds a [`Matrix`] from designs, suites and records. This module counts it and writes it as text
//! ([`report`]), as a page ([`html`]) and as JSON ([`json`]).

mod html;
mod json;
mod observed;

pub use crate::terminal::coverage::report;
pub use html::html;
pub use json::json;
pub use observed::{Observed, ObservedCounts, ObservedExample, ObservedStatus};

/// All methods with a design, and the tests that cover their states.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Matrix {
    /// Methods with the most missing coverage first.
    pub methods: Vec<Method>,
    /// The records that test outcomes were taken from, as paths or ids the user can type.
    pub runs: Vec<String>,
    /// The command during which states were observed.
    pub observed: Option<String>,
    /// The minimum percentage of states that must have passed.
    pub minimum: Option<f64>,
}

/// One method and its characteristics.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Method {
    /// `Class#method`.
    pub name: String,
    /// The path of its source file.
    pub file: String,
    /// The path of its metadata document.
    pub metadata: String,
    /// In the order of the design.
    pub characteristics: Vec<Characteristic>,
    /// Paths of two or more dependent states, from the root characteristic to a leaf.
    pub combinations: Vec<Combination>,
    /// Tests that cover at least one of its states.
    pub tests: Vec<Test>,
}

/// One characteristic of a method.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Characteristic {
    /// Its name.
    pub name: String,
    /// `binary`, `enum`, `range`, `sequential`.
    pub kind: String,
    /// The parent characteristic: this one applies only in some of its states.
    pub depends_on: Option<String>,
    /// In the order of the design.
    pub states: Vec<State>,
}

/// One state of a characteristic.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct State {
    /// Its name.
    pub name: String,
    /// Indexes into `Method::tests`.
    pub tests: Vec<usize>,
    /// What was observed while the specs ran.
    pub observed: Option<Observed>,
}

/// Dependent states that one test must cover together.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Combination {
    /// Pairs of characteristic and state, the root first.
    pub states: Vec<(String, String)>,
    /// Indexes into `Method::tests`.
    pub tests: Vec<usize>,
    /// What was observed while the specs ran.
    pub observed: Option<Observed>,
}

/// A test that covers a state.
#[derive(Debug, Clone, PartialEq)]
pub struct Test {
    /// Its name.
    pub name: String,
    /// `file:line`.
    pub location: String,
    /// How the test was linked to its states.
    pub source: CoverageSource,
    /// Its outcome in the newest record that contains it.
    pub outcome: CoverageOutcome,
}

/// How a test was linked to the states it covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CoverageSource {
    /// The field `covers` of the suite test or RSpec example.
    Covers,
    /// The descriptions of the contexts around it.
    Context,
    /// A marker in the spec.
    Marker,
}

/// The outcome of a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum CoverageOutcome {
    /// No record contains a result of it.
    #[default]
    NotRun,
    /// It passed.
    Passed,
    /// It failed.
    Failed,
}

/// The status of a state or combination, in the order it is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum CoverageStatus {
    /// No test covers it.
    Uncovered,
    /// A test that covers it failed.
    Failed,
    /// Tests cover it, but none was run.
    NotRun,
    /// At least one test passed, and none failed.
    Passed,
}

/// How many states or combinations are designed, covered, run and passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// All of them.
    pub designed: usize,
    /// Those that at least one test covers.
    pub covered: usize,
    /// Those with at least one test that was run.
    pub run: usize,
    /// Those with a passed test and no failed one.
    pub passed: usize,
}

impl Counts {
    fn of(statuses: impl IntoIterator<Item = CoverageStatus>) -> Counts {
        let mut counts = Counts::default();
        for status in statuses {
            counts.designed += 1;
            counts.covered += usize::from(status != CoverageStatus::Uncovered);
            counts.run += usize::from(matches!(
                status,
                CoverageStatus::Failed | CoverageStatus::Passed
            ));
            counts.passed += usize::from(status == CoverageStatus::Passed);
        }
        counts
    }

    /// The percentage, rounded down so that only a complete count is 100. Returns 100 when nothing is designed.
    pub fn percent(self, part: usize) -> usize {
        (part * 100).checked_div(self.designed).unwrap_or(100)
    }
}

impl Matrix {
    /// Counts the states of all methods.
    pub fn states(&self) -> Counts {
        Counts::of(self.methods.iter().flat_map(Method::state_statuses))
    }

    /// Counts the combinations of all methods.
    pub fn combinations(&self) -> Counts {
        Counts::of(self.methods.iter().flat_map(Method::combination_statuses))
    }

    /// Counts the observed states of all methods.
    pub fn observed_states(&self) -> ObservedCounts {
        let states = self.methods.iter().flat_map(Method::states);
        let observed = states.filter_map(|state| state.observed.as_ref());
        ObservedCounts::of(observed.map(|observed| observed.status))
    }

    /// How many states have passed: by the names of tests, or because a passed example reaches them.
    pub fn passed_states(&self) -> usize {
        let methods = self.methods.iter();
        methods.map(Method::passed_states).sum()
    }

    /// Whether the percentage of passed states reaches `minimum`, without rounding.
    pub fn meets_minimum(&self) -> bool {
        let designed = self.states().designed;
        self.minimum.is_none_or(|minimum| {
            as_f64(self.passed_states()) * 100.0 >= minimum * as_f64(designed)
        })
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "counts of states stay below 2⁵³"
)]
fn as_f64(count: usize) -> f64 {
    count as f64
}

impl Method {
    /// The status of a state or combination with these tests.
    pub fn status(&self, tests: &[usize]) -> CoverageStatus {
        let worst = tests.iter().map(|test| self.tests[*test].outcome).max();
        match worst {
            None => CoverageStatus::Uncovered,
            Some(CoverageOutcome::NotRun) => CoverageStatus::NotRun,
            Some(CoverageOutcome::Passed) => CoverageStatus::Passed,
            Some(CoverageOutcome::Failed) => CoverageStatus::Failed,
        }
    }

    /// Counts its states.
    pub fn counts(&self) -> Counts {
        Counts::of(self.state_statuses())
    }

    /// Counts its observed states.
    pub fn observed_counts(&self) -> ObservedCounts {
        let observed = self.states().filter_map(|state| state.observed.as_ref());
        ObservedCounts::of(observed.map(|observed| observed.status))
    }

    fn states(&self) -> impl Iterator<Item = &State> {
        self.characteristics.iter().flat_map(|one| &one.states)
    }

    fn state_statuses(&self) -> impl Iterator<Item = CoverageStatus> {
        self.states().map(|state| self.status(&state.tests))
    }

    fn passed_states(&self) -> usize {
        let has_passed = |state: &&State| match (self.status(&state.tests), &state.observed) {
            (CoverageStatus::Failed, _) => false,
            (CoverageStatus::Passed, _) => true,
            (_, observed) => observed.as_ref().is_some_and(|one| one.status.is_reached()),
        };
        self.states().filter(has_passed).count()
    }

    fn combination_statuses(&self) -> impl Iterator<Item = CoverageStatus> {
        let combinations = self.combinations.iter();
        combinations.map(|combination| self.status(&combination.tests))
    }
}

impl Combination {
    /// `parcel_packed = packed → carrier = van`.
    pub(crate) fn name(&self) -> String {
        let pairs = self.states.iter();
        let pairs: Vec<_> = pairs
            .map(|(name, state)| format!("{name} = {state}"))
            .collect();
        pairs.join(" → ")
    }
}

impl CoverageStatus {
    /// One character for tables.
    pub(crate) fn mark(self) -> &'static str {
        match self {
            CoverageStatus::Uncovered => "·",
            CoverageStatus::Failed => "✗",
            CoverageStatus::NotRun => "○",
            CoverageStatus::Passed => "✓",
        }
    }

    /// One or two words.
    pub fn as_str(self) -> &'static str {
        match self {
            CoverageStatus::Uncovered => "not covered",
            CoverageStatus::Failed => "failed",
            CoverageStatus::NotRun => "not run",
            CoverageStatus::Passed => "passed",
        }
    }
}

#[cfg(test)]
pub(crate) mod fixture;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failed_outranks_passed_and_passed_outranks_not_run() {
        let matrix = fixture::matrix();
        let method = &matrix.methods[0];
        for (tests, status) in [
            (vec![], CoverageStatus::Uncovered),
            (vec![2], CoverageStatus::NotRun),
            (vec![0, 2], CoverageStatus::Passed),
            (vec![0, 1, 2], CoverageStatus::Failed),
        ] {
            assert_eq!(method.status(&tests), status, "{tests:?}");
        }
    }

    #[test]
    fn counts_narrow_from_designed_to_passed() {
        let counts = fixture::matrix().states();
        assert_eq!(
            counts,
            Counts {
                designed: 6,
                covered: 5,
                run: 4,
                passed: 3
            }
        );
        assert_eq!(counts.percent(counts.passed), 50);
    }

    #[test]
    fn the_minimum_is_compared_without_rounding() {
        for (minimum, is_met) in [(None, true), (Some(50.0), true), (Some(50.1), false)] {
            let matrix = Matrix {
                minimum,
                ..fixture::matrix()
            };
            assert_eq!(matrix.meets_minimum(), is_met, "{minimum:?}");
        }
        let two_of_three = Counts {
            designed: 3,
            ..Counts::default()
        };
        assert_eq!(two_of_three.percent(2), 66);
        assert_eq!(Counts::default().percent(0), 100);
    }
}
