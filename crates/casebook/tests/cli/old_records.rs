//! Records of an earlier version are read, compared and recovered with the same results as in that version.

use std::fs;
use std::path::{Path, PathBuf};

use casebook_record::{decode, encode, read_run, write_run};
use serde_json::Value;

use crate::support::{Project, gzip, zstd};

/// The records of runs that were not interrupted.
const COMPLETE: [&str; 3] = ["some-failed", "all-passed", "rspec-one-failed"];

fn records() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/records")
}

fn old(file: &str) -> String {
    fs::read_to_string(records().join(file)).unwrap()
}

fn parsed(json: &str) -> Value {
    serde_json::from_str(json).unwrap()
}

/// The report without the fields that the earlier version did not have.
fn without_new_fields(mut report: Value) -> Value {
    let tests = report.pointer_mut("/trials/by_test");
    for test in tests.and_then(Value::as_array_mut).into_iter().flatten() {
        test.as_object_mut().unwrap().remove("outcome");
    }
    report
}

#[test]
fn a_report_shows_the_same() {
    for name in COMPLETE {
        let project = Project::new();
        let run = old(&format!("{name}/run.json"));
        let expected = parsed(&old(&format!("{name}/report.json")));
        project.write("plain/run.json", &run);
        project.write("gzip/run.json.gz", gzip(&run));
        project.write("zstd/run.json.zst", zstd(&run));
        project.write("journal/events.jsonl", old(&format!("{name}/events.jsonl")));
        for record in ["plain", "gzip", "zstd", "journal"] {
            let report = project.casebook("report --json").arg(record).run().exits(0);
            let report = without_new_fields(parsed(&report.stdout));
            assert_eq!(report, expected, "{name}, {record}");
        }
    }
}

#[test]
fn a_diff_shows_the_same() {
    let project = Project::new();
    for name in ["some-failed", "all-passed"] {
        project.write(
            &format!("{name}/run.json"),
            old(&format!("{name}/run.json")),
        );
    }
    let diff = project
        .casebook("diff --json some-failed all-passed")
        .run()
        .exits(0);
    let expected = old("diff-some-failed-all-passed.json");
    let mut shown = parsed(&diff.stdout);
    // New since those records: tests whose result did not change.
    shown.as_object_mut().unwrap().remove("same_outcome");
    assert_eq!(shown, parsed(&expected));
}

#[test]
fn a_journal_is_recovered_to_the_same_bytes() {
    let complete = COMPLETE.map(|name| (name, "run.json"));
    for (name, expected) in complete
        .into_iter()
        .chain([("cut-short", "recovered.json")])
    {
        let project = Project::new();
        let journal = old(&format!("{name}/events.jsonl"));
        project.write("plain/events.jsonl", &journal);
        project.write("gzip/events.jsonl.gz", gzip(&journal));
        for record in ["plain", "gzip"] {
            project.casebook("recover").arg(record).run().exits(0);
            let recovered = project.read(&format!("{record}/run.json"));
            assert_eq!(recovered, old(&format!("{name}/{expected}")), "{name}");
        }
    }
}

#[test]
fn both_files_are_rewritten_with_the_same_bytes() {
    for name in COMPLETE {
        let project = Project::new();
        let run = read_run(&records().join(name).join("run.json")).unwrap();
        write_run(&project.at("run.json"), &run).unwrap();
        assert_eq!(project.read("run.json"), old(&format!("{name}/run.json")));
        for line in old(&format!("{name}/events.jsonl")).lines() {
            assert_eq!(encode(&decode(line).unwrap()), line);
        }
    }
}
