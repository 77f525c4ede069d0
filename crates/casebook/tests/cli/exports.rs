//! Formats for other tools: CTRF, CSV, Allure and `SQLite`.

use serde_json::Value;

use crate::events::{RUN_ID, failing_run, lines, passing_run};
use crate::support::Project;

fn recorded(runs: &[Vec<String>]) -> Project {
    let project = Project::new();
    for (number, run) in runs.iter().enumerate() {
        let record = project.casebook("record --from jsonl");
        let run = lines(run).replace(RUN_ID, &format!("{number}-{RUN_ID}"));
        record.stdin(run).run();
    }
    project
}

/// What Python's `sqlite3` reads from a database, as JSON.
fn rows(project: &Project, file: &str, sql: &str) -> String {
    let read = format!(
        "python3 -c 'import json, sqlite3, sys; print(json.dumps(sqlite3.connect(sys.argv[1]).execute(sys.argv[2]).fetchall()))' {file} \"{sql}\""
    );
    project.bash(&read).run().exits(0).stdout.trim().to_owned()
}

#[test]
fn a_recorded_run_in_every_format() {
    let project = recorded(&[failing_run()]);
    let formats =
        "--format ctrf=a.json --format csv --format allure=deep/allure --format sqlite=run.db";
    let outcome = project
        .casebook(&format!("report {formats}"))
        .run()
        .exits(0);
    let header = outcome.stdout.lines().next().unwrap();
    assert!(
        header.starts_with("run_id,stable_id,suite,name"),
        "{header}"
    );
    assert_eq!(outcome.stdout.lines().count(), 3);
    assert_eq!(project.json("a.json")["results"]["summary"]["failed"], 1);
    let results = project.files("deep/allure");
    let results = results.iter().filter(|name| name.ends_with("-result.json"));
    assert_eq!(results.count(), 2);
    let tests = "select name, status, duration_ms from tests order by id";
    assert_eq!(
        rows(&project, "run.db", tests),
        r#"[["adds", "passed", 250], ["divides", "failed", 500]]"#
    );
    assert_eq!(
        rows(&project, "run.db", "pragma integrity_check"),
        r#"[["ok"]]"#
    );
}

#[test]
fn a_run_writes_the_formats_at_its_end() {
    let suite = "tests:\n  - name: hello\n    command: echo Hello\n    outputContains: Hello\n  - name: no\n    command: exit 3\n";
    let project = Project::with("a.casebook.yaml", suite);
    let formats = "--format sqlite=run.db --format allure=results --format ctrf";
    let outcome = project.casebook(&format!("run {formats}")).run().exits(1);
    let report: Value = serde_json::from_str(&outcome.stdout).unwrap();
    assert_eq!(report["results"]["tests"][1]["status"], "failed");
    assert_eq!(
        rows(&project, "run.db", "select name, exit_code from tests"),
        r#"[["hello", 0], ["no", 3]]"#
    );
    let checks = "select type, passed from checks";
    assert_eq!(
        rows(&project, "run.db", checks),
        r#"[["exitCode", 1], ["outputContains", 1], ["exitCode", 0]]"#
    );
    assert!(!project.files("results").is_empty());
}

#[test]
fn the_history_is_one_database() {
    let project = recorded(&[failing_run(), passing_run()]);
    project.write("runs.db", "not a database");
    let outcome = project.casebook("history --sqlite runs.db").run().exits(0);
    assert_eq!(outcome.stderr, "wrote 2 runs to runs.db\n");
    assert_eq!(outcome.stdout, "");
    assert_eq!(
        rows(&project, "runs.db", "select count(*) from runs"),
        "[[2]]"
    );

    // A copy of a record is the same run.
    let run = project.files(".casebook/runs").swap_remove(0);
    let copy = format!("cp -r .casebook/runs/{run} .casebook/runs/20260101-000000-00000000");
    project.bash(&copy).run().exits(0);
    let again = project.casebook("history --sqlite runs.db").run().exits(0);
    assert_eq!(again.stderr, "wrote 2 runs to runs.db\n");

    let newest = project.casebook("history --limit 1 --sqlite runs.db").run();
    assert_eq!(newest.exits(0).stderr, "wrote 1 run to runs.db\n");
    let failed = "select count(*) from tests where status = 'failed'";
    assert_eq!(rows(&project, "runs.db", failed), "[[0]]");
}

#[test]
fn a_damaged_record_is_skipped_with_a_warning() {
    let project = recorded(&[failing_run(), passing_run()]);
    let runs = project.files(".casebook/runs");
    let damaged = runs.iter().find(|name| name.starts_with("2026")).unwrap();
    project.write(&format!(".casebook/runs/{damaged}/run.json"), "{");
    let outcome = project.casebook("history --sqlite runs.db").run().exits(0);
    let skipped = format!("skipped .casebook/runs/{damaged}: ");
    assert!(outcome.stderr.contains(&skipped), "{}", outcome.stderr);
    assert!(
        outcome.stderr.ends_with("wrote 1 run to runs.db\n"),
        "{}",
        outcome.stderr
    );
}

#[test]
fn paths_that_cannot_be_written_are_named() {
    let project = recorded(&[passing_run()]);
    project.write("file", "");
    project.write("a.casebook.yaml", "tests: [{name: hello, command: echo}]\n");
    for (arguments, message) in [
        (
            "report --format allure",
            "allure is written to a directory: allure=DIR",
        ),
        (
            "report --format sqlite",
            "sqlite is written to a file: sqlite=FILE",
        ),
        ("report --format sqlite=.", "cannot write .: is a directory"),
        (
            "report --format sqlite=missing/run.db",
            "cannot write missing/run.db",
        ),
        ("report --format allure=file", "cannot write file"),
        ("run --format allure=file", "cannot write file"),
        (
            "history --sqlite /dev/null",
            "cannot write /dev/null: not a regular file",
        ),
        ("history --sqlite a --html b", "cannot be used with"),
    ] {
        let outcome = project.casebook(arguments).run().exits(2);
        assert!(
            outcome.stderr.contains(message),
            "{arguments}: {}",
            outcome.stderr
        );
    }
    let empty = Project::new()
        .casebook("history --sqlite runs.db")
        .run()
        .exits(2);
    assert!(
        empty.stderr.contains("no recorded runs"),
        "{}",
        empty.stderr
    );
}
