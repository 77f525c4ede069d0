//! [`Dispatcher`]: hands out jobs, suites in order, their tests in parallel where allowed.
//!
//! Each worker takes jobs until none are left. Opening a suite (its `setupFile`) and closing it are jobs like tests, so
//! no worker waits for one suite while another has a job to do.

mod rounds;

use std::collections::VecDeque;
use std::time::Instant;

use crate::options::Options;
use crate::plan::{Plan, shuffle};
use crate::stop::StopToken;
use parking_lot::{Condvar, Mutex, MutexGuard};
use rounds::Rounds;

/// A job, by the index of the suite and the index of the test in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Job {
    Open(usize),
    /// The third number is that of the repetition; always 1 if tests are not repeated.
    Test(usize, usize, u32),
    Close(usize),
}

/// A job that a worker has taken. Dropping it marks the job as done, so a panic cannot block the others.
pub(crate) struct JobGuard<'d, 'a> {
    dispatcher: &'d Dispatcher<'a>,
    pub(crate) job: Job,
}

impl Drop for JobGuard<'_, '_> {
    fn drop(&mut self) {
        self.dispatcher.complete(self.job);
    }
}

/// Hands out the jobs of a plan.
pub(crate) struct Dispatcher<'a> {
    state: Mutex<State>,
    changed: Condvar,
    stop: &'a StopToken,
}

struct State {
    suites: Vec<SuiteProgress>,
    /// The order in which suites are opened.
    order: VecDeque<usize>,
    /// Whether no further tests are started.
    halted: bool,
    /// Whether suites that are not parallel wait for all suites before them, and others for them.
    isolates: bool,
    rounds: Rounds,
}

struct SuiteProgress {
    phase: Phase,
    waiting: VecDeque<usize>,
    /// The running tests; several times if repetitions of a test overlap.
    running: Vec<usize>,
    parallel: bool,
    /// The round to which the waiting tests belong, from 1.
    round: u32,
    /// The tests that are run again in each round, in order.
    repeated: Vec<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    New,
    /// Being opened or closed.
    Busy,
    Open,
    Done,
}

impl<'a> Dispatcher<'a> {
    pub(crate) fn new(
        plan: &Plan,
        options: &Options,
        stop: &'a StopToken,
        instant: fn() -> Instant,
    ) -> Dispatcher<'a> {
        let seed = options.seed;
        let mut order: Vec<_> = (0..plan.suites.len()).collect();
        if let Some(seed) = seed {
            shuffle(&mut order, seed);
        }
        let suites = plan.suites.iter().map(|suite| {
            let mut tests: Vec<_> = (0..suite.tests.len()).collect();
            if suite.suite.parallel {
                // Tests of unknown duration come first, because they may take long.
                let expected = |test: &usize| suite.tests[*test].expected_ms.unwrap_or(u64::MAX);
                if suite.tests.iter().any(|test| test.expected_ms.is_some()) {
                    tests.sort_by_key(|test| std::cmp::Reverse(expected(test)));
                }
            }
            if let Some(seed) = seed.filter(|_| suite.suite.parallel) {
                shuffle(&mut tests, seed);
            }
            let is_skipped =
                |test: &usize| suite.planned(&suite.tests[*test]).test().skip.is_some();
            let repeated = tests.iter().copied().filter(|test| !is_skipped(test));
            SuiteProgress {
                phase: Phase::New,
                repeated: repeated.collect(),
                waiting: tests.into(),
                running: Vec::new(),
                parallel: suite.suite.parallel,
                round: 1,
            }
        });
        Dispatcher {
            state: Mutex::new(State {
                suites: suites.collect(),
                order: order.into(),
                halted: false,
                isolates: options.isolate_sequential,
                rounds: Rounds::new(options.repeat, instant),
            }),
            changed: Condvar::new(),
            stop,
        }
    }

    /// Takes the next job; waits while every remaining job depends on a running one. `None` when all are done.
    pub(crate) fn next_job(&self) -> Option<JobGuard<'_, 'a>> {
        let mut state = self.lock();
        loop {
            if self.stop.is_requested() {
                state.halted = true;
            }
            if let Some(job) = state.take() {
                return Some(JobGuard {
                    dispatcher: self,
                    job,
                });
            }
            if state.order.is_empty() {
                return None;
            }
            self.changed.wait(&mut state);
        }
    }

    /// Takes a test that can start immediately, if any.
    pub(crate) fn try_next_test(&self) -> Option<JobGuard<'_, 'a>> {
        let mut state = self.lock();
        if self.stop.is_requested() || state.halted {
            return None;
        }
        let job = state.take_test()?;
        drop(state);
        Some(JobGuard {
            dispatcher: self,
            job,
        })
    }

    /// The next test of an open suite, unless another worker takes it first.
    pub(crate) fn peek_next_test(&self, suite: usize) -> Option<usize> {
        let state = self.lock();
        let is_running = !state.halted && !self.stop.is_requested();
        state.suites[suite]
            .waiting
            .front()
            .copied()
            .filter(|_| is_running)
    }

    /// Marks a job as done, so that jobs that depend on it can start.
    fn complete(&self, job: Job) {
        let mut state = self.lock();
        match job {
            Job::Open(suite) => state.suites[suite].phase = Phase::Open,
            Job::Test(suite, test, _) => state.suites[suite].complete(test),
            Job::Close(suite) => state.suites[suite].phase = Phase::Done,
        }
        drop(state);
        self.changed.notify_all();
    }

    /// Starts no more tests.
    pub(crate) fn stop_dispatching(&self) {
        self.lock().halted = true;
    }

    /// Runs the tests of a suite in no further round.
    pub(crate) fn stop_repeating(&self, suite: usize) {
        self.lock().suites[suite].repeated.clear();
    }

    /// The tests that were never started, as the indexes of suite and test, in the order of the plan.
    pub(crate) fn not_started(&self) -> Vec<(usize, usize)> {
        let state = self.lock();
        let suites = state.suites.iter().enumerate();
        let suites = suites.filter(|(_, suite)| suite.round == 1);
        let mut tests: Vec<_> = suites
            .flat_map(|(index, suite)| suite.waiting.iter().map(move |test| (index, *test)))
            .collect();
        tests.sort_unstable();
        tests
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }
}

impl State {
    fn take(&mut self) -> Option<Job> {
        let suites = &self.suites;
        self.order
            .retain(|suite| suites[*suite].phase != Phase::Done);
        if self.halted {
            let suites = &self.suites;
            self.order
                .retain(|suite| suites[*suite].phase != Phase::New);
        }
        let halted = self.halted;
        self.find_job(|progress, suite, rounds| progress.take(suite, halted, rounds))
    }

    fn take_test(&mut self) -> Option<Job> {
        self.find_job(SuiteProgress::take_test)
    }

    /// The first job of the suites that may run now. If they are repeated without limit, suites in an earlier round come
    /// first.
    fn find_job(
        &mut self,
        mut take: impl FnMut(&mut SuiteProgress, usize, &Rounds) -> Option<Job>,
    ) -> Option<Job> {
        let active = self.active();
        let State {
            suites,
            order,
            rounds,
            ..
        } = self;
        let mut order = order.iter().take(active);
        if !rounds.are_unlimited() {
            return order.find_map(|suite| take(&mut suites[*suite], *suite, rounds));
        }
        let mut order: Vec<_> = order.copied().collect();
        order.sort_by_key(|suite| suites[*suite].next_round());
        let mut order = order.into_iter();
        order.find_map(|suite| take(&mut suites[suite], suite, rounds))
    }

    /// How many of the suites in `order` may run now.
    fn active(&self) -> usize {
        let is_parallel = |suite: &usize| self.suites[*suite].parallel;
        match self.order.front() {
            Some(_) if !self.isolates => self.order.len(),
            Some(first) if !is_parallel(first) => 1,
            _ => {
                let mut order = self.order.iter();
                order
                    .position(|suite| !is_parallel(suite))
                    .unwrap_or(self.order.len())
            }
        }
    }
}

impl SuiteProgress {
    fn take_test(&mut self, suite: usize, rounds: &Rounds) -> Option<Job> {
        self.begin_round(rounds);
        if self.phase != Phase::Open || !(self.parallel || self.running.is_empty()) {
            return None;
        }
        let mut waiting = self.waiting.iter();
        let next = waiting.position(|test| rounds.overlap() || !self.running.contains(test))?;
        let test = self.waiting.remove(next)?;
        self.running.push(test);
        Some(Job::Test(suite, test, self.round))
    }

    /// Begins the next round if all tests of this one were started, or drops the rest if there is no time left.
    fn begin_round(&mut self, rounds: &Rounds) {
        if self.round > 1 && rounds.are_over() {
            self.waiting.clear();
        } else if self.waiting.is_empty() && !self.repeated.is_empty() && rounds.allow(self.round) {
            self.waiting.extend(&self.repeated);
            self.round += 1;
        }
    }

    fn next_round(&self) -> u32 {
        self.round + u32::from(self.waiting.is_empty())
    }

    fn complete(&mut self, test: usize) {
        let mut running = self.running.iter();
        if let Some(index) = running.position(|running| *running == test) {
            self.running.swap_remove(index);
        }
    }

    fn take(&mut self, suite: usize, halted: bool, rounds: &Rounds) -> Option<Job> {
        if self.phase == Phase::Open && !halted {
            self.begin_round(rounds);
        }
        match self.phase {
            Phase::New => {
                self.phase = Phase::Busy;
                Some(Job::Open(suite))
            }
            Phase::Open if !halted && !self.waiting.is_empty() => self.take_test(suite, rounds),
            Phase::Open if self.running.is_empty() => {
                self.phase = Phase::Busy;
                Some(Job::Close(suite))
            }
            Phase::Open | Phase::Busy | Phase::Done => None,
        }
    }
}
