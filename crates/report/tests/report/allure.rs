//! Runs as results of Allure. `script/exports` generates Allure's own report from them.

use std::fs;
use std::path::Path;

use casebook_report::allure;
use serde_json::{Value, json};

use crate::junit::mixed;
use crate::sample::{conversation, example, exception, run, tool_call, turn};

/// The results in a directory, by name and start.
fn results(dir: &Path) -> Vec<Value> {
    let files = fs::read_dir(dir).unwrap().map(|file| file.unwrap().path());
    let mut results: Vec<Value> = files
        .filter(|path| path.to_string_lossy().ends_with("-result.json"))
        .map(|path| serde_json::from_slice(&fs::read(path).unwrap()).unwrap())
        .collect();
    results.sort_by_key(|result| (result["fullName"].to_string(), result["start"].as_i64()));
    results
}

#[test]
fn every_attempt_is_a_result_with_the_history_of_its_test() {
    let dir = tempfile::tempdir().unwrap();
    allure::write(&mixed().run(), dir.path()).unwrap();
    let results = results(dir.path());
    let shown: Vec<_> = results
        .iter()
        .map(|one| {
            [
                one["fullName"].as_str().unwrap(),
                one["status"].as_str().unwrap(),
            ]
        })
        .collect();
    assert_eq!(
        shown,
        [
            ["greet::in French", "skipped"],
            ["greet::in German", "broken"],
            ["greet::in German", "passed"],
            ["greet::says \"hello\" & <bye>", "passed"],
            ["venues::again", "failed"],
            ["venues::again", "failed"],
            ["venues::lists", "failed"],
        ]
    );
    assert_eq!(results[1]["historyId"], results[2]["historyId"]);
    assert_ne!(results[0]["historyId"], results[2]["historyId"]);
    assert_eq!(results[2]["statusDetails"]["flaky"], true);
    assert_eq!(results[6]["steps"][0]["status"], "failed");
}

#[test]
fn outputs_and_transcripts_are_files_next_to_the_result() {
    let dir = tempfile::tempdir().unwrap();
    let call = tool_call("greet", json!({"arguments": {"n": 1}}));
    let conversation = conversation(&[turn(1, "Hi", "Hello", json!({"tool_calls": [call]}))]);
    let metadata = json!({"command": {"stdout": "out", "stderr": ""}, "tags": ["slow"]});
    let fields = json!({"conversation": conversation, "metadata": metadata});
    allure::write(&run([example("a", "passed", fields)]), dir.path()).unwrap();
    let result = &results(dir.path())[0];
    let text = |index: usize| {
        let source = result["attachments"][index]["source"].as_str().unwrap();
        fs::read_to_string(dir.path().join(source)).unwrap()
    };
    assert_eq!(text(0), "out");
    assert_eq!(text(1), "user: Hi\ntool: greet {\"n\":1}\nagent: Hello\n");
    assert_eq!(result["attachments"].as_array().unwrap().len(), 2);
    let labels = result["labels"].as_array().unwrap();
    assert!(
        labels.contains(&json!({"name": "tag", "value": "slow"})),
        "{labels:?}"
    );
}

#[test]
fn writing_a_run_again_replaces_its_files() {
    let dir = tempfile::tempdir().unwrap();
    let failure = exception("Casebook::Timeout", "timed out");
    let run = run([example("a", "failed", json!({"exception": failure}))]);
    allure::write(&run, dir.path()).unwrap();
    allure::write(&run, dir.path()).unwrap();
    let results = results(dir.path());
    assert_eq!(results.len(), 1);
    assert_eq!(results[0]["status"], "broken", "no assertion failed");
}
