//! Runs a plan: workers take what the dispatcher hands out and tell what came of it.

use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError, RwLock};
use std::thread;
use std::time::{Duration, Instant};

use crate::attempt::Attempt;
use crate::dispatch::{Dispatcher, Work};
use crate::engine::Engine;
use crate::options::Options;
use crate::plan::{Plan, PlannedSuite, PlannedTest};
use crate::shell::{Cut, Hook, HookFailure, cut_reason};
use crate::stop::Stop;
use crate::tell::{Failure, Teller, Telling, hook_message, seconds};

pub(crate) struct Runner<'a, E: Engine> {
    plan: &'a Plan,
    options: &'a Options,
    engine: &'a E,
    teller: &'a Teller<'a>,
    stop: &'a Stop,
    instant: fn() -> Instant,
    dispatcher: Dispatcher<'a>,
    /// Where a suite could not be opened, each of its tests says why when its turn comes.
    opened: Vec<RwLock<Option<io::Result<E::Opened>>>>,
    tally: Tally,
}

/// How many tests came to what.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    pub(crate) finished: AtomicUsize,
    pub(crate) failed: AtomicUsize,
    pub(crate) skipped: AtomicUsize,
    pub(crate) interrupted: AtomicUsize,
}

impl<'a, E: Engine> Runner<'a, E> {
    pub(crate) fn new(
        plan: &'a Plan,
        options: &'a Options,
        engine: &'a E,
        teller: &'a Teller<'a>,
        stop: &'a Stop,
        instant: fn() -> Instant,
    ) -> Runner<'a, E> {
        Runner {
            plan,
            options,
            engine,
            teller,
            stop,
            instant,
            dispatcher: Dispatcher::new(plan, options.seed, stop),
            opened: plan.suites.iter().map(|_| RwLock::new(None)).collect(),
            tally: Tally::default(),
        }
    }

    /// Runs everything; how many came to what, and how many were never started.
    pub(crate) fn run(self) -> io::Result<(Tally, usize)> {
        let first_error = Mutex::new(None);
        let workers = self.options.jobs.clamp(1, self.plan.len().max(1));
        thread::scope(|scope| {
            for number in 0..workers {
                let name = format!("worker-{number}");
                let worker = thread::Builder::new()
                    .name(name)
                    .spawn_scoped(scope, || self.work());
                if let Err(error) = worker {
                    // Those that could be started do all of the work.
                    first_error
                        .lock()
                        .unwrap_or_else(PoisonError::into_inner)
                        .get_or_insert((number, error));
                }
            }
        });
        let first_error = first_error
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some((0, error)) = first_error {
            return Err(error);
        }
        let not_started = self.dispatcher.not_started();
        Ok((self.tally, not_started))
    }

    fn work(&self) {
        while let Some(work) = self.dispatcher.next() {
            match work {
                Work::Open(suite) => self.open(suite),
                Work::Test(suite, test) => self.test(suite, test),
                Work::Close(suite) => self.close(suite),
            }
            self.dispatcher.done(work);
        }
    }

    fn open(&self, index: usize) {
        let suite = &self.plan.suites[index];
        self.teller.group_started(suite);
        // A suite that is skipped altogether runs no hook either.
        if suite
            .tests
            .iter()
            .all(|test| suite.test(test).skip.is_some())
        {
            return;
        }
        let opened = self.engine.open(suite);
        if let Ok(opened) = &opened {
            self.teller.evidence().learn(&self.engine.exported(opened));
        }
        *self.opened[index]
            .write()
            .unwrap_or_else(PoisonError::into_inner) = Some(opened);
    }

    fn close(&self, index: usize) {
        let suite = &self.plan.suites[index];
        let opened = self.opened[index]
            .write()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        if let Some(Ok(opened)) = opened {
            let failure = self.engine.close(suite, opened).unwrap_or_else(|error| {
                Some(HookFailure {
                    reason: Some(format!("could not be run: {error}")),
                    ..HookFailure::new(Hook::TeardownFile)
                })
            });
            if let Some(failure) = failure {
                self.teller.teardown_file_failed(suite, &failure);
                self.count_failure();
            }
        }
        self.teller.group_finished(suite);
    }

    fn test(&self, index: usize, test: usize) {
        let suite = &self.plan.suites[index];
        let planned = &suite.tests[test];
        if let Some(reason) = &suite.test(planned).skip {
            self.teller.started(suite, planned, 1);
            self.teller.skipped(suite, planned, reason);
            self.tally.skipped.fetch_add(1, Ordering::Relaxed);
            return;
        }
        let opened = self.opened[index]
            .read()
            .unwrap_or_else(PoisonError::into_inner);
        let attempts = 1 + suite.test(planned).retries.max(self.options.retries);
        for number in 1..=attempts {
            let is_last = number == attempts;
            if self.attempt(suite, planned, opened.as_ref(), number, is_last) {
                return;
            }
        }
    }

    /// Tries a test once; true when that settles it.
    fn attempt(
        &self,
        suite: &PlannedSuite,
        planned: &PlannedTest,
        opened: Option<&io::Result<E::Opened>>,
        number: u32,
        is_last: bool,
    ) -> bool {
        self.teller.started(suite, planned, number);
        let started = (self.instant)();
        let attempt = self.try_it(suite, planned, opened);
        let duration = (self.instant)() - started;
        if attempt.interrupted {
            self.tally.interrupted.fetch_add(1, Ordering::Relaxed);
            return true;
        }
        let timeout = suite.test(planned).timeout.or(self.options.timeout);
        let failure = self.failure(&attempt, timeout);
        let will_retry = failure.is_some() && !is_last && !self.stop.is_asked();
        let telling = Telling {
            suite,
            planned,
            number,
            will_retry,
            timeout,
            duration,
        };
        self.teller.ended(&telling, &attempt, failure.as_ref());
        if will_retry {
            return false;
        }
        self.tally.finished.fetch_add(1, Ordering::Relaxed);
        if failure.is_some() {
            self.count_failure();
        }
        true
    }

    fn try_it(
        &self,
        suite: &PlannedSuite,
        planned: &PlannedTest,
        opened: Option<&io::Result<E::Opened>>,
    ) -> Attempt {
        let opened = match opened {
            Some(Ok(opened)) => opened,
            Some(Err(error)) => return not_ready(&error.to_string()),
            None => return not_ready("nobody has opened it"),
        };
        if let Some(failure) = self.engine.failure(opened) {
            return hook_failed(failure.clone());
        }
        self.engine
            .attempt(suite, planned, opened)
            .unwrap_or_else(|error| {
                hook_failed(HookFailure {
                    reason: Some(format!("the test could not be started: {error}")),
                    ..HookFailure::new(Hook::Setup)
                })
            })
    }

    fn count_failure(&self) {
        self.tally.failed.fetch_add(1, Ordering::Relaxed);
        if self.options.fail_fast {
            self.dispatcher.halt();
        }
    }

    /// Whether the attempt failed, and of what.
    fn failure(&self, attempt: &Attempt, timeout: Option<Duration>) -> Option<Failure> {
        let failure = |class, phase, message: String| {
            Some(Failure {
                class,
                message,
                phase,
            })
        };
        let hook = attempt.hook.as_ref();
        if let Some(hook) = hook.filter(|hook| matches!(hook.hook, Hook::SetupFile | Hook::Setup)) {
            return failure("Casebook::SetupFailed", "setup", hook_message(hook));
        }
        if let Some(ran) = &attempt.command {
            match ran.cut {
                Some(Cut::Timeout) => {
                    let given = timeout.map_or_else(String::new, |timeout| {
                        format!(" after {}", seconds(timeout))
                    });
                    return failure("Casebook::Timeout", "command", format!("timed out{given}"));
                }
                Some(cut) => {
                    let reason = cut_reason(cut).unwrap_or_default();
                    return failure(
                        "Casebook::AssertionFailed",
                        "command",
                        format!("the command {reason}"),
                    );
                }
                None => {}
            }
            if let Some(problem) = attempt
                .verdicts
                .iter()
                .find_map(|verdict| verdict.finding.problem.as_ref())
            {
                return failure("Casebook::AssertionFailed", "command", problem.clone());
            }
            if ran.leaky && self.options.leaks_fail {
                let message = "the command left processes running that held its output open";
                return failure("Casebook::Leaked", "command", message.into());
            }
        }
        let hook = hook?;
        failure("Casebook::TeardownFailed", "teardown", hook_message(hook))
    }
}

fn hook_failed(failure: HookFailure) -> Attempt {
    Attempt {
        hook: Some(failure),
        ..Attempt::default()
    }
}

fn not_ready(why: &str) -> Attempt {
    hook_failed(HookFailure {
        reason: Some(format!("the suite could not be made ready: {why}")),
        ..HookFailure::new(Hook::SetupFile)
    })
}
