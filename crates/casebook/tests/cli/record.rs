//! `casebook record --from jsonl`: its sources, destinations and names.

use insta::assert_snapshot;
use serde_json::json;

use crate::events::{RUN_ID, event, failing_run, lines, passed, passing_run, started, suite};
use crate::support::{Project, gzip, zstd};

const DIR: &str = ".casebook/runs/20261115-083000-0a1b2c3d";

#[test]
fn a_file_becomes_a_directory_with_journal_and_run() {
    let project = Project::with("in.jsonl", lines(&passing_run()));
    assert_snapshot!(project.casebook("record --from jsonl in.jsonl").run().shown(), @"
    exit code 0
    --- stderr
    1 example: 1 passed in 2.00 s
    recorded in .casebook/runs/20261115-083000-0a1b2c3d
    ");
    assert_eq!(project.files(DIR), ["events.jsonl", "run.json"]);
    assert_eq!(project.files(".casebook"), [".gitignore", "runs"]);
    assert!(
        project
            .read(".casebook/.gitignore")
            .lines()
            .any(|line| line == "*")
    );
    assert_eq!(project.journal(&format!("{DIR}/events.jsonl")).len(), 4);
    assert_eq!(
        project.json(&format!("{DIR}/run.json"))["examples"]["adds"]["status"],
        "passed"
    );
}

#[test]
fn latest_names_the_newest_record() {
    let project = Project::new();
    for id in ["first000", "second00"] {
        let input = lines(&[suite(id), started("adds"), passed("adds")]);
        project
            .casebook("record --from jsonl")
            .stdin(input)
            .run()
            .exits(0);
    }
    let latest = std::fs::read_link(project.at(".casebook/runs/latest")).unwrap();
    assert_eq!(latest.to_str(), Some("20261115-083000-second00"));
    assert_eq!(project.files(".casebook/runs").len(), 3);
}

#[test]
fn a_failed_test_is_recorded_and_exits_with_1() {
    let project = Project::new();
    let input = lines(&failing_run());
    assert_snapshot!(project.casebook("record --from jsonl").stdin(input).run().shown(), @"
    exit code 1
    --- stderr
    2 examples: 1 passed, 1 failed in 2.00 s
    recorded in .casebook/runs/20261115-083000-0a1b2c3d
    ");
    assert!(project.exists(".casebook/runs/latest/run.json"));
}

#[test]
fn every_source_gives_the_same_record() {
    let plain = lines(&failing_run());
    let project = Project::with("in.jsonl", &plain);
    project.write("in.jsonl.gz", gzip(&plain));
    project.write("in.jsonl.zst", zstd(&plain));
    for (dir, input) in [
        ("file", "in.jsonl"),
        ("gz", "in.jsonl.gz"),
        ("zst", "in.jsonl.zst"),
        ("dash", "-"),
        ("nothing", ""),
    ] {
        let arguments = format!("record --from jsonl --record {dir} {input}");
        project.casebook(&arguments).stdin(&plain).run().exits(1);
        for file in ["run.json", "events.jsonl"] {
            assert_eq!(
                project.read(&format!("{dir}/{file}")),
                project.read(&format!("file/{file}")),
                "{dir}"
            );
        }
    }
}

#[test]
fn only_the_named_directory_is_written() {
    let project = Project::with("in.jsonl", lines(&passing_run()));
    let outcome = project
        .casebook("record --from jsonl --record deep/down/here in.jsonl")
        .run()
        .exits(0);
    assert_snapshot!(outcome.stderr, @"
    1 example: 1 passed in 2.00 s
    recorded in deep/down/here
    ");
    assert_eq!(
        project.files("deep/down/here"),
        ["events.jsonl", "run.json"]
    );
    assert_eq!(project.files("."), ["deep", "in.jsonl"]);
}

#[test]
fn none_writes_no_files_and_prints_the_result() {
    let project = Project::with("in.jsonl", lines(&failing_run()));
    assert_snapshot!(project.casebook("record --from jsonl --record none in.jsonl").run().shown(), @"
    exit code 1
    --- stderr
    2 examples: 1 passed, 1 failed in 2.00 s
    ");
    assert_eq!(project.files("."), ["in.jsonl"]);
}

#[test]
fn the_id_of_the_run_is_kept() {
    let project = Project::with("in.jsonl", lines(&passing_run()));
    project
        .casebook("record --from jsonl --record out in.jsonl")
        .run()
        .exits(0);
    assert_eq!(project.json("out/run.json")["run_id"], RUN_ID);
}

#[test]
fn a_generated_id_is_in_the_journal_too() {
    let nameless = suite("").replace(r#""run_id":"""#, r#""run_id":null"#);
    let with_start = vec![nameless, started("adds"), passed("adds")];
    let without_start = with_start[1..].to_vec();
    for (dir, input) in [("start", with_start), ("no-start", without_start)] {
        let project = Project::new();
        let arguments = format!("record --from jsonl --record {dir}");
        project
            .casebook(&arguments)
            .stdin(lines(&input))
            .run()
            .exits(0);
        let id = project.json(&format!("{dir}/run.json"))["run_id"].clone();
        assert_eq!(id.as_str().unwrap().len(), 36, "{id}");
        let first = &project.journal(&format!("{dir}/events.jsonl"))[0];
        assert_eq!(first["event_type"], "SuiteStarted");
        assert_eq!(first["payload"]["run_id"], id);
    }
}

#[test]
fn two_runs_never_get_the_same_generated_id() {
    let project = Project::new();
    let ids = ["one", "two"].map(|dir| {
        let arguments = format!("record --from jsonl --record {dir}");
        project.casebook(&arguments).stdin(started("adds")).run();
        project.json(&format!("{dir}/run.json"))["run_id"].clone()
    });
    assert_ne!(ids[0], ids[1]);
}

#[test]
fn a_directory_with_a_run_is_rejected_and_unchanged() {
    for kept in [
        "run.json",
        "run.json.gz",
        "events.jsonl",
        "events.jsonl.zst",
    ] {
        let project = Project::with(&format!("out/{kept}"), "precious");
        let outcome = project
            .casebook("record --from jsonl --record out")
            .stdin(lines(&passing_run()))
            .run()
            .exits(2);
        assert!(
            outcome
                .stderr
                .contains("[project]/out already contains a run"),
            "{}",
            outcome.stderr
        );
        assert!(outcome.input_was_taken);
        assert_eq!(project.files("out"), [kept]);
        assert_eq!(project.read(&format!("out/{kept}")), "precious");
    }
}

#[test]
fn a_record_imported_twice_gets_two_directories() {
    let project = Project::with("in.jsonl", lines(&passing_run()));
    for _ in 0..2 {
        project
            .casebook("record --from jsonl in.jsonl")
            .run()
            .exits(0);
    }
    assert_eq!(
        project.files(".casebook/runs"),
        [
            "20261115-083000-0a1b2c3d",
            "20261115-083000-0a1b2c3d-2",
            "latest"
        ]
    );
}

#[test]
fn the_commit_is_recorded_for_commands_but_not_for_files() {
    let project = Project::with("in.jsonl", lines(&passing_run()));
    let script = "git init -q . && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m x && git rev-parse HEAD";
    let commit = project.bash(script).run().exits(0).stdout;
    project
        .casebook("record --from jsonl --record live")
        .stdin(lines(&passing_run()))
        .run()
        .exits(0);
    project
        .casebook("record --from jsonl --record file in.jsonl")
        .run()
        .exits(0);
    assert_eq!(project.json("live/run.json")["git_commit"], commit.trim());
    assert!(project.json("file/run.json")["git_commit"].is_null());
    // Outside of a repository there is no commit, unless GIT_DIR is set.
    let elsewhere = Project::with("in.jsonl", "");
    for (name, repository) in [("alone", None), ("told", Some(project.at(".git")))] {
        let call = elsewhere.casebook(&format!("record --from jsonl --record {name}"));
        let call = match &repository {
            Some(repository) => call.env("GIT_DIR", repository),
            None => call,
        };
        call.stdin(lines(&passing_run())).run().exits(0);
    }
    assert!(elsewhere.json("alone/run.json")["git_commit"].is_null());
    assert_eq!(elsewhere.json("told/run.json")["git_commit"], commit.trim());
}

#[test]
fn events_after_the_end_of_an_example_are_counted() {
    let project = Project::new();
    let input = lines(&[started("adds"), passed("adds"), passed("adds")]);
    let outcome = project
        .casebook("record --from jsonl --record none")
        .stdin(input)
        .run()
        .exits(0);
    assert!(
        outcome
            .stderr
            .contains("warning: standard input: ignored 1 event after the end of an example"),
        "{}",
        outcome.stderr
    );
}

#[test]
fn a_run_with_missing_examples_does_not_pass() {
    let project = Project::new();
    let begun = event("SuiteStarted", json!({"example_count": 100}));
    let input = lines(&[begun, started("adds"), passed("adds")]);
    let call = project.casebook("record --from jsonl --record out");
    let outcome = call.stdin(&input).run().exits(2);
    let warning = "warning: the input ended after 1 of 100 planned examples\n";
    assert!(outcome.stderr.contains(warning), "{}", outcome.stderr);

    let stopped = format!("{input}{}\n", event("SuiteStopped", json!({})));
    project
        .casebook("record --from jsonl --record whole")
        .stdin(stopped)
        .run()
        .exits(0);
}
