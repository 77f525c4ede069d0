//! Errors around a run: reported clearly and soon, and tests run wherever they can.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use super::Suite;
use crate::support::timed;

const SUITE: &str = "
matrix: {i: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]}
tests:
  - {name: writes, command: echo x >> log; seq 500}
";

#[test]
fn a_requested_record_that_cannot_be_written_is_an_error_before_the_tests_run() {
    let suite = Suite::new(SUITE);
    suite.project.write("file", "");
    suite.project.write("used/run.json", "precious");
    for (dir, reason) in [
        (
            "file/out",
            "cannot create files in [project]/file/out: not a directory",
        ),
        (
            "used",
            "[project]/used already contains a run; use another directory or delete this one",
        ),
    ] {
        let outcome = suite.call(&format!("--record {dir}")).run().exits(2);
        assert_eq!(outcome.stderr, format!("error: {reason}\n"));
        assert!(!suite.project.exists("log"), "nothing was run");
    }
    assert_eq!(suite.project.read("used/run.json"), "precious");
}

#[test]
fn a_default_record_that_cannot_be_written_is_a_warning() {
    let suite = Suite::new(SUITE);
    suite.project.write(".casebook", "");
    let outcome = suite.call("").run().exits(0);
    assert_eq!(outcome.stderr.matches("warning: ").count(), 1);
    assert!(!outcome.stderr.contains("recorded in"), "{outcome:#?}");
    assert_eq!(suite.project.read("log").lines().count(), 10);
}

#[test]
fn on_a_full_disk_a_requested_record_is_an_error_and_a_default_one_a_warning() {
    let suite = Suite::new(SUITE);
    let failing = SUITE.replace("seq 500", "seq 500; false");
    for (suite_text, record, label, code) in [
        (SUITE, "--record out -v", "error", 2),
        (&failing, "--record failed", "error", 1),
        (SUITE, "", "warning", 0),
    ] {
        suite.project.write("a.casebook.yaml", suite_text);
        suite.project.write("log", "");
        let script = format!("trap '' XFSZ; ulimit -f 8; exec \"$CASEBOOK\" run -j1 {record}");
        let outcome = suite
            .project
            .bash(&script)
            .env("TMPDIR", suite.project.at("tmp"))
            .run()
            .exits(code);
        let message = format!("{label}: cannot write [project]/");
        assert_eq!(
            outcome.stderr.matches(&message).count(),
            1,
            "once for the cause: {outcome:#?}"
        );
        assert!(!outcome.stderr.contains("recorded in"), "{outcome:#?}");
        let fix = "run.json was not written; `casebook recover ";
        assert!(outcome.stderr.contains(fix), "{outcome:#?}");
        assert_eq!(suite.project.read("log").lines().count(), 10);
    }
    assert!(!suite.project.exists("out/run.json"));
}

#[test]
fn a_report_that_does_not_fit_is_an_error_unless_tests_failed() {
    let suite = Suite::new(SUITE);
    for (command, code) in [("seq 500", 2), ("seq 500; false", 1)] {
        suite
            .project
            .write("a.casebook.yaml", SUITE.replace("seq 500", command));
        for format in ["tap", "junit", "pretty"] {
            let script = format!(
                "trap '' XFSZ; ulimit -f 0; exec \"$CASEBOOK\" run -j1 -v --record none --format {format}=report"
            );
            suite
                .project
                .bash(&script)
                .env("TMPDIR", suite.project.at("tmp"))
                .run()
                .exits(code);
        }
    }
}

#[test]
fn a_record_deleted_during_the_run_is_created_again() {
    let suite = Suite::new(
        "tests:\n  - {name: deletes, command: 'rm -r $RECORD && echo x; false'}\n  - {name: passes, command: 'true'}\n",
    );
    for (record, dir) in [("--record out", "out"), ("", ".casebook")] {
        let outcome = suite
            .call(&format!("-j1 {record}"))
            .env("RECORD", suite.project.at(dir))
            .run()
            .exits(1);
        assert_eq!(
            outcome
                .stderr
                .matches(" was deleted during the run; it was created again with all events")
                .count(),
            1,
            "{outcome:#?}"
        );
        let found = if record.is_empty() { "latest" } else { "out" };
        let found = found.replace("latest", ".casebook/runs/latest");
        let examples = suite.project.json(&format!("{found}/run.json"))["examples"].clone();
        assert_eq!(examples.as_object().unwrap().len(), 2);
        let journal = suite.project.journal(&format!("{found}/events.jsonl"));
        let ended = |event: &&serde_json::Value| {
            event["event_type"] == "ExamplePassed" || event["event_type"] == "ExampleFailed"
        };
        assert_eq!(journal.iter().filter(ended).count(), 2);
    }
}

#[test]
fn a_suite_that_cannot_be_read_is_reported_and_nothing_is_run() {
    let suite = Suite::new(SUITE);
    fs::create_dir(suite.project.at("directory.casebook.yaml")).unwrap();
    suite.call("missing.casebook.yaml").run().exits(2);
    let locked = suite.project.at("b.casebook.yaml");
    suite.project.write("b.casebook.yaml", SUITE);
    fs::set_permissions(&locked, fs::Permissions::from_mode(0o000)).unwrap();
    // Root can read every file.
    if fs::read(&locked).is_err() {
        let outcome = suite.call("").run().exits(2);
        assert!(outcome.stderr.contains("b.casebook.yaml"), "{outcome:#?}");
        assert!(!suite.project.exists("log"));
    }
}

#[test]
fn malicious_suites_are_rejected_quickly() {
    let suite = Suite::new(SUITE);
    let bomb = (0..30).fold(String::from("x-0: &a0 [x, x]\n"), |text, n| {
        format!(
            "{text}x-{}: &a{} [*a{n}, *a{n}, *a{n}, *a{n}]\n",
            n + 1,
            n + 1
        )
    });
    for (what, yaml) in [
        ("nesting", format!("tests: {}", "[".repeat(10_000))),
        (
            "closed nesting",
            format!("tests: {}{}", "[".repeat(10_000), "]".repeat(10_000)),
        ),
        ("aliases", format!("{bomb}tests: *a30\n")),
        (
            "a long line",
            format!("tests: \"{}\n", "x".repeat(5_000_000)),
        ),
        ("no text", "tests: \u{0}\u{1}".into()),
        (
            "a cycle",
            "variables: {a: '{{b}}', b: '{{a}}'}\ntests: [{name: x, command: '{{a}}'}]".into(),
        ),
    ] {
        suite.project.write("a.casebook.yaml", yaml);
        let (outcome, took) = timed(|| suite.call("").run());
        assert_eq!(outcome.code, 2, "{what}: {}", outcome.stderr);
        assert!(took.as_secs() < 60, "{what}: {took:?}");
        assert!(
            outcome.stderr.len() + outcome.stdout.len() < 10_000,
            "{what}"
        );
    }
    suite.assert_nothing_left();
}

#[test]
fn a_variable_too_long_for_the_system_fails_only_its_test() {
    let long = "x".repeat(300_000);
    let suite = Suite::new(&format!(
        "tests:\n  - {{name: long, command: 'true', env: {{BIG: {long}}}}}\n  - {{name: short, command: 'true'}}\n"
    ));
    let ran = suite.run("").exits(1);
    let verdicts = ran.verdicts();
    assert_eq!(
        verdicts[0],
        "long failed: cannot run the test: the environment is too large for the operating system: `BIG` has 300000 bytes; write it to a file"
    );
    assert_eq!(verdicts[1], "short passed");
}

#[test]
fn a_killed_command_reports_the_signal() {
    let suite = Suite::new(
        "tests:\n  - {name: killed, command: 'kill -SEGV $$', exitCode: 139}\n  - {name: unexpected, command: 'kill -9 $$'}\n",
    );
    let ran = suite.run("").exits(1);
    assert_eq!(
        ran.verdicts(),
        [
            "killed passed",
            "unexpected failed: exit code 137 (killed by SIGKILL) instead of 0"
        ]
    );
    assert_eq!(ran.command("killed")["signal"], "SIGSEGV");
}
