//! The page can be used with the keyboard alone.

use crate::browser::{Browser, ENTER, ESCAPE};
use crate::sample_runs::showcase;

#[test]
fn the_page_works_with_the_keyboard() {
    Browser::start().through(
        &showcase(),
        &[
            keys_move_open_and_close,
            the_focus_is_visible_and_a_link_skips_to_the_content,
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
    browser.until("document.querySelector('#detail h2').innerText.includes('shows colors')");
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

fn the_focus_is_visible_and_a_link_skips_to_the_content(browser: &Browser) {
    browser.open("");
    browser.press("\u{e004}");
    assert_eq!(browser.get("document.activeElement.id"), "skip");
    browser.press(ENTER);
    assert_eq!(browser.get("document.activeElement.id"), "main");
    browser.press("\u{e004}");
    let outline = browser.get("getComputedStyle(document.activeElement).outlineStyle");
    assert_eq!(outline, "solid");
}
