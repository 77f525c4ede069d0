//! Runs a plan: workers take what the dispatcher hands out and tell what came of it.

use std::io;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use casebook_record::Time;
use casebook_record::event::SuiteSummary;
use parking_lot::{Mutex, RwLock};
use rustix::process::{Resource, getrlimit};

use crate::dispatcher::{Dispatcher, Job, JobGuard};
use crate::engine::{Engine, SuiteEnvironment};
use crate::executor::{TestEnd, TestExecutor};
use crate::plan::{Plan, PlannedTest};
use crate::shell::{Hook, HookFailure, HookReason};
use crate::workers::{RemoteJob, WorkerHandle, WorkerPool};

pub(crate) struct Runner<'a, E: Engine> {
    plan: &'a Plan,
    carry: TestExecutor<'a, E>,
    /// Processes that carry out the tests instead.
    crew: Option<&'a WorkerPool<'a>>,
    dispatcher: Dispatcher<'a>,
    /// Where a suite could not be opened, each of its tests says why when its turn comes.
    opened: Vec<RwLock<Option<io::Result<E::OpenSuite>>>>,
    /// What workers need to run the tests of a suite; nothing where they are not to run them.
    travels: Vec<OnceLock<SuiteEnvironment>>,
    tally: OutcomeCounts,
    /// How many tests are run at once.
    jobs: usize,
}

/// How many tests came to what.
#[derive(Debug, Default)]
pub(crate) struct OutcomeCounts {
    pub(crate) finished: AtomicUsize,
    pub(crate) failed: AtomicUsize,
    pub(crate) skipped: AtomicUsize,
    pub(crate) interrupted: AtomicUsize,
}

impl OutcomeCounts {
    /// The run in numbers.
    pub(crate) fn summary(&self, time: Time, duration: Duration) -> SuiteSummary {
        let [finished, failed, skipped] = [&self.finished, &self.failed, &self.skipped]
            .map(|count| count.load(Ordering::Relaxed) as u64);
        SuiteSummary {
            time,
            duration: duration.as_secs_f64(),
            example_count: finished + skipped,
            failure_count: failed,
            pending_count: skipped,
        }
    }
}

impl<'a, E: Engine> Runner<'a, E> {
    pub(crate) fn new(
        plan: &'a Plan,
        carry: TestExecutor<'a, E>,
        crew: Option<&'a WorkerPool<'a>>,
    ) -> Runner<'a, E> {
        let useful = plan.len().min(parallelism_limit()).max(1);
        Runner {
            plan,
            jobs: carry.options.jobs.clamp(1, useful),
            dispatcher: Dispatcher::new(plan, carry.options.seed, carry.stop),
            carry,
            crew,
            opened: plan.suites.iter().map(|_| RwLock::new(None)).collect(),
            travels: plan.suites.iter().map(|_| OnceLock::new()).collect(),
            tally: OutcomeCounts::default(),
        }
    }

    /// Runs everything; how many came to what, and how many were never started.
    pub(crate) fn run(self) -> io::Result<(OutcomeCounts, usize)> {
        let first_error = Mutex::new(None);
        thread::scope(|scope| {
            for number in 1..=self.jobs {
                let this = &self;
                let worker = thread::Builder::new()
                    .name(format!("worker-{number}"))
                    .spawn_scoped(scope, move || this.work(number));
                if let Err(error) = worker {
                    // Those that could be started do all of the work.
                    first_error.lock().get_or_insert((number, error));
                }
            }
        });
        let first_error = first_error.into_inner();
        if let Some((1, error)) = first_error {
            return Err(error);
        }
        let not_started = self.dispatcher.not_started();
        Ok((self.tally, not_started))
    }

    fn work(&self, number: usize) {
        let mut hand = self.crew.map(|crew| crew.handle(number));
        let mut next = None;
        while let Some(handed) = next.take().or_else(|| self.dispatcher.next_job()) {
            match handed.work {
                Job::Open(suite) => self.open(suite),
                Job::Test(suite, test) => {
                    self.test(suite, test, number, hand.as_mut());
                    next = hand.as_mut().and_then(|hand| self.feed_worker(hand));
                }
                Job::Close(suite) => self.close(suite),
            }
        }
    }

    /// Gives the worker its next test before the last one is told of, so that it does not wait for that.
    fn feed_worker(&self, hand: &mut WorkerHandle<'_>) -> Option<JobGuard<'_, 'a>> {
        let next = self.dispatcher.try_next_test();
        let work = next.as_ref().map(|next| next.work);
        if let Some(Job::Test(suite, test)) = work
            && let Some(errand) = self.remote_job(suite, test)
        {
            hand.submit(&errand);
        }
        hand.flush_events();
        next
    }

    /// The test as a worker can run it; none if there is nothing to run, or its suite is not ready.
    fn remote_job(&self, index: usize, test: usize) -> Option<RemoteJob<'_>> {
        let suite = &self.plan.suites[index];
        let planned = &suite.tests[test];
        let travels = self.travels[index].get()?;
        suite.test(planned).skip.is_none().then_some(RemoteJob {
            index,
            suite,
            planned,
            travels,
        })
    }

    fn open(&self, index: usize) {
        let suite = &self.plan.suites[index];
        self.carry.teller.group_started(suite);
        // A suite that is skipped altogether runs no hook either.
        if suite
            .tests
            .iter()
            .all(|test| suite.test(test).skip.is_some())
        {
            return;
        }
        let opened = self.carry.engine.open(suite);
        if let Ok(opened) = &opened {
            self.carry
                .teller
                .evidence()
                .register_secrets(&self.carry.engine.exported_variables(opened));
            if let Some(travels) = self
                .crew
                .and_then(|_| self.carry.engine.suite_environment(opened))
            {
                let _ = self.travels[index].set(travels);
            }
        }
        *self.opened[index].write() = Some(opened);
    }

    fn close(&self, index: usize) {
        let suite = &self.plan.suites[index];
        let opened = self.opened[index].write().take();
        if let Some(Ok(opened)) = opened {
            let failure = self
                .carry
                .engine
                .close(suite, opened)
                .unwrap_or_else(|error| {
                    Some(HookFailure {
                        reason: Some(HookReason::Hook(format!("could not be run: {error}"))),
                        ..HookFailure::new(Hook::TeardownFile)
                    })
                });
            if let Some(failure) = failure {
                self.carry.teller.teardown_file_failed(suite, &failure);
                self.count_failure();
            }
        }
        self.carry.teller.group_finished(suite);
    }

    fn test(&self, index: usize, test: usize, number: usize, hand: Option<&mut WorkerHandle<'_>>) {
        let suite = &self.plan.suites[index];
        let planned = &suite.tests[test];
        if let Some(reason) = &suite.test(planned).skip {
            self.carry.teller.attempt_started(suite, planned, 1, number);
            self.carry.teller.skipped(suite, planned, reason);
            self.tally.skipped.fetch_add(1, Ordering::Relaxed);
            return;
        }
        let opened = self.opened[index].read();
        let end = match (hand, self.remote_job(index, test)) {
            (Some(hand), Some(errand)) => hand.wait(&errand),
            _ => self.run_locally(index, planned, opened.as_ref(), number),
        };
        match end {
            TestEnd::Interrupted => {
                self.tally.interrupted.fetch_add(1, Ordering::Relaxed);
                return;
            }
            TestEnd::Failed => self.count_failure(),
            TestEnd::Passed => {}
        }
        self.tally.finished.fetch_add(1, Ordering::Relaxed);
    }

    /// Runs the test in this process.
    fn run_locally(
        &self,
        index: usize,
        planned: &PlannedTest,
        opened: Option<&io::Result<E::OpenSuite>>,
        number: usize,
    ) -> TestEnd {
        if let Some(Ok(opened)) = opened {
            self.prepare_next(index, opened);
        }
        let suite = &self.plan.suites[index];
        self.carry.run_test(suite, planned, opened, number)
    }

    /// Where tests run one after another, the next one is known.
    fn prepare_next(&self, index: usize, opened: &E::OpenSuite) {
        let suite = &self.plan.suites[index];
        let next = self
            .dispatcher
            .peek_next_test(index)
            .filter(|_| self.jobs == 1);
        if let Some(next) = next.map(|next| &suite.tests[next])
            && suite.test(next).skip.is_none()
        {
            self.carry.engine.prepare(suite, next, opened);
        }
    }

    fn count_failure(&self) {
        self.tally.failed.fetch_add(1, Ordering::Relaxed);
        if self.carry.options.fail_fast {
            self.dispatcher.stop_dispatching();
        }
    }
}

/// How many tests the files that may be open allow at once.
fn parallelism_limit() -> usize {
    // With hooks and both streams apart, and as much again for the suite that it belongs to.
    const FDS_PER_TEST: u64 = 24;
    const RESERVED_FDS: u64 = 32;
    let limit = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
    let room = limit.saturating_sub(RESERVED_FDS) / FDS_PER_TEST;
    usize::try_from(room).unwrap_or(usize::MAX)
}
