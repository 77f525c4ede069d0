//! Locks are shared by all workers of a run.

use std::thread;
use std::time::Duration;

use rustix::process::{Signal, kill_process};

use crate::kills::slots;
use crate::server::Server;
use crate::support::{Project, kills, timed};

/// Two suites with tests that fail if one of them runs at the same time as another one.
fn project(locks: &str) -> Project {
    let test = |number: usize| {
        format!(
            "  - {{name: t{number}, command: 'mkdir alone && sleep 0.05 && rmdir alone'{locks}}}\n"
        )
    };
    let suite = format!("tests:\n{}", (0..12).map(test).collect::<String>());
    let project = Project::with("a.casebook.yaml", &suite);
    project.write("b.casebook.yaml", &suite);
    project
}

#[test]
fn tests_that_share_a_lock_run_one_at_a_time_on_all_workers() {
    let server = Server::start();
    // The tests would fail otherwise.
    let without = project("");
    let workers = [1, 2].map(|_| server.worker(&without, 1));
    server.run(&without, "--record none .").run().exits(1);
    drop(workers);
    let project = project(", locks: [db]");
    let _workers = [1, 2].map(|_| server.worker(&project, 1));
    let outcome = server.run(&project, "--record none .").run().exits(0);
    assert!(
        outcome.stdout.contains("24 tests: 24 passed"),
        "{outcome:#?}"
    );
}

#[test]
fn the_locks_of_dead_workers_become_free() {
    // Longer than a kill takes, so that many kills hit a test that holds the lock.
    let test =
        |number: usize| format!("  - {{name: t{number}, command: sleep 0.1, locks: [db]}}\n");
    let suite = format!("tests:\n{}", (0..40).map(test).collect::<String>());
    let project = Project::with("a.casebook.yaml", suite);
    let server = Server::start();
    let worker = server.worker(&project, 2);
    let arguments = "--cluster-lease 1 --lost-retries 100 --record cluster .";
    let run = server.run(&project, arguments).start();
    let mut killed = 0;
    let kills = usize::try_from(kills(6)).unwrap();
    while killed < kills {
        thread::sleep(Duration::from_millis(170));
        let slots = slots(&worker);
        let Some(slot) = slots.get(killed % slots.len().max(1)) else {
            continue;
        };
        if kill_process(*slot, Signal::KILL).is_ok() {
            killed += 1;
        }
    }
    let ended = run.finish().exits(0);
    assert!(ended.stdout.contains("40 tests: 40 passed"), "{ended:#?}");
}

#[test]
fn an_interrupted_run_leaves_no_lock() {
    let project = Project::with(
        "a.casebook.yaml",
        "tests: [{name: t, command: 'touch begun; sleep 60', locks: [db]}]\n",
    );
    let server = Server::start();
    let _worker = server.worker(&project, 1);
    let arguments = "--run-id build-7 --record cluster .";
    let run = server.run(&project, arguments).start();
    crate::support::eventually("the test has begun", || project.exists("begun"));
    run.signal(Signal::INT);
    run.finish().exits(130);
    project.write(
        "a.casebook.yaml",
        "tests: [{name: t, command: 'true', locks: [db]}]\n",
    );
    // The same run has the same locks, and the lease is half a minute.
    let (outcome, time) = timed(|| {
        server
            .run(&project, "--run-id build-7 --record none .")
            .run()
    });
    outcome.exits(0);
    assert!(time.as_secs() < 15, "{time:?}");
}
