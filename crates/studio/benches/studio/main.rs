//! `script/bench studio`: 1,000 runs of 1,000 tests, and a run of 10,000 tests that 20 pages follow.
//!
//! The server is a process of its own, so that its memory can be measured.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::disallowed_methods,
    reason = "a benchmark prints, reads the clock and stops at any problem"
)]

#[path = "../../tests/studio/client.rs"]
mod client;
#[path = "../../tests/studio/studio_project.rs"]
#[expect(dead_code, reason = "the tests use more of it")]
mod studio_project;

use std::io::{BufRead as _, BufReader};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use casebook_record::{Redactor, Time, write_run};
use casebook_studio::{Access, Launcher, Project, Studio};

use client::{Events, Response, send};
use studio_project::{COOKIE, LiveRun, TOKEN, run};

const RUNS: usize = 1000;
const TESTS: usize = 1000;
const LIVE_TESTS: usize = 10_000;
const TABS: usize = 20;
const REPEATS: usize = 9;

struct Nothing;

impl Launcher for Nothing {
    fn command(&self, _: &[String]) -> Command {
        Command::new("true")
    }

    fn editor(&self, _: &Path, _: u64) -> Result<Command, String> {
        Err("none".into())
    }
}

/// The server in its process.
struct Server {
    process: Child,
    port: u16,
}

impl Server {
    fn start(dir: &Path) -> Server {
        let mut process = Command::new(std::env::current_exe().unwrap())
            .arg("serve")
            .arg(dir)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut port = String::new();
        let stdout = process.stdout.take().unwrap();
        BufReader::new(stdout).read_line(&mut port).unwrap();
        Server {
            process,
            port: port.trim().parse().unwrap(),
        }
    }

    fn request(&self, path: &str) -> String {
        format!(
            "GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nCookie: casebook_studio_{}={COOKIE}\r\n\r\n",
            self.port, self.port
        )
    }

    fn get(&self, path: &str) -> Response {
        let response = send(self.port, &self.request(path));
        assert_eq!(response.status, 200, "{path}");
        response
    }

    fn timed(&self, path: &str) -> Duration {
        let start = Instant::now();
        self.get(path);
        start.elapsed()
    }

    /// The time until the page is told how many records there are to read, and until all of them have been read.
    fn timed_first(&self, path: &str) -> (Duration, Duration) {
        let start = Instant::now();
        let mut answered = None;
        while send(self.port, &self.request(path)).status == 202 {
            answered.get_or_insert_with(|| start.elapsed());
        }
        (answered.unwrap_or_else(|| start.elapsed()), start.elapsed())
    }

    /// The most memory that it had so far, and what it has now, in megabytes.
    fn memory(&self, field: &str) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.process.id()));
        let status = status.unwrap();
        let line = status.lines().find(|line| line.starts_with(field)).unwrap();
        line.split_whitespace()
            .nth(1)
            .unwrap()
            .parse::<u64>()
            .unwrap()
            / 1024
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn serve(dir: &Path) {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    let access = Access::local(port, COOKIE.into(), TOKEN.into());
    let threads = thread::available_parallelism().map_or(1, Into::into);
    let launcher = Arc::new(Nothing);
    let project = Project::new(dir.into(), Redactor::default(), threads, launcher, true);
    let _studio = Studio::start(listener, access, project).unwrap();
    println!("{port}");
    loop {
        thread::park();
    }
}

fn write_runs(dir: &Path) {
    let mut data = run("a", TESTS, 3);
    for number in 0..RUNS {
        let minutes = i64::try_from(number).unwrap();
        data.run_id = format!("{number:08x}");
        data.started_at = Time::from_millis(1_794_732_000_000 + minutes * 60_000);
        let name = format!("{}-{number:08x}", data.started_at.format("%Y%m%d-%H%M%S"));
        let dir = dir.join(".casebook/runs").join(name);
        std::fs::create_dir_all(&dir).unwrap();
        write_run(&dir.join("run.json"), &data).unwrap();
    }
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

fn row(name: &str, value: &str, limit: &str) {
    println!("| {name} | {value} | {limit} |");
}

fn millis(time: Duration) -> String {
    format!("{:.0} ms", time.as_secs_f64() * 1000.0)
}

fn measure_runs(dir: &Path) {
    let first = Server::start(dir);
    eprintln!("reading all records for the first time");
    let (noticed, unread) = first.timed_first("/api/v1/runs");
    let unread_memory = first.memory("VmHWM");
    drop(first);
    let starts = (0..REPEATS).map(|_| Server::start(dir).timed_first("/api/v1/runs").1);
    let start = median(starts.collect());
    let server = Server::start(dir);
    server.timed_first("/api/v1/runs");
    let lists = (0..REPEATS).map(|_| server.timed("/api/v1/runs"));
    row(
        "the list of runs",
        &millis(median(lists.collect())),
        "200 ms",
    );
    row(
        "the list of runs, first request of a server",
        &millis(start),
        "",
    );
    row("a page, no record read before", &millis(noticed), "500 ms");
    row(
        "the list of runs, no record read before",
        &millis(unread),
        "",
    );
    row(
        "memory of the server, no record read before, most",
        &format!("{unread_memory} MB"),
        "100 MB",
    );
    row("tests × runs", &millis(server.timed("/api/v1/grid")), "");
    let list = server.get("/api/v1/runs").json();
    let runs = list["runs"].as_array().unwrap();
    let names = runs
        .iter()
        .rev()
        .take(REPEATS)
        .map(|run| run["folder"].as_str().unwrap());
    let shown = names.map(|name| server.timed(&format!("/api/v1/runs/{name}")));
    row("a run", &millis(median(shown.collect())), "500 ms");
    let history = (0..REPEATS).map(|_| server.timed("/api/v1/tests/example%3A7"));
    row(
        "the history of a test",
        &millis(median(history.collect())),
        "",
    );
    thread::scope(|pages| {
        for number in 0..TABS {
            let path = format!("/api/v1/tests/example%3A{number}");
            let server = &server;
            pages.spawn(move || server.get(&path));
        }
    });
    row(
        "memory of the server, most",
        &format!("{} MB", server.memory("VmHWM")),
        "100 MB",
    );
    row(
        "memory of the server, afterwards",
        &format!("{} MB", server.memory("VmRSS")),
        "",
    );
}

/// When each test ended, as one page sees it.
fn follow(server: &Server, name: &str) -> thread::JoinHandle<Vec<Instant>> {
    let request = server.request(&format!("/api/v1/runs/{name}/events"));
    let mut events = Events::open(server.port, &request);
    thread::spawn(move || {
        let mut seen = vec![None; LIVE_TESTS];
        loop {
            let event = events.next();
            let now = Instant::now();
            if event.name == "ended" {
                return seen.into_iter().map(Option::unwrap).collect();
            }
            for row in event.data.as_array().unwrap() {
                if row["outcome"] == "passed" {
                    let id: usize = row["id"].as_str().unwrap().parse().unwrap();
                    assert!(seen[id].is_none(), "{id} was sent twice");
                    seen[id] = Some(now);
                }
            }
        }
    })
}

fn measure_live(dir: &Path) {
    let server = Server::start(dir);
    let name = "20270101-000000-11111111";
    let mut live = LiveRun::in_dir(&dir.join(".casebook/runs").join(name), name);
    live.begin(LIVE_TESTS as u64);
    thread::sleep(Duration::from_millis(300));
    let tabs: Vec<_> = (0..TABS).map(|_| follow(&server, name)).collect();
    let mut ended = Vec::with_capacity(LIVE_TESTS);
    for number in 0..LIVE_TESTS {
        let id = number.to_string();
        live.start(&id);
        live.pass(&id);
        ended.push(Instant::now());
        // 1,000 tests per second.
        thread::sleep(Duration::from_micros(900));
    }
    live.finish();
    let seen = tabs.into_iter().map(|tab| tab.join().unwrap());
    let mut delays: Vec<Duration> = seen
        .flat_map(|times| times.into_iter().zip(ended.clone()).collect::<Vec<_>>())
        .map(|(seen, ended)| seen.saturating_duration_since(ended))
        .collect();
    delays.sort();
    let at = |share: usize| millis(delays[(delays.len() - 1) * share / 1000]);
    row("a result reaches a page, median", &at(500), "200 ms");
    row("a result reaches a page, 99.9 %", &at(999), "200 ms");
    row("a result reaches a page, slowest", &at(1000), "");
    row(
        "memory of the server with 20 pages, most",
        &format!("{} MB", server.memory("VmHWM")),
        "100 MB",
    );
}

fn main() {
    let arguments: Vec<_> = std::env::args_os().collect();
    if let [_, command, dir] = &arguments[..]
        && command == "serve"
    {
        return serve(Path::new(dir));
    }
    let dir = tempfile::tempdir().unwrap();
    eprintln!("writing {RUNS} runs of {TESTS} tests");
    write_runs(dir.path());
    println!("| | measured | limit |\n|---|---|---|");
    measure_runs(dir.path());
    eprintln!("following a run of {LIVE_TESTS} tests in {TABS} pages");
    measure_live(dir.path());
}
