//! [`Runner`]: runs a plan with threads that take jobs from the dispatcher.

mod budgets;
mod repeat;

use std::collections::HashMap;
use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::Duration;

use casebook_record::Time;
use casebook_record::event::SuiteSummary;
use parking_lot::{Mutex, RwLock};
use rustix::process::{Resource, getrlimit};

use crate::attempt::AttemptNumber;
use crate::attempt::TestEnd;
use crate::dispatcher::{Dispatcher, Job, JobGuard};
use crate::engine::{Engine, SuiteEnvironment};
use crate::executor::TestExecutor;
use crate::plan::{Plan, PlannedTest};
use crate::shared_locks::SharedLocks;
use crate::shell::{Hook, HookFailure, HookReason};
use crate::workers::{RemoteJob, WorkerHandle, WorkerPool};
pub(crate) use budgets::RunBudgets;
use repeat::RepeatedTests;

pub(crate) struct Runner<'a, E: Engine> {
    plan: &'a Plan,
    executor: TestExecutor<'a, E>,
    /// Worker processes that run the tests; `None` runs them in this process.
    pool: Option<&'a WorkerPool<'a>>,
    dispatcher: Dispatcher<'a>,
    /// `None` if each test runs once.
    repeated: Option<RepeatedTests>,
    /// The suites that are open. If a suite could not be opened, each of its tests reports the error.
    open_suites: Vec<RwLock<Option<io::Result<E::OpenSuite>>>>,
    /// What workers need to run the tests of a suite; unset for suites that workers must not run.
    suite_environment: Vec<OnceLock<SuiteEnvironment>>,
    budgets: RunBudgets<'a>,
    /// Set when the warning about calls without figures was shown.
    uncounted_warned: OnceLock<()>,
    tally: OutcomeCounts,
    /// How many trials of each test with a threshold failed.
    failed_trials: Mutex<HashMap<&'a str, u32>>,
    /// The number of tests that run in parallel.
    jobs: usize,
}

/// The number of tests per outcome.
#[derive(Debug, Default)]
pub(crate) struct OutcomeCounts {
    pub(crate) finished: AtomicUsize,
    pub(crate) failed: AtomicUsize,
    pub(crate) skipped: AtomicUsize,
    pub(crate) interrupted: AtomicUsize,
}

impl OutcomeCounts {
    /// The summary event of the run.
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
        executor: TestExecutor<'a, E>,
        pool: Option<&'a WorkerPool<'a>>,
        shared_locks: Option<&'a Arc<dyn SharedLocks>>,
        budgets: RunBudgets<'a>,
    ) -> Runner<'a, E> {
        let tests = match executor.options.repeat {
            Some(repeat) if repeat.overlapping => usize::MAX,
            _ => plan.len(),
        };
        let limit = tests.min(parallelism_limit()).max(1);
        Runner {
            plan,
            jobs: executor.options.jobs.clamp(1, limit),
            dispatcher: Dispatcher::new(
                plan,
                executor.options,
                executor.stop,
                executor.instant,
                shared_locks,
            ),
            repeated: RepeatedTests::new(plan, executor.options.repeat),
            executor,
            pool,
            open_suites: plan.suites.iter().map(|_| RwLock::new(None)).collect(),
            suite_environment: plan.suites.iter().map(|_| OnceLock::new()).collect(),
            budgets,
            uncounted_warned: OnceLock::new(),
            tally: OutcomeCounts::default(),
            failed_trials: Mutex::default(),
        }
    }

    /// Runs everything. Returns the counts, the tests that were never started, and the budgets that stopped tests.
    pub(crate) fn run(self) -> io::Result<(OutcomeCounts, Vec<PlannedTest<'a>>, Vec<String>)> {
        let first_error = Mutex::new(None);
        thread::scope(|scope| {
            for number in 1..=self.jobs {
                let this = &self;
                let worker = thread::Builder::new()
                    .name(format!("worker-{number}"))
                    .spawn_scoped(scope, move || this.run_jobs(number));
                if let Err(error) = worker {
                    // The threads that could be started do all of the work.
                    first_error.lock().get_or_insert((number, error));
                }
            }
        });
        let first_error = first_error.into_inner();
        if let Some((1, error)) = first_error {
            return Err(error);
        }
        let not_started = self.dispatcher.not_started().into_iter();
        let not_started = not_started.map(|(suite, test)| {
            let suite = &self.plan.suites[suite];
            suite.planned(&suite.tests[test])
        });
        let not_started: Vec<_> = not_started.collect();
        let is_cut = !not_started.is_empty() || self.dispatcher.has_repetitions_left();
        let spent = if is_cut {
            self.budgets.spent()
        } else {
            Vec::new()
        };
        Ok((self.tally, not_started, spent))
    }

    fn run_jobs(&self, number: usize) {
        let mut handle = self.pool.map(|pool| pool.handle(number));
        let mut next = None;
        while let Some(guard) = next.take().or_else(|| self.dispatcher.next_job()) {
            match guard.job {
                Job::Open(suite) => self.open(suite),
                Job::Test(suite, test, round) => {
                    self.test(suite, test, round, number, handle.as_mut());
                    self.check_budgets(suite);
                    next = handle.as_mut().and_then(|handle| self.feed_worker(handle));
                }
                Job::Close(suite) => self.close(suite),
            }
        }
    }

    /// Sends the worker its next test before the events of the last one are published, so that it does not sit idle.
    fn feed_worker(&self, handle: &mut WorkerHandle<'_>) -> Option<JobGuard<'_, 'a>> {
        let next = self.dispatcher.try_next_test();
        let job = next.as_ref().map(|next| next.job);
        if let Some(Job::Test(suite, test, round)) = job
            && let Some(job) = self.remote_job(suite, test, round)
        {
            handle.submit(&job);
        }
        handle.flush_events(self.executor.emitter.sink());
        next
    }

    /// The test as a job for a worker; `None` if it is skipped or its suite is not open.
    fn remote_job(&self, index: usize, test: usize, round: u32) -> Option<RemoteJob<'_>> {
        let suite = &self.plan.suites[index];
        let planned = suite.planned(&suite.tests[test]);
        let suite_environment = self.suite_environment[index].get()?;
        planned.test().skip.is_none().then_some(RemoteJob {
            index,
            planned,
            suite_environment,
            repetition: self.repeated.as_ref().map(|_| round),
        })
    }

    fn open(&self, index: usize) {
        let suite = &self.plan.suites[index];
        self.executor.emitter.group_started(suite);
        // If all tests of a suite are skipped, its hooks are skipped too.
        if suite
            .planned_tests()
            .all(|planned| planned.test().skip.is_some())
        {
            return;
        }
        let open_suite = self.executor.engine.open(suite);
        if let Ok(open_suite) = &open_suite {
            self.executor
                .emitter
                .sink()
                .register_secrets(&self.executor.engine.exported_variables(open_suite));
            if let Some(suite_environment) = self
                .pool
                .and_then(|_| self.executor.engine.suite_environment(open_suite))
            {
                let _ = self.suite_environment[index].set(suite_environment);
            }
        }
        *self.open_suites[index].write() = Some(open_suite);
    }

    fn close(&self, index: usize) {
        let suite = &self.plan.suites[index];
        self.finish_repetitions(index);
        let open_suite = self.open_suites[index].write().take();
        if let Some(Ok(open_suite)) = open_suite {
            let logs = self.executor.engine.stop_services(&open_suite);
            self.executor.emitter.save_service_logs(suite, &logs);
            let failure = self
                .executor
                .engine
                .close(suite, open_suite)
                .unwrap_or_else(|error| {
                    Some(HookFailure {
                        reason: Some(HookReason::Hook(format!("cannot be run: {error}"))),
                        ..HookFailure::new(Hook::TeardownFile)
                    })
                });
            if let Some(failure) = failure {
                self.executor.emitter.teardown_file_failed(suite, &failure);
                self.count_failure();
            }
        }
        self.executor.emitter.group_finished(suite);
    }

    fn test(
        &self,
        index: usize,
        test: usize,
        round: u32,
        number: usize,
        handle: Option<&mut WorkerHandle<'_>>,
    ) {
        let suite = &self.plan.suites[index];
        let planned = suite.planned(&suite.tests[test]);
        if let Some(reason) = &planned.test().skip {
            let emitter = self.executor.emitter;
            emitter.attempt_started(planned, AttemptNumber::FIRST, number);
            self.executor.emitter.skipped(planned, reason);
            self.tally.skipped.fetch_add(1, Ordering::Relaxed);
            return;
        }
        if let Some(repeated) = &self.repeated {
            return self.repeat(repeated, (index, test, round), number, handle);
        }
        let open_suite = self.open_suites[index].read();
        let end = match (handle, self.remote_job(index, test, round)) {
            (Some(handle), Some(job)) => handle.wait(&job, self.executor.emitter),
            _ => self.run_locally(index, planned, open_suite.as_ref(), number),
        };
        if end == TestEnd::Failed && self.may_fail(planned) {
            self.tally.failed.fetch_add(1, Ordering::Relaxed);
            self.tally.finished.fetch_add(1, Ordering::Relaxed);
        } else {
            self.count(end);
        }
    }

    fn count(&self, end: TestEnd) {
        match end {
            TestEnd::Interrupted => {
                self.tally.interrupted.fetch_add(1, Ordering::Relaxed);
                return;
            }
            TestEnd::Skipped => {
                self.tally.skipped.fetch_add(1, Ordering::Relaxed);
                return;
            }
            TestEnd::Failed => self.count_failure(),
            TestEnd::Passed => {}
        }
        self.tally.finished.fetch_add(1, Ordering::Relaxed);
    }

    /// Whether the test may still pass with this failed trial.
    fn may_fail(&self, planned: PlannedTest<'a>) -> bool {
        let Some((trial, needs)) = planned.trial.and_then(|trial| Some((trial, trial.needs?)))
        else {
            return false;
        };
        let mut failed = self.failed_trials.lock();
        let failed = failed.entry(planned.test_stable_id()).or_default();
        *failed += 1;
        *failed <= trial.of - needs
    }

    /// Runs the test in this process.
    fn run_locally(
        &self,
        index: usize,
        planned: PlannedTest<'_>,
        open_suite: Option<&io::Result<E::OpenSuite>>,
        number: usize,
    ) -> TestEnd {
        if let Some(Ok(open_suite)) = open_suite {
            self.prepare_next(index, open_suite);
        }
        self.executor.run_test(planned, open_suite, number, None)
    }

    /// Announces the next test to the engine. Only with one job is it certain which test comes next.
    fn prepare_next(&self, index: usize, open_suite: &E::OpenSuite) {
        let suite = &self.plan.suites[index];
        let next = self
            .dispatcher
            .peek_next_test(index)
            .filter(|_| self.jobs == 1);
        if let Some(next) = next.map(|next| suite.planned(&suite.tests[next]))
            && next.test().skip.is_none()
        {
            self.executor.engine.prepare(next, open_suite);
        }
    }

    fn count_failure(&self) {
        self.tally.failed.fetch_add(1, Ordering::Relaxed);
        if self.executor.options.fail_fast {
            self.dispatcher.stop_dispatching();
        }
    }
}

/// The number of parallel tests that the limit on open files allows.
fn parallelism_limit() -> usize {
    // Enough for a test with hooks and separate streams, and the same again for its suite.
    const FDS_PER_TEST: u64 = 24;
    const RESERVED_FDS: u64 = 32;
    let limit = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
    let room = limit.saturating_sub(RESERVED_FDS) / FDS_PER_TEST;
    usize::try_from(room).unwrap_or(usize::MAX)
}
