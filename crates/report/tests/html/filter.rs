//! Search and filters, with their state in the address.

use crate::browser::Browser;
use crate::sample_runs::showcase;

#[test]
fn tests_are_found_and_filtered() {
    Browser::start().through(
        &showcase(),
        &[
            the_search_finds_names_and_details,
            filters_combine_and_are_in_the_address,
            the_overview_links_to_the_counted_tests,
            groups_collapse_and_the_list_can_be_sorted,
            counts_add_up_and_follow_the_search,
            without_matches_the_filters_can_be_cleared,
        ],
    );
}

fn found(browser: &Browser, expected: &str) {
    browser.until(&format!(
        "document.querySelector('#found').innerText === '{expected}'"
    ));
}

fn the_search_finds_names_and_details(browser: &Browser) {
    browser.open("");
    browser.press("/");
    browser.until("document.activeElement.name === 'q'");
    browser.press("COLORS");
    found(browser, "1 of 25 tests");
    assert_eq!(browser.hash(), "view=tests&q=COLORS");
    for (query, rows) in [
        ("van in sight", 1),         // stderr
        ("409 conflict", 1),         // the error of a tool
        ("matches no result", 1),    // a judge's reason
        ("12345678901234567890", 1), // a number that JavaScript would round
        ("shop delivery", 1),        // words apart: one in the group, one in the name
        ("\"shop delivery\"", 0),    // words together
        ("wide | ${", 0),
        ("Helo, world", 1), // an earlier attempt
    ] {
        browser.open(&format!(
            "view=tests&q={}",
            query.replace(' ', "+").replace('|', "%7C")
        ));
        found(browser, &format!("{rows} of 25 tests"));
    }
    browser.is_silent();
}

fn filters_combine_and_are_in_the_address(browser: &Browser) {
    browser.open("view=tests");
    found(browser, "25 tests");
    browser.click("#states [data-state=failed]");
    found(browser, "7 of 25 tests");
    browser.click("#states [data-state=flaky]");
    found(browser, "8 of 25 tests");
    assert_eq!(browser.hash(), "view=tests&status=failed,flaky");
    choose(browser, "file", "suites/shop.casebook.yaml");
    found(browser, "3 of 25 tests");
    choose(browser, "tag", "catalogue");
    found(browser, "2 of 25 tests");
    choose(browser, "criterion", "outputEquals");
    found(browser, "1 of 25 tests");
    assert_eq!(
        browser.hash(),
        "view=tests&status=failed,flaky&tag=catalogue&file=suites/shop.casebook.yaml&criterion=outputEquals"
    );
    browser.back();
    found(browser, "2 of 25 tests");
    browser.run("location.reload()");
    found(browser, "2 of 25 tests");
    assert_eq!(
        browser.get("document.querySelector('[name=tag]').value"),
        "catalogue"
    );
    browser.click("#clear");
    found(browser, "25 tests");
    browser.is_silent();
}

fn choose(browser: &Browser, name: &str, value: &str) {
    browser.run(&format!(
        "const field = document.querySelector('[name={name}]'); field.value = '{value}'; field.dispatchEvent(new Event('input', {{bubbles: true}}))"
    ));
}

fn the_overview_links_to_the_counted_tests(browser: &Browser) {
    browser.open("");
    for (link, hash, rows) in [
        (".chip.failed", "view=tests&status=failed", "7 of 25 tests"),
        (
            "a[href*='class=Casebook%3A%3ATimeout']",
            "view=tests&class=Casebook::Timeout",
            "1 of 25 tests · Casebook::Timeout",
        ),
        (
            "a[href*='criterion=friendly']",
            "view=tests&criterion=friendly",
            "10 of 25 tests",
        ),
        (
            "a[href*='file=suites%2Fgreet']",
            "view=tests&file=suites/greet.casebook.yaml",
            "10 of 25 tests",
        ),
    ] {
        browser.open("");
        browser.click(&format!("#overview {link}"));
        found(browser, rows);
        assert_eq!(browser.hash(), hash);
    }
}

fn groups_collapse_and_the_list_can_be_sorted(browser: &Browser) {
    browser.open("view=tests");
    let names = "[...document.querySelectorAll('.line')].map((one) => one.querySelector('.name').firstChild.textContent)";
    assert_eq!(browser.get(names)[0], "shop");
    browser.click("#line-0");
    browser.until("document.querySelector('#line-1 .name').innerText.startsWith('greet')");
    assert_eq!(
        browser.get("document.querySelector('#line-0').getAttribute('aria-expanded')"),
        "false"
    );
    browser.click("#fold");
    browser.until("document.querySelectorAll('.line').length === 3");
    browser.click("#fold");
    browser.until("document.querySelectorAll('.line').length > 20");
    choose(browser, "sort", "slow");
    browser.until(
        "document.querySelector('#line-0').innerText.includes('books with a change of time')",
    );
    assert!(browser.hash().contains("sort=slow"));
    choose(browser, "sort", "bad");
    browser.until("document.querySelector('#line-0').classList.contains('failed') && document.querySelector('#line-7').classList.contains('flaky')");
    browser.is_silent();
}

fn counts_add_up_and_follow_the_search(browser: &Browser) {
    let chips = "[...document.querySelectorAll('#states .chip')].map((one) => one.textContent.trim()).join()";
    browser.open("view=tests");
    assert_eq!(browser.get(chips), "7 failed,1 flaky,1 skipped,16 passed");
    let groups = "[...document.querySelectorAll('.line.group[aria-level=\"1\"] .sums')].map((one) => [...one.children].map((sum) => `${sum.innerText.trim()} ${sum.title}`).join()).join(' | ')";
    assert_eq!(
        browser.get(groups),
        "3 failed,1 skipped,1 passed | 1 failed,1 flaky,8 passed | 3 failed,7 passed"
    );
    browser.open("q=EUR&file=suites/shop.casebook.yaml");
    found(browser, "2 of 25 tests");
    assert_eq!(browser.get(chips), "2 failed,0 flaky,0 skipped,0 passed");
    browser.click("#states [data-state=skipped]");
    found(browser, "0 of 25 tests");
    assert_eq!(browser.get(chips), "2 failed,0 flaky,0 skipped,0 passed");
}

fn without_matches_the_filters_can_be_cleared(browser: &Browser) {
    browser.open("q=nothing+like+this&status=failed");
    browser.until("document.querySelector('#none').checkVisibility()");
    assert!(browser.text("#none").contains("No test matches"));
    browser.click("#none button");
    found(browser, "25 tests");
    assert_eq!(
        browser.get("document.querySelector('#none').checkVisibility()"),
        false
    );
    assert_eq!(browser.get("document.activeElement.id"), "list");
    browser.is_silent();
}
