//! `--repeat`, `--until-fail` and `--stress`.

use std::time::Duration;

use rustix::process::Signal;
use serde_json::Value;

use super::{RunResult, Suite};
use crate::support::{eventually, timed};

/// The first test fails in its third run, and only then.
const SUITE: &str = r#"
setupFile: echo x >> opened
tests:
  - name: flaky
    retries: 5
    command: echo x >> runs; echo "run $(wc -l < runs)"; [[ $(wc -l < runs) -ne 3 ]]
  - {name: steady, command: 'true'}
  - {name: skipped, skip: later, command: 'false'}
"#;

/// The numbers of the recorded repetitions, the deciding one last.
fn recorded(test: &Value) -> Vec<u64> {
    let attempts = test["metadata"]["attempts"].as_array();
    let all = attempts.into_iter().flatten().chain([test]);
    all.map(|one| one["metadata"]["repetition"].as_u64().unwrap())
        .collect()
}

fn counts(ran: &RunResult, name: &str) -> [u64; 2] {
    let counts = &ran.test(name)["metadata"]["repetitions"];
    ["passed", "failed"].map(|key| counts[key].as_u64().unwrap())
}

#[test]
fn a_failed_repetition_fails_the_test_though_later_ones_pass() {
    for arguments in ["-j1", "-j3", "--workers 2"] {
        let suite = Suite::new(SUITE);
        let ran = suite.run(&format!("--repeat 5 {arguments}")).exits(1);
        assert_eq!(
            ran.verdicts(),
            [
                "flaky failed: exit code 1 instead of 0",
                "steady passed",
                "skipped pending"
            ]
        );
        let flaky = ran.test("flaky");
        assert_eq!(counts(&ran, "flaky"), [4, 1], "{arguments}");
        assert_eq!(recorded(flaky), [1, 2, 4, 5, 3]);
        assert_eq!(ran.output("flaky"), "run 3\n");
        assert_eq!(flaky["metadata"]["command"]["flaky"], Value::Null);
        assert_eq!(counts(&ran, "steady"), [5, 0]);
        assert_eq!(suite.project.read("opened"), "x\n");
        let shown = &ran.outcome.stdout;
        assert!(shown.contains("4 of 5 passed  80% (38–96%)"), "{shown}");
        assert!(
            shown.contains("3 tests: 1 passed, 1 failed, 1 skipped"),
            "{shown}"
        );
        assert!(
            !shown.contains("flaky:"),
            "a repetition is not a retry: {shown}"
        );
    }
}

#[test]
fn every_report_shows_the_repetitions() {
    let suite = Suite::new(SUITE);
    let ran = suite
        .run("--repeat 5 --format tap -j1 --html page.html")
        .exits(1);
    let tap = &ran.outcome.stdout;
    assert!(
        tap.contains("1..3\n") && tap.contains("not ok 1 flaky"),
        "{tap}"
    );
    assert!(
        tap.contains("# 4 of 5 repetitions passed, 80% (38–96%), slowest "),
        "{tap}"
    );
    assert!(
        tap.contains("ok 2 steady\n# 5 of 5 repetitions passed"),
        "{tap}"
    );
    let report = |format: &str| {
        let call = suite
            .project
            .casebook(&format!("report {} {format}", ran.dir));
        call.run().exits(0).stdout
    };
    let same = report("--format tap");
    assert_eq!(same.matches("repetitions passed").count(), 2, "{same}");
    let json: Value = serde_json::from_str(&report("--format json")).unwrap();
    let repetitions = &json["tests"][0]["repetitions"];
    assert_eq!(
        (&repetitions["passed"], &repetitions["pass_rate"]),
        (&4.into(), &0.8.into())
    );
    assert_eq!(json["tests"][0]["flaky"], false);
    let junit = report("--format junit");
    assert!(
        junit.contains(r#"<property name="repetitions.failed" value="1"/>"#),
        "{junit}"
    );
    assert!(
        !junit.contains("rerunFailure") && !junit.contains("flakyFailure"),
        "{junit}"
    );
    let github = report("--format github");
    assert!(github.contains("4 of 5 repetitions passed"), "{github}");
    let shown = report("");
    assert!(
        shown.contains("repetition 3 · 4 of 5 repetitions passed"),
        "{shown}"
    );
    assert!(shown.contains("── Repetitions"), "{shown}");
}

#[test]
fn until_fail_stops_at_the_first_failure() {
    let suite = Suite::new(SUITE);
    let ran = suite.run("--until-fail -j1").exits(1);
    assert_eq!(counts(&ran, "flaky"), [2, 1]);
    assert_eq!(counts(&ran, "steady"), [2, 0]);
    assert_eq!(suite.project.read("runs"), "x\nx\nx\n");
    let limited = suite.run("--until-fail --repeat 4 -j1 --quiet").exits(0);
    assert!(
        limited.outcome.stdout.contains("4 of 4 passed"),
        "also if quiet"
    );
    assert_eq!(counts(&limited, "flaky"), [4, 0]);
}

#[test]
fn fail_fast_stops_repeating() {
    let suite = Suite::new(SUITE);
    let ran = suite.run("--repeat 50 --fail-fast -j1").exits(1);
    assert_eq!(counts(&ran, "flaky"), [2, 1]);
}

#[test]
fn stress_repeats_tests_on_all_jobs_until_the_time_is_over() {
    let suite = Suite::new(
        "tests:\n  - {name: slow, command: 'touch begun.$$; ls begun.* | wc -l >> together; sleep 0.2; rm begun.$$'}\n  - {name: bad, command: 'false'}\n",
    );
    for arguments in ["-j4", "--workers 4"] {
        let (ran, took) = timed(|| suite.run(&format!("--stress 1s --filter slow {arguments}")));
        let ran = ran.exits(0);
        assert!(took < Duration::from_secs(30), "{took:?}");
        let [passed, failed] = counts(&ran, "slow");
        assert!(
            passed > 1 && failed == 0,
            "{passed} passed, {failed} failed"
        );
        let together = suite.project.read("together");
        assert!(together.lines().any(|jobs| jobs != "1"), "{together}");
        std::fs::remove_file(suite.project.at("together")).unwrap();
    }
    let ran = suite.run("--stress 300ms -j2").exits(1);
    let recorded = ran.test("bad")["metadata"]["repetitions"]["recorded"].as_u64();
    assert!(recorded.unwrap() <= 101);
    let over = suite.run("--stress 0.001 -j1").exits(1);
    assert_eq!(over.verdicts().len(), 2, "each test runs at least once");
}

#[test]
fn a_suite_in_order_is_repeated_in_order() {
    let suite = Suite::new(
        "parallel: false\ntests:\n  - {name: a, command: echo a >> log}\n  - {name: b, command: sleep 0.01; echo b >> log}\n",
    );
    suite.run("--repeat 3 -j4").exits(0);
    assert_eq!(suite.project.read("log"), "a\nb\na\nb\na\nb\n");
}

#[test]
fn a_failed_setup_file_is_not_repeated_endlessly() {
    let suite =
        Suite::new("setupFile: echo x >> opened; false\ntests: [{name: a, command: 'true'}]\n");
    let ran = suite.run("--stress 60").exits(1);
    assert!(counts(&ran, "a")[1] <= 2);
}

#[test]
fn ctrl_c_records_the_finished_repetitions() {
    let suite = Suite::new(
        "tests:\n  - {name: quick, command: echo x >> runs}\n  - {name: hangs, command: '[[ ! -e hang ]] || sleep 60'}\n",
    );
    let live = suite.call("--until-fail -j2 --record out").start();
    eventually("some repetitions have run", || {
        suite.project.exists("runs") && suite.project.read("runs").len() > 6
    });
    suite.project.write("hang", "");
    eventually("a test hangs", || !suite.processes().is_empty());
    live.signal(Signal::INT);
    let outcome = live.wait().exits(130);
    assert!(
        outcome.stdout.contains("── Repetitions"),
        "{}",
        outcome.stdout
    );
    let record = suite.project.json("out/run.json");
    let tests = record["examples"].as_object().unwrap();
    for test in tests.values() {
        let passed = &test["metadata"]["repetitions"]["passed"];
        assert!(passed.as_u64().unwrap() > 0, "{test:#}");
        assert_eq!(test["status"], "passed");
    }
}

#[test]
fn what_cannot_be_repeated_is_refused_before_anything_runs() {
    let suite = Suite::new(
        "agent: {command: ./agent}\ntests:\n  - {name: talk, trials: 3, conversation: [{user: Hi}]}\n",
    );
    let refused = suite.run("--repeat 2").exits(2).outcome.stderr;
    assert!(
        refused.contains("a.casebook.yaml:3: `talk` has `trials`"),
        "{refused}"
    );
    let suite = Suite::new("tests: [{name: a, command: 'true'}]\n");
    for (arguments, message) in [
        (
            "--repeat 2 --engine bats",
            "--repeat does not work with the Bats engine",
        ),
        (
            "--keep-temp always --engine bats",
            "--keep-temp does not work",
        ),
        ("--until-fail --retries 1", "cannot be used with"),
        ("--stress 1s --resume", "cannot be used with"),
        ("--repeat 0", "must be a whole number of at least 1"),
        ("--stress soon", "invalid value 'soon'"),
    ] {
        let refused = suite.run(arguments).exits(2).outcome.stderr;
        assert!(refused.contains(message), "{arguments}: {refused}");
    }
}

#[test]
fn history_and_diff_take_a_repeated_test_as_one() {
    let suite = Suite::new(SUITE);
    suite.call("--repeat 5 -j1").run().exits(1);
    suite.call("--repeat 2 -j1").run().exits(0);
    let shown = |arguments: &str| suite.project.casebook(arguments).run().exits(0).stdout;
    let diff = shown("diff");
    assert!(diff.contains("1 newly passing, 2 unchanged"), "{diff}");
    let history = shown("history");
    assert!(
        history.contains("1 passed, 1 failed, 1 skipped"),
        "{history}"
    );
    assert!(history.contains("2 passed, 1 skipped"), "{history}");
}

#[test]
fn every_suite_has_its_turn_in_each_round() {
    let suite = Suite::new("tests: [{name: a, command: 'true'}, {name: b, command: 'true'}]\n");
    suite.project.write(
        "b.casebook.yaml",
        "parallel: false\ntests: [{name: late, command: 'echo x >> runs; [[ $(wc -l < runs) -lt 4 ]]'}]\n",
    );
    let ran = suite.run("--until-fail -j1").exits(1);
    assert_eq!(counts(&ran, "late"), [3, 1]);
    assert_eq!(counts(&ran, "a"), [4, 0]);
}

#[test]
fn failed_tests_of_an_earlier_run_can_be_repeated() {
    let suite = Suite::new(
        "tests:\n  - {name: good, command: 'true'}\n  - {name: bad, command: 'false'}\n",
    );
    suite.call("").run().exits(1);
    let ran = suite.run("--failed --repeat 3").exits(1);
    assert_eq!(ran.verdicts().len(), 1);
    assert_eq!(counts(&ran, "bad"), [0, 3]);
    suite
        .project
        .write("a.casebook.yaml", "tests: [{name: new, command: 'true'}]\n");
    let gone = suite.call("--failed").run().exits(2).stderr;
    assert!(
        gone.contains("none of the tests that failed in .casebook/runs/"),
        "{gone}"
    );
}
