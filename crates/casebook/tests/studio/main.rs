//! `casebook studio` in Chromium: the tutorial of `docs/studio.md`, step by step.

#![expect(clippy::unwrap_used, reason = "a failed step fails its test")]

#[path = "../../../report/tests/html/browser.rs"]
#[expect(dead_code, reason = "the tests of the report use more of it")]
mod browser;
#[path = "../../../studio/tests/studio/client.rs"]
#[expect(dead_code, reason = "the tests of the server use more of it")]
mod client;

use std::collections::HashSet;
use std::collections::hash_map::RandomState;
use std::fs;
use std::hash::{BuildHasher as _, Hasher as _};
use std::io::{BufRead as _, BufReader};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::Duration;

use browser::Browser;
use client::{Response, send};
use serde_json::json;
use tempfile::TempDir;

/// A server that is killed in the end.
struct Server {
    process: Child,
    url: String,
}

impl Server {
    fn start(dir: &Path) -> Server {
        Server::with(dir, &[], "")
    }

    /// A server with these options, and this token in its environment.
    fn with(dir: &Path, options: &[&str], token: &str) -> Server {
        let mut process = casebook(dir, &["studio"])
            .args(options)
            .env("CASEBOOK_STUDIO_TOKEN", token)
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

impl Server {
    fn port(&self) -> u16 {
        let (_, rest) = self.url.rsplit_once(':').unwrap();
        rest.split_once('/').unwrap().0.parse().unwrap()
    }

    fn get(&self, path: &str, cookie: &str) -> Response {
        let port = self.port();
        let cookie = format!("Cookie: casebook_studio_{port}={cookie}");
        let request = format!("GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n{cookie}\r\n\r\n");
        send(port, &request)
    }

    /// The value of the cookie for this token; without one, for the token of the printed address.
    fn log_in(&self, token: &str) -> String {
        let (_, printed) = self.url.rsplit_once('=').unwrap();
        let token = if token.is_empty() { printed } else { token };
        let response = self.get(&format!("/?token={token}"), "");
        let cookie = response.header("set-cookie").split_once(';').unwrap().0;
        cookie.split_once('=').unwrap().1.to_owned()
    }

    /// Kills it, and starts another one.
    fn replace(&mut self, dir: &Path) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
        *self = Server::start(dir);
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
    // The page shows the suite as it is now, and what was accepted is not accepted again.
    browser.until("document.querySelector('#detail .excerpt:has(.location)')?.closest('.part') && [...document.querySelectorAll('#detail .part')].find((part) => part.querySelector('h3')?.textContent === 'In the suite now').innerText.includes('bread 3 EUR')");
    browser.until("[...document.querySelectorAll('#detail button')].find((one) => one.textContent === 'Accept output').disabled");

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

/// A number below the limit that differs each time.
fn random(limit: u64) -> u64 {
    RandomState::new().build_hasher().finish() % limit
}

/// Forty tests that take a few seconds together.
fn slow_project() -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    let test = |number| format!("  - name: test {number}\n    command: sleep 0.15\n");
    let tests = (0..40).map(test).collect::<Vec<_>>().concat();
    fs::write(
        dir.path().join("slow.casebook.yaml"),
        format!("tests:\n{tests}"),
    )
    .unwrap();
    dir
}

/// The tests on the page with their states, in the order of their names; each line counts.
const LISTED: &str = "[...document.querySelectorAll('#list .line:not(.group)')]
    .map((line) => `${line.querySelector('.name').childNodes[0].textContent} ${line.classList[1]}`).sort()";

/// The same from a new request to the server.
const RECORDED: &str = "return fetch(location.pathname.replace('/runs/', '/api/v1/runs/')).then((answer) => answer.json())
    .then(({rows}) => rows.map((row) => `${row.name} ${row.outcome}`).sort())";

/// The server and the run are killed at random moments while a page follows the run.
#[test]
fn a_page_recovers_whenever_the_server_and_the_run_are_killed() {
    let dir = slow_project();
    let mut server = Server::start(dir.path());
    let browser = Browser::start();
    browser.emulate(1280, 2400, "light");
    visit(&browser, &server.url);
    for round in 0..4 {
        let mut run = casebook(dir.path(), &["run", "--jobs", "2"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        browser.until("document.querySelector('.card.live a')");
        browser.run("document.querySelector('.card.live a').click()");
        browser.until("location.pathname.startsWith('/runs/') && document.documentElement.dataset.ready === 'true'");
        browser.run("location.hash = 'view=tests'");
        let pauses = [random(700), random(700), random(700)];
        for pause in &pauses[..2] {
            sleep(Duration::from_millis(*pause));
            server.replace(dir.path());
        }
        let is_killed = round % 2 == 1;
        if is_killed {
            sleep(Duration::from_millis(pauses[2]));
            run.kill().unwrap();
        }
        run.wait().unwrap();
        browser.until("document.title.includes('40') && !document.querySelector('#list .line.live') && document.querySelector('#connection')?.hidden !== false");
        browser.until("document.querySelectorAll('#list .line:not(.group)').length === 40");
        let recorded = browser.run(RECORDED);
        browser.until(&format!(
            "JSON.stringify({LISTED}) === {}",
            json!(recorded.to_string())
        ));
        let names: HashSet<_> = recorded
            .as_array()
            .unwrap()
            .iter()
            .map(|row| {
                let row = row.as_str().unwrap();
                row.rsplit_once(' ').unwrap().0.to_owned()
            })
            .collect();
        assert_eq!(names.len(), 40, "{pauses:?}: {recorded}");
        let mut rows = recorded.as_array().unwrap().iter();
        let has_passed = rows.all(|row| row.as_str().unwrap().ends_with(" passed"));
        // On a slow machine, the pauses may be longer than the run.
        assert!(is_killed || has_passed, "{pauses:?}: {recorded}");
        browser.run("document.querySelector('.home').click()");
        browser.until(&format!(
            "document.querySelectorAll('.compare-form tbody tr').length === {}",
            round + 1
        ));
    }
}

#[test]
fn the_output_of_a_running_command_appears() {
    let dir = tempfile::tempdir().unwrap();
    let suite = "tests:\n  - name: talks\n    command: |\n      for line in one two; do echo \"$line\"; sleep 2; done\n      sleep 60\n";
    fs::write(dir.path().join("talks.casebook.yaml"), suite).unwrap();
    let server = Server::start(dir.path());
    let browser = Browser::start();
    visit(&browser, &server.url);
    let mut run = casebook(dir.path(), &["run"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    browser.until("document.querySelector('.card.live a')");
    browser.run("document.querySelector('.card.live a').click()");
    browser.until("document.querySelector('#overview a.test')");
    browser.run("document.querySelector('#overview a.test').click()");
    let output = "document.querySelector('#detail pre[aria-label=\"Output so far\"]')?.textContent";
    browser.until(&format!("{output} === 'one'"));
    browser.until(&format!("{output} === 'one\\ntwo'"));
    browser.until("document.querySelector('#detail .elapsed')?.textContent.endsWith(' s')");
    run.kill().unwrap();
    run.wait().unwrap();
    browser.until("document.querySelector('#detail')?.innerText.includes('interrupted') || document.querySelector('#detail .icon.interrupted')");
}

fn free_port() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().port().to_string()
}

/// The pages of the first studio reconnect to its port after a restart, whatever ports others of the project have used.
#[test]
fn other_studios_of_a_project_do_not_change_the_port_of_the_first() {
    let dir = tempfile::tempdir().unwrap();
    let chosen = Server::with(dir.path(), &["--port", &free_port()], "");
    let first = Server::start(dir.path());
    let port = first.port();
    assert_ne!(chosen.port(), port);
    let beside = Server::start(dir.path());
    let remote = ["--host", "0.0.0.0", "--port", &free_port()];
    let remote = Server::with(dir.path(), &remote, REMOTE_TOKEN);
    assert_eq!(
        remote.url,
        format!(
            "http://ADDRESS:{}/?token=$CASEBOOK_STUDIO_TOKEN",
            remote.port()
        )
    );
    assert_ne!(beside.port(), port);
    let cookie = first.log_in("");
    drop(first);
    let first = Server::start(dir.path());
    assert_eq!(first.port(), port);
    assert_eq!(first.get("/", &cookie).status, 200);
}

const REMOTE_TOKEN: &str = "5f0c0a529d3a4d0e8a55c3ac34ad8e21";

/// Who may read may not start tests, and who knew the last token is not known to a server with another one.
#[test]
fn a_cookie_is_valid_only_for_its_token_and_mode() {
    let dir = tempfile::tempdir().unwrap();
    let other_token = REMOTE_TOKEN.replace('5', "6");
    let servers = [
        (vec![], ""),
        (vec!["--read-only"], ""),
        (vec!["--host", "127.0.0.1"], REMOTE_TOKEN),
        (vec!["--host", "127.0.0.1", "--read-only"], REMOTE_TOKEN),
        (vec!["--host", "127.0.0.1"], &other_token),
    ];
    let servers = servers.map(|(options, token)| {
        let server = Server::with(dir.path(), &options, token);
        let cookie = server.log_in(token);
        (server, cookie)
    });
    for (index, (server, _)) in servers.iter().enumerate() {
        for (other, (_, cookie)) in servers.iter().enumerate() {
            let expected = if index == other { 200 } else { 401 };
            let status = server.get("/api/v1/runs", cookie).status;
            assert_eq!(status, expected, "server {index}, cookie {other}");
        }
    }
    let again = Server::with(dir.path(), &["--host", "127.0.0.1"], REMOTE_TOKEN);
    assert_eq!(again.get("/", &servers[2].1).status, 200, "after a restart");
}

#[test]
fn mistakes_are_explained() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("file"), "").unwrap();
    for (arguments, problem) in [
        (&["studio", "missing"][..], "cannot read "),
        (&["studio", "file"], "/file: not a directory"),
        (
            &["studio", "--host", "127.0.0.1"],
            "--host needs a token of at least 128 bits",
        ),
    ] {
        let output = output(dir.path(), arguments);
        assert_eq!(output.status.code(), Some(2));
        let stderr = String::from_utf8(output.stderr).unwrap();
        let is_problem = stderr.starts_with("error: ") && stderr.contains(problem);
        assert!(is_problem, "{stderr}");
    }
}
