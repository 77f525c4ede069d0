//! What a queue between controller and workers costs: two workers with one job each on this machine, compared with
//! `--workers 2`.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::memory::{peak_kilobytes, peak_megabytes};
use crate::program::{Programs, Took, run};
use crate::table::{Bar, Row, Table, seconds};
use crate::workload::{self, Trivial};

const ROUNDS: usize = 3;
const SLEEPING: usize = 200;
const TRIVIAL: usize = 10_000;
const SMALL_CHUNKS: usize = 1_000;

pub(crate) fn measure(programs: &Programs, table: &mut Table) {
    let server = Queue::start(programs);
    let workers = [(); 2].map(|()| server.worker(programs));
    let sleeping = workload::repeated(SLEEPING, "sleep 0.05; echo done", "done");
    let (ours, local) = compare(programs, &server, "sleeping", &sleeping);
    let ratio = local.wall / ours.wall;
    table.add(Row {
        task: format!("{SLEEPING} tests of 50 ms with two workers"),
        casebook: seconds(ours.wall),
        yardstick: format!("`--workers 2`: {}", seconds(local.wall)),
        value: format!("{ratio:.2}× as fast"),
        bar: Bar::at_least("≥ 0.9×", ratio, 0.9),
    });
    let trivial = workload::shell(TRIVIAL);
    let before = server.messages();
    let (ours, local) = compare(programs, &server, "trivial", &trivial);
    let messages = (server.messages() - before) / ROUNDS;
    let ratio = ours.wall / local.wall;
    table.add(Row {
        task: format!("{TRIVIAL} trivial tests with two workers"),
        casebook: seconds(ours.wall),
        yardstick: format!("`--workers 2`: {}", seconds(local.wall)),
        value: format!("{ratio:.2}× the time"),
        bar: Bar::at_most("≤ 1.3×", ratio, 1.3),
    });
    let figure = |task: String, casebook: String| Row {
        task,
        casebook,
        yardstick: String::new(),
        value: String::new(),
        bar: Bar::None,
    };
    table.add(figure(
        format!("processor time of the controller, {TRIVIAL} tests"),
        seconds(ours.cpu),
    ));
    table.add(figure(
        format!("messages to the server, {TRIVIAL} tests"),
        messages.to_string(),
    ));
    let peak = peak_megabytes(server.run(programs, "trivial.casebook.yaml"));
    table.add(figure(
        format!("peak memory of the controller, {TRIVIAL} tests"),
        format!("{peak:.0} MB"),
    ));
    let peak = workers
        .iter()
        .map(Process::peak_of_slots)
        .fold(0.0, f64::max);
    table.add(figure(
        "peak memory of a worker's process".to_owned(),
        format!("{peak:.0} MB"),
    ));
    small_chunks(programs, &server, table);
}

/// The better times on the cluster and on this machine alone.
fn compare(programs: &Programs, server: &Queue, name: &str, tests: &[Trivial]) -> (Took, Took) {
    let suite = format!("{name}.casebook.yaml");
    programs.write(&suite, &workload::suite(tests, false));
    let (mut ours, mut local) = (Took::NOTHING_YET, Took::NOTHING_YET);
    for round in 1..=ROUNDS {
        eprintln!("{name}, round {round} of {ROUNDS}");
        local = local.or(run(programs.casebook(&["--workers", "2", &suite])));
        programs.forget();
        ours = ours.or(run(server.run(programs, &suite)));
        programs.forget();
    }
    (ours, local)
}

/// Suites of one test whose tests run in order: each is a chunk.
fn small_chunks(programs: &Programs, server: &Queue, table: &mut Table) {
    eprintln!("small chunks");
    fs::create_dir(programs.path("small")).expect("a writable temporary directory");
    for (number, test) in workload::shell(SMALL_CHUNKS).iter().enumerate() {
        let suite = workload::suite(std::slice::from_ref(test), false);
        let path = format!("small/{number}.casebook.yaml");
        programs.write(&path, &format!("parallel: false\n{suite}"));
    }
    let took = run(server.run(programs, "small"));
    programs.forget();
    table.add(Row {
        task: format!("{SMALL_CHUNKS} chunks of one trivial test"),
        casebook: format!("{:.0} chunks/s", SMALL_CHUNKS as f64 / took.wall),
        yardstick: String::new(),
        value: String::new(),
        bar: Bar::None,
    });
}

/// A process that is killed at the end.
struct Process(Child);

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Process {
    /// The peak of the largest child.
    fn peak_of_slots(&self) -> f64 {
        let id = self.0.id();
        let children = fs::read_to_string(format!("/proc/{id}/task/{id}/children"));
        let children = children.unwrap_or_default();
        let peaks = children.split_whitespace().filter_map(peak_kilobytes);
        peaks.fold(0.0, f64::max) * 1024.0 / 1e6
    }
}

/// A server on a free port.
struct Queue {
    url: String,
    monitoring: String,
    _process: Process,
}

impl Queue {
    fn start(programs: &Programs) -> Queue {
        let installed = Path::new(env!("CARGO_TARGET_TMPDIR")).join("../python/bin/nats-server");
        let program = if installed.exists() {
            installed
        } else {
            "nats-server".into()
        };
        let dir = programs.path("queue");
        fs::create_dir(&dir).expect("a writable temporary directory");
        let process = Command::new(program)
            .args(["--jetstream", "--addr", "127.0.0.1", "--port", "-1"])
            .args(["--http_port", "-1", "--ports_file_dir"])
            .arg(&dir)
            .arg("--store_dir")
            .arg(dir.join("store"))
            .arg("--log")
            .arg(dir.join("log"))
            .stdin(Stdio::null())
            .spawn()
            .expect("nats-server, which script/setup installs");
        let file = dir.join(format!("nats-server_{}.ports", process.id()));
        let ports = loop {
            match fs::read_to_string(&file) {
                Ok(text) if text.contains('}') => break text,
                _ => std::thread::sleep(Duration::from_millis(10)),
            }
        };
        let ports: serde_json::Value = serde_json::from_str(&ports).expect("JSON");
        let url = |name: &str| ports[name][0].as_str().expect("a URL").to_owned();
        Queue {
            url: url("nats"),
            monitoring: url("monitoring"),
            _process: Process(process),
        }
    }

    /// Starts a worker with one job.
    fn worker(&self, programs: &Programs) -> Process {
        let mut command = programs.command(env!("CARGO_BIN_EXE_casebook"));
        command.args(["worker", "--connect", &self.url, "--jobs", "1"]);
        Process(command.spawn().expect("casebook runs"))
    }

    /// `casebook run` on the cluster.
    fn run(&self, programs: &Programs, suite: &str) -> Command {
        programs.casebook(&["--cluster", &self.url, suite])
    }

    /// How many messages clients have sent to the server.
    fn messages(&self) -> usize {
        let address = self.monitoring.trim_start_matches("http://");
        let mut connection = TcpStream::connect(address).expect("the monitoring port");
        connection
            .write_all(b"GET /varz HTTP/1.0\r\n\r\n")
            .expect("a connection");
        let mut reply = String::new();
        connection.read_to_string(&mut reply).expect("a reply");
        let (_, body) = reply.split_once("\r\n\r\n").expect("a body");
        let body: serde_json::Value = serde_json::from_str(body).expect("JSON");
        let messages = body["in_msgs"].as_u64().expect("a number");
        usize::try_from(messages).expect("a small number")
    }
}
