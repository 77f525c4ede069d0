//! A run that was interrupted, and one that ended early.

use casebook_record::RunData;
use serde_json::{Value, json};

use crate::browser::Browser;
use crate::sample_runs::{run, showcase};

/// The commands of the showcase, of which one was interrupted, and two planned tests that were not run.
fn interrupted() -> RunData {
    let mut data = serde_json::to_value(showcase()).unwrap();
    let examples = data["examples"].as_object_mut().unwrap();
    examples.retain(|_, example| example["file"] == "suites/shop.casebook.yaml");
    let example = &mut examples["example:06645c93b83a"];
    example["exception"] =
        json!({"class_name": "Casebook::Interrupted", "message": "interrupted", "backtrace": []});
    let planned = |id: &str, name: &str| {
        json!({
            "id": id, "stable_id": format!("example:{id}"), "canonical_path": format!("shop::{name}"),
            "description": name, "location": "suites/shop.casebook.yaml:60",
        })
    };
    data["metadata"] = json!({
        "example_count": 8, "configuration": {"engine": "native"},
        "not_run": [planned("111111111111", "counts the stock"), planned("222222222222", "closes at night")],
    });
    serde_json::from_value(data).unwrap()
}

#[test]
fn an_interrupted_run_says_so_and_shows_all_planned_tests() {
    let browser = Browser::showing(&interrupted(), "");
    let text = browser.text("#overview");
    for part in [
        "2 of 8 tests failed, 1 interrupted, 3 not run",
        "The run was interrupted: 1 test was stopped before the end and 3 tests were not run. The record does not name one of them.",
        "To run the rest: casebook run --resume .casebook/runs/latest",
        "counts the stock",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    browser.open("status=not-run");
    browser.until("document.querySelector('#found').innerText === '2 of 7 tests'");
    browser.open("test=example:222222222222");
    browser.until("document.querySelector('#detail h2')?.innerText.includes('closes at night')");
    assert!(browser.text("#detail").contains("Not run"));
    assert!(browser.text("#list .group").starts_with("shop"));
    browser.open("q=waiting…");
    browser.until("document.querySelector('#found').innerText === '1 of 7 tests'");
    browser.is_silent();
}

#[test]
fn a_run_that_stopped_early_without_names_shows_their_number() {
    let mut early: Value = serde_json::to_value(run(Vec::new(), 10)).unwrap();
    early["metadata"]["example_count"] = 7.into();
    let browser = Browser::showing(&serde_json::from_value(early).unwrap(), "");
    let text = browser.text("#overview");
    assert!(text.contains("0 of 7 tests passed, 7 not run"), "{text}");
    assert!(
        text.contains(
            "The run ended early: 7 tests were not run. The record does not name 7 of them."
        ),
        "{text}"
    );
}
