//! A failure as text for a person or a coding agent.

use serde_json::{Value, json};

use crate::browser::Browser;
use crate::sample_runs::showcase;

/// The run with these fields added to the metadata of one test, which has failed.
fn page_with(name: &str, metadata: &Value, turns: Option<Value>) -> (Browser, String) {
    let mut run = serde_json::to_value(showcase()).unwrap();
    let examples = run["examples"].as_object_mut().unwrap().values_mut();
    let example = examples.into_iter().find(|one| one["description"] == name);
    let example = example.unwrap();
    let fields = example["metadata"].as_object_mut().unwrap();
    fields.extend(metadata.as_object().unwrap().clone());
    if let Some(turns) = turns {
        example["conversation"] =
            json!({"started_at": example["started_at"], "turns": turns, "metadata": {}});
    }
    let id = example["id"].as_str().unwrap().to_owned();
    let run = serde_json::from_value(run).unwrap();
    let browser = Browser::showing(&run, &format!("test={id}"));
    browser.until("document.querySelector('#detail h2')");
    browser.run("Object.defineProperty(navigator, 'clipboard', {value: {writeText: (text) => { window.copied = text; return Promise.resolve(); }}})");
    browser.run("[...document.querySelectorAll('#detail button')].find((one) => one.textContent === 'Copy as prompt').click()");
    let text = browser.get("window.copied").as_str().unwrap().to_owned();
    (browser, text)
}

#[test]
fn a_failed_setup_is_handed_over_with_its_output_and_the_logs() {
    let hook = json!({"name": "setup", "file": "a.casebook.yaml", "line": 2, "source": "  cp menu /tmp\n", "exit_code": 1, "output": "cp: cannot stat 'menu'\n"});
    let metadata = json!({
        "hook": hook, "command": {"command": "echo hello", "phase": "setup"},
        "services": [{"name": "shop", "output": "no menu\n"}], "agent": {"stderr": "agent failed\n", "exit_code": 3},
    });
    let (browser, text) = page_with("lists what there is", &metadata, None);
    for part in [
        "## setup (a.casebook.yaml:2)\n\n```sh\n  cp menu /tmp\n```\n\nexit code 1\n\noutput:\n\n```\ncp: cannot stat 'menu'\n```",
        "## Command\n\n```sh\necho hello\n```\n\nnot run, because setup failed",
        "## Service shop, during this test\n\noutput:\n\n```\nno menu\n```",
        "## Agent\n\nexit code 3\n\nstderr:\n\n```\nagent failed\n```",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    browser.is_silent();
}

#[test]
fn all_steps_are_handed_over() {
    let turn = |number: u64, command: &str, output: &str| {
        let time = "2026-11-18T08:00:00.000Z";
        json!({
            "number": number, "tool_calls": [], "topic": null, "metadata": {},
            "user_message": {"role": "user", "content": command, "timestamp": time, "source": "step", "metadata": {}},
            "agent_response": {"role": "agent", "content": output, "timestamp": time, "source": null, "metadata": {"command": {"exit_code": 0, "output": output}}},
        })
    };
    let steps =
        json!([{"name": "list", "status": "passed"}, {"status": "failed"}, {"status": "not run"}]);
    let turns = json!([
        turn(1, "shop list", "beer 3\n"),
        turn(2, "shop sell beer", "sold 2\n")
    ]);
    let (browser, text) = page_with("lists what there is", &json!({"steps": steps}), Some(turns));
    for part in [
        "## Step 1 of 3 list\n\n```sh\nshop list\n```\n\nexit code 0\n\noutput:\n\n```\nbeer 3\n```",
        "## Step 2 of 3\n\n```sh\nshop sell beer\n```\n\nexit code 0\n\noutput:\n\n```\nsold 2\n```",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(
        !text.contains("## Command") && !text.contains("## Conversation"),
        "{text}"
    );
    browser.is_silent();
}
