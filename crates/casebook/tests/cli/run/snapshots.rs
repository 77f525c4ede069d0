//! Snapshots.

use super::Suite;

const SUITE: &str = "
tests:
  - {name: says it, command: cat said, snapshot: true}
  - {name: by name, command: echo fixed, snapshot: chosen}
";
const FILE: &str = "__snapshots__/a/says-it.snap";

#[test]
fn a_new_snapshot_is_written_a_different_one_fails_and_update_accepts_it() {
    let suite = Suite::new(SUITE);
    suite.project.write("said", "one\n\n");
    suite.run("").exits(0);
    assert_eq!(suite.project.read(FILE), "one\n");
    assert_eq!(
        suite.project.files("__snapshots__/a"),
        ["chosen.snap", "says-it.snap"]
    );
    suite.run("").exits(0);
    suite.project.write("said", "two\n");
    let ran = suite.run("").exits(1);
    assert_eq!(
        ran.verdicts()[0],
        "says it failed: output differs from the snapshot; run with --update to accept it"
    );
    let evaluation = &ran.test("says it")["evaluations"][1]["metadata"];
    assert_eq!(
        (&evaluation["expected"], &evaluation["actual"]),
        (&"one".into(), &"two".into())
    );
    assert_eq!(suite.project.read(FILE), "one\n");
    let ran = suite.run("--update").exits(0);
    assert_eq!(
        ran.test("says it")["evaluations"][1]["metadata"]["written"],
        true
    );
    assert_eq!(suite.project.read(FILE), "two\n");
}

#[test]
fn snapshots_are_not_written_in_ci() {
    let suite = Suite::new(SUITE);
    suite.project.write("said", "one\n");
    let ran = suite.run_as(suite.call("").env("CI", "true")).exits(1);
    assert!(
        ran.verdicts()[0].contains("does not exist and is not written in CI"),
        "{ran:#?}"
    );
    assert!(!suite.project.exists("__snapshots__"));
}

#[test]
fn written_snapshots_are_reported() {
    let suite = Suite::new(SUITE);
    suite.project.write("said", "one\n");
    for engine in ["--engine bats", ""] {
        let ran = suite.run(engine).exits(0);
        assert!(
            ran.outcome.stderr.contains(
                "2 snapshots written: __snapshots__/a/chosen.snap, __snapshots__/a/says-it.snap\n"
            ),
            "{ran:#?}"
        );
        let ran = suite.run(engine).exits(0);
        assert!(!ran.outcome.stderr.contains("written"), "{ran:#?}");
        suite.project.write("said", "two\n");
        let ran = suite
            .run(&format!("--update --format tap {engine}"))
            .exits(0);
        assert!(
            ran.outcome
                .stderr
                .contains("1 snapshot written: __snapshots__/a/says-it.snap\n"),
            "{ran:#?}"
        );
        suite.project.write("said", "one\n");
        suite.project.bash("rm -r __snapshots__").run().exits(0);
    }
}

#[test]
fn unused_snapshots_are_listed_by_check() {
    let suite = Suite::new(SUITE);
    suite.project.write("said", "one\n");
    suite.run("").exits(0);
    let outcome = suite.project.casebook("check").run().exits(0);
    assert_eq!(outcome.stdout, "");
    suite.project.write("__snapshots__/a/old.snap", "x\n");
    suite.project.write("__snapshots__/gone/deep/x.snap", "x\n");
    suite.project.write("__snapshots__/a/notes.md", "x\n");
    let outcome = suite.project.casebook("check").run().exits(0);
    let warnings = outcome.stdout.lines();
    let warnings: Vec<_> = warnings.filter(|line| line.contains("warning")).collect();
    assert_eq!(
        warnings,
        [
            "__snapshots__/a/old.snap:1:1: warning: no test uses this snapshot [unused-snapshot]",
            "__snapshots__/gone/deep/x.snap:1:1: warning: no test uses this snapshot [unused-snapshot]",
        ],
        "{}",
        outcome.stdout
    );
    let outcome = suite.project.casebook("run").run().exits(0);
    assert!(!outcome.stderr.contains("unused-snapshot"), "{outcome:?}");
}

#[test]
fn a_snapshot_has_no_secrets_with_both_engines() {
    let suite = Suite::new(
        "
env: {OWN_TOKEN: token-of-the-suite}
redact: [LICENSE]
tests:
  - name: secrets
    command: echo \"it is $API_TOKEN, $OWN_TOKEN and $LICENSE\"
    snapshot: true
",
    );
    let file = "__snapshots__/a/secrets.snap";
    for (write, compare) in [("", "--engine bats"), ("--engine bats", "")] {
        let call = |options: &str, token: &str| {
            let call = suite.call(options).env("API_TOKEN", token);
            call.env("LICENSE", "license-1234")
        };
        suite.run_as(call(write, "s3cr3t-value")).exits(0);
        let expected = "it is [redacted], [redacted] and [redacted]\n";
        assert_eq!(suite.project.read(file), expected);
        suite.run_as(call(compare, "another-value")).exits(0);
        let other = "it was [redacted], [redacted] and [redacted]\n";
        suite.project.write(file, other);
        suite.run_as(call(compare, "another-value")).exits(1);
        suite.project.bash("rm -r __snapshots__").run().exits(0);
    }
}

#[test]
fn two_suites_cannot_have_the_same_snapshot() {
    let suite = Suite::new(SUITE);
    let other = "tests: [{name: Says it, command: echo x, snapshot: true}]";
    suite.project.write("a.bashi.yaml", other);
    let outcome = suite.project.casebook("check").run().exits(2);
    assert!(
        outcome.stdout.contains(
            "a.casebook.yaml:3:40: error: a.bashi.yaml has the same snapshot [same-snapshot]"
        ),
        "{}",
        outcome.stdout
    );
    suite.project.casebook("run").run().exits(2);
    assert!(!suite.project.exists("__snapshots__"));
    let line = "check a.casebook.yaml:3 a.casebook.yaml:4";
    suite.project.casebook(line).run().exits(0);
}
