//! A headless Chromium, driven through chromedriver: `WebDriver` is JSON over HTTP.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use casebook_record::RunData;
use casebook_report::html;
use serde_json::{Value, json};
use tempfile::TempDir;

/// Time limit of a single wait; working tests stay far below it.
const TIMEOUT: Duration = Duration::from_secs(60);
const PAUSE: Duration = Duration::from_millis(20);

/// Keys as `WebDriver` names them.
pub(crate) const ENTER: &str = "\u{e007}";
pub(crate) const ESCAPE: &str = "\u{e00c}";

/// A browser that shows one page.
pub(crate) struct Browser {
    driver: Child,
    port: u16,
    session: String,
    dir: TempDir,
}

impl Browser {
    /// Starts a browser of 1280 by 900 pixels with light colors.
    pub(crate) fn start() -> Browser {
        // The directory contains the browser's sockets, whose paths must be short.
        let dir = tempfile::tempdir_in("/tmp").unwrap();
        let mut driver = Command::new("chromedriver")
            .arg("--port=0")
            .env("TMPDIR", dir.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap_or_else(|error| {
                panic!("cannot start chromedriver: {error}; script/setup installs it")
            });
        let port = port(&mut driver);
        let mut browser = Browser {
            driver,
            port,
            session: String::new(),
            dir,
        };
        browser.begin();
        browser.emulate(1280, 900, "light");
        browser
    }

    fn begin(&mut self) {
        let profile = format!(
            "--user-data-dir={}",
            self.dir.path().join("profile").display()
        );
        let arguments = [
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--disable-dev-shm-usage",
            &profile,
        ];
        let wanted = json!({"capabilities": {"alwaysMatch": {
            "goog:loggingPrefs": {"browser": "ALL"}, "goog:chromeOptions": {"args": arguments},
        }}});
        let session = self.request("POST", "/session", &wanted);
        self.session = text(&session["sessionId"]);
    }

    /// Runs the scenarios with one browser, because starting one takes longer. Each starts with the page of this run.
    pub(crate) fn through(&self, run: &RunData, scenarios: &[fn(&Browser)]) {
        for scenario in scenarios {
            self.emulate(1280, 900, "light");
            self.write(run);
            scenario(self);
            self.console();
        }
    }

    /// Starts a browser with the page of this run, at this address after the `#`.
    pub(crate) fn showing(run: &RunData, at: &str) -> Browser {
        let browser = Browser::start();
        browser.write(run);
        browser.open(at);
        browser
    }

    /// Writes the page of this run.
    pub(crate) fn write(&self, run: &RunData) {
        let mut page = Vec::new();
        let options = html::Options {
            threads: 2,
            record: Some(".casebook/runs/latest".into()),
            ..html::Options::default()
        };
        html::write(run, &options, &mut page).unwrap();
        std::fs::write(self.dir.path().join("page.html"), page).unwrap();
    }

    /// Reloads the page.
    pub(crate) fn open(&self, at: &str) {
        self.load(at);
        self.until("document.documentElement.dataset.ready === 'true'");
    }

    /// Opens a page without scripts.
    pub(crate) fn open_text(&self, page: &str) {
        std::fs::write(self.dir.path().join("page.html"), page).unwrap();
        self.load("");
    }

    fn load(&self, at: &str) {
        let path = self.dir.path().join("page.html");
        self.post("/url", &json!({"url": "about:blank"}));
        self.post(
            "/url",
            &json!({"url": format!("file://{}#{at}", path.display())}),
        );
    }

    /// Evaluates a JavaScript expression.
    pub(crate) fn get(&self, expression: &str) -> Value {
        self.run(&format!("return {expression}"))
    }

    pub(crate) fn run(&self, script: &str) -> Value {
        self.post("/execute/sync", &json!({"script": script, "args": []}))
    }

    /// Waits until the expression is true.
    #[track_caller]
    pub(crate) fn until(&self, expression: &str) {
        for _ in 0..TIMEOUT.as_millis() / PAUSE.as_millis() {
            if self.get(&format!("Boolean({expression})")) == true {
                return;
            }
            sleep(PAUSE);
        }
        panic!(
            "timed out waiting for: {expression}; text of the page:\n{}",
            self.text("body")
        );
    }

    /// The visible text of the element.
    pub(crate) fn text(&self, selector: &str) -> String {
        text(&self.get(&format!(
            "document.querySelector({})?.innerText ?? ''",
            json!(selector)
        )))
    }

    /// Clicks the center of the element.
    #[track_caller]
    pub(crate) fn click(&self, selector: &str) {
        let found = self.post(
            "/element",
            &json!({"using": "css selector", "value": selector}),
        );
        let id = found
            .as_object()
            .unwrap()
            .values()
            .next()
            .unwrap()
            .as_str()
            .unwrap();
        self.post(&format!("/element/{id}/click"), &json!({}));
    }

    /// Presses the keys one after another.
    pub(crate) fn press(&self, keys: &str) {
        let actions: Vec<_> = keys
            .chars()
            .flat_map(|key| {
                [
                    json!({"type": "keyDown", "value": key}),
                    json!({"type": "keyUp", "value": key}),
                ]
            })
            .collect();
        self.post(
            "/actions",
            &json!({"actions": [{"type": "key", "id": "keys", "actions": actions}]}),
        );
    }

    pub(crate) fn back(&self) {
        self.post("/back", &json!({}));
    }

    /// The address after the `#`, decoded.
    pub(crate) fn hash(&self) -> String {
        text(&self.get("decodeURIComponent(location.hash.slice(1))"))
    }

    /// Sets the screen size and the color scheme: `light` or `dark`.
    pub(crate) fn emulate(&self, width: u32, height: u32, scheme: &str) {
        self.devtools(
            "Emulation.setDeviceMetricsOverride",
            &json!({
                "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600,
            }),
        );
        self.media("", scheme);
    }

    /// Sets the medium (`print` or none) and the preferred color scheme.
    pub(crate) fn media(&self, medium: &str, scheme: &str) {
        let features = json!([{"name": "prefers-color-scheme", "value": scheme}]);
        self.devtools(
            "Emulation.setEmulatedMedia",
            &json!({"media": medium, "features": features}),
        );
    }

    /// Opens a tab, which is shown; returns its name.
    pub(crate) fn open_tab(&self) -> String {
        let opened = self.post("/window/new", &json!({"type": "tab"}));
        let tab = text(&opened["handle"]);
        self.show_tab(&tab);
        tab
    }

    pub(crate) fn show_tab(&self, tab: &str) {
        self.post("/window", &json!({"handle": tab}));
        self.devtools("Page.bringToFront", &json!({}));
    }

    /// The name of the tab that is shown.
    pub(crate) fn tab(&self) -> String {
        text(&self.request(
            "GET",
            &format!("/session/{}/window", self.session),
            &json!({}),
        ))
    }

    pub(crate) fn devtools(&self, command: &str, parameters: &Value) -> Value {
        self.post(
            "/goog/cdp/execute",
            &json!({"cmd": command, "params": parameters}),
        )
    }

    /// The console messages since the last call.
    pub(crate) fn console(&self) -> Vec<String> {
        let entries = self.post("/se/log", &json!({"type": "browser"}));
        let entries = entries.as_array().unwrap().iter();
        entries
            .map(|entry| format!("{} {}", entry["level"], entry["message"]))
            .collect()
    }

    #[track_caller]
    pub(crate) fn is_silent(&self) {
        assert_eq!(self.console(), Vec::<String>::new());
    }

    fn post(&self, path: &str, body: &Value) -> Value {
        self.request("POST", &format!("/session/{}{path}", self.session), body)
    }

    fn request(&self, method: &str, path: &str, body: &Value) -> Value {
        self.try_request(method, path, body)
            .unwrap_or_else(|error| panic!("chromedriver: {method} {path}: {error}"))
    }

    fn try_request(&self, method: &str, path: &str, body: &Value) -> std::io::Result<Value> {
        let body = body.to_string();
        let mut stream = TcpStream::connect(("127.0.0.1", self.port))?;
        stream.set_read_timeout(Some(TIMEOUT * 2))?;
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
            body.len()
        )?;
        let answer: Value = serde_json::from_slice(&body_of(&mut BufReader::new(stream))?)?;
        let value = &answer["value"];
        match value.get("error") {
            Some(error) => Err(std::io::Error::other(format!(
                "{error}: {}",
                value["message"]
            ))),
            None => Ok(value.clone()),
        }
    }
}

/// Closes the session and with it the browser, then kills and reaps the driver.
impl Drop for Browser {
    fn drop(&mut self) {
        if !self.session.is_empty() {
            let _ = self.try_request("DELETE", &format!("/session/{}", self.session), &json!({}));
        }
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}

/// Reads the port from the driver's output.
fn port(driver: &mut Child) -> u16 {
    let output = BufReader::new(driver.stdout.take().unwrap());
    let mut lines = output.lines().map_while(Result::ok);
    let told = lines.find_map(|line| {
        line.rsplit_once("successfully on port ")
            .map(|(_, port)| port.to_owned())
    });
    // The rest of its output must be read, or the driver blocks.
    std::thread::spawn(move || lines.for_each(drop));
    told.and_then(|port| port.trim_end_matches('.').parse().ok())
        .expect("chromedriver prints its port")
}

fn body_of(stream: &mut BufReader<TcpStream>) -> std::io::Result<Vec<u8>> {
    let mut length = 0;
    for line in stream.by_ref().lines() {
        let line = line?;
        if line.is_empty() {
            break;
        }
        let (name, value) = line.split_once(':').unwrap_or_default();
        if name.eq_ignore_ascii_case("content-length") {
            length = value.trim().parse().unwrap_or(0);
        }
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body)?;
    Ok(body)
}

fn text(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
}
