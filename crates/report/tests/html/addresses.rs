//! Addresses that others write, and the focus on the way back.

use casebook_record::RunData;
use serde_json::Value;

use crate::browser::{Browser, ENTER};
use crate::sample_runs::showcase;

/// The showcase with the ids that `casebook run` gives to tests.
fn with_short_ids() -> RunData {
    let mut data: Value = serde_json::to_value(showcase()).unwrap();
    let examples = data["examples"].as_object_mut().unwrap();
    for (_, example) in examples.iter_mut() {
        let id = example["id"].as_str().unwrap().replace("example:", "");
        example["id"] = id.into();
    }
    let examples: serde_json::Map<_, _> = std::mem::take(examples)
        .into_iter()
        .map(|(id, example)| (id.replace("example:", ""), example))
        .collect();
    data["examples"] = examples.into();
    serde_json::from_value(data).unwrap()
}

#[test]
fn addresses_work_or_fall_back() {
    let browser = Browser::start();
    browser.write(&with_short_ids());
    for at in [
        "test=example:3aff8cecd984",
        "test=3aff8cecd984",
        "view=nonsense&test=3aff8cecd984",
    ] {
        browser.open(at);
        browser.until("document.querySelector('#detail h2')?.innerText.includes('lists what there is') && document.querySelector('.line.selected')");
    }
    for (at, view) in [
        ("view=nonsense", "overview"),
        ("view=__proto__", "overview"),
        ("view=nonsense&q=x", "tests"),
        ("nonsense", "overview"),
    ] {
        browser.open(at);
        browser.until(&format!(
            "document.querySelector('#{view}').checkVisibility()"
        ));
        assert_eq!(browser.text("#views [aria-current]").to_lowercase(), view);
    }
    for (at, tests) in [
        ("view=tests&sort=__proto__", "25 tests"),
        ("view=tests&sort=nonsense", "25 tests"),
        ("view=tests&status=nonsense", "25 tests"),
        ("status=skipped", "1 of 25 tests"),
        ("status=pending", "1 of 25 tests"),
        ("status=flaky,skipped", "2 of 25 tests"),
        ("tag=nonsense", "0 of 25 tests"),
    ] {
        browser.open(at);
        browser.until(&format!(
            "document.querySelector('#found').innerText === '{tests}'"
        ));
    }
    assert!(browser.get("document.querySelector('#none').checkVisibility()") == true);
    browser.is_silent();
}

#[test]
fn back_keeps_the_focus() {
    let browser = Browser::showing(&showcase(), "");
    browser.run("document.querySelector('#overview .rows a').focus()");
    let focused = "document.activeElement === document.querySelector('#overview .rows a')";
    browser.press(ENTER);
    browser.until("document.activeElement === document.querySelector('#detail h2')");
    browser.back();
    browser.until(focused);
    browser.open("view=tests");
    browser.press("jj");
    browser.press(ENTER);
    browser.until("document.activeElement === document.querySelector('#detail h2')");
    browser.back();
    browser.until("document.activeElement.id === 'list'");
    let active = "document.activeElement.getAttribute('aria-activedescendant')";
    assert_eq!(browser.get(active), "line-1");
    browser.run("document.querySelector('#views a:nth-child(3)').focus()");
    browser.press(ENTER);
    browser.until("document.querySelector('#timeline').checkVisibility()");
    assert_eq!(browser.get("document.activeElement.innerText"), "Timeline");
    browser.is_silent();
}
