//! The screen of a command's terminal.

use serde_json::{Value, json};

use crate::browser::Browser;
use crate::look::FAINT;
use crate::sample_runs::terminal;

#[test]
fn a_screen_is_shown_in_color_in_light_and_dark() {
    let browser = Browser::showing(&terminal(), "view=tests");
    for scheme in ["light", "dark"] {
        browser.emulate(1280, 900, scheme);
        browser.run("document.querySelector('.line:not(.group)').click()");
        browser.until("document.querySelector('#detail .screen')");
        let text = browser.get("document.querySelector('#detail .screen').textContent");
        let lines = [
            "<b>plain</b>",
            "red and blue!",
            "inverse<img src=x onerror=window.owned=1>",
            "",
            "last",
        ];
        assert_eq!(text, lines.join("\n"), "{scheme}");
        let classes = browser.get(
            "[...document.querySelectorAll('#detail .screen span')].map((one) => one.className)",
        );
        let expected = json!(["bold f1", "fx", "b11", "inverse", "dim fx"]);
        assert_eq!(classes, expected, "{scheme}");
        assert_eq!(browser.get(FAINT), Value::Array(Vec::new()), "{scheme}");
        assert_eq!(browser.get("typeof window.owned"), "undefined");
    }
    assert!(browser.text("#detail").contains("40 × 10"));
    browser.is_silent();
}
