//! [`SuiteProgress`]: the jobs of one suite that are left.

use super::Job;
use super::locks::{LockSet, LockTable};
use super::waiting::WaitingTests;
use crate::plan::{PlannedSuite, shuffle};

/// The jobs of a suite that are left.
pub(super) struct SuiteProgress {
    pub(super) phase: Phase,
    pub(super) waiting: WaitingTests,
    pub(super) running: usize,
    pub(super) parallel: bool,
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
        SuiteProgress {
            phase: Phase::New,
            waiting: WaitingTests::new(&test_order(planned, seed), of_tests, !suite.parallel),
            running: 0,
            parallel: suite.parallel,
            open_locks: of_hook(suite.hooks.setup_file.is_some()),
            close_locks: of_hook(suite.hooks.teardown_file.is_some()),
        }
    }

    pub(super) fn take_test(&mut self, suite: usize, locks: &mut LockTable) -> Option<Job> {
        let is_ready = self.phase == Phase::Open && (self.parallel || self.running == 0);
        let test = is_ready.then(|| self.waiting.take(locks)).flatten()?;
        self.running += 1;
        Some(Job::Test(suite, test))
    }

    pub(super) fn take(
        &mut self,
        suite: usize,
        halted: bool,
        locks: &mut LockTable,
    ) -> Option<Job> {
        match self.phase {
            Phase::New if locks.try_acquire(&self.open_locks) => {
                self.phase = Phase::Busy;
                Some(Job::Open(suite))
            }
            Phase::Open if !halted && !self.waiting.is_empty() => self.take_test(suite, locks),
            Phase::Open if self.running == 0 && locks.try_acquire(&self.close_locks) => {
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
