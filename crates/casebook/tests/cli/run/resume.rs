//! After SIGKILL at any time, the next run cleans up, and `--resume` runs the remaining tests.

use std::collections::BTreeSet;
use std::fs;
use std::thread;
use std::time::Duration;

use rustix::process::Signal;
use serde_json::Value;

use super::Suite;
use crate::prng::{Random, seed};
use crate::support::{Project, eventually};

const SUITE: &str = "
setupFile: sleep 60 & setsid sleep 60 &
setup: sleep 60 &
matrix: {i: [1, 2, 3, 4, 5, 6, 7, 8]}
tests:
  - {name: quick, command: 'echo $RUN quick {{i}} >> log; sleep 0.01'}
  - {name: slow, command: '(setsid sleep 60 &) >/dev/null 2>&1; echo $RUN slow {{i}} >> log; sleep 0.05'}
  - {name: fails, command: 'echo $RUN fails {{i}} >> log; false'}
  - {name: skipped, command: 'true', skip: later}
";

#[test]
fn a_run_killed_at_any_time_is_finished_by_resume() {
    let seed = seed();
    thread::scope(|scope| {
        for number in 0..10 {
            scope.spawn(move || {
                let mut random =
                    Random::new(seed ^ (number + 1_u64).wrapping_mul(0x9E37_79B9_7F4A_7C15));
                let after = random.below(600);
                kill_and_resume(
                    after,
                    &format!("CASEBOOK_SEED={seed} number {number} after {after} ms"),
                );
            });
        }
    });
}

fn kill_and_resume(after: u64, name: &str) {
    let suite = Suite::new(SUITE);
    let live = suite.call("-j3").env("RUN", "killed").start();
    eventually("the run has begun", || {
        suite.project.exists(".casebook/runs/latest/events.jsonl")
    });
    thread::sleep(Duration::from_millis(after));
    live.signal(Signal::KILL);
    // Remaining processes keep its standard error open, so reading it would not end.
    drop(live);
    let journal = complete_lines(&suite.project.read(".casebook/runs/latest/events.jsonl"));
    let finished: BTreeSet<String> = ended_in(&journal).collect();

    let outcome = suite.call("--resume -j3").env("RUN", "resumed").run();
    assert_eq!(outcome.code, 1, "{name}: {outcome:#?}");
    suite.assert_nothing_left();
    let run = suite.project.json(".casebook/runs/latest/run.json");
    let tests = run["examples"].as_object().unwrap();
    assert_eq!(tests.len(), 32, "{name}");
    for test in tests.values() {
        let expected = match test["description"]
            .as_str()
            .unwrap()
            .split(' ')
            .next()
            .unwrap()
        {
            "fails" => "failed",
            "skipped" => "pending",
            _ => "passed",
        };
        assert_eq!(test["status"], expected, "{name}: {test:#}");
    }
    let log = suite.project.read("log");
    for test in tests.values().filter(|test| test["status"] != "pending") {
        let title = test["description"].as_str().unwrap();
        let entry = format!("resumed {}", title.replace("[i=", "").replace(']', ""));
        let times = log.lines().filter(|ran| *ran == entry).count();
        let was_finished = finished.contains(test["id"].as_str().unwrap());
        assert_eq!(times, usize::from(!was_finished), "{name}: {title}");
    }
    let whole = suite.project.journal(".casebook/runs/latest/events.jsonl");
    assert_eq!(
        ended_in(&whole).collect::<BTreeSet<_>>().len(),
        32,
        "{name}"
    );
    assert_eq!(ended_in(&whole).count(), 32, "{name}: each once");
}

/// The ids of the tests that have ended.
fn ended_in(journal: &[Value]) -> impl Iterator<Item = String> {
    let kinds = ["ExamplePassed", "ExampleFailed", "ExamplePending"];
    let ends = journal
        .iter()
        .filter(move |event| kinds.iter().any(|kind| event["event_type"] == *kind));
    ends.map(|event| event["payload"]["example_id"].as_str().unwrap().to_owned())
}

/// The events of a journal without an incomplete last line.
fn complete_lines(journal: &str) -> Vec<Value> {
    let lines = journal.lines().map(serde_json::from_str);
    lines.map_while(Result::ok).collect()
}

#[test]
fn finished_tests_are_not_run_again_and_count() {
    let suite = Suite::new(
        "tests:\n  - {name: passes, command: echo x >> log}\n  - {name: fails, command: echo x >> log; false}\n",
    );
    suite.call("").run().exits(1);
    let outcome = suite.call("--resume").run().exits(1);
    let message = format!(
        "\
nothing to resume: all selected tests of {} have run
1 test of this run had already failed:
  a.casebook.yaml:3 fails
",
        newest_dir(&suite)
    );
    assert_eq!(outcome.stderr, message);
    assert_eq!(suite.project.read("log"), "x\nx\n");
    assert_eq!(suite.project.files(".casebook/runs").len(), 2);
}

#[test]
fn a_resumed_run_fails_if_any_of_its_tests_did() {
    let suite = Suite::new(
        "parallel: false\ntests:\n  - {name: fails, command: 'false'}\n  - {name: waits, command: '[[ -e go ]] || { touch begun; sleep 60; }'}\n",
    );
    let live = suite.call("").start();
    eventually("the second test has begun", || {
        suite.project.exists("begun")
    });
    live.signal(Signal::INT);
    live.wait().exits(130);
    suite.project.write("go", "");
    let outcome = suite.call("--resume").run().exits(1);
    let message = "1 test of this run had already failed:\n  a.casebook.yaml:3 fails\n";
    assert!(outcome.stderr.contains(message), "{outcome:#?}");
    let run = suite.project.json(".casebook/runs/latest/run.json");
    let statuses: Vec<_> = run["examples"]
        .as_object()
        .unwrap()
        .values()
        .map(|test| test["status"].as_str().unwrap())
        .collect();
    assert_eq!(statuses, ["failed", "passed"]);
}

#[test]
fn a_selection_that_matches_no_test_is_an_error() {
    let suite = Suite::new("tests:\n  - {name: passes, command: 'true'}\n");
    suite.call("").run().exits(0);
    let outcome = suite.call("--resume --filter nothing").run().exits(2);
    let message = "error: no tests match --filter nothing; ";
    assert!(outcome.stderr.starts_with(message), "{outcome:#?}");
}

const SOME_FAIL: &str = "
parallel: false
tests:
  - {name: passes, command: echo passes >> log}
  - {name: fails, command: 'echo fails >> log; [ -e fixed ]'}
  - {name: waits, command: 'echo waits >> log; touch begun; [ -e fixed ] || sleep 60'}
  - {name: last, command: echo last >> log}
";

#[test]
fn failed_and_unfinished_tests_are_run_as_a_new_run() {
    let suite = Suite::new(SOME_FAIL);
    let live = suite.call("").start();
    eventually("the third test has begun", || suite.project.exists("begun"));
    live.signal(Signal::INT);
    live.wait().exits(130);
    suite.project.write("log", "");
    suite.project.write("fixed", "");
    suite.call("--failed").run().exits(0);
    assert_eq!(suite.project.read("log"), "fails\nwaits\nlast\n");
    assert_eq!(suite.project.files(".casebook/runs").len(), 3);
    let outcome = suite.call("--failed").run().exits(0);
    let message = format!(
        "no failed tests in {}; nothing was run\n",
        newest_dir(&suite)
    );
    assert_eq!(outcome.stderr, message);
}

/// The directory of the newest run, which `latest` points to.
fn newest_dir(suite: &Suite) -> String {
    let name = fs::read_link(suite.project.at(".casebook/runs/latest")).unwrap();
    format!(".casebook/runs/{}", name.display())
}

#[test]
fn only_failed_tests_of_a_complete_run_are_run() {
    let suite = Suite::new(
        "tests:\n  - {name: passes, command: echo passes >> log}\n  - {name: fails, command: 'echo fails >> log; false'}\n",
    );
    suite.call("-j1").run().exits(1);
    // The record of the second run has only the failed test.
    suite.call("--failed").run().exits(1);
    suite.call("--failed").run().exits(1);
    assert_eq!(suite.project.read("log"), "passes\nfails\nfails\nfails\n");
}

#[test]
fn an_interrupted_run_of_failed_tests_is_resumed() {
    let suite = Suite::new(
        "parallel: false\ntests:\n  - {name: passes, command: echo passes >> log}\n  - {name: waits, command: 'echo waits >> log; [ ! -e slow ] || { touch begun; sleep 60; }; [ -e fixed ]'}\n  - {name: fails, command: 'echo fails >> log; [ -e fixed ]'}\n",
    );
    suite.call("").run().exits(1);
    suite.project.write("slow", "");
    let live = suite.call("--failed").start();
    eventually("a test has begun", || suite.project.exists("begun"));
    live.signal(Signal::INT);
    live.wait().exits(130);
    fs::remove_file(suite.project.at("slow")).unwrap();
    suite.project.write("fixed", "");
    suite.project.write("log", "");
    suite.call("--resume").run().exits(0);
    assert_eq!(suite.project.read("log"), "waits\nfails\n");
}

#[test]
fn a_run_is_resumed_with_its_options() {
    let suite = Suite::new(
        "parallel: false\ntests:\n  - {name: a one, command: touch begun; sleep 60}\n  - {name: a two, command: sleep 60}\n  - {name: b, command: touch b}\n",
    );
    let live = suite.call("--filter a --timeout 50s --retries 1").start();
    eventually("the first test has begun", || suite.project.exists("begun"));
    live.signal(Signal::INT);
    live.wait().exits(130);
    suite.call("--resume --timeout 100ms").run().exits(1);
    assert!(!suite.project.exists("b"));
    let run = suite.project.json(".casebook/runs/latest/run.json");
    let tests = run["examples"].as_object().unwrap().values();
    let attempts: Vec<_> = tests
        .map(|test| test["metadata"]["attempts"].as_array().unwrap().len())
        .collect();
    assert_eq!(attempts, [2, 1], "the first was cut once and tried twice");
}

/// A run inside a run: when the outer one is killed, the inner one does not remain.
#[test]
fn a_killed_nested_run_is_cleaned_up() {
    let suite =
        Suite::new("tests:\n  - {name: outer, command: '\"$CASEBOOK\" run --record none inner'}\n");
    suite.project.write(
        "inner/b.casebook.yaml",
        "tests:\n  - {name: inner, command: 'touch begun; sleep 60; :'}\n",
    );
    let call = suite
        .project
        .bash("exec \"$CASEBOOK\" run --record none a.casebook.yaml");
    let live = call.env("TMPDIR", suite.project.at("tmp")).start();
    eventually("the inner test has begun", || suite.project.exists("begun"));
    live.signal(Signal::KILL);
    // Remaining processes keep its standard error open, so reading it would not end.
    drop(live);
    suite.project.write(
        "c.casebook.yaml",
        "tests:\n  - {name: next, command: 'true'}\n",
    );
    suite.call("--record none c.casebook.yaml").run().exits(0);
    suite.assert_nothing_left();
}

#[test]
fn a_run_of_specs_is_not_resumed_as_one_of_suites_and_vice_versa() {
    let project = Project::with(
        "a.casebook.yaml",
        "tests: [{name: a, command: \"false\"}]\n",
    );
    project.casebook("run").run().exits(1);
    let refused = project.casebook("rspec --resume").run().exits(2);
    assert!(
        refused.stderr.contains(
            "was recorded by `casebook run`, and only `casebook run --resume` continues it"
        ),
        "{}",
        refused.stderr
    );
    project.write("a_spec.rb", "RSpec.describe('a') { it('b') { } }\n");
    project.casebook("rspec a_spec.rb").run().exits(0);
    for option in ["--resume", "--failed"] {
        let refused = project.casebook(&format!("run {option}")).run().exits(2);
        assert!(
            refused.stderr.contains("was recorded by `casebook rspec`"),
            "{}",
            refused.stderr
        );
    }
}
