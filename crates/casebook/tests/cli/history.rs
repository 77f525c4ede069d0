//! `casebook history`: trends over many records, and pruning.

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::events::{event, failed, lines, passed, started};
use crate::support::Project;

/// Records a run of one test with this day and commit.
fn record(project: &Project, day: u32, commit: &str, result: String) {
    let time = format!("2026-11-{day:02}T08:30:00.000Z");
    let suite = json!({"time": time, "example_count": 1, "run_id": format!("run{day}"), "git_commit": commit});
    let run = [
        event("SuiteStarted", suite),
        started("divides"),
        result,
        event(
            "SuiteStopped",
            json!({"time": format!("2026-11-{day:02}T08:30:0{day}.000Z")}),
        ),
    ];
    project
        .casebook("record --from jsonl")
        .stdin(lines(&run))
        .run();
}

fn four_runs() -> Project {
    let project = Project::new();
    for (day, commit, result) in [
        (1, "aaaaaaa1", passed("divides")),
        (2, "aaaaaaa1", failed("divides", "no")),
        (3, "bbbbbbb2", passed("divides")),
        (4, "ccccccc3", failed("divides", "no")),
    ] {
        record(&project, day, commit, result);
    }
    project
}

fn json(project: &Project, arguments: &str) -> Value {
    let text = project
        .casebook(&format!("history --json {arguments}"))
        .run()
        .exits(0)
        .stdout;
    serde_json::from_str(&text).unwrap()
}

#[test]
fn shows_trends_and_broken_tests() {
    let project = four_runs();
    assert_snapshot!(project.casebook("history").run().shown(), @r#"
    exit code 0
    --- stdout
    pass rate  █▁█▁  0%  scale 0–100%
    duration   █▇▇▇  264 h 00 min  scale 0–336 h 00 min

    ── Runs, in UTC ────────────────────────────────────────────────────────────────────────────────────

      ✓ 2026-11-01 08:30  run1  1 passed  336 h 00 min  aaaaaaa
      ✗ 2026-11-02 08:30  run2  1 failed  312 h 00 min  aaaaaaa
      ✓ 2026-11-03 08:30  run3  1 passed  288 h 00 min  bbbbbbb
      ✗ 2026-11-04 08:30  run4  1 failed  264 h 00 min  ccccccc

    ── Slowest ─────────────────────────────────────────────────────────────────────────────────────────

            250 ms  ██                    Sum divides · spec/divides_spec.rb:3

    ── Flaky ───────────────────────────────────────────────────────────────────────────────────────────

    ~ Sum divides · spec/divides_spec.rb:3
      changed its outcome once without a new commit, last at aaaaaaa · failed in 2 of 4 runs

    ── Broken ──────────────────────────────────────────────────────────────────────────────────────────

    ✗ Sum divides · spec/divides_spec.rb:3
      since        commit ccccccc · run run4 · 2026-11-04 08:30 UTC · 1 failed run
      last passed  commit bbbbbbb · run run3 · 2026-11-03 08:30 UTC

    4 runs since 2026-11-01 08:30:00 UTC, 1 test failed when last run, 1 test flaky
    "#);
    let first = project.casebook("history").run().exits(0).stdout;
    assert!(project.exists(".casebook/history.idx"));
    project.write(".casebook/history.idx", "damaged");
    assert_eq!(project.casebook("history").run().exits(0).stdout, first);
}

#[test]
fn json_is_filtered_too() {
    let project = four_runs();
    let all = json(&project, "");
    assert_eq!(all["runs"].as_array().unwrap().len(), 4);
    assert_eq!(all["broken"][0]["since"]["git_commit"], "ccccccc3");
    assert_eq!(all["broken"][0]["last_passed"]["git_commit"], "bbbbbbb2");
    assert_eq!(all["flaky"][0]["flips"], 1);
    assert_eq!(
        json(&project, "--limit 2")["runs"]
            .as_array()
            .unwrap()
            .len(),
        2
    );
    assert_eq!(
        json(&project, "--test DIVIDES")["tests"][0]["runs"]
            .as_array()
            .unwrap()
            .len(),
        4
    );
    assert_eq!(json(&project, "--test absent")["runs"], json!([]));
}

#[test]
fn names_the_commit_since_which_a_test_is_slower() {
    let project = Project::new();
    for day in 1..=6 {
        let (commit, duration) = if day < 4 {
            ("aaaaaaa1", "0.25")
        } else {
            ("bbbbbbb2", "0.75")
        };
        let result = passed("divides").replace("0.25", duration);
        record(&project, day, commit, result);
    }
    let text = project.casebook("history --test divides").run().exits(0);
    assert!(
        text.stdout
            .contains("since     commit bbbbbbb · run run4 · 2026-11-04 08:30 UTC · 3 runs"),
        "{}",
        text.stdout
    );
    let slower = &json(&project, "")["slower"][0];
    assert_eq!(slower["since"]["git_commit"], "bbbbbbb2");
    assert_eq!(
        (&slower["base_ms"], &slower["new_ms"]),
        (&json!(250), &json!(750))
    );
    assert_eq!(json(&project, "--limit 5")["slower"], json!([]));
    let page = project.casebook("history --html -").run().exits(0).stdout;
    assert!(page.contains("250 ms → 750 ms"), "{page}");
}

#[test]
fn writes_an_html_page() {
    let project = four_runs();
    let outcome = project.casebook("history --html out.html").run().exits(0);
    assert_eq!(outcome.stdout, "");
    let page = project.read("out.html");
    assert!(
        page.starts_with("<!doctype html>") && page.contains("Sum divides"),
        "{page}"
    );
    project.casebook("diff --html diff.html").run().exits(0);
    assert!(project.read("diff.html").contains("Newly failing"));
    assert_eq!(
        project.casebook("history --html -").run().exits(0).stdout,
        page
    );
}

#[test]
fn reports_damaged_and_unfinished_records() {
    let project = four_runs();
    project.write(".casebook/runs/20261102-083000-run2/run.json", "{");
    std::fs::remove_file(project.at(".casebook/runs/20261103-083000-run3/run.json")).unwrap();
    let outcome = project.casebook("history").run().exits(0);
    assert_snapshot!(outcome.stderr, @"warning: skipped 20261102-083000-run2: .casebook/runs/20261102-083000-run2/run.json:1:1: not a valid run: it ends inside an object");
    assert!(outcome.stdout.contains("unfinished"), "{}", outcome.stdout);
}

#[test]
fn without_runs_the_message_names_the_directory() {
    assert_snapshot!(Project::new().casebook("history").run().shown(), @"
    exit code 2
    --- stderr
    error: no recorded runs in [project]/.casebook/runs; record one with `casebook run`, or pass the path of a run.json or events.jsonl
    ");
    assert_snapshot!(Project::new().casebook("history prune --keep 1").run().shown(), @"
    exit code 0
    --- stderr
    removed no runs; no runs left
    ");
}

#[test]
fn closed_standard_output_is_not_an_error() {
    four_runs()
        .casebook("history --json")
        .closed_stdout()
        .run()
        .exits(0);
}

#[test]
fn prunes_by_count_age_and_size() {
    let project = four_runs();
    let runs = || project.files(".casebook/runs");
    let dry = project
        .casebook("history prune --keep 1 --dry-run")
        .run()
        .exits(0);
    assert!(
        dry.stderr.starts_with("would remove 3 runs ("),
        "{}",
        dry.stderr
    );
    assert_eq!(dry.stdout.lines().count(), 3);
    assert_eq!(runs().len(), 5);
    let outcome = project.casebook("history prune --keep 3").run().exits(0);
    assert!(
        outcome.stdout.starts_with("20261101-083000-run1  "),
        "{}",
        outcome.stdout
    );
    assert!(
        outcome.stderr.starts_with("removed 1 run ("),
        "{}",
        outcome.stderr
    );
    assert_eq!(json(&project, "")["runs"].as_array().unwrap().len(), 3);
    project
        .casebook("history prune --older-than 99999w")
        .run()
        .exits(0);
    assert_eq!(runs().len(), 4);
    project
        .casebook("history prune --max-size 1b")
        .run()
        .exits(0);
    assert_eq!(runs(), ["20261104-083000-run4", "latest"]);
}

#[test]
fn pruning_requires_a_valid_limit() {
    let project = Project::new();
    for arguments in [
        "",
        "--dry-run",
        "--older-than 3m",
        "--max-size lots",
        "--keep -1",
    ] {
        let outcome = project
            .casebook(&format!("history prune {arguments}"))
            .run()
            .exits(2);
        assert!(outcome.stderr.contains("--"), "{}", outcome.stderr);
    }
    project
        .casebook("history --json prune --keep 1")
        .run()
        .exits(2);
}
