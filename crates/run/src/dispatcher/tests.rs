use std::collections::{BTreeMap, HashMap};
use std::thread;
use std::time::Duration;

use casebook_source::SourceFile;
use casebook_suite::model::Lock;
use casebook_suite::{CheckContext, check, deny_files};

use super::*;
use crate::plan::{SelectedSuite, Selection};

#[expect(
    clippy::disallowed_methods,
    reason = "the dispatcher needs a clock only for repetitions"
)]
fn now() -> Instant {
    Instant::now()
}

/// A plan with these suites, and the options to run it.
fn plan(suites: &[&str]) -> Plan {
    let suites = suites.iter().enumerate().map(|(index, text)| {
        let environment = BTreeMap::new();
        let context = CheckContext {
            environment: &environment,
            stem: "a",
            read: &deny_files,
        };
        let checked = check(SourceFile::new(format!("{index}.yaml"), *text), &context);
        SelectedSuite {
            suite: checked
                .suite
                .unwrap_or_else(|| panic!("{:?}", checked.diagnostics)),
            lines: Vec::new(),
        }
    });
    Plan::new(suites.collect(), &Selection::default())
}

/// A suite whose tests have these locks.
fn suite_of(locks: &[&str]) -> String {
    let tests = locks.iter().enumerate();
    let tests = tests.map(|(index, locks)| {
        let locks = match *locks {
            "" => String::new(),
            locks => format!(", locks: [{locks}]"),
        };
        format!("  - {{name: t{index}, command: x{locks}}}\n")
    });
    format!("tests:\n{}", tests.collect::<String>())
}

impl<'a> Dispatcher<'a> {
    /// A job that can start now.
    fn try_next(&self) -> Option<JobGuard<'_, 'a>> {
        let mut state = self.lock();
        let job = state.take()?;
        self.acquire_shared(&mut state, job)
    }

    /// All jobs that can start now, each with its guard.
    fn ready(&self) -> Vec<JobGuard<'_, 'a>> {
        std::iter::from_fn(|| self.try_next()).collect()
    }
}

fn jobs(guards: &[JobGuard<'_, '_>]) -> Vec<Job> {
    guards.iter().map(|guard| guard.job).collect()
}

/// Opens all suites and returns the jobs that can start then.
fn opened<'d, 'a>(dispatcher: &'d Dispatcher<'a>) -> Vec<JobGuard<'d, 'a>> {
    drop(dispatcher.ready());
    dispatcher.ready()
}

#[test]
fn a_test_whose_lock_is_held_is_left_for_later() {
    let (plan, stop) = (
        plan(&[&suite_of(&["db", "db", "api", ""])]),
        StopToken::new().unwrap(),
    );
    let dispatcher = Dispatcher::new(&plan, &Options::default(), &stop, now, None);
    let mut running = opened(&dispatcher);
    assert_eq!(
        jobs(&running),
        [Job::Test(0, 0, 1), Job::Test(0, 2, 1), Job::Test(0, 3, 1)]
    );
    drop(running.remove(1));
    assert_eq!(jobs(&dispatcher.ready()), []);
    drop(running.remove(0));
    assert_eq!(jobs(&dispatcher.ready()), [Job::Test(0, 1, 1)]);
}

#[test]
fn locks_are_the_same_in_all_suites() {
    let suite = suite_of(&["db"]);
    let (plan, stop) = (plan(&[&suite, &suite]), StopToken::new().unwrap());
    let dispatcher = Dispatcher::new(&plan, &Options::default(), &stop, now, None);
    let running = opened(&dispatcher);
    assert_eq!(jobs(&running), [Job::Test(0, 0, 1)]);
    drop(running);
    assert_eq!(
        jobs(&dispatcher.ready()),
        [Job::Close(0), Job::Test(1, 0, 1)]
    );
}

#[test]
fn readers_run_together_but_not_past_a_writer_that_waits() {
    let locks = ["{db: shared}", "{db: shared}", "db", "{db: shared}", ""];
    let (plan, stop) = (plan(&[&suite_of(&locks)]), StopToken::new().unwrap());
    let dispatcher = Dispatcher::new(&plan, &Options::default(), &stop, now, None);
    let mut running = opened(&dispatcher);
    assert_eq!(
        jobs(&running),
        [Job::Test(0, 0, 1), Job::Test(0, 1, 1), Job::Test(0, 4, 1)]
    );
    drop(running.remove(0));
    assert_eq!(jobs(&dispatcher.ready()), []);
    drop(running.remove(0));
    let writer = dispatcher.ready();
    assert_eq!(jobs(&writer), [Job::Test(0, 2, 1)]);
    drop(writer);
    assert_eq!(jobs(&dispatcher.ready()), [Job::Test(0, 3, 1)]);
}

#[test]
fn the_tests_of_a_sequential_suite_stay_in_order() {
    let sequential = format!("parallel: false\n{}", suite_of(&["db", ""]));
    let (plan, stop) = (
        plan(&[&suite_of(&["db"]), &sequential]),
        StopToken::new().unwrap(),
    );
    let dispatcher = Dispatcher::new(&plan, &Options::default(), &stop, now, None);
    let running = opened(&dispatcher);
    assert_eq!(jobs(&running), [Job::Test(0, 0, 1)]);
    drop(running);
    assert_eq!(
        jobs(&dispatcher.ready()),
        [Job::Close(0), Job::Test(1, 0, 1)]
    );
}

#[test]
fn file_hooks_hold_the_locks_of_their_suite() {
    let first = format!(
        "locks: [db]\nsetupFile: x\nteardownFile: x\n{}",
        suite_of(&[""])
    );
    let second = format!("locks: [db]\nsetupFile: x\n{}", suite_of(&[""]));
    let (plan, stop) = (plan(&[&first, &second]), StopToken::new().unwrap());
    let dispatcher = Dispatcher::new(&plan, &Options::default(), &stop, now, None);
    for job in [
        Job::Open(0),
        Job::Test(0, 0, 1),
        Job::Close(0),
        Job::Open(1),
        Job::Test(1, 0, 1),
        Job::Close(1),
    ] {
        assert_eq!(jobs(&dispatcher.ready()), [job]);
    }
    assert!(dispatcher.next_job().is_none());
}

#[test]
fn a_run_that_halts_closes_its_suites_when_their_locks_are_free() {
    let first = format!("locks: [db]\nteardownFile: x\n{}", suite_of(&["", ""]));
    let (plan, stop) = (
        plan(&[&first, &suite_of(&["db"])]),
        StopToken::new().unwrap(),
    );
    let dispatcher = Dispatcher::new(&plan, &Options::default(), &stop, now, None);
    let running = opened(&dispatcher);
    assert_eq!(jobs(&running), [Job::Test(0, 0, 1)]);
    dispatcher.stop_dispatching();
    assert_eq!(jobs(&dispatcher.ready()), [Job::Close(1)]);
    drop(running);
    assert_eq!(jobs(&dispatcher.ready()), [Job::Close(0)]);
    assert!(dispatcher.next_job().is_none());
    assert_eq!(dispatcher.not_started(), [(0, 1), (1, 0)]);
}

#[test]
fn suites_that_run_alone_come_after_the_parallel_ones() {
    let parallel = suite_of(&["", ""]);
    let alone = format!("parallel: false\n{parallel}");
    let (plan, stop) = (
        plan(&[&alone, &parallel, &alone, &parallel]),
        StopToken::new().unwrap(),
    );
    let options = Options {
        isolate_sequential: true,
        ..Options::default()
    };
    let dispatcher = Dispatcher::new(&plan, &options, &stop, now, None);
    let mut rounds = Vec::new();
    loop {
        let ready = dispatcher.ready();
        if ready.is_empty() {
            break;
        }
        rounds.push(jobs(&ready));
    }
    let alone = |suite| {
        let all = [
            Job::Open(suite),
            Job::Test(suite, 0, 1),
            Job::Test(suite, 1, 1),
            Job::Close(suite),
        ];
        all.map(|job| vec![job])
    };
    let tests = |suite| [Job::Test(suite, 0, 1), Job::Test(suite, 1, 1)];
    let mut expected = vec![
        vec![Job::Open(1), Job::Open(3)],
        [tests(1), tests(3)].concat(),
        vec![Job::Close(1), Job::Close(3)],
    ];
    expected.extend(alone(0));
    expected.extend(alone(2));
    assert_eq!(rounds, expected);
}

/// Checks that conflicting jobs never run together, with real threads.
#[test]
fn a_thousand_tests_with_random_locks_run_once_each_and_never_in_conflict() {
    let choices = [
        "a",
        "b",
        "{a: shared}",
        "{b: shared}",
        "a, b",
        "{a: shared}, b",
        "",
        "c",
    ];
    let locks: Vec<_> = (0..1000)
        .map(|index| choices[index * 7919 % 61 % 8])
        .collect();
    let suite = suite_of(&locks);
    let (plan, stop) = (plan(&[&suite]), StopToken::new().unwrap());
    let dispatcher = Dispatcher::new(&plan, &Options::default(), &stop, now, None);
    let held: Mutex<HashMap<String, (usize, bool)>> = Mutex::default();
    let ran = Mutex::new(vec![0; locks.len()]);
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                while let Some(guard) = dispatcher.next_job() {
                    let Job::Test(_, test, _) = guard.job else {
                        continue;
                    };
                    let locks: &[Lock] = &plan.suites[0].suite.tests[test].locks;
                    hold(&held, locks);
                    ran.lock()[test] += 1;
                    thread::yield_now();
                    let_go(&held, locks);
                }
            });
        }
    });
    assert!(ran.lock().iter().all(|count| *count == 1));
}

fn hold(held: &Mutex<HashMap<String, (usize, bool)>>, locks: &[Lock]) {
    let mut held = held.lock();
    for lock in locks {
        let (count, is_shared) = held.entry(lock.name.clone()).or_insert((0, true));
        assert!(*count == 0 || *is_shared && lock.is_shared, "{lock:?}");
        *count += 1;
        *is_shared = lock.is_shared;
    }
}

fn let_go(held: &Mutex<HashMap<String, (usize, bool)>>, locks: &[Lock]) {
    let mut held = held.lock();
    for lock in locks {
        held.get_mut(&lock.name).unwrap().0 -= 1;
    }
}

/// Locks of another process: `db` is free at the second attempt.
#[derive(Default)]
struct Elsewhere {
    attempts: Mutex<Vec<String>>,
    released: Arc<Mutex<usize>>,
}

struct Permit(Arc<Mutex<usize>>);

impl Drop for Permit {
    fn drop(&mut self) {
        *self.0.lock() += 1;
    }
}

impl SharedLocks for Elsewhere {
    fn try_acquire(&self, locks: &[Lock]) -> LockAttempt {
        let names: Vec<_> = locks.iter().map(|lock| lock.name.clone()).collect();
        let names = names.join(" ");
        let mut attempts = self.attempts.lock();
        attempts.push(names.clone());
        let is_first = attempts.iter().filter(|known| **known == names).count() == 1;
        if names == "db" && is_first {
            return LockAttempt::Wait(Duration::from_millis(1));
        }
        LockAttempt::Acquired(Box::new(Permit(self.released.clone())))
    }
}

#[test]
fn while_another_process_holds_a_lock_other_tests_run() {
    let elsewhere = Arc::new(Elsewhere::default());
    let shared: Arc<dyn SharedLocks> = elsewhere.clone();
    let (plan, stop) = (
        plan(&[&suite_of(&["db", "api", ""])]),
        StopToken::new().unwrap(),
    );
    let dispatcher = Dispatcher::new(&plan, &Options::default(), &stop, now, Some(&shared));
    let ran: Vec<_> = std::iter::from_fn(|| dispatcher.next_job().map(|guard| guard.job)).collect();
    assert_eq!(
        ran,
        [
            Job::Open(0),
            Job::Test(0, 1, 1),
            Job::Test(0, 0, 1),
            Job::Test(0, 2, 1),
            Job::Close(0)
        ]
    );
    assert_eq!(*elsewhere.attempts.lock(), ["db", "api", "db"]);
    assert_eq!(*elsewhere.released.lock(), 2);
}

#[test]
fn a_single_test_waits_until_another_process_releases_its_lock() {
    let shared: Arc<dyn SharedLocks> = Arc::new(Elsewhere::default());
    let (plan, stop) = (plan(&[&suite_of(&["db"])]), StopToken::new().unwrap());
    let dispatcher = Dispatcher::new(&plan, &Options::default(), &stop, now, Some(&shared));
    let ran: Vec<_> = std::iter::from_fn(|| dispatcher.next_job().map(|guard| guard.job)).collect();
    assert_eq!(ran, [Job::Open(0), Job::Test(0, 0, 1), Job::Close(0)]);
}
