//! Which states of which characteristics are designed, covered, run and passed.
//!
//! Whoever knows designs, suites and records joins them into a [`Matrix`]; here it is counted and shown, to people by
//! [`report`] and [`html`], to programs by [`json`].

mod html;
mod json;

pub use crate::terminal::coverage::report;
pub use html::html;
pub use json::json;

/// All methods with a design, and the tests that cover their states.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Matrix {
    /// Those that lack most first.
    pub methods: Vec<Method>,
    /// The records that say what was run, as the reader would type them.
    pub runs: Vec<String>,
    /// How much of a hundred is to have passed.
    pub minimum: Option<f64>,
}

/// One method and what varies in it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Method {
    /// `Class#method`.
    pub name: String,
    /// Its source.
    pub file: String,
    /// Where its design is.
    pub metadata: String,
    /// In the order of the design.
    pub characteristics: Vec<Characteristic>,
    /// States that depend on one another, from the root to a leaf: where there are two or more.
    pub combinations: Vec<Combination>,
    /// Tests that cover any of it.
    pub tests: Vec<Test>,
}

/// One thing that varies.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Characteristic {
    /// Its name.
    pub name: String,
    /// `binary`, `enum`, `range`, `sequential`.
    pub kind: String,
    /// The characteristic that decides whether this one matters.
    pub depends_on: Option<String>,
    /// In the order of the design.
    pub states: Vec<State>,
}

/// One state that it can be in.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct State {
    /// Its name.
    pub name: String,
    /// By their places among the method's tests.
    pub tests: Vec<usize>,
}

/// States that one test has to bring about together.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Combination {
    /// Characteristic and state, the root first.
    pub states: Vec<(String, String)>,
    /// By their places among the method's tests.
    pub tests: Vec<usize>,
}

/// A test that says, or is known, to bring about a state.
#[derive(Debug, Clone, PartialEq)]
pub struct Test {
    /// Its name.
    pub name: String,
    /// `file:line`.
    pub place: String,
    /// How it is known what the test covers.
    pub known_by: CoverageSource,
    /// What came of it.
    pub outcome: CoverageOutcome,
}

/// How it is known what a test covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CoverageSource {
    /// The suite's, or the example's own, `covers`.
    Covers,
    /// The names of the contexts around it.
    Context,
    /// A marker in the spec.
    Marker,
}

/// What came of a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum CoverageOutcome {
    /// No record has a result of it.
    #[default]
    NotRun,
    /// It passed.
    Passed,
    /// It failed.
    Failed,
}

/// How it stands with a state or a combination; the least first, as it is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum CoverageStatus {
    /// No test covers it.
    Uncovered,
    /// A test that covers it failed.
    Failed,
    /// Tests cover it, and none was run.
    NotRun,
    /// A test passed, and none failed.
    Passed,
}

/// How many of something there are, and how far they have come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// All of them.
    pub designed: usize,
    /// Those that a test covers.
    pub covered: usize,
    /// Of those, the ones whose tests were run.
    pub run: usize,
    /// Of those, the ones where no test failed.
    pub passed: usize,
}

impl Counts {
    fn of(standings: impl IntoIterator<Item = CoverageStatus>) -> Counts {
        let mut counts = Counts::default();
        for standing in standings {
            counts.designed += 1;
            counts.covered += usize::from(standing != CoverageStatus::Uncovered);
            counts.run += usize::from(matches!(
                standing,
                CoverageStatus::Failed | CoverageStatus::Passed
            ));
            counts.passed += usize::from(standing == CoverageStatus::Passed);
        }
        counts
    }

    /// How many of a hundred these are, rounded down: only all of them are a hundred. Nothing to do is all done.
    pub fn percent(self, part: usize) -> usize {
        (part * 100).checked_div(self.designed).unwrap_or(100)
    }
}

impl Matrix {
    /// The states of all methods.
    pub fn states(&self) -> Counts {
        Counts::of(self.methods.iter().flat_map(Method::standings))
    }

    /// The combinations of all methods.
    pub fn combinations(&self) -> Counts {
        Counts::of(self.methods.iter().flat_map(Method::combined))
    }

    /// Whether as many states have passed as there have to.
    pub fn meets_minimum(&self) -> bool {
        let counts = self.states();
        self.minimum.is_none_or(|minimum| {
            as_f64(counts.passed) * 100.0 >= minimum * as_f64(counts.designed)
        })
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "nobody designs as many states as lose precision"
)]
fn as_f64(count: usize) -> f64 {
    count as f64
}

impl Method {
    /// How it stands with what these tests cover.
    pub fn status(&self, tests: &[usize]) -> CoverageStatus {
        let worst = tests.iter().map(|test| self.tests[*test].outcome).max();
        match worst {
            None => CoverageStatus::Uncovered,
            Some(CoverageOutcome::NotRun) => CoverageStatus::NotRun,
            Some(CoverageOutcome::Passed) => CoverageStatus::Passed,
            Some(CoverageOutcome::Failed) => CoverageStatus::Failed,
        }
    }

    /// Its states.
    pub fn counts(&self) -> Counts {
        Counts::of(self.standings())
    }

    fn standings(&self) -> impl Iterator<Item = CoverageStatus> {
        let states = self.characteristics.iter().flat_map(|one| &one.states);
        states.map(|state| self.status(&state.tests))
    }

    fn combined(&self) -> impl Iterator<Item = CoverageStatus> {
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
    /// In one character.
    pub(crate) fn mark(self) -> &'static str {
        match self {
            CoverageStatus::Uncovered => "·",
            CoverageStatus::Failed => "✗",
            CoverageStatus::NotRun => "○",
            CoverageStatus::Passed => "✓",
        }
    }

    /// In one word or two.
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
    fn one_failure_outweighs_what_passed_and_what_passed_what_was_not_run() {
        let matrix = fixture::matrix();
        let method = &matrix.methods[0];
        for (tests, standing) in [
            (vec![], CoverageStatus::Uncovered),
            (vec![2], CoverageStatus::NotRun),
            (vec![0, 2], CoverageStatus::Passed),
            (vec![0, 1, 2], CoverageStatus::Failed),
        ] {
            assert_eq!(method.status(&tests), standing, "{tests:?}");
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
    fn enough_is_exact_and_never_rounded_up() {
        for (minimum, is_enough) in [(None, true), (Some(50.0), true), (Some(50.1), false)] {
            let matrix = Matrix {
                minimum,
                ..fixture::matrix()
            };
            assert_eq!(matrix.meets_minimum(), is_enough, "{minimum:?}");
        }
        let two_of_three = Counts {
            designed: 3,
            ..Counts::default()
        };
        assert_eq!(two_of_three.percent(2), 66);
        assert_eq!(Counts::default().percent(0), 100);
    }
}
