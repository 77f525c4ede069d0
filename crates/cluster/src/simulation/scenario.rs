//! [`Scenario`]: what goes wrong in a simulated run.

use super::random::Random;
use crate::schedule::SuiteCosts;

/// How many tests a suite has.
const SUITE: usize = 1_000;
/// One suite in so many has file hooks.
const WHOLE: usize = 50;

/// What the controller knows of the durations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Estimates {
    Exact,
    /// All tests of a suite are wrong by the same factor, at most 4.
    Wrong,
    Unknown,
}

/// A simulated run.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scenario {
    pub(super) name: &'static str,
    pub(super) workers: usize,
    pub(super) tests: usize,
    /// Workers that die and do not come back.
    pub(super) deaths: usize,
    /// Workers that are three times slower.
    pub(super) stragglers: usize,
    /// Workers whose network fails for a while. They continue their chunk.
    pub(super) unreachable: usize,
    /// Tests that kill every worker.
    pub(super) poison: usize,
    pub(super) estimates: Estimates,
}

/// A suite of the scenario. Its tests have consecutive numbers.
pub(super) struct SimulatedSuite {
    pub(super) first: usize,
    pub(super) durations: Vec<u64>,
    pub(super) costs: SuiteCosts,
}

impl Scenario {
    pub(super) fn suites(&self, random: &mut Random) -> Vec<SimulatedSuite> {
        let firsts = (0..self.tests).step_by(SUITE);
        firsts.map(|first| self.suite(first, random)).collect()
    }

    fn suite(&self, first: usize, random: &mut Random) -> SimulatedSuite {
        // A whole suite cannot be divided, so it is short.
        let whole = first / SUITE % WHOLE == WHOLE - 1;
        let tests = SUITE.min(self.tests - first);
        let durations: Vec<_> = (0..tests).map(|_| duration(whole, random)).collect();
        let factor = 4 + random.below(13);
        let is_more = random.below(2) == 0;
        let expected = |duration: u64| match self.estimates {
            Estimates::Exact => Some(duration),
            Estimates::Wrong if is_more => Some(duration * factor / 4),
            Estimates::Wrong => Some(duration * 4 / factor),
            Estimates::Unknown => None,
        };
        SimulatedSuite {
            first,
            costs: SuiteCosts {
                whole,
                tests: durations
                    .iter()
                    .map(|ms| expected(*ms))
                    .enumerate()
                    .collect(),
            },
            durations,
        }
    }
}

/// About a second; one test in a hundred takes ten times as long.
fn duration(whole: bool, random: &mut Random) -> u64 {
    let ms = 100 + random.below(1_900);
    match (whole, random.below(100)) {
        (true, _) => ms / 50,
        (_, 0) => ms * 10,
        _ => ms,
    }
}
