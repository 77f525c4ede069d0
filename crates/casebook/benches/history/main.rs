//! How long `casebook history` takes over a thousand runs of a thousand tests, with its index and without.
//!
//! The records are a few different ones under many names, so that a gigabyte of them does not take a gigabyte. All times
//! are those of whole processes; the best of several rounds counts, noise only adds.

#![expect(
    clippy::cast_precision_loss,
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a benchmark times and tells"
)]

mod records;

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use records::{EXAMPLES, RUNS};

const ROUNDS: usize = 5;

fn main() {
    let load = fs::read_to_string("/proc/loadavg").expect("Linux");
    let dir = tempfile::tempdir().expect("a temporary directory");
    let project = dir.path();
    eprintln!("writing {RUNS} records of {EXAMPLES} tests");
    let megabytes = records::write(project) as f64 / 1e6;
    let index = project.join(".casebook/history.idx");

    let first = best(2, || {
        let _ = fs::remove_file(&index);
        casebook(project, &["history"])
    });
    let one = best(ROUNDS, || casebook(project, &["report", "--json"]));
    let indexed = best(ROUNDS, || casebook(project, &["history"]));
    let json = best(ROUNDS, || casebook(project, &["history", "--json"]));
    let page = best(ROUNDS, || casebook(project, &["history", "--html", "-"]));
    let filtered = best(ROUNDS, || {
        casebook(project, &["history", "--test", "test 7"])
    });
    let mut added = 0;
    let new = best(ROUNDS, || {
        added += 1;
        records::add(project, added);
        casebook(project, &["history"])
    });
    let size = fs::metadata(&index).expect("an index").len() as f64 / 1e6;

    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let load = load.split(' ').next().unwrap_or_default();
    println!(
        "{processors} processors, load average before: {load}. {RUNS} records of {EXAMPLES} tests, {megabytes:.0} MB; the index: {size:.1} MB."
    );
    println!();
    println!("| task | Casebook | yardstick | ratio | bar |");
    println!("|---|---|---|---|---|");
    let ratio = first / (one * RUNS as f64);
    println!(
        "| `history`, the first time | {first:.2} s, {:.0} MB/s | `report --json` of each: {:.0} s | {ratio:.2}× the time | ≤ 1× |",
        megabytes / first,
        one * RUNS as f64
    );
    let bar = |seconds: f64| {
        if seconds < 1.0 {
            "< 1 s"
        } else {
            "< 1 s, **missed**"
        }
    };
    for (task, seconds) in [
        ("`history` once indexed", indexed),
        ("the same as `--json`", json),
        ("the same as `--html`", page),
        ("the same of one test in nine (`--test`)", filtered),
        ("`history` with one new run", new),
    ] {
        println!("| {task} | {seconds:.2} s |  |  | {} |", bar(seconds));
    }
}

fn best(rounds: usize, mut measure: impl FnMut() -> f64) -> f64 {
    (0..rounds).map(|_| measure()).fold(f64::INFINITY, f64::min)
}

/// The seconds that the command takes.
fn casebook(project: &Path, arguments: &[&str]) -> f64 {
    let began = Instant::now();
    let ended = Command::new(env!("CARGO_BIN_EXE_casebook"))
        .args(arguments)
        .current_dir(project)
        .stdout(Stdio::null())
        .status()
        .expect("the binary starts");
    let took = began.elapsed().as_secs_f64();
    assert!(ended.success(), "{arguments:?}");
    eprintln!("casebook {}: {took:.3} s", arguments.join(" "));
    took
}
