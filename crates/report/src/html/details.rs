//! Packs the complete examples into compressed chunks.
//!
//! A chunk is a JSON list of consecutive examples. Threads process slices of a fixed size, so the page does not depend on
//! the number of threads.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use casebook_record::{ExampleData, RunData, write_line};
use parking_lot::Mutex;

use super::pack::packed;
use super::row::Row;

/// Examples per slice; a thread processes one slice at a time.
const SLICE: usize = 64;
/// Approximate bytes of JSON per chunk: a browser unpacks and parses them in a few milliseconds.
const CHUNK: usize = 256 << 10;

/// The packed examples of a run.
pub(super) struct Details<'r> {
    /// One row per example, in the run's order.
    pub(super) rows: Vec<Row<'r>>,
    pub(super) chunks: Vec<String>,
    /// The index of the first example in each chunk.
    pub(super) starts: Vec<usize>,
}

/// Packs the examples with this many threads.
pub(super) fn pack(run: &RunData, threads: usize) -> Details<'_> {
    let examples: Vec<_> = run.examples.values().map(AsRef::as_ref).collect();
    let slices: Vec<_> = examples.chunks(SLICE).collect();
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::with_capacity(slices.len()));
    let work = || {
        while let Some((number, slice)) = take(&next, &slices) {
            let part = Part::of(run, slice);
            done.lock().push((number, part));
        }
    };
    thread::scope(|scope| {
        let others = threads.min(slices.len()).saturating_sub(1);
        (0..others).for_each(|_| drop(scope.spawn(work)));
        work();
    });
    let mut parts = done.into_inner();
    parts.sort_by_key(|(number, _)| *number);
    joined(parts.into_iter().map(|(_, part)| part))
}

fn take<'s, T>(next: &AtomicUsize, slices: &[&'s [T]]) -> Option<(usize, &'s [T])> {
    let number = next.fetch_add(1, Ordering::Relaxed);
    slices.get(number).map(|slice| (number, *slice))
}

fn joined<'r>(parts: impl Iterator<Item = Part<'r>>) -> Details<'r> {
    let mut details = Details {
        rows: Vec::new(),
        chunks: Vec::new(),
        starts: Vec::new(),
    };
    for part in parts {
        let before = details.rows.len();
        details.rows.extend(part.rows);
        for (start, chunk) in part.chunks {
            details.starts.push(before + start);
            details.chunks.push(chunk);
        }
    }
    details
}

/// The packed examples of one slice.
#[derive(Default)]
struct Part<'r> {
    rows: Vec<Row<'r>>,
    /// Chunks with the index of their first example within this slice.
    chunks: Vec<(usize, String)>,
}

impl<'r> Part<'r> {
    fn of(run: &'r RunData, examples: &[&'r ExampleData]) -> Part<'r> {
        let mut part = Part::default();
        let mut json = Vec::with_capacity(CHUNK);
        let mut first = 0;
        for (number, example) in examples.iter().enumerate() {
            part.rows.push(Row::of(run, example));
            json.push(if json.is_empty() { b'[' } else { b',' });
            write_line(&mut json, example).expect("keys of run data are strings");
            if json.len() >= CHUNK || number + 1 == examples.len() {
                json.push(b']');
                part.chunks.push((first, packed(&json)));
                json.clear();
                first = number + 1;
            }
        }
        part
    }
}
