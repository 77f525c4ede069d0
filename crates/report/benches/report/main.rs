//! Measures how long the HTML page of a large record takes to write, its size, and how soon a browser can use it.
//!
//! The baseline does the unavoidable work: it reads the record and compresses the embedded bytes with the same library
//! and level. Both alternate, and the best time of each counts, because noise only adds time.

#![expect(
    clippy::cast_precision_loss,
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "a benchmark measures time, prints, and panics on errors"
)]

use std::fs::{self, File};
use std::io::{BufWriter, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use casebook_record::{read_run, write_run};
use casebook_report::html;
use flate2::Compression;
use flate2::write::GzEncoder;

#[expect(dead_code, reason = "only the tests use all of it")]
#[path = "../../tests/html/browser.rs"]
mod browser;
#[expect(dead_code, reason = "only the tests use all of it")]
#[path = "../../tests/html/sample_runs/mod.rs"]
mod sample_runs;

const TESTS: u64 = 10_000;
const BYTES: usize = 8_800;
const ROUNDS: usize = 5;

fn main() {
    let dir = tempfile::tempdir().unwrap();
    let record = dir.path().join("run.json");
    let page = dir.path().join("page.html");
    let run = sample_runs::large(TESTS, BYTES);
    write_run(&record, &run).unwrap();
    let embedded: Vec<u8> = run
        .examples
        .values()
        .flat_map(|example| serde_json::to_vec(example).unwrap())
        .collect();
    let threads = std::thread::available_parallelism().map_or(1, Into::into);
    let mut best = [Duration::MAX; 4];
    for round in 1..=ROUNDS {
        eprintln!("round {round} of {ROUNDS}");
        let times = [
            timed(|| drop(read_run(&record).unwrap())),
            timed(|| compress(&embedded)),
            timed(|| make(&record, &page, 1)),
            timed(|| make(&record, &page, threads)),
        ];
        best.iter_mut()
            .zip(times)
            .for_each(|(best, time)| *best = time.min(*best));
    }
    report(best, threads, &record, &page);
    browse(&run);
    compare_with_promptfoo(&page);
}

fn timed(work: impl FnOnce()) -> Duration {
    let start = Instant::now();
    work();
    start.elapsed()
}

fn compress(bytes: &[u8]) {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    std::hint::black_box(encoder.finish().unwrap());
}

/// Does the work of `casebook report --html`.
fn make(record: &Path, page: &Path, threads: usize) {
    let run = read_run(record).unwrap();
    let options = html::Options {
        threads,
        ..html::Options::default()
    };
    let mut out = BufWriter::new(File::create(page).unwrap());
    html::write(&run, &options, &mut out).unwrap();
    out.flush().unwrap();
}

fn report(
    [read, gzip, one_thread, together]: [Duration; 4],
    threads: usize,
    record: &Path,
    page: &Path,
) {
    let megabytes = |path: &Path| fs::metadata(path).unwrap().len() as f64 / 1e6;
    let yardstick = (read + gzip).as_secs_f64();
    println!(
        "{TESTS} tests, {:.0} MB as `run.json`, {:.1} MB as a page.",
        megabytes(record),
        megabytes(page)
    );
    println!();
    println!("| task | Casebook | yardstick | ratio | bar |");
    println!("|---|---|---|---|---|");
    for (what, time, bar) in [
        ("one thread", one_thread, ""),
        (&*format!("{threads} threads"), together, "≤ 1.3×"),
    ] {
        println!(
            "| read the record and make the page, {what} | {:.2} s | read it: {:.2} s, gzip -1: {:.2} s | {:.2}× the time | {bar} |",
            time.as_secs_f64(),
            read.as_secs_f64(),
            gzip.as_secs_f64(),
            time.as_secs_f64() / yardstick
        );
    }
}

/// Compares the size with promptfoo's report of as much output.
fn compare_with_promptfoo(page: &Path) {
    let ours = fs::metadata(page).unwrap().len() as f64 / TESTS as f64;
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench/promptfoo/measure.sh");
    let measured = Command::new(script)
        .stderr(Stdio::inherit())
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&measured.stdout);
    let theirs = told
        .trim()
        .split_once(' ')
        .and_then(|(version, bytes)| Some((version, bytes.parse::<f64>().ok()?)));
    let (yardstick, ratio) = match theirs {
        Some((version, bytes)) => (
            format!("promptfoo {version}, `-o out.html`: {:.1} kB", bytes / 1e3),
            format!("{:.3}× the size", ours / bytes),
        ),
        None => (
            "promptfoo: not measured, it could not be installed or run".to_owned(),
            String::new(),
        ),
    };
    println!(
        "| the page, per test | {:.1} kB | {yardstick} | {ratio} |  |",
        ours / 1e3
    );
}

/// Measures how soon Chromium can use the page.
fn browse(run: &casebook_record::RunData) {
    let browser = browser::Browser::showing(run, "view=tests");
    let ready = browser
        .get("performance.getEntriesByName('interactive')[0].startTime")
        .as_f64()
        .unwrap();
    let start = Instant::now();
    browser.run("document.querySelector('.line:not(.group)').click()");
    browser.until("document.querySelector('#detail h2')");
    let opened = start.elapsed();
    let start = Instant::now();
    browser.open("view=tests&q=%22%5B7777%5D+the+quick%22");
    browser.until("document.querySelector('#found').innerText === '1 of 10,000 tests'");
    let searched = start.elapsed();
    println!(
        "| open it in Chromium until it can be used | {:.2} s |  |  | ≤ 2 s |",
        ready / 1000.0
    );
    println!(
        "| open a test of it | {:.2} s |  |  |  |",
        opened.as_secs_f64()
    );
    println!(
        "| open it and search all of it for a string | {:.2} s |  |  |  |",
        searched.as_secs_f64()
    );
}
