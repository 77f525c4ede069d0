//! Ten thousand tests are shown with as few elements as ten. The time is measured by `script/bench report`.

use crate::browser::Browser;
use crate::sample_runs::large;

#[test]
fn ten_thousand_tests_stay_usable() {
    let browser = Browser::showing(&large(10_000, 200), "view=tests");
    assert!(browser.text("#found").contains("10,000 tests"));
    browser.click("#fold");
    browser.click("#fold");
    browser.run("document.querySelector('#list').scrollTop = 1e9");
    browser.until("document.querySelector('#list').innerText.includes('does thing 9999')");
    let drawn = browser
        .get("document.querySelectorAll('.line').length")
        .as_u64()
        .unwrap();
    assert!(drawn < 80, "{drawn} lines in the page");
    browser.open("view=tests&q=%22%5B7777%5D+the+quick%22");
    browser.until("document.querySelector('#found').innerText === '1 of 10,000 tests'");
    browser.is_silent();
}
