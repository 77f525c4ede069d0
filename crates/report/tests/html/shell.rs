//! The page loads without external resources and console messages, and has the elements that assistive programs need.

use casebook_record::RunData;

use crate::browser::Browser;
use crate::sample_runs::showcase;

#[test]
fn the_page_is_self_contained() {
    Browser::start().through(
        &showcase(),
        &[
            every_view_opens_without_console_messages_and_network,
            the_overview_adds_up,
            landmarks_headings_and_names_exist,
            a_link_opens_its_test_and_back_returns,
            a_record_of_the_gem_is_shown,
            an_empty_run_is_shown,
        ],
    );
}

pub(crate) const VIEWS: [&str; 4] = ["overview", "tests", "timeline", "topics"];

fn every_view_opens_without_console_messages_and_network(browser: &Browser) {
    browser.open("");
    for view in VIEWS {
        browser.click(&format!("#views a[href*=\"view={view}\"]"));
        browser.until(&format!("!document.getElementById('{view}').hidden"));
        assert_eq!(browser.text("#views [aria-current]").to_lowercase(), view);
    }
    assert_eq!(
        browser.get("performance.getEntriesByType('resource').length"),
        0
    );
    browser.is_silent();
}

fn the_overview_adds_up(browser: &Browser) {
    browser.open("");
    let text = browser.text("#overview");
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in [
        "7 of 25 tests failed",
        "7 failed 1 flaky 1 skipped 16 passed",
        "9.40 s",
        "53e511a",
        "Casebook::AssertionFailed",
        "passed on attempt 2",
        "passed 3 of 5 trials",
        "pass@1 60% pass@n 100% pass^n 0%",
        "grounded_pricing",
        "80% 4 of 5",
        "1 inconclusive",
        "58,200",
        "0.104",
        "used by calls time tokens in out cost agent 30 24.00 s 39,000 3,100 0.077 judge 30 7.10 s 19,200 1,230 0.027 total 60 31.10 s 58,200 4,330 0.104",
        "books with a change of time",
        "suites/greet.casebook.yaml",
    ] {
        assert!(text.contains(part), "{part}:\n{text}");
    }
    assert!(
        browser
            .get("document.title")
            .as_str()
            .unwrap()
            .starts_with("25 tests: 17 passed (1 flaky), 7 failed")
    );
}

fn landmarks_headings_and_names_exist(browser: &Browser) {
    browser.open("");
    for at in [
        "",
        "view=tests",
        "view=timeline",
        "view=topics",
        "test=example:924d5a71dde0~2",
    ] {
        browser.open(at);
        browser.until("!document.querySelector('#detail').childElementCount === !location.hash.includes('test=')");
        for landmark in ["header.top", "nav[aria-label]", "main", "html[lang]"] {
            assert_eq!(
                browser.get(&format!("document.querySelectorAll('{landmark}').length")),
                1,
                "{landmark}"
            );
        }
        let nameless = browser.get(NAMELESS);
        assert_eq!(nameless.as_array().unwrap().len(), 0, "{at}: {nameless}");
        let twice = browser.get("[...document.querySelectorAll('[id]')].map((one) => one.id).filter((id, at, all) => all.indexOf(id) !== at)");
        assert_eq!(twice.as_array().unwrap().len(), 0, "{at}: {twice}");
    }
    browser.is_silent();
}

/// Interactive elements without an accessible name.
const NAMELESS: &str = "[...document.querySelectorAll('button, a, input, select, summary, [role=img], [role=tree], canvas')]
    .filter((one) => one.checkVisibility() && !one.closest('[aria-hidden=true]'))
    .filter((one) => !(one.getAttribute('aria-label') || one.textContent.trim() || one.labels?.[0]?.textContent.trim()))
    .map((one) => one.outerHTML.slice(0, 200))";

fn a_link_opens_its_test_and_back_returns(browser: &Browser) {
    browser.open("test=example:924d5a71dde0~2");
    browser.until("document.querySelector('#detail h2')?.innerText.includes('trial 2 of 5')");
    browser.until("document.querySelector('.line.selected')?.innerText.includes('trial 2')");
    browser.click("#detail .close");
    browser.until("document.querySelector('#detail').hidden");
    browser.back();
    browser.until("!document.querySelector('#detail').hidden");
    browser.open("view=tests&test=unknown");
    browser.until(
        "document.querySelector('#detail').innerText.includes('no test with the id unknown')",
    );
    browser.is_silent();
}

fn a_record_of_the_gem_is_shown(browser: &Browser) {
    let run: RunData =
        serde_json::from_str(include_str!("../fixtures/run-json-example.json")).unwrap();
    browser.write(&run);
    browser.open("test=2cc319dba696");
    browser.until("document.querySelectorAll('#detail .turn').length === 4");
    assert!(browser.text("#detail").contains("include \"500 EUR\""));
    assert!(
        browser
            .text("#detail .tool-call")
            .contains("search_venues(query: \"venues for 50\") → {venues: [\"Grand Hall\"]}")
    );
    browser.is_silent();
}

fn an_empty_run_is_shown(browser: &Browser) {
    let run = crate::sample_runs::run(Vec::new(), 0);
    browser.write(&run);
    browser.open("");
    assert!(browser.text("#overview").contains("No tests were run"));
    for at in ["view=tests", "view=timeline"] {
        browser.open(at);
    }
    browser.is_silent();
}
