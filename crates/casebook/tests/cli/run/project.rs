//! `casebook.toml`, formats and records.

use super::Suite;

const SUITE: &str = "
tests:
  - {name: passes, command: 'true'}
  - {name: fails, command: echo oops; false}
";

#[test]
fn options_override_the_closest_project_file() {
    let suite = Suite::new("tests: [{name: x, command: 'true'}]\n");
    suite.project.write("casebook.toml", "[run]\nfilter = \"passes\"\nformat = [\"tap\", \"junit=results.xml\"]\ntimeout = \"5s\"\njobs = 2\npaths = [\"deep\"]\n");
    suite.project.write("deep/b.casebook.yaml", SUITE);
    let script = "cd deep && exec \"$CASEBOOK\" run --record ../rec";
    let call = |more: &str| {
        let call = suite.project.bash(&format!("{script}{more}"));
        call.env("TMPDIR", suite.project.at("tmp")).run()
    };
    let outcome = call("1").exits(0);
    assert!(outcome.stdout.starts_with("TAP version"), "{outcome:#?}");
    assert!(suite.project.read("results.xml").contains("passes"));
    let outcome = call("2 --filter fails --format json").exits(1);
    assert!(outcome.stdout.starts_with('{'), "{outcome:#?}");
}

#[test]
fn errors_in_the_project_file_have_a_location() {
    let suite = Suite::new(SUITE);
    for (toml, expected) in [
        (
            "[run]\njbos = 3\n",
            "casebook.toml:2:1: error: `[run]` has no option `jbos` [project-file]",
        ),
        (
            "[run]\ntimeout = \"soon\"\n",
            "casebook.toml:2:11: error: `timeout` must be a positive number of seconds, or a duration such as 500ms, 30s or 2m, got 'soon'",
        ),
        (
            "[run]\njobs = 0\n",
            "casebook.toml:2:8: error: `jobs` must be a whole number of at least 1, got '0'",
        ),
        (
            "[run]\nengine = \"fast\"\n",
            "casebook.toml:2:10: error: `engine` must be native or bats, got 'fast'",
        ),
        (
            "[run]\npaths = [\"a\", 1]\n",
            "casebook.toml:2:15: error: `paths` must be a string or a list of strings, not a number",
        ),
        (
            "[run]\ntag = \"!\"\n",
            "casebook.toml:2:7: error: `tag`: a tag is missing after `!`",
        ),
        (
            "[cluster]\nurl = 3\n",
            "casebook.toml:2:7: error: `url` must be a string, not a number",
        ),
        ("jobs = 2\n", "= help: write `jobs` below `[run]`"),
        (
            "[rnu]\n",
            "casebook.toml:1:2: error: `casebook.toml` has no option `rnu`",
        ),
        ("[run\n", "casebook.toml:1:"),
    ] {
        suite.project.write("casebook.toml", toml);
        let ran = suite.run("").exits(2);
        assert!(ran.outcome.stderr.contains(expected), "{toml}: {ran:#?}");
        assert!(
            ran.outcome
                .stderr
                .contains("casebook.toml has 1 problem; nothing was run"),
            "{toml}: {ran:#?}"
        );
        assert!(ran.record.is_null());
    }
}

#[test]
fn formats_are_written_to_files_and_one_to_standard_output() {
    let suite = Suite::new(SUITE);
    let ran = suite.run("--format tap --format junit=r.xml --format json=r.json --format pretty=r.txt --format github=r.gh").exits(1);
    assert!(ran.outcome.stdout.contains("not ok 2 fails"));
    assert!(suite.project.read("r.xml").contains("<failure"));
    assert!(suite.project.json("r.json").is_object());
    assert!(suite.project.read("r.txt").contains("fails"));
    assert!(suite.project.read("r.gh").contains("::error"));
    let ran = suite.run("--format tap --format json").exits(2);
    assert!(ran.record.is_null());
    suite.run("--format junit=no/such/directory/r.xml").exits(2);
}

#[test]
fn a_record_is_written_to_the_given_directory() {
    let suite = Suite::new(SUITE);
    suite.call("--record none").run().exits(1);
    assert!(!suite.project.exists(".casebook"));
    let outcome = suite.call("").run().exits(1);
    assert!(
        outcome.stderr.contains("recorded in .casebook/runs/"),
        "{outcome:#?}"
    );
    let run = suite.project.json(".casebook/runs/latest/run.json");
    assert_eq!(run["examples"].as_object().unwrap().len(), 2);
    assert_eq!(
        suite.project.files(".casebook/runs/latest"),
        ["events.jsonl", "output", "run.json"]
    );
    assert_eq!(suite.project.files(".casebook"), [".gitignore", "runs"]);
    let outcome = suite.call("--record .").run().exits(1);
    assert!(outcome.stderr.contains("recorded in .\n"), "{outcome:#?}");
}

#[test]
fn a_closed_pipe_stops_the_run_gracefully() {
    let suite = Suite::new(
        "
teardown: echo x >> torn
tests:
  - {name: fails, command: echo x >> begun; false}
  - {name: takes long, command: echo x >> begun; sleep 60}
  - {name: never runs, command: touch ran}
",
    );
    for format in ["pretty", "tap"] {
        suite.project.write("begun", "");
        suite.project.write("torn", "");
        let ran = suite
            .run_as(
                suite
                    .call(&format!("-j 1 --format {format}"))
                    .closed_stdout(),
            )
            .exits(141);
        let stderr = &ran.outcome.stderr;
        assert!(stderr.contains("standard output was closed: "), "{stderr}");
        assert!(
            stderr.contains("not run; to run the rest, use `casebook run --resume"),
            "{stderr}"
        );
        assert!(!suite.project.exists("ran"), "{format}");
        // Teardown also runs for a test that was terminated before its command started.
        let lines = |file| suite.project.read(file).lines().count();
        assert!(lines("torn") >= lines("begun"), "{format}");
    }
}

#[test]
fn a_pipe_closed_during_the_run_stops_it_at_the_next_result() {
    let suite = Suite::new(
        "
matrix: {a: [1, 2, 3, 4, 5, 6, 7, 8, 9, 0], b: [1, 2, 3, 4, 5, 6, 7, 8, 9, 0]}
tests:
  - {name: test, command: echo x >> ran; sleep 0.1}
",
    );
    let head = suite.project.bash(
        "\"$CASEBOOK\" run -j 1 --record head --format tap | head -n 1; exit ${PIPESTATUS[0]}",
    );
    let outcome = head.env("TMPDIR", suite.project.at("tmp")).run().exits(141);
    assert_eq!(outcome.stdout, "TAP version 13\n");
    assert!(suite.project.read("ran").lines().count() < 100);
}

#[test]
fn a_closed_pipe_does_not_affect_record_and_files() {
    let suite = Suite::new(
        "
matrix: {n: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]}
tests:
  - {name: test, command: echo x >> ran; seq 1000; false}
",
    );
    for format in [
        "json",
        "junit",
        "github",
        "pretty --html page.html",
        "tap --format junit=results.xml",
    ] {
        suite.project.write("ran", "");
        let ran = suite
            .run_as(suite.call(&format!("--format {format} -v")).closed_stdout())
            .exits(1);
        assert_eq!(suite.project.read("ran").lines().count(), 10, "{format}");
        assert_eq!(ran.verdicts().len(), 10);
        assert!(!ran.outcome.stderr.contains("panic"), "{ran:#?}");
    }
    let closed = suite
        .project
        .bash("exec >&-; \"$CASEBOOK\" run --record closed");
    closed.env("TMPDIR", suite.project.at("tmp")).run().exits(1);
}
