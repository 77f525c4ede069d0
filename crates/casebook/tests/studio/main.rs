//! `casebook studio` in Chromium: the tutorial of `docs/studio.md`, step by step.

#![expect(clippy::unwrap_used, reason = "a failed step fails its test")]

#[path = "../../../report/tests/html/browser.rs"]
#[expect(dead_code, reason = "the tests of the report use more of it")]
mod browser;

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

use browser::Browser;
use serde_json::json;
use tempfile::TempDir;

/// A server that is killed in the end.
struct Server {
    process: Child,
    url: String,
}

impl Server {
    fn start(dir: &Path) -> Server {
        let mut process = casebook(dir, &["studio"])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut url = String::new();
        let stdout = process.stdout.as_mut().unwrap();
        BufReader::new(stdout).read_line(&mut url).unwrap();
        Server {
            process,
            url: url.trim().to_owned(),
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn casebook(dir: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_casebook"));
    command.args(arguments).current_dir(dir).env_remove("CI");
    command
}

fn output(dir: &Path, arguments: &[&str]) -> Output {
    casebook(dir, arguments).output().unwrap()
}

fn visit(browser: &Browser, url: &str) {
    browser.devtools("Page.navigate", &json!({"url": url}));
    browser.until("document.documentElement.dataset.ready");
}

/// The blocks of code in the tutorial, by the words before them.
fn tutorial_block(name: &str) -> String {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/studio.md");
    let page = fs::read_to_string(page).unwrap();
    let (_, rest) = page.split_once(&format!("# {name}\n")).unwrap();
    rest.split_once("```").unwrap().0.to_owned()
}

fn project() -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    let suite = tutorial_block("prices.casebook.yaml");
    fs::write(dir.path().join("prices.casebook.yaml"), suite).unwrap();
    dir
}

/// Waits until the newest run on the list has this result, and opens it.
fn open_newest(browser: &Browser, result: &str) {
    let row = "document.querySelector('.compare-form tbody tr')";
    browser.until(&format!("{row}?.innerText.includes('{result}')"));
    // In one step, because the list is built again when a run ends.
    browser.run(&format!("{row}.querySelector('a').click()"));
    browser.until("location.pathname.startsWith('/runs/') && document.documentElement.dataset.ready === 'true'");
}

#[test]
fn the_tutorial_leads_from_a_failing_suite_to_a_passing_one() {
    let dir = project();
    let server = Server::start(dir.path());
    let browser = Browser::start();
    visit(&browser, &server.url);
    browser.until("document.body.innerText.includes('No recorded run yet')");

    // 1. Run all tests.
    browser.click(".command-button button");
    open_newest(&browser, "1 passed, 2 failed");

    // 2. Open the failure and accept the output.
    browser.until("document.body.innerText.includes('2 of 3 tests failed')");
    browser.run("[...document.querySelectorAll('#overview a.test')].find((one) => one.innerText.includes('lists the prices')).click()");
    browser.until("document.querySelectorAll('#detail .command-button').length === 3");
    assert!(
        browser
            .text("#detail")
            .contains("casebook accept prices.casebook.yaml:")
    );
    browser.run("[...document.querySelectorAll('#detail button')].find((one) => one.textContent === 'Accept output').click()");
    let suite = dir.path().join("prices.casebook.yaml");
    browser.until("document.querySelector('#commands')?.innerText.includes('exit status: 0')");
    assert!(fs::read_to_string(&suite).unwrap().contains("bread 3 EUR"));

    // 3. Correct the other test in the editor.
    let text = fs::read_to_string(&suite).unwrap();
    fs::write(&suite, text.replace("exitCode: 1", "exitCode: 0")).unwrap();

    // 4. Run the failed tests again.
    browser.click("#run-actions button");
    browser.until("document.querySelectorAll('#commands li').length === 2 && !document.querySelector('#commands').innerText.includes('running')");
    browser.click(".home");
    open_newest(&browser, "2 passed");
    browser.until("document.querySelector('h1').innerText === 'All 2 tests passed'");
    browser.is_silent();
}

#[test]
fn a_run_of_another_terminal_appears_and_the_page_survives_a_restart() {
    let dir = project();
    let server = Server::start(dir.path());
    let browser = Browser::start();
    visit(&browser, &server.url);
    output(dir.path(), &["run"]);
    browser.until("document.querySelectorAll('.compare-form tbody tr').length === 1");
    drop(server);
    browser.until(
        "document.querySelector('#connection') && !document.querySelector('#connection').hidden",
    );
    output(dir.path(), &["run"]);
    let _server = Server::start(dir.path());
    browser.until("document.querySelectorAll('.compare-form tbody tr').length === 2");
    assert!(browser.get("document.querySelector('#connection').hidden") == true);
}

#[test]
fn mistakes_are_explained() {
    let dir = tempfile::tempdir().unwrap();
    for (arguments, problem) in [
        (&["studio", "missing"][..], "cannot read "),
        (
            &["studio", "--host", "127.0.0.1"],
            "--host needs a token of at least 128 bits",
        ),
    ] {
        let output = output(dir.path(), arguments);
        assert_eq!(output.status.code(), Some(2));
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert!(stderr.starts_with(&format!("error: {problem}")), "{stderr}");
    }
}
