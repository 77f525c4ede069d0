//! The pages in Chromium.

use std::thread::sleep;
use std::time::Duration;

use casebook_record::Time;
use serde_json::json;

use crate::axe::{axe, check};
use crate::browser::Browser;
use crate::sample_runs::{hostile, showcase};
use crate::studio_project::{StudioProject, TOKEN, run};

const FIRST: &str = "20261118-080000-aaaaaaaa";
const SECOND: &str = "20261118-090000-bbbbbbbb";
const SIZES: [(u32, u32, &str); 3] = [
    (1440, 900, "light"),
    (390, 844, "light"),
    (1440, 900, "dark"),
];

impl StudioProject {
    /// A browser that has opened the printed address.
    fn browser(&self) -> Browser {
        let browser = Browser::start();
        visit(
            &browser,
            &format!("http://127.0.0.1:{}/?token={TOKEN}", self.port),
        );
        browser.until("document.documentElement.dataset.ready");
        assert_eq!(browser.get("location.search + location.pathname"), "/");
        browser
    }

    fn open(&self, browser: &Browser, path: &str) {
        visit(browser, "about:blank");
        visit(browser, &format!("http://127.0.0.1:{}{path}", self.port));
        browser.until("document.documentElement.dataset.ready");
    }
}

fn visit(browser: &Browser, url: &str) {
    browser.devtools("Page.navigate", &json!({"url": url}));
    browser.until("document.readyState === 'complete'");
}

fn project() -> StudioProject {
    let project = StudioProject::new();
    std::fs::write(project.dir.path().join("shop.casebook.yaml"), "").unwrap();
    project.add(FIRST, &run("a", 30, 4));
    let mut second = run("b", 30, 2);
    second.started_at = Time::from_millis(second.started_at.as_millis() + 3_600_000);
    project.add(SECOND, &second);
    project
}

#[test]
fn every_view_is_accessible_wide_narrow_and_dark() {
    let project = project();
    project.add("20261118-100000-cccccccc", &showcase());
    let browser = project.browser();
    let axe = axe();
    let views = [
        "/".to_owned(),
        "/#view=tests".to_owned(),
        format!("/#view=compare&base={FIRST}&new={SECOND}"),
        "/#view=design".to_owned(),
        format!("/runs/{SECOND}"),
        format!("/runs/{SECOND}#test=example%3A0"),
        "/runs/20261118-100000-cccccccc#test=example%3A924d5a71dde0~1".to_owned(),
    ];
    for (width, height, scheme) in SIZES {
        browser.emulate(width, height, scheme);
        for view in &views {
            project.open(&browser, view);
            browser
                .until("!location.hash.includes('test=') || document.querySelector('#detail h2')");
            browser.until("!document.body.innerText.includes('Loading')");
            browser
                .run("document.querySelectorAll('details').forEach((one) => { one.open = true; })");
            browser.until("!document.body.innerText.includes('Loading')");
            check(&browser, &axe, &format!("{width} {scheme} {view}"));
            let overflow = browser.get("document.documentElement.scrollWidth - innerWidth");
            assert!(overflow.as_i64() <= Some(0), "{width} {view}: {overflow}");
        }
    }
    browser.is_silent();
}

#[test]
fn views_are_addresses() {
    let project = project();
    let browser = project.browser();
    browser.until("document.querySelector('h1').innerText === 'Runs'");
    browser.click("#views a:nth-child(2)");
    browser.until("document.querySelectorAll('.grid tbody tr').length === 30");
    assert!(browser.text(".grid tbody tr").contains("test 0"));
    browser.click("#views a:nth-child(3)");
    browser.until("document.querySelectorAll('.changes li').length === 4");
    assert!(browser.text(".changes li").contains("still failing"));
    browser.run("document.querySelector('.changes li:last-child details').open = true");
    browser.until("document.querySelector('.changes li:last-child .diff')");
    let diff = browser.text(".changes li:last-child .diff");
    assert!(
        diff.contains("- output a of 3") && diff.contains("+ output b of 3"),
        "{diff}"
    );
    browser.click("#views a:nth-child(4)");
    browser.until("document.body.innerText.includes('not covered')");
    browser.back();
    browser.until("document.querySelector('h1').innerText === 'Compare'");
    browser.back();
    browser.until("document.querySelector('h1').innerText === 'Tests'");
    browser.is_silent();
}

#[test]
fn a_run_is_followed_through_restarts_of_the_server() {
    let mut project = project();
    let browser = project.browser();
    let mut live = project.record("20261118-100000-cccccccc");
    live.begin(3);
    live.start("a");
    browser.until("document.querySelector('.card.live a')");
    browser.click(".card.live a");
    browser.until("document.documentElement.dataset.ready && document.body.innerText.includes('Running: 0 of 3')");
    live.pass("a");
    live.start("b");
    browser.until("document.body.innerText.includes('Running: 1 of 3')");

    project.stop();
    live.fail("b", "no such file");
    browser.until(
        "document.querySelector('#connection') && !document.querySelector('#connection').hidden",
    );
    project.start();
    browser.until("document.querySelector('#connection').hidden");
    browser.until("document.body.innerText.includes('2 of 3 tests finished, 1 failed') || document.body.innerText.includes('2 of 3')");
    browser.click("#views a:nth-child(2)");
    browser.until("document.querySelectorAll('#list .line:not(.group)').length === 2");

    live.start("c");
    browser.until("document.querySelector('#list .line.live')");
    live.pass("c");
    live.finish();
    browser.until("!document.querySelector('#list .line.live')");
    browser.click("#views a:nth-child(1)");
    browser.until("document.querySelector('h1').innerText === '1 of 3 tests failed'");
    assert_eq!(
        browser.get("document.querySelectorAll('#run-actions button').length"),
        1
    );
}

#[test]
fn a_killed_run_is_interrupted_on_the_page() {
    let project = project();
    let browser = project.browser();
    let mut live = project.record("20261118-100000-cccccccc");
    live.begin(2);
    live.start("a");
    project.open(&browser, "/runs/20261118-100000-cccccccc");
    browser.until("document.body.innerText.includes('Running: 0 of 2')");
    drop(live);
    browser.until("document.body.innerText.includes('interrupted')");
    browser.is_silent();
}

#[test]
fn hostile_content_stays_text() {
    let project = project();
    project.add("20261118-100000-cccccccc", &hostile());
    project.add("20261118-110000-dddddddd", &hostile());
    let browser = project.browser();
    let views = [
        "/".to_owned(),
        "/#view=tests".to_owned(),
        "/#view=compare".to_owned(),
        "/#view=design".to_owned(),
        "/#view=%3Cimg%20src%3Dx%20onerror%3Downed%3D1%3E".to_owned(),
        "/runs/%3Cscript%3E".to_owned(),
        "/runs/20261118-100000-cccccccc".to_owned(),
    ];
    for view in &views {
        visit(&browser, "about:blank");
        visit(
            &browser,
            &format!("http://127.0.0.1:{}{view}", project.port),
        );
        browser.until("document.querySelector('h1')?.checkVisibility()");
        browser.run("document.querySelectorAll('details').forEach((one) => { one.open = true; })");
        sleep(Duration::from_millis(200));
        assert_eq!(browser.get("window.owned ?? null"), json!(null), "{view}");
    }
    project.open(&browser, "/runs/20261118-100000-cccccccc#view=tests");
    browser.click("#list .line:not(.group)");
    browser.until("document.querySelector('#detail h2')");
    sleep(Duration::from_millis(300));
    assert_eq!(browser.get("window.owned ?? null"), json!(null));
    assert_eq!(
        browser.get("document.querySelectorAll('iframe, img').length"),
        0
    );
}

#[test]
fn a_test_is_run_again_and_stopped_from_its_page() {
    let project = project();
    let browser = project.browser();
    project.open(&browser, &format!("/runs/{SECOND}#test=example%3A0"));
    browser.until("document.querySelectorAll('#detail .command-button').length === 3");
    let actions = browser.text("#detail .command-buttons");
    assert!(
        actions.contains("casebook run shop.casebook.yaml:3"),
        "{actions}"
    );
    browser.click("#detail .command-button button");
    browser.until("document.querySelector('#commands')?.innerText.includes('running')");
    browser.click("#commands .stop");
    browser.until("document.querySelector('#commands').innerText.includes('signal')");
    browser.is_silent();
}

#[test]
fn a_read_only_studio_shows_no_action() {
    let project = StudioProject::read_only();
    project.add(FIRST, &run("a", 3, 1));
    let browser = project.browser();
    project.open(&browser, &format!("/runs/{FIRST}#test=example%3A0"));
    browser.until("document.querySelector('#detail h2')");
    assert_eq!(
        browser.get("document.querySelectorAll('.command-button').length"),
        0
    );
    browser.is_silent();
}

#[test]
fn a_verdict_is_reviewed() {
    let project = project();
    project.add("20261118-100000-cccccccc", &showcase());
    let browser = project.browser();
    project.open(
        &browser,
        "/runs/20261118-100000-cccccccc#test=example%3A924d5a71dde0~1",
    );
    browser.until("document.querySelector('.review-form input')");
    browser.run("document.querySelector('.review-form input').value = 'too rude'");
    browser.click(".review-form button:not(.agree)");
    browser.until("document.querySelector('.reviews').innerText.includes('too rude')");
    let file = project
        .runs()
        .join("20261118-100000-cccccccc/reviews.jsonl");
    let text = std::fs::read_to_string(file).unwrap();
    assert!(text.contains("\"comment\":\"too rude\""), "{text}");
    project.open(
        &browser,
        "/runs/20261118-100000-cccccccc#test=example%3A924d5a71dde0~1",
    );
    browser.until("document.querySelector('.reviews')?.innerText.includes('too rude')");
    browser.is_silent();
}

#[test]
fn the_page_is_used_with_the_keyboard() {
    let project = project();
    let browser = project.browser();
    browser.run("document.querySelector('th a').focus()");
    browser.press(crate::browser::ENTER);
    browser.until("location.pathname.startsWith('/runs/') && document.documentElement.dataset.ready === 'true'");
    browser.press("2");
    browser.until("document.querySelector('#list').checkVisibility()");
    browser.press("j");
    browser.press("j");
    browser.press(crate::browser::ENTER);
    browser.until("document.querySelector('#detail h2')");
    browser.press(crate::browser::ESCAPE);
    browser.until("document.querySelector('#detail').hidden");
}
