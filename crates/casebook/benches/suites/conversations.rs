//! Conversations with an agent that answers at once, beside what other tools do with models that are not there.
//!
//! Casebook holds conversations of three turns over HTTP, checks every reply and has each conversation judged by the
//! suite's own script. The others are asked for less: one turn, with a provider of their own that answers at once.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::memory::peak_megabytes;
use crate::program::{Programs, Took, run};
use crate::server;
use crate::table::{Bar, Row, Table, seconds};

const TALKS: usize = 1_000;
/// In each, all have their turn.
const ROUNDS: usize = 5;
/// Of Casebook, in each round: its runs are so short that anything else the machine does spoils them.
const TURNS: usize = 3;
/// As many as promptfoo asks at once.
const JOBS: &str = "4";
const SUITE: &str = "talks.casebook.yaml";

pub(crate) fn measure(programs: &Programs, table: &mut Table) {
    let port = server::start();
    programs.write(SUITE, &suite(port));
    let ours = || programs.casebook(&["-j", JOBS, SUITE]);
    let mut peers = peers(programs);
    let mut best = Took::NOTHING_YET;
    for round in 1..=ROUNDS {
        eprintln!("conversations, round {round} of {ROUNDS}");
        for _ in 0..TURNS {
            best = best.or(run(ours()));
            programs.forget();
        }
        for peer in &mut peers {
            peer.have_a_turn();
        }
    }
    let memory = peak_megabytes(ours());
    programs.forget();
    table.add(Row {
        task: format!("{TALKS} conversations of three turns, judged, recorded"),
        casebook: rate(best.wall),
        yardstick: String::new(),
        value: format!("{}, {memory:.0} MB", seconds(best.wall)),
        bar: Bar::at_most("≤ 40 MB", memory, 40.0),
    });
    for peer in peers {
        peer.compare(best.wall, memory, table);
    }
}

/// Another tool, and how it is started.
struct Peer {
    name: &'static str,
    command: Option<Box<dyn Fn() -> Command>>,
    best: Took,
}

impl Peer {
    fn have_a_turn(&mut self) {
        if let Some(command) = &self.command {
            self.best = self.best.or(run(command()));
        }
    }

    fn compare(&self, ours: f64, our_memory: f64, table: &mut Table) {
        let task = |what: &str| format!("{what}: {} ({TALKS} tests of one turn)", self.name);
        let Some(command) = &self.command else {
            return table.add(Row {
                task: task("throughput"),
                casebook: rate(ours),
                yardstick: "not installed".into(),
                value: "not measured".into(),
                bar: Bar::None,
            });
        };
        let memory = peak_megabytes(command());
        let times = self.best.wall / ours;
        table.add(Row {
            task: task("throughput"),
            casebook: rate(ours),
            yardstick: rate(self.best.wall),
            value: format!("{times:.1}×"),
            bar: Bar::at_least("≥ 10×", times, 10.0),
        });
        let share = our_memory / memory;
        table.add(Row {
            task: task("peak memory"),
            casebook: format!("{our_memory:.0} MB"),
            yardstick: format!("{memory:.0} MB"),
            value: format!("{share:.2}×"),
            bar: Bar::None,
        });
    }
}

fn rate(wall: f64) -> String {
    format!("{:.0}/s", TALKS as f64 / wall)
}

fn suite(port: u16) -> String {
    let mut text = format!(
        "name: talks
agent: {{http: {{url: 'http://127.0.0.1:{port}/chat'}}}}
llm: {{provider: scripted, verdicts: {{friendly: true}}}}
criteria: {{friendly: The reply is friendly}}
tests:
"
    );
    for number in 1..=TALKS {
        let _ = write!(
            text,
            "  - name: talk {number}
    conversation:
      - {{user: Hello, expect: [{{contains: free}}]}}
      - {{user: A room for {number} people, expect: [{{called: search}}]}}
      - {{user: Thank you, expect: [{{notContains: sorry}}]}}
    evaluate: [{{satisfies: friendly}}]
"
        );
    }
    text
}

/// The others, as `script/bench` has installed them.
fn peers(programs: &Programs) -> [Peer; 2] {
    let dir = std::env::var_os("CASEBOOK_BENCH_PEERS").map(PathBuf::from);
    let dir = dir.unwrap_or_default();
    [promptfoo(programs, &dir), inspect(programs, &dir)]
}

fn promptfoo(programs: &Programs, dir: &Path) -> Peer {
    let mut config = "prompts: ['A room for {{n}} people']\nproviders: [echo]\ntests:\n".to_owned();
    for number in 1..=TALKS {
        let _ = writeln!(
            config,
            "  - {{vars: {{n: '{number}'}}, assert: [{{type: contains, value: room}}]}}"
        );
    }
    programs.write("promptfoo.yaml", &config);
    let program = dir.join("npm/node_modules/.bin/promptfoo");
    let surroundings = programs.surroundings();
    Peer {
        name: "promptfoo",
        best: Took::NOTHING_YET,
        command: program.exists().then(|| {
            let start = move || {
                let mut command = surroundings.command(&program);
                command
                    .args([
                        "eval",
                        "--no-cache",
                        "--no-write",
                        "--no-progress-bar",
                        "--no-table",
                    ])
                    .args(["-c", "promptfoo.yaml"])
                    .env("PROMPTFOO_DISABLE_TELEMETRY", "1")
                    .env("PROMPTFOO_DISABLE_UPDATE", "1")
                    .env("PROMPTFOO_CONFIG_DIR", "promptfoo");
                command
            };
            Box::new(start) as Box<dyn Fn() -> Command>
        }),
    }
}

/// The responses of its mock model have token counts, because it would otherwise download a tokenizer to count them.
fn inspect(programs: &Programs, dir: &Path) -> Peer {
    let task = format!(
        "import sys
from inspect_ai import Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import includes
from inspect_ai.solver import generate

def output(*_):
    output = ModelOutput.from_content('mockllm', 'A room is free')
    output.usage = ModelUsage(input_tokens=5, output_tokens=4, total_tokens=9)
    return output

samples = [Sample(input=f'A room for {{n}} people', target='free') for n in range({TALKS})]
task = Task(name='rooms', dataset=samples, solver=generate(), scorer=includes())
model = get_model('mockllm/model', custom_outputs=output)
[log] = eval(task, model=model, display='none', log_dir='inspect-logs')
sys.exit(log.status != 'success' or log.results.scores[0].metrics['accuracy'].value != 1)
"
    );
    programs.write("rooms.py", &task);
    let program = dir.join("venv/bin/python");
    let surroundings = programs.surroundings();
    Peer {
        name: "inspect-ai",
        best: Took::NOTHING_YET,
        command: program.exists().then(|| {
            let start = move || {
                let mut command = surroundings.command(&program);
                command.arg("rooms.py");
                command
            };
            Box::new(start) as Box<dyn Fn() -> Command>
        }),
    }
}
