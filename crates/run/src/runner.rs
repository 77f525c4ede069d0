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

use crate::carry::{Carry, End};
use crate::dispatch::{Dispatcher, Handed, Work};
use crate::engine::{Engine, Travels};
use crate::plan::{Plan, PlannedTest};
use crate::shell::{Hook, HookFailure, HookReason};
use crate::workers::{Crew, Errand, Hand};

pub(crate) struct Runner<'a, E: Engine> {
    plan: &'a Plan,
    carry: Carry<'a, E>,
    /// Processes that carry out the tests instead.
    crew: Option<&'a Crew<'a>>,
    dispatcher: Dispatcher<'a>,
    /// Where a suite could not be opened, each of its tests says why when its turn comes.
    opened: Vec<RwLock<Option<io::Result<E::Opened>>>>,
    /// What workers need to run the tests of a suite; nothing where they are not to run them.
    travels: Vec<OnceLock<Travels>>,
    tally: Tally,
    /// How many tests are run at once.
    jobs: usize,
}

/// How many tests came to what.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    pub(crate) finished: AtomicUsize,
    pub(crate) failed: AtomicUsize,
    pub(crate) skipped: AtomicUsize,
    pub(crate) interrupted: AtomicUsize,
}

impl Tally {
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
        carry: Carry<'a, E>,
        crew: Option<&'a Crew<'a>>,
    ) -> Runner<'a, E> {
        let useful = plan.len().min(room()).max(1);
        Runner {
            plan,
            jobs: carry.options.jobs.clamp(1, useful),
            dispatcher: Dispatcher::new(plan, carry.options.seed, carry.stop),
            carry,
            crew,
            opened: plan.suites.iter().map(|_| RwLock::new(None)).collect(),
            travels: plan.suites.iter().map(|_| OnceLock::new()).collect(),
            tally: Tally::default(),
        }
    }

    /// Runs everything; how many came to what, and how many were never started.
    pub(crate) fn run(self) -> io::Result<(Tally, usize)> {
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
        let mut hand = self.crew.map(|crew| crew.hand(number));
        let mut next = None;
        while let Some(handed) = next.take().or_else(|| self.dispatcher.next()) {
            match handed.work {
                Work::Open(suite) => self.open(suite),
                Work::Test(suite, test) => {
                    self.test(suite, test, number, hand.as_mut());
                    next = hand.as_mut().and_then(|hand| self.go_on(hand));
                }
                Work::Close(suite) => self.close(suite),
            }
        }
    }

    /// Gives the worker its next test before the last one is told of, so that it does not wait for that.
    fn go_on(&self, hand: &mut Hand<'_>) -> Option<Handed<'_, 'a>> {
        let next = self.dispatcher.test_at_hand();
        let work = next.as_ref().map(|next| next.work);
        if let Some(Work::Test(suite, test)) = work
            && let Some(errand) = self.errand(suite, test)
        {
            hand.begin(&errand);
        }
        hand.tell();
        next
    }

    /// The test as a worker can run it; none if there is nothing to run, or its suite is not ready.
    fn errand(&self, index: usize, test: usize) -> Option<Errand<'_>> {
        let suite = &self.plan.suites[index];
        let planned = &suite.tests[test];
        let travels = self.travels[index].get()?;
        suite.test(planned).skip.is_none().then_some(Errand {
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
                .learn(&self.carry.engine.exported(opened));
            if let Some(travels) = self.crew.and_then(|_| self.carry.engine.travels(opened)) {
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

    fn test(&self, index: usize, test: usize, number: usize, hand: Option<&mut Hand<'_>>) {
        let suite = &self.plan.suites[index];
        let planned = &suite.tests[test];
        if let Some(reason) = &suite.test(planned).skip {
            self.carry.teller.started(suite, planned, 1, number);
            self.carry.teller.skipped(suite, planned, reason);
            self.tally.skipped.fetch_add(1, Ordering::Relaxed);
            return;
        }
        let opened = self.opened[index].read();
        let end = match (hand, self.errand(index, test)) {
            (Some(hand), Some(errand)) => hand.end(&errand),
            _ => self.carry_out(index, planned, opened.as_ref(), number),
        };
        match end {
            End::Interrupted => {
                self.tally.interrupted.fetch_add(1, Ordering::Relaxed);
                return;
            }
            End::Failed => self.count_failure(),
            End::Passed => {}
        }
        self.tally.finished.fetch_add(1, Ordering::Relaxed);
    }

    /// Runs the test in this process.
    fn carry_out(
        &self,
        index: usize,
        planned: &PlannedTest,
        opened: Option<&io::Result<E::Opened>>,
        number: usize,
    ) -> End {
        if let Some(Ok(opened)) = opened {
            self.prepare_next(index, opened);
        }
        let suite = &self.plan.suites[index];
        self.carry.test(suite, planned, opened, number)
    }

    /// Where tests run one after another, the next one is known.
    fn prepare_next(&self, index: usize, opened: &E::Opened) {
        let suite = &self.plan.suites[index];
        let next = self.dispatcher.coming(index).filter(|_| self.jobs == 1);
        if let Some(next) = next.map(|next| &suite.tests[next])
            && suite.test(next).skip.is_none()
        {
            self.carry.engine.prepare(suite, next, opened);
        }
    }

    fn count_failure(&self) {
        self.tally.failed.fetch_add(1, Ordering::Relaxed);
        if self.carry.options.fail_fast {
            self.dispatcher.halt();
        }
    }
}

/// How many tests the files that may be open allow at once.
fn room() -> usize {
    // With hooks and both streams apart, and as much again for the suite that it belongs to.
    const NEEDED: u64 = 24;
    const OTHERS: u64 = 32;
    let limit = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
    let room = limit.saturating_sub(OTHERS) / NEEDED;
    usize::try_from(room).unwrap_or(usize::MAX)
}
