//! [`SuiteProgress`]: the jobs of one suite that are left.

use super::Job;
use super::locks::{LockSet, LockTable};
use super::rounds::Rounds;
use super::waiting::WaitingTests;
use crate::plan::{PlannedSuite, shuffle};

/// The jobs of a suite that are left.
pub(super) struct SuiteProgress {
    pub(super) phase: Phase,
    pub(super) waiting: WaitingTests,
    /// The running tests; several times if repetitions of a test overlap.
    running: Vec<usize>,
    pub(super) parallel: bool,
    /// Whether no further tests of the suite are started.
    pub(super) is_halted: bool,
    /// The round to which the waiting tests belong, from 1.
    pub(super) round: u32,
    /// The tests that are run again in each round, in order.
    pub(super) repeated: Vec<usize>,
    /// The locks of `setupFile`.
    pub(super) open_locks: LockSet,
    /// The locks of `teardownFile`.
    pub(super) close_locks: LockSet,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    New,
    /// Being opened or closed.
    Busy,
    Open,
    Done,
}

impl SuiteProgress {
    pub(super) fn new(
        planned: &PlannedSuite,
        seed: Option<u64>,
        table: &mut LockTable,
    ) -> SuiteProgress {
        let suite = &planned.suite;
        let of_tests = planned.planned_tests().map(|planned| {
            let test = planned.test();
            // A test that is skipped does nothing.
            let locks = test.skip.is_none().then_some(&*test.locks);
            table.set(locks.unwrap_or_default())
        });
        let of_tests = of_tests.collect();
        let mut of_hook = |has_hook: bool| {
            let locks = has_hook.then_some(&*suite.locks);
            table.set(locks.unwrap_or_default())
        };
        let order = test_order(planned, seed);
        let is_skipped = |test: &usize| {
            let entry = &planned.tests[*test];
            planned.planned(entry).test().skip.is_some()
        };
        let repeated = order.iter().copied().filter(|test| !is_skipped(test));
        SuiteProgress {
            phase: Phase::New,
            waiting: WaitingTests::new(&order, of_tests, !suite.parallel),
            running: Vec::new(),
            round: 1,
            repeated: repeated.collect(),
            parallel: suite.parallel,
            is_halted: false,
            open_locks: of_hook(suite.hooks.setup_file.is_some()),
            close_locks: of_hook(suite.hooks.teardown_file.is_some()),
        }
    }

    pub(super) fn take_test(
        &mut self,
        suite: usize,
        rounds: &Rounds,
        locks: &mut LockTable,
    ) -> Option<Job> {
        if self.is_halted {
            return None;
        }
        self.begin_round(rounds);
        if self.phase != Phase::Open || !(self.parallel || self.running.is_empty()) {
            return None;
        }
        let running = &self.running;
        let is_ready = |test: usize| rounds.overlap() || !running.contains(&test);
        let test = self.waiting.take(locks, is_ready)?;
        self.running.push(test);
        Some(Job::Test(suite, test, self.round))
    }

    /// Begins the next round if all tests of this one were started, or drops the rest if there is no time left.
    fn begin_round(&mut self, rounds: &Rounds) {
        if self.round > 1 && rounds.are_over() {
            self.waiting.clear();
        } else if self.waiting.is_empty() && !self.repeated.is_empty() && rounds.allow(self.round) {
            self.waiting.add(&self.repeated);
            self.round += 1;
        }
    }

    /// Whether tests are left that have been run before.
    pub(super) fn has_repetitions_left(&self, rounds: &Rounds) -> bool {
        let may_begin_round = !self.repeated.is_empty() && rounds.allow(self.round);
        may_begin_round || self.round > 1 && !self.waiting.is_empty()
    }

    pub(super) fn next_round(&self) -> u32 {
        self.round + u32::from(self.waiting.is_empty())
    }

    /// Removes a test from those that run.
    pub(super) fn complete(&mut self, test: usize) {
        let mut running = self.running.iter();
        if let Some(index) = running.position(|running| *running == test) {
            self.running.swap_remove(index);
        }
    }

    pub(super) fn take(
        &mut self,
        suite: usize,
        halted: bool,
        rounds: &Rounds,
        locks: &mut LockTable,
    ) -> Option<Job> {
        let halted = halted || self.is_halted;
        if self.phase == Phase::Open && !halted {
            self.begin_round(rounds);
        }
        match self.phase {
            Phase::New if locks.try_acquire(&self.open_locks) => {
                self.phase = Phase::Busy;
                Some(Job::Open(suite))
            }
            Phase::Open if !halted && !self.waiting.is_empty() => {
                self.take_test(suite, rounds, locks)
            }
            Phase::Open if self.running.is_empty() && locks.try_acquire(&self.close_locks) => {
                self.phase = Phase::Busy;
                Some(Job::Close(suite))
            }
            _ => None,
        }
    }
}

/// The order in which the tests of a suite start.
fn test_order(planned: &PlannedSuite, seed: Option<u64>) -> Vec<usize> {
    let mut tests: Vec<_> = (0..planned.tests.len()).collect();
    if !planned.suite.parallel {
        return tests;
    }
    // Tests of unknown duration come first, because they may take long.
    let expected = |test: &usize| planned.tests[*test].expected_ms.unwrap_or(u64::MAX);
    if planned.tests.iter().any(|test| test.expected_ms.is_some()) {
        tests.sort_by_key(|test| std::cmp::Reverse(expected(test)));
    }
    if let Some(seed) = seed {
        shuffle(&mut tests, seed);
    }
    tests
}
