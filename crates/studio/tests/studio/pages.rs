//! The pages in Chromium.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::thread::sleep;
use std::time::Duration;

use casebook_record::Time;
use rustix::process::{Pid, Signal, kill_process_group};
use serde_json::json;

use crate::axe::{axe, check};
use crate::browser::Browser;
use crate::sample_runs::{HOSTILE, hostile, showcase};
use crate::studio_project::{StudioProject, TOKEN, run};

const FIRST: &str = "20261118-080000-aaaaaaaa";
const SECOND: &str = "20261118-090000-bbbbbbbb";
/// The key as `WebDriver` names it.
const TAB: &str = "\u{e004}";
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
    project.write_sources();
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
        format!("/runs/{SECOND}#view=tests"),
        format!("/runs/{SECOND}#view=timeline"),
        "/runs/20261118-100000-cccccccc#view=topics".to_owned(),
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
fn a_run_in_progress_is_accessible_wide_narrow_and_dark() {
    let project = project();
    let name = "20261118-100000-cccccccc";
    let mut live = project.record(name);
    live.begin(4);
    live.start("a");
    live.fail("a", "no such file");
    live.start("b");
    project.write_output(name, "b", "\u{1b}[31mfirst\u{1b}[0m line\n<b>\n");
    let browser = project.browser();
    let axe = axe();
    for (width, height, scheme) in SIZES {
        browser.emulate(width, height, scheme);
        for view in ["", "#view=tests", "#view=timeline", "#test=b"] {
            project.open(&browser, &format!("/runs/{name}{view}"));
            browser.until("!location.hash.includes('test=') || document.querySelector('#detail')?.innerText.includes('first line\\n<b>')");
            check(&browser, &axe, &format!("{width} {scheme} {view}"));
        }
        project.open(&browser, "/");
        browser.until("document.querySelector('.card.live a')");
        check(&browser, &axe, &format!("{width} {scheme} /"));
    }
    live.finish();
    browser.is_silent();
}

#[test]
fn two_tabs_follow_the_same_run() {
    let project = project();
    let browser = project.browser();
    let mut live = project.record("20261118-100000-cccccccc");
    live.begin(3);
    live.start("a");
    project.open(&browser, "/runs/20261118-100000-cccccccc");
    let first = browser.tab();
    let second = browser.open_tab();
    project.open(&browser, "/runs/20261118-100000-cccccccc#view=tests");
    live.pass("a");
    live.start("b");
    browser.until("document.querySelectorAll('#list .line.passed').length === 1 && document.querySelector('#list .line.live')");
    browser.show_tab(&first);
    browser.until("document.body.innerText.includes('Running: 1 of 3')");
    live.pass("b");
    live.start("c");
    live.fail("c", "no such file");
    browser.until("document.body.innerText.includes('3 of 3 tests finished, 1 failed')");
    live.finish();
    browser.until("document.querySelector('h1').innerText === '1 of 3 tests failed'");
    browser.until("document.title.startsWith('1 of 3 tests failed')");
    browser.show_tab(&second);
    browser.until("document.querySelectorAll('#list .line:not(.group)').length === 3 && document.querySelector('#run-actions')");
    browser.is_silent();
}

#[test]
fn a_page_is_shown_while_records_are_read() {
    let project = project();
    let pipe = project.add_slow("20261118-100000-cccccccc");
    let browser = Browser::start();
    let address = format!("http://127.0.0.1:{}/?token={TOKEN}", project.port);
    visit(&browser, &address);
    browser.until("document.body.innerText.includes('Reading 3 records, 2 done')");
    let response = project.get_at_once("/api/v1/grid", "");
    assert_eq!(response.status, 202);
    assert_eq!(response.json(), json!({"reading": {"read": 2, "of": 3}}));
    let mut live = project.record("20261118-110000-dddddddd");
    live.begin(1);
    browser.until("document.querySelector('.card.live a')");
    // The next time, it is a file: the run in progress is a reason to read the records again.
    let mut writer = std::fs::File::options().write(true).open(&pipe).unwrap();
    let record = serde_json::to_vec(&run("c", 1, 0)).unwrap();
    let file = project.dir.path().join("record");
    std::fs::write(&file, &record).unwrap();
    std::fs::rename(file, pipe).unwrap();
    writer.write_all(&record).unwrap();
    drop(writer);
    browser.until("document.querySelectorAll('.compare-form tbody tr').length === 4");
    browser.is_silent();
}

/// Numbers are left out where they differ, but an exit code is what the failure is.
#[test]
fn similar_failures_are_one_group() {
    let project = StudioProject::new();
    let mut failures = run("a", 8, 8);
    let messages = [
        "exit code 0 instead of 1",
        "exit code 3 instead of 0",
        "exit code 3 instead of 0",
        "exit code 1 instead of 0",
        "the room 4 of \"a\" is taken for 2 days",
        "The room 5 of \"b\" is taken for 2 days",
        "status 404 instead of 200",
        "status 500 instead of 200",
    ];
    for (example, message) in failures.examples.values_mut().zip(messages) {
        example.exception.as_mut().unwrap().message = Some(message.into());
    }
    project.add(FIRST, &failures);
    let browser = project.browser();
    project.open(&browser, &format!("/runs/{FIRST}"));
    let groups = "[...document.querySelectorAll('.card')].find((card) => card.innerText.includes('Failure groups'))";
    browser.until(groups);
    let titles = browser.get(&format!(
        "[...{groups}.querySelectorAll('a .name')].map((name) => name.textContent).sort()"
    ));
    assert_eq!(
        titles,
        json!([
            "2 × exit code 3 instead of 0",
            "2 × the room … of … is taken for 2 days"
        ])
    );
    browser.is_silent();
}

/// Lists lead to the tests that they name.
#[test]
fn tests_of_lists_are_links_to_their_newest_run() {
    let project = StudioProject::new();
    project.add(FIRST, &run("a", 14, 12));
    let mut second = run("b", 14, 12);
    second.started_at = Time::from_millis(second.started_at.as_millis() + 3_600_000);
    second.examples.shift_remove("example:1");
    // Trials of a test share a row.
    let trial = &mut second.examples["example:2"];
    trial.id = "example:2~1".into();
    let number = json!({"number": 1, "of": 2, "test": "example:2"});
    trial.metadata.set("trial", number);
    project.add(SECOND, &second);
    let browser = project.browser();
    browser.until("document.querySelectorAll('.marked li').length === 5");
    browser.click(".marked summary");
    browser.until("document.querySelectorAll('.marked li').length === 12");
    let newest = |index: usize| match index {
        1 => FIRST,
        _ => SECOND,
    };
    let links = "[...document.querySelectorAll('LIST')].map((link) => `${link.textContent} ${link.pathname}${link.hash}`).sort()";
    for (list, tests) in [(".marked a.name", 12), (".grid a.name", 14)] {
        let mut expected: Vec<_> = (0..tests)
            .map(|index| {
                let run = newest(index);
                format!("shop › test {index} /runs/{run}#test=example%3A{index}")
            })
            .collect();
        expected.sort();
        assert_eq!(browser.get(&links.replace("LIST", list)), json!(expected));
        browser.run("location.hash = 'view=tests'");
        browser.until("document.querySelector('.grid a.name')");
    }
    assert_eq!(
        browser.get("document.querySelector('.grid thead a').getAttribute('aria-label')"),
        "2026-11-18 08:00:00 UTC · 2 passed, 12 failed · 53e511a"
    );
    project.open(&browser, &format!("/runs/{SECOND}#test=example%3A2"));
    browser.until("document.querySelector('#detail h2')?.innerText.includes('test 2')");
    browser.is_silent();
}

#[test]
fn a_test_is_shown_in_its_suite_with_problems() {
    let project = project();
    let browser = project.browser();
    project.open(&browser, &format!("/runs/{SECOND}#test=example%3A1"));
    browser.until("document.querySelector('#detail .problem')");
    let section = browser.text("#detail .part:has(.problem)");
    for part in [
        "IN THE SUITE NOW",
        "not in git",
        "shop.casebook.yaml:4",
        "- name: test 1",
        "warning: the <name> is long (shorten it)",
        "1 problem elsewhere in the file",
    ] {
        assert!(
            section.to_lowercase().contains(&part.to_lowercase()),
            "{part}: {section}"
        );
    }
    browser.is_silent();
}

#[test]
fn a_design_is_shown_on_its_source() {
    let project = project();
    let browser = project.browser();
    project.open(&browser, "/#view=design");
    browser.click(".methods summary");
    browser.until("document.querySelectorAll('.designed-line').length === 5");
    let lines = browser.get("[...document.querySelectorAll('.designed-line')].map((line) => [line.querySelector('.text').textContent.trim(), ...[...line.querySelectorAll('.tag')].map((tag) => `${tag.querySelector('.icon')?.getAttribute('aria-label') ?? ''}|${tag.textContent.trim()}`)])");
    assert_eq!(
        lines,
        json!([
            ["def shipping"],
            [
                "if total > 50 then 0",
                "|decides total",
                "passed|total: sufficient"
            ],
            ["else"],
            ["5 < 6", "not run|total: insufficient"],
            ["end"],
        ])
    );
    let page = browser.text("#page");
    let runs = "Results of the run of 2026-11-18 09:00:00 UTC · 28 passed, 2 failed · 53e511a";
    assert!(page.contains(runs), "{page}");
    browser.is_silent();
}

#[test]
fn conversations_are_compared_turn_by_turn() {
    let project = project();
    let base = showcase();
    let mut new = serde_json::to_value(showcase()).unwrap();
    let examples = new["examples"].as_object_mut().unwrap().values_mut();
    let turns =
        examples.filter_map(|example| example.pointer_mut("/conversation/turns")?.as_array_mut());
    let calls = turns
        .flatten()
        .filter_map(|turn| turn.get_mut("tool_calls")?.as_array_mut());
    let calls = calls.max_by_key(|calls| calls.len()).unwrap();
    let mut other = calls[0].clone();
    other["name"] = "another_tool".into();
    calls.insert(0, other);
    project.add("20261118-100000-cccccccc", &base);
    project.add(
        "20261118-110000-dddddddd",
        &serde_json::from_value(new).unwrap(),
    );
    let browser = project.browser();
    project.open(
        &browser,
        "/#view=compare&base=20261118-100000-cccccccc&new=20261118-110000-dddddddd",
    );
    browser.until("document.querySelector('.changes li')");
    // It comes after the test that fails in both runs.
    browser.run("[...document.querySelectorAll('.changes details')].find((one) => one.innerText.includes('same result, other output')).open = true");
    browser.until("document.querySelector('.turn-pairs')");
    // The call of another tool has no call next to it, and the same calls are side by side.
    assert_eq!(
        browser.get("document.querySelectorAll('.pair.different').length"),
        1
    );
    let different = browser.text(".pair.different");
    assert!(different.contains("another_tool("), "{different}");
    assert_eq!(
        browser.get("Boolean(document.querySelector('.pair.different > .none:first-child'))"),
        true
    );
    browser.click(".counts .chip:nth-child(2)");
    browser.until("document.querySelectorAll('.changes li').length === 0");
    browser.is_silent();
}

/// A test that fails in the same way is not a difference.
#[test]
fn only_differences_are_compared() {
    let project = StudioProject::new();
    let base = run("a", 4, 3);
    let mut new = run("a", 4, 2);
    new.started_at = Time::from_millis(new.started_at.as_millis() + 3_600_000);
    let exception = new.examples[1].exception.as_mut().unwrap();
    exception.message = Some("expected one item".into());
    project.add(FIRST, &base);
    project.add(SECOND, &new);
    let browser = project.browser();
    project.open(&browser, "/#view=compare");
    let changes = browser.get(
        "[...document.querySelectorAll('.changes summary')].map((one) => one.textContent.replace(/\\s+/g, ' ').trim())",
    );
    assert_eq!(
        changes,
        json!([
            "→ still failing, differently shop › test 1expected one item",
            "→ newly passing shop › test 2"
        ])
    );
    assert_eq!(
        browser.text("#page [role=status]"),
        "2 tests of 4; 1 more fails in both runs in the same way"
    );
    assert_eq!(
        browser.get("[...document.querySelectorAll('.grid-tools option:checked')].map((one) => one.textContent)"),
        json!([
            "2026-11-18 08:00:00 UTC · 1 passed, 3 failed · 53e511a",
            "2026-11-18 09:00:00 UTC · 2 passed, 2 failed · 53e511a"
        ])
    );
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
    browser.until("document.querySelectorAll('.changes li').length === 30");
    assert!(browser.text(".changes li").contains("still failing"));
    browser.run("document.querySelector('.changes li:nth-child(4) details').open = true");
    browser.until("document.querySelector('.changes li:nth-child(4) .diff')");
    let diff = browser.text(".changes li:nth-child(4) .diff");
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
    browser.run("history.forward()");
    browser.until("document.querySelector('h1').innerText === 'Compare'");
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
    let mut run = hostile();
    run.metadata.set("git_branch", HOSTILE);
    project.add("20261118-100000-cccccccc", &run);
    project.add("20261118-110000-dddddddd", &hostile());
    let review = json!({"example": HOSTILE, "criterion": HOSTILE, "verdict": "failed", "by": HOSTILE, "comment": HOSTILE});
    let reviews = project
        .runs()
        .join("20261118-100000-cccccccc/reviews.jsonl");
    std::fs::write(reviews, review.to_string()).unwrap();
    let suite = project.dir.path().join("shop.casebook.yaml");
    std::fs::write(suite, format!("{HOSTILE}\n").repeat(40)).unwrap();
    let source = project.dir.path().join("app/order.rb");
    std::fs::write(source, format!("{HOSTILE}\n").repeat(9)).unwrap();
    let live_name = "20261118-120000-eeeeeeee";
    let mut live = project.record(live_name);
    live.begin(2);
    live.start(HOSTILE);
    live.fail(HOSTILE, HOSTILE);
    live.start("b");
    project.write_output(live_name, "b", HOSTILE);
    let browser = project.browser();
    let views = [
        "/".to_owned(),
        "/#view=tests".to_owned(),
        "/#view=compare".to_owned(),
        "/#view=design".to_owned(),
        "/#view=%3Cimg%20src%3Dx%20onerror%3Downed%3D1%3E".to_owned(),
        "/runs/%3Cscript%3E".to_owned(),
        "/runs/20261118-100000-cccccccc".to_owned(),
        format!("/runs/{SECOND}#test=example%3A1"),
        format!("/runs/{live_name}"),
        format!("/runs/{live_name}#view=tests"),
        format!("/runs/{live_name}#test=b"),
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
    browser.until("document.querySelector('#detail')?.innerText.includes('<img src=x')");
    live.finish();
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
    // It failed on no output that could be accepted.
    browser.until("document.querySelectorAll('#detail .command-button').length === 2");
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

/// The command continues, but the next server does not know it.
#[test]
fn a_command_of_the_server_before_is_not_mistaken_for_another() {
    let mut project = project();
    let browser = project.browser();
    let start = "document.querySelector('#page .command-button button').click()";
    let shown = "[...document.querySelectorAll('#commands .aside')].map((one) => one.textContent)";
    browser.until("document.querySelector('#page .command-button button')");
    browser.run(start);
    browser.until(&format!("{shown}.join() === 'running'"));
    let command = project.events("/api/v1/events").next().data["commands"][0].clone();
    project.stop();
    browser.until("document.querySelector('#connection')?.hidden === false");
    project.start();
    browser.until("document.querySelector('#connection').hidden");
    browser.until(&format!(
        "{shown}.join() === 'no longer followed: the studio was restarted'"
    ));
    browser.run(start);
    browser.until(&format!("{shown}[1] === 'running'"));
    browser.click("#commands li:last-child .stop");
    browser.until(&format!("{shown}[1].includes('signal')"));
    let group = command["id"].as_i64().unwrap().try_into().unwrap();
    kill_process_group(Pid::from_raw(group).unwrap(), Signal::KILL).unwrap();
}

#[test]
fn all_runs_can_be_listed() {
    let project = StudioProject::new();
    for number in 0..103 {
        project.add(
            &format!("20261118-080{number:03}-aaaaaaaa"),
            &run("a", 1, 0),
        );
    }
    let browser = project.browser();
    let rows = "document.querySelectorAll('.compare-form tbody tr').length";
    browser.until(&format!("{rows} === 100"));
    browser.run("[...document.querySelectorAll('button')].find((one) => one.textContent === '3 more').click()");
    browser.until(&format!("{rows} === 103"));
    project.add("20261118-090000-bbbbbbbb", &run("b", 1, 0));
    browser.until(&format!("{rows} === 104"));
    browser.is_silent();
}

/// A server of another site on this machine, to which the browser sends the same cookies.
fn other_site() -> u16 {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let _ = stream.read(&mut [0; 4096]);
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 9\r\nConnection: close\r\n\r\n<p>other\n");
        }
    });
    port
}

#[test]
fn another_site_a_wrong_host_and_a_used_token_are_refused_in_the_browser() {
    let project = project();
    let browser = project.browser();
    let own = format!("http://127.0.0.1:{}", project.port);
    assert_eq!(browser.get("document.cookie"), "", "scripts cannot read it");
    visit(&browser, &format!("http://127.0.0.1:{}/", other_site()));
    let fetch = |path: &str, options: &str| {
        let address = format!("{own}{path}");
        browser.run(&format!("return fetch('{address}', {{credentials: 'include', {options}}}).then((answer) => answer.text(), () => 'refused')"))
    };
    assert_eq!(fetch("/api/v1/runs", ""), "refused");
    let body = r#"method: 'POST', mode: 'no-cors', body: '{"action": "run"}'"#;
    assert_eq!(fetch("/api/v1/commands", body), "refused");
    browser.run(&format!("const form = document.createElement('form'); form.method = 'post'; form.action = '{own}/api/v1/commands'; document.body.append(form); form.submit()"));
    browser.until("document.body.innerText.includes('page of another site')");
    let commands = project.events("/api/v1/events").next().data["commands"].clone();
    assert_eq!(commands, json!([]), "nothing was started");

    // Chromium takes every name below localhost for this machine, as if another site had rebound its name.
    visit(
        &browser,
        &format!("http://evil.localhost:{}/", project.port),
    );
    browser.until("document.body.innerText.includes('This host is not the studio')");
    visit(&browser, &format!("{own}/runs/..%2F..%2F..%2Fetc%2Fpasswd"));
    browser.until("document.body.innerText.includes('This run cannot be shown')");

    let stranger = Browser::start();
    for token in [TOKEN, "wrong"] {
        visit(&stranger, &format!("{own}/?token={token}"));
        stranger.until("document.body.innerText.includes('This browser is not logged in')");
    }
    visit(&browser, &format!("{own}/?token={TOKEN}"));
    browser.until("document.querySelector('h1')?.innerText === 'Runs'");
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
    let pressed = ".review-form [aria-pressed=true]";
    assert_eq!(
        browser.get(&format!("document.querySelectorAll('{pressed}').length")),
        0
    );
    browser.run("[...document.querySelectorAll('.review-form button')].find((one) => one.textContent.startsWith('Correct')).click()");
    browser.until("document.querySelector('.reviews').innerText.includes('too rude')");
    let stored = browser.text(pressed);
    assert!(stored.starts_with("Correct to "), "{stored}");
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
    assert_eq!(browser.text(pressed), stored);
    browser.is_silent();
}

/// The first Tab goes to the link that skips the header. All views and actions can be reached without a pointer.
#[test]
fn the_project_is_used_with_the_keyboard() {
    let project = project();
    let browser = project.browser();
    let focus = |expression: &str| {
        for _ in 0..60 {
            browser.press(TAB);
            if browser.get(&format!(
                "Boolean(((one) => {expression})(document.activeElement))"
            )) == true
            {
                return;
            }
        }
        panic!("Tab does not reach {expression}");
    };
    browser.press(TAB);
    assert_eq!(browser.get("document.activeElement.id"), "skip");
    for (text, heading) in [
        ("Tests", "Tests"),
        ("Compare", "Compare"),
        ("Design", "Design"),
        ("Runs", "Runs"),
    ] {
        browser.run("document.activeElement.blur()");
        focus(&format!(
            "one.closest('#views') && one.textContent === '{text}'"
        ));
        browser.press(crate::browser::ENTER);
        browser.until(&format!(
            "document.querySelector('h1').innerText === '{heading}'"
        ));
    }
    for _ in 0..2 {
        focus("one.matches('.compare-form input:not(:checked)')");
        browser.press(" ");
    }
    browser.run("document.querySelector('.compare-form').closest('.card').querySelector('h2 button').focus()");
    browser.press(crate::browser::ENTER);
    browser.until("document.querySelectorAll('.changes li').length === 30");
    focus("one.matches('.changes summary')");
    browser.press(crate::browser::ENTER);
    browser.until("document.querySelector('.changes details[open] .sides')");
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
