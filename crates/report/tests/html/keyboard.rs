//! Everything can be done without a mouse.

use crate::browser::{Browser, ENTER, ESCAPE};
use crate::made::showcase;

#[test]
fn everything_can_be_done_with_keys() {
    Browser::start().through(
        &showcase(),
        &[
            keys_move_open_and_close,
            the_focus_is_seen_and_the_content_can_be_skipped_to,
        ],
    );
}

fn keys_move_open_and_close(browser: &Browser) {
    browser.open("");
    browser.press("2");
    browser.until("!document.querySelector('#tests').hidden");
    browser.press("jj");
    browser.until("document.activeElement.id === 'list' && document.activeElement.getAttribute('aria-activedescendant') === 'line-1'");
    browser.press(ENTER);
    browser
        .until("document.querySelector('#detail h2')?.innerText.includes('lists what there is')");
    browser.press("j");
    browser.until("document.querySelector('#detail h2').innerText.includes('shows colours')");
    browser.press("k");
    browser.until("document.querySelector('#detail h2').innerText.includes('lists what there is')");
    browser.press(ESCAPE);
    browser
        .until("document.querySelector('#detail').hidden && document.activeElement.id === 'list'");
    browser.press("f");
    browser.until("location.hash.includes('status=failed')");
    browser.press("/");
    browser.press("delivery");
    browser.until("document.querySelector('#found').innerText.startsWith('1 of')");
    assert_eq!(
        browser.get("document.querySelector('#detail').hidden"),
        true,
        "letters typed are not commands"
    );
    browser.press(ESCAPE);
    browser.press(ESCAPE);
    browser.until("!location.hash.includes('q=')");
    browser.press("?");
    browser.until("document.querySelector('#help').open");
    browser.press(ESCAPE);
    browser.until("!document.querySelector('#help').open");
    browser.is_silent();
}

fn the_focus_is_seen_and_the_content_can_be_skipped_to(browser: &Browser) {
    browser.open("");
    browser.press("\u{e004}");
    assert_eq!(browser.get("document.activeElement.id"), "skip");
    browser.press(ENTER);
    assert_eq!(browser.get("document.activeElement.id"), "main");
    browser.press("\u{e004}");
    let outline = browser.get("getComputedStyle(document.activeElement).outlineStyle");
    assert_eq!(outline, "solid");
}
