//! `casebook report`: which run is shown, and errors about invalid files.

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::events::{
    event, failed, failing_run, lines, passed, passing_run, started, suite, user_message,
};
use crate::support::{Project, gzip, zstd};

const GEM_FILE: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../report/tests/fixtures/run-json-example.json"
);

fn recorded(run: &[String]) -> Project {
    let project = Project::new();
    project
        .casebook("record --from jsonl")
        .stdin(lines(run))
        .run();
    project
}

#[test]
fn the_newest_run_with_its_failure() {
    let project = recorded(&failing_run());
    assert_snapshot!(project.casebook("report").run().shown(), @"
    exit code 0
    --- stdout
    Run 0a1b2c3d-run · 2026-11-15 08:30:00 UTC · 2.00 s

    ── Failures ────────────────────────────────────────────────────────────────────────────────────────

    1) Sum divides
       spec/divides_spec.rb:7 · 500 ms
       Sum::Wrong: expected 2, got 3

    ── Slowest ─────────────────────────────────────────────────────────────────────────────────────────

      500 ms  Sum divides  spec/divides_spec.rb:3
      250 ms  Sum adds     spec/adds_spec.rb:3

    2 examples: 1 passed, 1 failed in 2.00 s
    ");
}

#[test]
fn a_run_is_found_by_id_path_or_prefix() {
    let project = recorded(&failing_run());
    let dir = ".casebook/runs/20261115-083000-0a1b2c3d";
    let run = project.read(&format!("{dir}/run.json"));
    let journal = project.read(&format!("{dir}/events.jsonl"));
    project.write("a.json.gz", gzip(&run));
    project.write("a.json.zst", zstd(&run));
    project.write("b.jsonl.gz", gzip(&journal));
    project.write("b.jsonl.zst", zstd(&journal));
    let expected = project.casebook("report").run().exits(0).stdout;
    for name in [
        "latest",
        "0a1b",
        "0A1B2C",
        "0a1b2c3d-run",
        "20261115-083000-0a1b2c3d",
        dir,
        &format!("{dir}/run.json"),
        &format!("{dir}/events.jsonl"),
        "a.json.gz",
        "a.json.zst",
        "b.jsonl.gz",
        "b.jsonl.zst",
    ] {
        let outcome = project.casebook(&format!("report {name}")).run().exits(0);
        assert_eq!(outcome.stdout, expected, "{name}");
    }
}

#[test]
fn formats_equal_those_of_run_and_old_options_are_short_forms() {
    let project = recorded(&failing_run());
    let stdout = |arguments: &str| {
        let outcome = project.casebook(&format!("report {arguments}")).run();
        outcome.exits(0).stdout
    };
    assert_eq!(stdout("--format pretty"), stdout(""));
    assert_eq!(stdout("--format json"), stdout("--json"));
    assert_eq!(stdout("--format junit"), stdout("--junit -"));
    assert_snapshot!(stdout("--format tap"), @r#"
    TAP version 13
    1..2
    # spec/adds_spec.rb
    ok 1 Sum adds
    # spec/divides_spec.rb
    not ok 2 Sum divides
      ---
      message: "expected 2, got 3"
      type: "Sum::Wrong"
      file: "spec/divides_spec.rb"
      line: 7
      duration_ms: 500
      ...
    "#);
    assert!(stdout("--format github").starts_with("::error "));

    // Several at once: one on standard output, the others in files, with a page as well.
    let json = stdout("--format junit=a.xml --format json --format pretty=a.txt --html a.html");
    assert_eq!(json, stdout("--json"));
    assert_eq!(project.read("a.xml"), stdout("--format junit"));
    assert_eq!(project.read("a.txt"), stdout(""));
    assert!(project.read("a.html").contains("<html"));
    assert_eq!(stdout("--format junit=b.xml"), "");
}

#[test]
fn conflicting_formats_are_rejected() {
    let project = recorded(&passing_run());
    for (arguments, message) in [
        ("--format tap --format json", "standard output"),
        ("--format tap --html -", "standard output"),
        ("--format tap --json", "cannot be used with"),
        ("--format tap --junit a.xml", "cannot be used with"),
        ("--format html=a.html", "--html FILE"),
        (
            "--format xml",
            "pretty, tap, junit, json, jsonl, github, ctrf, csv, allure or sqlite",
        ),
    ] {
        let outcome = project.casebook(&format!("report {arguments}")).run();
        let outcome = outcome.exits(2);
        assert!(outcome.stderr.contains(message), "{}", outcome.stderr);
        assert_eq!(outcome.stdout, "", "{arguments}");
    }
}

#[test]
fn an_older_run_is_not_the_newest() {
    let project = recorded(&passing_run());
    project
        .casebook("record --from jsonl")
        .stdin(lines(&[suite("newer000"), started("hangs")]))
        .run()
        .exits(1);
    let ids = ["report --json", "report --json 0a1b"].map(|arguments| {
        let summary: Value =
            serde_json::from_str(&project.casebook(arguments).run().exits(0).stdout).unwrap();
        summary["run_id"].clone()
    });
    assert_eq!(ids, ["newer000", "0a1b2c3d-run"]);
}

#[test]
fn a_directory_with_only_a_journal_is_shown() {
    let project = Project::with(
        "run/events.jsonl",
        lines(&[suite("alone"), started("adds")]),
    );
    let outcome = project.casebook("report run").run().exits(0);
    assert!(
        outcome.stdout.contains("the run ended before it finished"),
        "{}",
        outcome.stdout
    );
    assert_eq!(project.files("run"), ["events.jsonl"]);
}

#[test]
fn a_damaged_journal_is_shown_with_a_warning() {
    let project = Project::with(
        "a.jsonl",
        lines(&[started("adds"), "nonsense".into(), passed("adds")]),
    );
    let outcome = project.casebook("report a.jsonl").run().exits(0);
    assert!(
        outcome
            .stderr
            .contains("warning: a.jsonl:2: not valid JSON"),
        "{}",
        outcome.stderr
    );
    assert!(
        outcome.stdout.contains("1 example: 1 passed"),
        "{}",
        outcome.stdout
    );
}

#[test]
fn unknown_and_ambiguous_names_are_errors() {
    let project = Project::with("directory/file.txt", "");
    let before = project.casebook("report").run().exits(2).stderr;
    for id in ["abcd1111", "abcd2222"] {
        project
            .casebook("record --from jsonl")
            .stdin(lines(&[suite(id), started("adds")]))
            .run();
    }
    let after = ["abcd", "abc", "dcba", "directory", "missing/run.json"].map(|name| {
        project
            .casebook(&format!("report {name}"))
            .run()
            .exits(2)
            .stderr
    });
    assert_snapshot!(format!("{before}{}", after.concat()), @"
    error: no recorded runs in [project]/.casebook/runs; record one with `casebook run`, or pass the path of a run.json or events.jsonl
    error: `abcd` is ambiguous: it matches 20261115-083000-abcd1111, 20261115-083000-abcd2222
    error: run not found: `abc` is neither a path nor a run in [project]/.casebook/runs
    error: run not found: `dcba` is neither a path nor a run in [project]/.casebook/runs
    error: [project]/directory contains neither run.json nor events.jsonl
    error: run not found: `missing/run.json` is neither a path nor a run in [project]/.casebook/runs
    ");
}

#[test]
fn the_summary_is_printed_as_json() {
    let project = recorded(&failing_run());
    assert_snapshot!(project.casebook("report --json").run().exits(0).stdout, @r#"
    {
      "example_count": 2,
      "passed_count": 1,
      "failed_count": 1,
      "pending_count": 0,
      "running_count": 0,
      "flaky_count": 0,
      "total_duration_ms": 750,
      "run_id": "0a1b2c3d-run",
      "started_at": "2026-11-15T08:30:00.000+00:00",
      "finished_at": "2026-11-15T08:30:02.000+00:00",
      "seed": null,
      "git_commit": null,
      "failures": [
        {
          "id": "divides",
          "stable_id": null,
          "title": "Sum divides",
          "location": "spec/divides_spec.rb:7",
          "exception_class": "Sum::Wrong",
          "message": "expected 2, got 3",
          "failures": [
            {
              "type": "Sum::Wrong",
              "message": "expected 2, got 3",
              "file": "spec/divides_spec.rb",
              "line": 7
            }
          ]
        }
      ],
      "slowest": [
        {
          "id": "divides",
          "title": "Sum divides",
          "location": "spec/divides_spec.rb:3",
          "duration_ms": 500
        },
        {
          "id": "adds",
          "title": "Sum adds",
          "location": "spec/adds_spec.rb:3",
          "duration_ms": 250
        }
      ],
      "tests": [
        {
          "id": "adds",
          "suite": null,
          "name": "adds",
          "file": "spec/adds_spec.rb",
          "line": 3,
          "status": "passed",
          "duration_ms": 250,
          "flaky": false,
          "exit_code": null,
          "failures": []
        },
        {
          "id": "divides",
          "suite": null,
          "name": "divides",
          "file": "spec/divides_spec.rb",
          "line": 3,
          "status": "failed",
          "duration_ms": 500,
          "flaky": false,
          "exit_code": null,
          "failures": [
            {
              "type": "Sum::Wrong",
              "message": "expected 2, got 3",
              "file": "spec/divides_spec.rb",
              "line": 7
            }
          ]
        }
      ]
    }
    "#);
}

#[test]
fn junit_is_written_to_a_file_or_standard_output() {
    let project = recorded(&failing_run());
    let outcome = project.casebook("report --junit out.xml").run().exits(0);
    assert_eq!(outcome.stdout, "");
    let xml = project.read("out.xml");
    assert!(xml.contains("<testcase name=\"divides\""), "{xml}");
    let outcome = project.casebook("report --junit -").run().exits(0);
    assert_eq!(outcome.stdout, xml);
    let outcome = project
        .casebook("report --junit no/such/a.xml")
        .run()
        .exits(2);
    let error = &outcome.stderr;
    assert!(
        error.starts_with("error: cannot write no/such/a.xml: "),
        "{error}"
    );
}

#[test]
fn records_of_the_gem_are_read() {
    let project = Project::new();
    let outcome = project
        .casebook("report --json")
        .arg(GEM_FILE)
        .run()
        .exits(0);
    let summary: Value = serde_json::from_str(&outcome.stdout).unwrap();
    assert_eq!(summary["example_count"], 2);
    assert_eq!(summary["passed_count"], 2);
    assert_eq!(summary["run_id"], "d00fa811-aa61-46cd-bea1-bb6729000564");
    let report = project.casebook("report").arg(GEM_FILE).run().exits(0);
    assert!(
        report.stdout.ends_with("2 examples: 2 passed in 57 ms\n"),
        "{}",
        report.stdout
    );
}

#[test]
fn transcripts_selects_conversations() {
    let answer = |id: &str| {
        event(
            "AgentResponse",
            json!({"example_id": id, "turn_number": 1, "text": format!("{id} answers"), "tool_calls": []}),
        )
    };
    let project = recorded(&[
        suite("talks000"),
        started("good"),
        user_message("good", "hello good"),
        answer("good"),
        passed("good"),
        started("bad"),
        user_message("bad", "hello bad"),
        answer("bad"),
        failed("bad", "rude"),
    ]);
    for (which, good, bad) in [
        ("all", true, true),
        ("failed", false, true),
        ("none", false, false),
    ] {
        let shown = project
            .casebook(&format!("report --transcripts {which}"))
            .run()
            .exits(0)
            .stdout;
        assert_eq!(shown.contains("good answers"), good, "{which}: {shown}");
        assert_eq!(shown.contains("bad answers"), bad, "{which}: {shown}");
    }
}

#[test]
fn slowest_limits_the_list() {
    let project = recorded(&crate::events::long_run(10));
    for count in [0, 1, 7] {
        let shown = project
            .casebook(&format!("report --slowest {count}"))
            .run()
            .exits(0)
            .stdout;
        assert_eq!(shown.matches("250 ms").count(), count, "{shown}");
        let json = project
            .casebook(&format!("report --json --slowest {count}"))
            .run()
            .exits(0)
            .stdout;
        let json: Value = serde_json::from_str(&json).unwrap();
        assert_eq!(json["slowest"].as_array().unwrap().len(), count, "{json}");
    }
}

#[test]
fn invalid_files_are_reported_with_location_and_path() {
    let whole = Project::new();
    whole
        .casebook("record --from jsonl --record out")
        .stdin(lines(&failing_run()))
        .run()
        .exits(1);
    let run = whole.read("out/run.json");
    let project = Project::with("cut.json", &run[..run.len() / 2]);
    project.write(
        "status.json",
        run.replacen(r#""status": "passed""#, r#""status": "great""#, 1),
    );
    project.write(
        "type.json",
        run.replacen(r#""run_id": "0a1b2c3d-run""#, r#""run_id": 7"#, 1),
    );
    project.write("newer.json", run.replace("casebook/1", "casebook/2"));
    project.write(
        "newer-shape.json",
        r#"{"schema_version": "casebook/12", "runs": []}"#,
    );
    project.write("list.json", "[]");
    project.write("empty.json", "");
    project.write("binary.json", b"{\n\"run_id\": \"\xff\"}");
    project.write("plain.json.gz", &run);
    let said: String = [
        "cut.json",
        "status.json",
        "type.json",
        "newer.json",
        "newer-shape.json",
        "list.json",
        "empty.json",
        "binary.json",
        "plain.json.gz",
    ]
    .map(|name| {
        project
            .casebook(&format!("report {name}"))
            .run()
            .exits(2)
            .stderr
    })
    .concat();
    assert_snapshot!(said, @"
    error: [project]/cut.json:33:8: not a valid run: it ends where a value is expected (in `examples.adds`)
    error: [project]/status.json:22:23: not a valid run: unknown variant `great`, expected one of `pending`, `running`, `passed`, `failed` (in `examples.adds.status`)
    error: [project]/type.json:3:13: not a valid run: invalid type: integer `7`, expected a string (in `run_id`)
    error: [project]/newer.json has the format `casebook/2`; this version reads up to `casebook/1`; use a newer casebook
    error: [project]/newer-shape.json has the format `casebook/12`; this version reads up to `casebook/1`; use a newer casebook
    error: [project]/list.json:1:1: not a valid run: invalid type: sequence, expected a run: an object
    error: [project]/empty.json:1:1: not a valid run: it ends where a value is expected
    error: [project]/binary.json:2:12: not a valid run: not valid UTF-8
    error: cannot read [project]/plain.json.gz: invalid gzip header
    ");
}

#[test]
fn a_closed_pipe_is_not_an_error() {
    let run: Vec<_> = (0..3_000)
        .map(|number| failed(&format!("e{number}"), &"why ".repeat(50)))
        .collect();
    let project = Project::with("a.jsonl", lines(&run));
    for arguments in ["report a.jsonl", "report --json a.jsonl"] {
        let script = format!(r#"set -o pipefail; "$CASEBOOK" {arguments} | head -1"#);
        let outcome = project.bash(&script).run();
        assert_eq!(outcome.code, 0, "{arguments}: {outcome:#?}");
        assert_eq!(outcome.stdout.lines().count(), 1);
        assert_eq!(outcome.stderr, "");
    }
}

#[test]
fn output_that_cannot_be_written_is_an_error() {
    let project = recorded(&failing_run());
    let outcome = project
        .bash(r#""$CASEBOOK" report >/dev/full"#)
        .run()
        .exits(2);
    assert!(
        outcome
            .stderr
            .contains("error: cannot write to standard output: no space left"),
        "{}",
        outcome.stderr
    );
}

#[test]
fn results_of_other_tools_get_a_hint_to_import_them() {
    let project = Project::new();
    for (name, content, format) in [
        ("results.xml", "<testsuites/>", "junit"),
        ("results.tap", "TAP version 13\n1..0\n", "tap"),
        (
            "events.json",
            "{\"event_type\":\"SuiteStopped\"}\n{}\n",
            "jsonl",
        ),
    ] {
        project.write(name, content);
        let outcome = project.casebook(&format!("report {name}")).run().exits(2);
        let hint = format!("is not a record; import it with `casebook record --from {format} ");
        assert!(outcome.stderr.contains(&hint), "{}", outcome.stderr);
    }
}

#[test]
fn a_damaged_record_with_events_gets_a_hint_to_recover_it() {
    let project = Project::with(
        "a.casebook.yaml",
        "tests:\n  - {name: passes, command: 'true'}\n",
    );
    project.casebook("run --record out").run().exits(0);
    project.write("out/run.json", "{\"run_id\": \"x");
    let outcome = project.casebook("report out").run().exits(2);
    let hint = "; `casebook recover out` rebuilds it from events.jsonl\n";
    assert!(outcome.stderr.ends_with(hint), "{}", outcome.stderr);
    project.casebook("recover out").run().exits(0);
    project.casebook("report out").run().exits(0);
}
