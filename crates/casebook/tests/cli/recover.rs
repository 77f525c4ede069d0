//! `casebook recover`: rebuilds run.json from a complete or truncated journal.

use insta::assert_snapshot;
use serde_json::json;

use crate::events::{event, failing_run, lines, passed, started, suite};
use crate::support::{Project, gzip, zstd};

#[test]
fn rebuilds_the_same_file_that_record_wrote() {
    let nameless = vec![started("adds"), passed("adds"), started("hangs")];
    for run in [failing_run(), nameless] {
        let project = Project::new();
        project
            .casebook("record --from jsonl --record out")
            .stdin(lines(&run))
            .run()
            .exits(1);
        let written = project.read("out/run.json");
        std::fs::remove_file(project.at("out/run.json")).unwrap();
        project.casebook("recover out").run().exits(0);
        assert_eq!(project.read("out/run.json"), written);
        assert_eq!(project.files("out"), ["events.jsonl", "run.json"]);
    }
}

#[test]
fn recovers_the_newest_run_or_a_run_by_name() {
    let project = Project::new();
    project
        .casebook("record --from jsonl")
        .stdin(lines(&failing_run()))
        .run()
        .exits(1);
    for arguments in [
        "recover",
        "recover 0a1b",
        "recover .casebook/runs/latest",
        "recover .casebook/runs/latest/events.jsonl",
    ] {
        let run = project.at(".casebook/runs/latest/run.json");
        std::fs::remove_file(&run).unwrap();
        project.casebook(arguments).run().exits(0);
        assert!(run.exists(), "{arguments}");
    }
    assert_snapshot!(project.casebook("recover").run().shown(), @r#"
    exit code 0
    --- stderr
    rebuilt .casebook/runs/20261115-083000-0a1b2c3d/run.json: 2 examples: 1 passed, 1 failed in 2.00 s
    "#);
}

#[test]
fn a_journal_cut_at_any_byte_of_its_last_line_keeps_all_lines_before_it() {
    let before = lines(&[
        suite("cut"),
        started("adds"),
        passed("adds"),
        started("über"),
    ]);
    let last = format!("{}\n", passed("über"));
    for cut in 0..=last.len() {
        let mut journal = before.clone().into_bytes();
        journal.extend(&last.as_bytes()[..cut]);
        let project = Project::with("run/events.jsonl", journal);
        let outcome = project.casebook("recover run").run().exits(0);
        let examples = project.json("run/run.json")["examples"].clone();
        assert_eq!(examples["adds"]["status"], "passed", "{cut}");
        // Only the final line break may be missing.
        let whole = cut + 1 >= last.len();
        let status = if whole { "passed" } else { "failed" };
        assert_eq!(examples["über"]["status"], status, "{cut}");
        let told = outcome
            .stderr
            .contains("run/events.jsonl:5: the last line is incomplete");
        assert_eq!(told, cut > 0 && !whole, "{cut}: {}", outcome.stderr);
    }
}

#[test]
fn damage_in_the_middle_is_reported_with_its_line_and_the_rest_is_kept() {
    let journal = [
        suite("damaged"),
        started("adds"),
        "\u{0}\u{0}\u{0}{\"event".into(),
        passed("adds"),
        r#"{"event_type":"ExamplePassed","payload":{"example_id":"x"}}"#.into(),
        started("divides"),
        passed("divides"),
    ];
    let project = Project::with("run/events.jsonl", lines(&journal));
    assert_snapshot!(project.casebook("recover run").run().shown(), @"
    exit code 2
    --- stderr
    warning: run/events.jsonl:3: not valid JSON: expected a value at column 1
    warning: run/events.jsonl:5: ExamplePassed: missing field `time`
    rebuilt run/run.json: 2 examples: 2 passed in 0 ms
    ");
    let examples = project.json("run/run.json")["examples"].clone();
    assert_eq!(examples["adds"]["status"], "passed");
    assert_eq!(examples["divides"]["status"], "passed");
}

#[test]
fn a_truncated_compressed_journal_keeps_its_lines() {
    let plain = noise(3_000);
    for (extension, compressed) in [("gz", gzip(&plain)), ("zst", zstd(&plain))] {
        for percent in [30, 60, 90, 99] {
            let cut = &compressed[..compressed.len() * percent / 100];
            let project = Project::with(&format!("run/events.jsonl.{extension}"), cut);
            let outcome = project.casebook("recover run").run();
            let context = format!("{extension} {percent} %: {outcome:#?}");
            assert_eq!(outcome.code, 0, "{context}");
            assert!(
                outcome.stderr.contains("the last line is incomplete"),
                "{context}"
            );
            let kept = project.json("run/run.json")["examples"]
                .as_object()
                .unwrap()
                .len();
            // Compressors buffer at most one block.
            assert!(
                kept > 3_000 * (percent - 25) / 100 && kept < 3_000,
                "{kept}, {context}"
            );
        }
    }
}

#[test]
fn compressed_journals_give_the_same_run() {
    let plain = lines(&failing_run());
    let project = Project::with("plain/events.jsonl", &plain);
    project.write("gz/events.jsonl.gz", gzip(&plain));
    project.write("zst/events.jsonl.zst", zstd(&plain));
    for dir in ["plain", "gz", "zst"] {
        project.casebook(&format!("recover {dir}")).run().exits(0);
        assert_eq!(
            project.read(&format!("{dir}/run.json")),
            project.read("plain/run.json")
        );
    }
}

#[test]
fn a_journal_without_id_is_named_after_its_directory() {
    let project = Project::with("my-run/events.jsonl", lines(&[started("adds")]));
    project.casebook("recover my-run").run().exits(0);
    assert_eq!(project.json("my-run/run.json")["run_id"], "my-run");
}

#[test]
fn a_missing_journal_is_an_error_and_writes_no_file() {
    let project = Project::with("empty/events.jsonl", "");
    project.write("torn/events.jsonl", &suite("torn")[..30]);
    let invalid = event("ExamplePassed", json!({}));
    project.write("invalid/events.jsonl", format!("{invalid}\n"));
    project.write("only-run/run.json", "{}");
    project.write("directory/other.txt", "");
    let said: String = [
        "empty",
        "torn",
        "invalid",
        "only-run",
        "directory",
        "missing",
        "",
    ]
    .map(|name| {
        let outcome = project.casebook(&format!("recover {name}")).run().exits(2);
        format!("recover {name}\n{}", outcome.stderr)
    })
    .concat();
    assert_snapshot!(said, @"
    recover empty
    error: [project]/empty/events.jsonl contains no valid events
    recover torn
    error: [project]/torn/events.jsonl contains no valid events: line 1 is incomplete
    recover invalid
    error: [project]/invalid/events.jsonl contains no valid events: line 1: ExamplePassed: missing field `example_id`
    recover only-run
    error: [project]/only-run contains no events.jsonl to rebuild a run from
    recover directory
    error: [project]/directory contains neither run.json nor events.jsonl
    recover missing
    error: run not found: `missing` is neither a path nor a run in [project]/.casebook/runs
    recover 
    error: no recorded runs in [project]/.casebook/runs; record one with `casebook run`, or pass the path of a run.json or events.jsonl
    ");
    assert_eq!(project.files("empty"), ["events.jsonl"]);
    assert_eq!(project.files("torn"), ["events.jsonl"]);
}

/// A journal of random text, which compresses badly.
fn noise(examples: usize) -> String {
    let mut random = crate::prng::Random::new(7);
    let ids = (0..examples).map(|_| format!("{:016x}", random.below(u64::MAX)));
    lines(&ids.map(|id| started(&id)).collect::<Vec<_>>())
}

#[test]
fn a_complete_run_file_of_another_or_longer_run_is_not_replaced() {
    let project = Project::new();
    let record = |input: &str, dir: &str| {
        project
            .casebook(&format!("record --from jsonl --record {dir}"))
            .stdin(input)
            .run();
    };
    record(&lines(&[started("adds"), passed("adds")]), "other");
    record(
        &lines(&[
            event("SuiteStarted", json!({"run_id": "r", "example_count": 0})),
            started("adds"),
            passed("adds"),
        ]),
        "mine",
    );
    let whole = project.read("mine/run.json");

    project.write("mine/run.json", project.read("other/run.json"));
    let outcome = project.casebook("recover mine").run().exits(2);
    assert!(
        outcome
            .stderr
            .contains("mine/run.json contains another run"),
        "{}",
        outcome.stderr
    );
    assert_eq!(
        project.read("mine/run.json"),
        project.read("other/run.json")
    );

    project.write("mine/run.json", &whole);
    let journal = project.read("mine/events.jsonl");
    project.write(
        "mine/events.jsonl",
        journal.lines().next().unwrap().to_owned() + "\n",
    );
    project.casebook("recover mine").run().exits(2);
    assert_eq!(project.read("mine/run.json"), whole);

    project.write("mine/run.json", "broken");
    project.write("mine/events.jsonl", journal);
    project.casebook("recover mine").run().exits(0);
    assert_eq!(project.read("mine/run.json"), whole);
}
