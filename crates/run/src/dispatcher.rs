//! [`Dispatcher`]: assigns jobs, suites in order, their tests in parallel where allowed.
//!
//! Each worker takes jobs until none are left. Opening a suite (its `setupFile`) and closing it are jobs like tests, so
//! no worker waits for one suite while another has a job to do. For the same reason, a job whose locks are held by others is left for
//! later.

mod locks;
mod progress;
mod rounds;
mod waiting;

use std::any::Any;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::options::Options;
use crate::plan::{Plan, shuffle};
use crate::shared_locks::{LockAttempt, SharedLocks};
use crate::stop::StopToken;
use locks::{LockSet, LockTable};
use parking_lot::{Condvar, Mutex, MutexGuard};
use progress::{Phase, SuiteProgress};
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
    /// The locks that other processes share.
    permit: Option<Box<dyn Any + Send>>,
}

impl Drop for JobGuard<'_, '_> {
    fn drop(&mut self) {
        drop(self.permit.take());
        self.dispatcher.complete(self.job);
    }
}

/// Hands out the jobs of a plan.
pub(crate) struct Dispatcher<'a> {
    state: Mutex<State>,
    changed: Condvar,
    stop: &'a StopToken,
    /// The locks of other processes.
    shared_locks: Option<&'a Arc<dyn SharedLocks>>,
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
    locks: LockTable,
    /// How long to wait before a lock of another process is tried again.
    pause: Option<Duration>,
}

impl<'a> Dispatcher<'a> {
    pub(crate) fn new(
        plan: &Plan,
        options: &Options,
        stop: &'a StopToken,
        instant: fn() -> Instant,
        shared_locks: Option<&'a Arc<dyn SharedLocks>>,
    ) -> Dispatcher<'a> {
        let mut locks = LockTable::default();
        let suites = plan.suites.iter();
        let suites = suites.map(|suite| SuiteProgress::new(suite, options.seed, &mut locks));
        Dispatcher {
            state: Mutex::new(State {
                suites: suites.collect(),
                order: suite_order(plan, options).into(),
                halted: false,
                isolates: options.isolate_sequential,
                rounds: Rounds::new(options.repeat, instant),
                locks,
                pause: None,
            }),
            changed: Condvar::new(),
            stop,
            shared_locks,
        }
    }

    /// Takes the next job; waits while every remaining job depends on a running one. `None` when all are done.
    ///
    /// A completed job wakes one waiting worker, not all of them: most find nothing to do if their tests share a lock. A worker that
    /// was woken and found a job wakes the next one.
    pub(crate) fn next_job(&self) -> Option<JobGuard<'_, 'a>> {
        let mut state = self.lock();
        let mut was_woken = false;
        loop {
            if self.stop.is_requested() {
                state.halted = true;
            }
            if let Some(job) = state.take() {
                match self.acquire_shared(&mut state, job) {
                    Some(guard) => {
                        if was_woken {
                            self.changed.notify_one();
                        }
                        return Some(guard);
                    }
                    None => continue,
                }
            }
            if state.order.is_empty() {
                self.changed.notify_all();
                return None;
            }
            was_woken = true;
            match state.pause.take() {
                // Other processes do not announce that they release a lock.
                Some(pause) => {
                    self.changed.wait_for(&mut state, pause);
                    state.locks.forget_held_elsewhere();
                }
                None => self.changed.wait(&mut state),
            }
        }
    }

    /// Acquires the locks of a job that other processes share. If they hold one of them, the job is put back.
    fn acquire_shared(
        &self,
        state: &mut MutexGuard<'_, State>,
        job: Job,
    ) -> Option<JobGuard<'_, 'a>> {
        let mut permit = None;
        // After the second stop request nothing is waited for.
        let shared = self.shared_locks.filter(|_| !self.stop.is_immediate());
        let locks = state.locks.named(state.locks_of(job));
        if let Some(shared) = shared.filter(|_| !locks.is_empty()) {
            match MutexGuard::unlocked(state, || shared.try_acquire(&locks)) {
                LockAttempt::Acquired(acquired) => permit = Some(acquired),
                LockAttempt::Wait(time) => {
                    state.put_back(job, time);
                    return None;
                }
            }
        }
        Some(JobGuard {
            dispatcher: self,
            job,
            permit,
        })
    }

    /// Takes a test that can start immediately, if any.
    pub(crate) fn try_next_test(&self) -> Option<JobGuard<'_, 'a>> {
        let mut state = self.lock();
        if self.stop.is_requested() || state.halted {
            return None;
        }
        let job = state.take_test()?;
        self.acquire_shared(&mut state, job)
    }

    /// The next test of an open suite, unless another worker takes it first.
    pub(crate) fn peek_next_test(&self, suite: usize) -> Option<usize> {
        let state = self.lock();
        let suite = &state.suites[suite];
        let is_running = !state.halted && !suite.is_halted && !self.stop.is_requested();
        suite.waiting.first().filter(|_| is_running)
    }

    /// Marks a job as done, so that jobs that depend on it can start.
    fn complete(&self, job: Job) {
        let mut state = self.lock();
        let locks = state.locks_of(job).clone();
        state.locks.release(&locks);
        state.locks.forget_held_elsewhere();
        match job {
            Job::Open(suite) => state.suites[suite].phase = Phase::Open,
            Job::Test(suite, test, _) => state.suites[suite].complete(test),
            Job::Close(suite) => state.suites[suite].phase = Phase::Done,
        }
        drop(state);
        self.changed.notify_one();
    }

    /// Starts no more tests.
    pub(crate) fn stop_dispatching(&self) {
        self.lock().halted = true;
    }

    /// Starts no more tests of this suite.
    pub(crate) fn stop_suite(&self, suite: usize) {
        self.lock().suites[suite].is_halted = true;
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
            .flat_map(|(index, suite)| suite.waiting.tests().map(move |test| (index, test)))
            .collect();
        tests.sort_unstable();
        tests
    }

    /// Whether tests would be repeated if nothing had stopped them.
    pub(crate) fn has_repetitions_left(&self) -> bool {
        let State { suites, rounds, .. } = &*self.lock();
        let mut suites = suites.iter();
        suites.any(|suite| suite.has_repetitions_left(rounds))
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
        self.find_job(|progress, suite, rounds, locks| progress.take(suite, halted, rounds, locks))
    }

    fn take_test(&mut self) -> Option<Job> {
        self.find_job(SuiteProgress::take_test)
    }

    /// The first job of the suites that may run now. If they are repeated without limit, suites in an earlier round come
    /// first.
    fn find_job(
        &mut self,
        take: impl Fn(&mut SuiteProgress, usize, &Rounds, &mut LockTable) -> Option<Job>,
    ) -> Option<Job> {
        let active = self.active();
        let State {
            suites,
            order,
            rounds,
            locks,
            ..
        } = self;
        locks.begin_scan();
        let mut order = order.iter().take(active);
        if !rounds.are_unlimited() {
            return order.find_map(|suite| take(&mut suites[*suite], *suite, rounds, locks));
        }
        let mut order: Vec<_> = order.copied().collect();
        order.sort_by_key(|suite| suites[*suite].next_round());
        let mut order = order.into_iter();
        order.find_map(|suite| take(&mut suites[suite], suite, rounds, locks))
    }

    /// The locks of a job.
    fn locks_of(&self, job: Job) -> &LockSet {
        match job {
            Job::Open(suite) => &self.suites[suite].open_locks,
            Job::Test(suite, test, _) => self.suites[suite].waiting.locks(test),
            Job::Close(suite) => &self.suites[suite].close_locks,
        }
    }

    /// Puts a job back because another process holds one of its locks. It is tried again after this time, or after another job.
    fn put_back(&mut self, job: Job, time: Duration) {
        let locks = self.locks_of(job).clone();
        self.locks.release(&locks);
        self.locks.add_held_elsewhere(&locks);
        self.pause = Some(self.pause.map_or(time, |pause| pause.min(time)));
        match job {
            Job::Open(suite) => self.suites[suite].phase = Phase::New,
            Job::Close(suite) => self.suites[suite].phase = Phase::Open,
            Job::Test(suite, test, _) => {
                let suite = &mut self.suites[suite];
                suite.waiting.put_back(test);
                suite.complete(test);
            }
        }
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

/// The order in which suites are opened. Suites that run alone come after all others.
fn suite_order(plan: &Plan, options: &Options) -> Vec<usize> {
    let mut order: Vec<_> = (0..plan.suites.len()).collect();
    if let Some(seed) = options.seed {
        shuffle(&mut order, seed);
    }
    if options.isolate_sequential {
        order.sort_by_key(|suite| !plan.suites[*suite].suite.parallel);
    }
    order
}

#[cfg(test)]
mod tests;
