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
