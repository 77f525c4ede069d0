//! Recorded text is never executed.

use casebook_report::html;

use crate::browser::Browser;
use crate::sample_runs::{HOSTILE, hostile};

#[test]
fn recorded_text_is_neither_script_nor_markup() {
    let browser = Browser::showing(&hostile(), "");
    for at in ["", "view=tests", "view=timeline", "view=topics"] {
        browser.open(at);
        is_harmless(&browser, at);
    }
    browser.open("view=tests");
    browser.run("document.querySelector('.line:not(.group)').click()");
    for number in 1..=25 {
        browser.until("document.querySelector('#detail h2')?.innerText.includes('<img src=x')");
        let opened = browser.get("location.hash");
        // Expanded sections may contain more collapsed ones.
        browser.run("for (let again = 0; again < 4; again += 1) document.querySelectorAll('details').forEach((one) => { one.open = true; })");
        is_harmless(&browser, &format!("test {number}"));
        if number < 25 {
            browser.press("j");
            browser.until(&format!("location.hash !== {opened}"));
        }
    }
    browser.run("dispatchEvent(new Event('beforeprint'))");
    is_harmless(&browser, "print");
}

fn is_harmless(browser: &Browser, place: &str) {
    // The handler of an image runs only after loading has failed.
    browser.run("return new Promise((resolve) => setTimeout(resolve, 30))");
    assert_eq!(browser.get("typeof window.owned"), "undefined", "{place}");
    let strange = browser.get("document.querySelectorAll('img, iframe, object, embed, body style, script:not([type]):not(#app ~ script)').length");
    assert_eq!(strange, 0, "{place}");
    browser.is_silent();
}

#[test]
fn the_policy_blocks_script_and_markup() {
    let browser = Browser::showing(&hostile(), "");
    let refused = browser.get(
        "(() => { try { document.body.innerHTML = '<img src=x onerror=window.owned=1>'; return ''; } catch (error) { return error.name; } })()",
    );
    assert_eq!(refused, "TypeError");
    let handler = browser.get(
        "(() => { try { document.body.setAttribute('onclick', 'window.owned = 1'); return ''; } catch (error) { return error.name; } })()",
    );
    assert_eq!(handler, "TypeError");
    let script = browser.get(
        "(() => { try { const script = document.createElement('script'); script.text = 'window.owned = 1'; document.body.append(script); return ''; }
                  catch (error) { return error.name; } })()",
    );
    assert_eq!(script, "TypeError");
    assert_eq!(browser.get("typeof window.owned"), "undefined");
    let fetched =
        browser.run("return fetch('data:text/plain,x').then(() => 'fetched', () => 'refused')");
    assert_eq!(fetched, "refused");
    assert!(
        !browser.console().is_empty(),
        "the browser reports what it blocked"
    );
}

#[test]
fn without_scripts_the_page_contains_only_text() {
    let mut page = Vec::new();
    html::write(&hostile(), &html::Options::default(), &mut page).unwrap();
    let page = String::from_utf8(page).unwrap();
    let start = page.find("<noscript>").unwrap();
    let plain = &page[start..start + page[start..].find("</noscript>").unwrap()];
    assert!(plain.contains("25 tests: 17 passed (1 flaky), 7 failed"));
    assert!(plain.contains("&#60;img src=x") && plain.contains("lists what there is"));
    assert!(!page.contains('\u{202e}') && plain.contains("\\u{202e}␛]0;x␇"));
    let outside = page.matches("<img").count() + page.matches("<svg onload").count();
    assert_eq!(outside, 0, "{HOSTILE} is nowhere as it is");
}
