//! Measures plain `serde_json` on the same bytes: `LINES RUN_JSON`, one measurement per line of input.
//!
//! The benchmark writes the name of a measurement to standard input and reads nanoseconds from standard output, so that
//! both programs are measured in alternation.

use std::hint::black_box;
use std::time::{Duration, Instant};

use serde_json::Value;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let mut next =
        || std::fs::read(arguments.next().expect("LINES RUN_JSON")).expect("a readable file");
    let (lines, run) = (String::from_utf8(next()).expect("UTF-8"), next());
    let value: Value = serde_json::from_slice(&run).expect("JSON");
    for request in std::io::stdin().lines() {
        let took = match request.expect("UTF-8").as_str() {
            "parse lines" => timed(|| {
                lines
                    .lines()
                    .for_each(|line| drop(black_box(parse(line.as_bytes()))))
            }),
            "parse run.json" => timed(|| parse(&run)),
            "write run.json" => timed(|| {
                let mut out = Vec::new();
                serde_json::to_writer_pretty(&mut out, &value).expect("memory");
                out
            }),
            other => panic!("unknown measurement {other}"),
        };
        println!("{}", took.as_nanos());
    }
}

fn parse(json: &[u8]) -> Value {
    serde_json::from_slice(json).expect("JSON")
}

/// Drops the result after the clock has stopped, because only its creation is measured.
fn timed<T>(work: impl FnOnce() -> T) -> Duration {
    let start = Instant::now();
    let result = work();
    let took = start.elapsed();
    drop(black_box(result));
    took
}
