//! Scores of criteria and the votes of a jury.

use casebook_record::RunData;
use serde_json::{Value, json};

use crate::browser::Browser;
use crate::sample_runs::showcase;

/// The showcase, in which a jury of three, one of whom cannot be called, gave scores to one judged check.
fn scored() -> (RunData, String) {
    let mut data = serde_json::to_value(showcase()).unwrap();
    let examples = data["examples"].as_object_mut().unwrap();
    let judged = |one: &Value| one["turn_number"].is_number();
    let (id, example) = examples
        .iter_mut()
        .find(|(_, example)| {
            example["evaluations"]
                .as_array()
                .unwrap()
                .iter()
                .any(judged)
        })
        .expect("a judged conversation");
    let evaluations = example["evaluations"].as_array_mut().unwrap();
    let mut scored = evaluations.iter().find(|one| judged(one)).unwrap().clone();
    scored["name"] = json!("helpful");
    scored["description"] = json!("satisfies helpful with at least 4");
    let vote = |model: &str, verdict: &str, score: f64| json!({"model": model, "provider": "openai", "verdict": verdict, "score": score, "response": "{}"});
    scored["metadata"] = json!({
        "comparison": "judge", "criterion": "helpful", "verdict": "passed",
        "score": {"value": 4.5, "min": 4.0, "scale": [1.0, 5.0]},
        "votes": [
            vote("one", "passed", 5.0),
            vote("two", "passed", 4.333_333_333_333),
            {"model": "three", "provider": "openai", "verdict": "inconclusive", "error": "connection refused"},
        ],
    });
    let mut other = scored.clone();
    other["metadata"]["score"]["value"] = json!(3.5);
    evaluations.extend([scored, other]);
    let id = id.clone();
    (serde_json::from_value(data).unwrap(), id)
}

#[test]
fn the_overview_shows_means_and_the_test_shows_every_vote() {
    let (run, id) = scored();
    let browser = Browser::showing(&run, "");
    let text = browser.text("#overview");
    for part in [
        "Scores",
        "4.00 of 5 1.00–5.00",
        "scores 4\u{a0}×1, 5\u{a0}×1",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    browser.open(&format!("test={id}"));
    browser.until("document.querySelector('#detail')?.textContent.includes('satisfies helpful')");
    let text = browser.get("document.querySelector('#detail').textContent");
    for part in [
        "score 4.5 of 5",
        "vote 1",
        "score 5",
        "score 4.33",
        "vote 3three · inconclusive · no response",
    ] {
        assert!(text.as_str().unwrap().contains(part), "{part}: {text}");
    }
    browser.is_silent();
}
