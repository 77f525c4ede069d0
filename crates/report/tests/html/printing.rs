//! Printing: the overview, the complete failures, and a note about what is not printed.

use serde_json::json;

use crate::browser::Browser;
use crate::sample_runs::showcase;

#[test]
fn the_page_can_be_printed() {
    Browser::start().through(
        &showcase(),
        &[
            the_run_is_printed_with_its_failures,
            an_open_test_is_printed_alone,
            long_output_is_shortened_on_paper,
        ],
    );
}

/// The number of pages of a PDF.
fn pages(browser: &Browser) -> usize {
    let printed = browser.devtools("Page.printToPDF", &json!({"printBackground": true}));
    let pdf = printed["data"].as_str().unwrap();
    let start = browser.get(&format!(
        "(atob('{pdf}').match(/\\/Type\\s*\\/Page\\b/g) ?? []).length"
    ));
    usize::try_from(start.as_u64().unwrap()).unwrap()
}

fn the_run_is_printed_with_its_failures(browser: &Browser) {
    browser.open("");
    browser.until("document.documentElement.dataset.printable === 'true'");
    assert!(pages(browser) >= 4);
    assert_eq!(
        browser.get("document.querySelector('#print').childElementCount"),
        0,
        "removed after printing"
    );
    browser.media("print", "dark");
    browser.run("dispatchEvent(new Event('beforeprint'))");
    let text = browser.text("#print");
    for part in [
        "7 of 25 tests failed",
        "bread    4 EUR",
        "timed out after 2 s",
        "The Blue Room is free at 2pm",
        "Not printed: 18 tests that did not fail. See the report for them.",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert_eq!(
        browser.get("document.querySelector('#app').checkVisibility()"),
        false
    );
    assert_eq!(
        browser.get("getComputedStyle(document.querySelector('.card')).backgroundColor"),
        "rgb(255, 255, 255)",
        "paper is white"
    );
    browser.is_silent();
}

fn an_open_test_is_printed_alone(browser: &Browser) {
    browser.open("test=example:6b015b0dfbe7");
    browser.until("document.querySelector('#detail h2')");
    browser.media("print", "light");
    browser.run("dispatchEvent(new Event('beforeprint'))");
    assert!(
        browser
            .get("document.body.innerText")
            .as_str()
            .unwrap()
            .contains("The Blue Room is free at 2pm")
    );
    for hidden in ["#list", "#filters", ".top", "#print", "#detail .actions"] {
        assert_eq!(
            browser.get(&format!(
                "document.querySelector('{hidden}').checkVisibility()"
            )),
            false,
            "{hidden}"
        );
    }
    assert!(pages(browser) >= 1);
}

fn long_output_is_shortened_on_paper(browser: &Browser) {
    // 1,300 tests, of which 26 failed, each with some 200 lines of output.
    browser.write(&crate::sample_runs::large(1_300, 8_000));
    browser.open("");
    browser.until("document.documentElement.dataset.printable === 'true'");
    let printed = pages(browser);
    assert!(printed <= 30, "{printed} pages for 25 failures");
    browser.run("dispatchEvent(new Event('beforeprint'))");
    assert!(
        browser
            .get("document.querySelector('#print').textContent")
            .as_str()
            .unwrap()
            .contains("lines not printed …")
    );
    browser.run("dispatchEvent(new Event('afterprint'))");
    browser.open("view=tests&status=failed&sort=run");
    browser.until("document.querySelector('.line')");
    browser.click(".line");
    browser.until("document.querySelector('#detail .stream')");
    assert!(
        !browser.text("#detail").contains("not printed"),
        "the screen shows all of it"
    );
}
