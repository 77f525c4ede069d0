//! Ctrl-C and SIGTERM at any moment.

use std::thread;
use std::time::Duration;

use rustix::process::Signal;
use serde_json::Value;

use super::Suite;
use crate::prng::{Random, seed};
use crate::support::{eventually, timed};

const SUITE: &str = r"
setupFile: echo setupFile >> log; sleep 60 & setsid sleep 60 & sleep 0.0{{n}}
teardownFile: echo teardownFile >> log
setup: echo setup >> log; sleep 60 & sleep 0.01
teardown: echo teardown >> log
variables: {n: 3}
matrix: {i: [1, 2, 3, 4, 5, 6]}
tests:
  - {name: quick, command: sleep 0.02}
  - {name: slow, command: '(setsid sleep 60 &); sleep 0.1; echo x'}
";

#[test]
fn no_processes_are_left_and_the_record_has_all_finished_tests() {
    let seed = seed();
    thread::scope(|scope| {
        for number in 0..12 {
            scope.spawn(move || {
                let mut random =
                    Random::new(seed ^ (number + 1_u64).wrapping_mul(0x9E37_79B9_7F4A_7C15));
                let after = random.below(500);
                stop(
                    after,
                    number % 2 == 0,
                    &format!("CASEBOOK_SEED={seed} number {number} after {after} ms"),
                );
            });
        }
    });
}

fn stop(after: u64, by_ctrl_c: bool, name: &str) {
    let suite = Suite::new(SUITE);
    suite.project.write(
        "b.casebook.yaml",
        "tests:\n  - {name: plain, command: sleep 60}\n  - {name: shell, command: 'sleep 60; :'}\n",
    );
    let live = suite.call("-j3 --record out").start();
    eventually("the run has begun", || {
        suite.project.exists("out/events.jsonl")
    });
    thread::sleep(Duration::from_millis(after));
    let (signal, code) = if by_ctrl_c {
        (Signal::INT, 130)
    } else {
        (Signal::TERM, 143)
    };
    live.signal(signal);
    let outcome = live.wait();
    assert_eq!(outcome.code, code, "{name}: {outcome:#?}");
    suite.assert_nothing_left();
    let log = if suite.project.exists("log") {
        suite.project.read("log")
    } else {
        String::new()
    };
    let count = |word: &str| log.lines().filter(|line| *line == word).count();
    // A shell that is stopped before its setup may run its teardown anyway, which does no harm.
    assert!(count("setup") <= count("teardown"), "{name}: {log}");
    assert!(
        count("setupFile") <= count("teardownFile") && count("teardownFile") <= 1,
        "{name}: {log}"
    );
    let finished = |value: &&Value| value["event_type"] == "ExamplePassed";
    let journal = suite.project.journal("out/events.jsonl");
    let run = suite.project.json("out/run.json");
    let passed = run["examples"]
        .as_object()
        .unwrap()
        .values()
        .filter(|test| test["status"] == "passed")
        .count();
    assert_eq!(passed, journal.iter().filter(finished).count(), "{name}");
    for (_, test) in run["examples"].as_object().unwrap() {
        let class = &test["exception"]["class_name"];
        assert!(
            test["status"] == "passed" || class == "Casebook::Interrupted",
            "{name}: {test:#}"
        );
    }
}

#[test]
fn unfinished_tests_are_named() {
    let suite = Suite::new(
        "parallel: false\ntests:\n  - {name: passes, command: 'true'}\n  - {name: waits, command: touch begun; sleep 60}\n  - {name: third, command: 'true'}\n  - {name: fourth, command: 'true'}\n",
    );
    let live = suite.call("--record out").start();
    eventually("the second test has begun", || {
        suite.project.exists("begun")
    });
    live.signal(Signal::INT);
    let outcome = live.wait().exits(130);
    let lines: Vec<_> = outcome.stdout.lines().collect();
    assert_eq!(lines[0], "○ a.casebook.yaml:4  a › waits  interrupted");
    let counts = "1 passed, 1 interrupted, 2 not run";
    let suite_line = format!("○ a.casebook.yaml  {counts}  ");
    assert!(lines[1].starts_with(&suite_line), "{outcome:#?}");
    let last = format!("4 tests: {counts} in ");
    assert!(lines[3].starts_with(&last), "{outcome:#?}");
    let message = "\
interrupted: 1 test interrupted, 2 tests not run; to run the rest, use `casebook run --resume out`
  a.casebook.yaml:5 third
  a.casebook.yaml:6 fourth
";
    assert!(outcome.stderr.ends_with(message), "{outcome:#?}");
}

/// Sends Ctrl-C twice after the suite has started something that takes ten minutes.
fn interrupt_twice(suite: &str, arguments: &str) -> (Suite, Value) {
    let suite = Suite::new(suite);
    let mut live = suite.call(&format!("--record out {arguments}")).start();
    eventually("it has begun", || suite.project.exists("begun"));
    live.signal(Signal::INT);
    live.wait_for_stderr("press Ctrl-C again to kill them\n");
    live.signal(Signal::INT);
    let (_, took) = timed(|| live.wait().exits(130));
    assert!(took < Duration::from_secs(30), "{took:?}");
    suite.assert_nothing_left();
    let run = suite.project.json("out/run.json");
    (suite, run["examples"].clone())
}

#[test]
fn a_second_ctrl_c_kills_a_command_that_ignores_sigterm() {
    interrupt_twice(
        "tests:\n  - {name: deaf, command: 'trap \"\" TERM; touch begun; sleep 600; sleep 600'}\n",
        "",
    );
}

#[test]
fn a_second_ctrl_c_kills_a_teardown() {
    let suite = "
timeout: 600
teardown: touch begun; sleep 600
tests:
  - {name: passes, command: 'true'}
";
    for arguments in ["", "--workers 1"] {
        let (_, tests) = interrupt_twice(suite, arguments);
        let mut tests = tests.as_object().unwrap().values();
        let class = &tests.next().unwrap()["exception"]["class_name"];
        assert_eq!(class, "Casebook::Interrupted", "{arguments}");
    }
}

#[test]
fn a_second_ctrl_c_kills_a_teardown_file() {
    let suite = "
timeout: 600
teardownFile: touch begun; sleep 600
tests:
  - {name: passes, command: 'true'}
";
    let (_, tests) = interrupt_twice(suite, "");
    let mut tests = tests.as_object().unwrap().values();
    assert_eq!(tests.next().unwrap()["status"], "passed");
}

/// The record of a run that was interrupted or killed names the tests that were not run.
#[test]
fn tests_that_were_not_run_are_in_the_record() {
    for signal in [Signal::INT, Signal::KILL] {
        let suite = Suite::new(
            "
tests:
  - {name: passes, command: 'true'}
  - {name: waits, command: 'touch begun; sleep 20'}
  - {name: never starts, command: 'true'}
",
        );
        let live = suite.call("--record out -j1").start();
        eventually("it has begun", || suite.project.exists("begun"));
        live.signal(signal);
        if signal == Signal::KILL {
            // The command keeps standard error open, so reading it would take long.
            drop(live);
            suite.project.casebook("recover out").run();
        } else {
            live.wait().exits(130);
        }
        let run = suite.project.json("out/run.json");
        let not_run = &run["metadata"]["not_run"];
        assert_eq!(not_run.as_array().unwrap().len(), 1, "{run:#}");
        assert_eq!(not_run[0]["description"], "never starts");
        assert_eq!(not_run[0]["location"], "a.casebook.yaml:5");
        assert_eq!(run["metadata"]["planned"], Value::Null);
    }
}
