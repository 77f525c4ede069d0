//! Measures how fast events become run data and files, relative to `serde_json` with the same bytes.
//!
//! The baseline runs in a separate program (`bench/baseline`), because `serde_json` is slower with the features that
//! Casebook enables. Both alternate, round by round, and the best time of each is used, because noise only adds time.

#![expect(
    clippy::cast_precision_loss,
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a benchmark measures time and prints results"
)]

use std::fs;
use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};

use casebook_record::{Bus, Event, RunBuilder, RunData, decode, encode_line, read_run, write_run};

mod baseline;
mod memory;
mod workload;

use baseline::Baseline;

const ROUNDS: usize = 9;

fn main() {
    // Started as a child of itself, to measure the memory of a single task.
    let arguments: Vec<_> = std::env::args().collect();
    if let [_, task, path] = arguments.as_slice()
        && task != "--bench"
    {
        return memory::child(task, Path::new(path));
    }
    let dir = tempfile::tempdir().expect("cannot create a temporary directory");
    let (lines, run) = (dir.path().join("events.jsonl"), dir.path().join("run.json"));
    prepare(&lines, &run);
    let times = measure(&lines, &run);
    report(&times, &lines, &run);
}

fn prepare(lines: &Path, run: &Path) {
    let events = workload::events();
    let mut text = Vec::new();
    for event in &events {
        encode_line(event, &mut text);
    }
    fs::write(lines, text).expect("cannot write to the temporary directory");
    write_run(run, &build(events)).expect("cannot write to the temporary directory");
}

/// The best time of each task.
#[derive(Default)]
struct Times {
    parse_lines: Best,
    decode_and_build: Best,
    construct: Best,
    publish_and_build: Best,
    write_to_memory: Best,
    write_run: Best,
    parse_run: Best,
    read_run: Best,
}

#[derive(Default)]
struct Best(Option<Duration>);

impl Best {
    fn note(&mut self, took: Duration) {
        self.0 = Some(self.0.map_or(took, |best| best.min(took)));
    }

    /// Measures the creation of a result, without dropping it.
    fn time<T>(&mut self, work: impl FnOnce() -> T) {
        let start = Instant::now();
        let result = work();
        self.note(start.elapsed());
        drop(black_box(result));
    }

    fn seconds(&self) -> f64 {
        self.0.map_or(f64::NAN, |best| best.as_secs_f64())
    }
}

fn measure(lines: &Path, path: &Path) -> Times {
    let mut times = Times::default();
    let mut baseline = Baseline::start(lines, path);
    let text = fs::read_to_string(lines).expect("written above");
    let run = read_run(path).expect("written above");
    let target = path.with_file_name("written.json");
    for round in 1..=ROUNDS {
        eprintln!("round {round} of {ROUNDS}");
        times.parse_lines.note(baseline.ask("parse lines"));
        times.decode_and_build.time(|| decode_and_build(&text));
        let mut events = Vec::new();
        times.construct.time(|| events = workload::events());
        times.publish_and_build.time(|| publish_and_build(events));
        times.write_to_memory.note(baseline.ask("write run.json"));
        times.write_run.time(|| write_run(&target, &run));
        times.parse_run.note(baseline.ask("parse run.json"));
        times.read_run.time(|| read_run(path));
    }
    times
}

fn decode_and_build(lines: &str) -> Option<RunData> {
    let builder = RunBuilder::new("bench");
    for line in lines.lines() {
        builder.apply(decode(line).expect("encoded above"));
    }
    builder.close()
}

fn publish_and_build(events: Vec<Event>) -> Option<RunData> {
    let bus = Bus::new();
    let builder = RunBuilder::new("bench");
    bus.subscribe_inline(builder.clone());
    events.into_iter().for_each(|event| bus.publish(event));
    bus.close();
    builder.close()
}

fn build(events: Vec<Event>) -> RunData {
    let builder = RunBuilder::new("bench");
    events.into_iter().for_each(|event| builder.apply(event));
    builder.close().expect("there are events")
}

fn report(times: &Times, lines: &Path, run: &Path) {
    let megabytes = |path: &Path| fs::metadata(path).expect("written above").len() as f64 / 1e6;
    let (lines_size, run_size) = (megabytes(lines), megabytes(run));
    let speed = |size: f64, best: &Best| format!("{:.0} MB/s", size / best.seconds());
    let ratio = |yardstick: &Best, ours: &Best| yardstick.seconds() / ours.seconds();
    println!(
        "{} events, {lines_size:.0} MB as lines, {run_size:.0} MB as `run.json`.",
        workload::EVENTS
    );
    println!();
    println!("| task | Casebook | yardstick | ratio | bar |");
    println!("|---|---|---|---|---|");
    println!(
        "| decode lines and build the run | {} | parse them to `Value`: {} | {:.2}× | ≥ 0.8× |",
        speed(lines_size, &times.decode_and_build),
        speed(lines_size, &times.parse_lines),
        ratio(&times.parse_lines, &times.decode_and_build)
    );
    println!(
        "| publish and build | {:.1} million events/s | construct them: {:.0} ms | {:.2}× the time | ≤ 3× |",
        workload::EVENTS as f64 / 1e6 / times.publish_and_build.seconds(),
        times.construct.seconds() * 1e3,
        ratio(&times.publish_and_build, &times.construct)
    );
    println!(
        "| write `run.json`, synced | {} | `to_writer_pretty` to memory: {} | {:.2}× | ≥ 0.7× |",
        speed(run_size, &times.write_run),
        speed(run_size, &times.write_to_memory),
        ratio(&times.write_to_memory, &times.write_run)
    );
    println!(
        "| read `run.json` | {} | parse it to `Value`: {} | {:.2}× | ≥ 0.8× |",
        speed(run_size, &times.read_run),
        speed(run_size, &times.parse_run),
        ratio(&times.parse_run, &times.read_run)
    );
    for (task, what) in [
        ("read", "peak memory reading `run.json`"),
        ("rebuild", "peak memory rebuilding it from lines"),
    ] {
        let path = if task == "read" { run } else { lines };
        let peak = memory::peak_megabytes(task, path);
        println!(
            "| {what} | {peak:.0} MB | the file: {run_size:.0} MB | {:.2}× | ≤ 2× |",
            peak / run_size
        );
    }
}
