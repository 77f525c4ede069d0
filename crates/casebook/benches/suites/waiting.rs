//! Conversations with agents that take their time: one that thinks for 100 ms, and one that streams its reply.

use std::fmt::Write as _;
use std::process::{Command, Stdio};

use crate::memory::peak_megabytes;
use crate::program::{Programs, Took, run};
use crate::server::{self, STREAMED_TOKENS, THINKING_TIME};
use crate::table::{Bar, Row, Table, seconds};

const ROUNDS: usize = 5;
/// Of runs that take a hundredth of a second.
const SHORT_ROUNDS: usize = 30;
/// Conversations of two turns, this many at once.
const TALKS: usize = 500;
const AT_ONCE: usize = 50;
const SLOW: &str = "slow.casebook.yaml";
const STREAMED: &str = "streamed.casebook.yaml";

pub(crate) fn measure(programs: &Programs, table: &mut Table) {
    let port = server::start();
    slow_agent(programs, port, table);
    streams(programs, port, table);
}

fn slow_agent(programs: &Programs, port: u16, table: &mut Table) {
    programs.write(SLOW, &slow_suite(port));
    let jobs = AT_ONCE.to_string();
    let command = || programs.casebook(&["-j", &jobs, SLOW]);
    let ours = best(programs, "an agent that takes 100 ms", ROUNDS, command);
    let memory = peak_megabytes(command());
    programs.forget();
    let ideal = THINKING_TIME.as_secs_f64() * (TALKS * 2 / AT_ONCE) as f64;
    let times = ours / ideal;
    table.add(Row {
        task: format!(
            "{TALKS} conversations of two turns, {AT_ONCE} at once, with an agent that takes 100 ms"
        ),
        casebook: seconds(ours),
        yardstick: format!("waiting for the agent: {}", seconds(ideal)),
        value: format!("{times:.2}× the time"),
        bar: Bar::at_most("≤ 1.1×", times, 1.1),
    });
    table.add(Row {
        task: "peak memory of the same".to_owned(),
        casebook: format!("{memory:.0} MB"),
        yardstick: String::new(),
        value: String::new(),
        bar: Bar::at_most("< 60 MB", memory, 60.0),
    });
}

fn streams(programs: &Programs, port: u16, table: &mut Table) {
    let url = format!("http://127.0.0.1:{port}/stream");
    programs.write(STREAMED, &streamed_suite(&url));
    let casebook =
        |arguments: &[&str]| programs.casebook(&[arguments, &["-j", "1", STREAMED]].concat());
    let read = best(programs, "a stream", SHORT_ROUNDS, || {
        casebook(&["--record", "none"])
    });
    let recorded = best(
        programs,
        "a recorded stream",
        SHORT_ROUNDS,
        || casebook(&[]),
    );
    let curl = best(programs, "a stream with curl", SHORT_ROUNDS, || {
        let mut curl = Command::new("curl");
        curl.args(["--silent", "--no-buffer", "--data", "{}", &url]);
        curl.stdout(Stdio::null());
        curl
    });
    let row = |task: String, ours: f64, bar: Bar| Row {
        task,
        casebook: seconds(ours),
        yardstick: format!("`curl`: {}", seconds(curl)),
        value: format!("{:.2}× the time", ours / curl),
        bar,
    };
    let task = format!("a streamed reply of {STREAMED_TOKENS} tokens, read and checked");
    let at_most_twice = Bar::at_most("≤ 2×", read / curl, 2.0);
    table.add(row(task, read, at_most_twice));
    table.add(row("the same, recorded".to_owned(), recorded, Bar::None));
}

fn best(programs: &Programs, what: &str, rounds: usize, command: impl Fn() -> Command) -> f64 {
    let mut best = Took::NOTHING_YET;
    eprintln!("{what}, {rounds} rounds");
    for _ in 0..rounds {
        best = best.or(run(command()));
        programs.forget();
    }
    best.wall
}

fn slow_suite(port: u16) -> String {
    let mut text = format!("agent: {{http: {{url: 'http://127.0.0.1:{port}/slow'}}}}\ntests:\n");
    for number in 1..=TALKS {
        let _ = write!(
            text,
            "  - name: talk {number}
    conversation:
      - {{user: Hello, expect: [{{contains: free}}]}}
      - {{user: A room for {number} people, expect: [{{called: search}}]}}
"
        );
    }
    text
}

fn streamed_suite(url: &str) -> String {
    let turn = format!("{{user: Hello, expect: [{{minLength: {STREAMED_TOKENS}}}]}}");
    format!(
        "agent: {{http: {{url: '{url}', stream: sse, response: {{text: /text}}}}}}
tests: [{{name: streams, conversation: [{turn}]}}]
"
    )
}
