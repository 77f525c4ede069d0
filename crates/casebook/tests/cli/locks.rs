//! `locks`: tests that share one never run at the same time.

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::support::{Project, eventually, kills, timed};

/// Fails if it runs at the same time as another one.
const ALONE: &str = "mkdir alone && sleep 0.03 && rmdir alone";

/// A suite with this many tests that must run alone.
fn suite(count: usize, locks: &str) -> String {
    let test = |number| format!("  - {{name: t{number}, command: '{ALONE}'{locks}}}\n");
    format!("tests:\n{}", (0..count).map(test).collect::<String>())
}

/// Two suites with tests that must not run at the same time.
fn project(locks: &str) -> Project {
    let project = Project::with("a.casebook.yaml", suite(6, locks));
    project.write("b.casebook.yaml", suite(6, locks));
    project
}

#[test]
fn tests_that_share_a_lock_run_one_at_a_time_in_all_suites_and_workers() {
    for arguments in ["-j 8", "-w 3"] {
        let arguments = format!("run --record none {arguments} .");
        // The tests would fail otherwise.
        project("").casebook(&arguments).run().exits(1);
        let outcome = project(", locks: [db]").casebook(&arguments).run();
        assert!(outcome.exits(0).stdout.contains("12 tests: 12 passed"));
    }
}

#[test]
fn tests_that_share_a_lock_with_shared_run_together() {
    // Each waits for the other.
    let meet = |own: &str, other: &str| {
        format!(
            "touch {own}; for i in $(seq 200); do test -e {other} && exit; sleep 0.02; done; exit 1"
        )
    };
    let project = Project::with(
        "a.casebook.yaml",
        format!(
            "locks: [{{db: shared}}]\ntests:\n  - {{name: a, command: '{}'}}\n  - {{name: b, command: '{}'}}\n  - {{name: c, command: 'rm one two', locks: [db]}}\n",
            meet("one", "two"),
            meet("two", "one")
        ),
    );
    project.casebook("run --record none -j 3").run().exits(0);
}

#[test]
fn other_tests_run_while_a_lock_is_held() {
    let project = Project::with(
        "a.casebook.yaml",
        "tests:
  - {name: slow, command: 'until test -e done; do sleep 0.02; done', locks: [db], timeout: 10}
  - {name: waits, command: 'true', locks: [db]}
  - {name: other, command: touch done}
",
    );
    project.casebook("run --record none -j 2").run().exits(0);
}

#[test]
fn a_lock_is_released_when_its_worker_dies() {
    let project = Project::with(
        "a.casebook.yaml",
        "tests:
  - {name: poison, command: 'read -r _ _ _ parent _ < /proc/$$/stat; kill -9 $parent', locks: [db]}
  - {name: next, command: 'true', locks: [db]}
",
    );
    let outcome = project.casebook("run --record none -w 2").run().exits(1);
    assert!(
        outcome.stdout.contains("1 passed, 1 failed"),
        "{outcome:#?}"
    );
}

#[test]
fn a_failure_or_a_signal_ends_a_run_with_locks() {
    let project = Project::with(
        "a.casebook.yaml",
        "locks: [db]
teardownFile: touch closed
tests:
  - {name: fails, command: exit 1}
  - {name: never runs, command: 'true'}
",
    );
    let run = project.casebook("run --record none -j 4 --fail-fast").run();
    assert!(run.exits(1).stdout.contains("1 failed, 1 not run"));
    assert!(project.exists("closed"));

    let project = Project::with(
        "a.casebook.yaml",
        "locks: [db]
teardownFile: touch closed
tests:
  - {name: sleeps, command: touch begun; sleep 60}
  - {name: waits, command: 'true'}
",
    );
    let run = project.casebook("run --record none -j 4").start();
    eventually("the test has begun", || project.exists("begun"));
    run.signal(Signal::INT);
    let (ended, time) = timed(|| run.finish());
    assert!(
        ended
            .exits(130)
            .stderr
            .contains("1 test interrupted, 1 test not run")
    );
    assert!(time.as_secs() < 20, "{time:?}");
    assert!(project.exists("closed"));
}

/// How many processes have the project as their current directory.
fn processes_in(project: &Project) -> usize {
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    let dirs = processes.filter_map(|process| process.path().join("cwd").read_link().ok());
    dirs.filter(|dir| *dir == project.at(".")).count()
}

/// With `CASEBOOK_KILLS=100`, a hundred kills.
#[test]
fn a_killed_runner_leaves_no_lock() {
    let project = project(", locks: [db, {room: shared}]");
    for kill in 0..kills(5) {
        let run = project.casebook("run --record none -j 4 .").start();
        std::thread::sleep(std::time::Duration::from_millis(30 + kill * 37 % 300));
        run.signal(Signal::KILL);
        drop(run);
        // The command of the killed run may still be running.
        eventually("the last command has ended", || {
            std::fs::remove_dir(project.at("alone")).is_err()
        });
    }
    eventually("the commands of killed runs have ended", || {
        processes_in(&project) == 0
    });
    let _ = std::fs::remove_dir(project.at("alone"));
    let (outcome, time) = timed(|| project.casebook("run --record none -j 4 .").run());
    assert!(outcome.exits(0).stdout.contains("12 passed"));
    assert!(time.as_secs() < 20, "{time:?}");
}

#[test]
fn the_record_has_the_locks_of_each_test() {
    let project = Project::with(
        "a.casebook.yaml",
        "locks: [db]\ntests: [{name: t, command: 'true', locks: [{room: shared}]}]\n",
    );
    project.casebook("run --record out").run().exits(0);
    let run = project.json("out/run.json");
    let mut examples = run["examples"].as_object().unwrap().values();
    let metadata: &Value = &examples.next().unwrap()["metadata"];
    assert_eq!(metadata["locks"], json!(["db", {"room": "shared"}]));
}

#[test]
fn reports_show_the_locks_of_a_test() {
    let project = Project::with(
        "a.casebook.yaml",
        "locks: [db]\ntests: [{name: t, command: 'false', locks: [{room: shared}]}]\n",
    );
    let formats = ["tap", "junit", "json", "github", "allure"]
        .map(|format| format!(" --format {format}=out.{format}"));
    let run = format!("run --record out --format pretty{}", formats.concat());
    let shown = project.casebook(&run).run().exits(1).stdout;
    let locks = "locks: db, room (shared)";
    assert!(shown.contains(locks), "{shown}");
    for (format, expected) in [
        ("tap", "locks: \"db, room (shared)\""),
        (
            "junit",
            "<property name=\"locks\" value=\"db, room (shared)\"/>",
        ),
        ("github", locks),
    ] {
        let report = project.read(&format!("out.{format}"));
        assert!(report.contains(expected), "{report}");
    }
    let tests = project.json("out.json")["tests"].clone();
    assert_eq!(tests[0]["locks"], json!(["db", {"room": "shared"}]));
    let again = project.casebook("report out --format tap").run();
    assert!(
        again.stdout.contains("locks: \"db, room (shared)\""),
        "{again:#?}"
    );
    let results = project.files("out.allure");
    let results: Vec<_> = results
        .iter()
        .map(|file| project.read(&format!("out.allure/{file}")))
        .collect();
    assert!(results.iter().any(|text| text.contains("room (shared)")));
}

#[test]
fn compiled_suites_with_locks_run_one_test_at_a_time() {
    let project = Project::with("a.casebook.yaml", suite(2, ", locks: [db]"));
    let outcome = project.casebook("compile a.casebook.yaml").run().exits(0);
    let code = &outcome.stdout;
    assert!(code.contains("export BATS_NO_PARALLELIZE_WITHIN_FILE=true"));
    assert!(
        outcome
            .stderr
            .contains("a.casebook.yaml:2: Bats has no locks"),
        "{outcome:#?}"
    );
    let without = Project::with("a.casebook.yaml", suite(2, ""));
    let outcome = without.casebook("compile a.casebook.yaml").run().exits(0);
    assert!(!outcome.stdout.contains("BATS_NO_PARALLELIZE_WITHIN_FILE"));
    assert_eq!(outcome.stderr, "");
}
