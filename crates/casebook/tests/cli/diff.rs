//! `casebook diff`: selection of runs, output formats and exit codes.

use insta::assert_snapshot;

use crate::events::{failed, lines, passed, started, suite, suite_stopped};
use crate::support::Project;

/// Two recorded runs: one test passes in both, the other fails in the second.
fn two_runs() -> Project {
    let project = Project::new();
    record(&project, "aaaaaaaa-run", passed("divides"));
    record(
        &project,
        "bbbbbbbb-run",
        failed("divides", "expected 2, got 3\nmore"),
    );
    project
}

fn record(project: &Project, id: &str, divides: String) {
    let run = [
        suite(id),
        started("adds"),
        passed("adds"),
        started("divides"),
        divides,
        suite_stopped(),
    ];
    project
        .casebook("record --from jsonl")
        .stdin(lines(&run))
        .run();
}

#[test]
fn the_newest_run_is_compared_with_the_previous_one() {
    let project = two_runs();
    assert_snapshot!(project.casebook("diff").run().shown(), @"
    exit code 0
    --- stdout
    from aaaaaaaa-run · 2026-11-15 08:30:00 UTC · 2 tests, 0 failed
    to   bbbbbbbb-run · 2026-11-15 08:30:00 UTC · 2 tests, 1 failed

    ── Newly failing ───────────────────────────────────────────────────────────────────────────────────

    ✗ Sum divides
      spec/divides_spec.rb:7
      expected 2, got 3

    1 test timed in both runs: 250 ms → 250 ms
    1 newly failing, 1 unchanged
    ");
    let expected = project.casebook("diff").run().stdout;
    for names in [
        "latest~1",
        "latest~1 latest",
        "aaaaaaaa bbbbbbbb",
        "latest~1 latest~0",
    ] {
        let outcome = project.casebook(&format!("diff {names}")).run().exits(0);
        assert_eq!(outcome.stdout, expected, "{names}");
    }
}

#[test]
fn a_regression_can_fail_the_command() {
    let project = two_runs();
    project.casebook("diff --fail-on regression").run().exits(1);
    project
        .casebook("diff --fail-on slower,criteria")
        .run()
        .exits(0);
    project
        .casebook("diff latest latest~1 --fail-on regression")
        .run()
        .exits(0);
    let outcome = project.casebook("diff --fail-on nothing").run().exits(2);
    assert!(outcome.stderr.contains("regression"), "{}", outcome.stderr);
}

#[test]
fn json_and_markdown_are_written_to_standard_output() {
    let project = two_runs();
    let json = project.casebook("diff --json").run().exits(0).stdout;
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["counts"]["newly_failing"], 1);
    assert_eq!(json["tests"][0]["new"]["reason"], "expected 2, got 3");
    let markdown = project.casebook("diff --markdown").run().exits(0).stdout;
    assert!(
        markdown.starts_with("### ❌ Casebook: 1 newly failing, 1 unchanged\n"),
        "{markdown}"
    );
    project.casebook("diff --json --markdown").run().exits(2);
}

#[test]
fn closed_standard_output_is_not_an_error() {
    two_runs()
        .casebook("diff --json")
        .closed_stdout()
        .run()
        .exits(0);
}

#[test]
fn missing_runs_are_reported() {
    let project = Project::new();
    assert_snapshot!(project.casebook("diff").run().shown(), @"
    exit code 2
    --- stderr
    error: no recorded runs in [project]/.casebook/runs; record one with `casebook run`, or pass the path of a run.json or events.jsonl
    ");
    record(&project, "aaaaaaaa-run", passed("divides"));
    assert_snapshot!(project.casebook("diff").run().shown(), @"
    exit code 2
    --- stderr
    error: [project]/.casebook/runs contains only 1 run
    ");
    assert_snapshot!(project.casebook("diff nothing").run().shown(), @"
    exit code 2
    --- stderr
    error: run not found: `nothing` is neither a path nor a run in [project]/.casebook/runs
    ");
}
