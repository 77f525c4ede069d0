//! Packs the complete examples into compressed chunks.
//!
//! A chunk is a JSON list of consecutive examples. Threads process slices of a fixed size, so the page does not depend on
//! the number of threads.

use std::collections::HashMap;
use std::io;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use casebook_record::{ExampleData, Run, write_line};
use parking_lot::Mutex;
use serde_json::Value;

use super::pack::packed;
use super::row::Row;

/// Examples per slice; a thread processes one slice at a time.
const SLICE: usize = 64;
/// Approximate bytes of JSON per chunk: a browser unpacks and parses them in a few milliseconds.
const CHUNK: usize = 256 << 10;

/// The packed examples of a run.
#[derive(Default)]
pub(super) struct Details {
    /// The rows as a JSON list without its end, in the run's order.
    pub(super) rows: String,
    /// The distinct topic graphs, which rows refer to by index.
    pub(super) graphs: Vec<Value>,
    pub(super) chunks: Vec<String>,
    /// The index of the first example in each chunk.
    pub(super) starts: Vec<usize>,
}

/// Packs the examples with this many threads.
pub(super) fn pack(run: &Run, threads: usize) -> io::Result<Details> {
    collect(run, threads, Part::of)
}

/// Only the rows, for a page that gets the complete examples from a server.
pub(super) fn rows(run: &Run, threads: usize) -> io::Result<Details> {
    collect(run, threads, Part::without_chunks)
}

fn collect(
    run: &Run,
    threads: usize,
    part_of: fn(&Run, Range<usize>) -> io::Result<Part>,
) -> io::Result<Details> {
    let count = run.examples.count();
    let slices = count.div_ceil(SLICE);
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::with_capacity(slices));
    let work = || {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= slices {
                return;
            }
            let slice = number * SLICE..((number + 1) * SLICE).min(count);
            let part = part_of(run, slice);
            done.lock().push((number, part));
        }
    };
    thread::scope(|scope| {
        let others = threads.min(slices).saturating_sub(1);
        (0..others).for_each(|_| drop(scope.spawn(work)));
        work();
    });
    let mut parts = done.into_inner();
    parts.sort_by_key(|(number, _)| *number);
    joined(parts.into_iter().map(|(_, part)| part))
}

impl Details {
    /// Adds a row, which is a JSON object.
    pub(super) fn push_row(&mut self, row: &str) {
        if self.rows.len() > 1 {
            self.rows.push(',');
        }
        self.rows.push_str(row);
    }
}

fn joined(parts: impl Iterator<Item = io::Result<Part>>) -> io::Result<Details> {
    let mut details = Details {
        rows: "[".into(),
        ..Details::default()
    };
    let mut numbers = HashMap::new();
    let mut before = 0;
    for part in parts {
        let part = part?;
        for (start, chunk) in part.chunks {
            details.starts.push(before + start);
            details.chunks.push(chunk);
        }
        before += part.rows.len();
        for (row, graph) in part.rows {
            details.push_row(&row);
            if let Some(graph) = graph {
                let number = *numbers.entry(graph.to_string()).or_insert_with(|| {
                    details.graphs.push(graph);
                    details.graphs.len() - 1
                });
                // Added to the end of the row's object, because the numbers are known only now.
                details.rows.pop();
                details.rows.push_str(",\"graph\":");
                details.rows.push_str(&number.to_string());
                details.rows.push('}');
            }
        }
    }
    Ok(details)
}

/// The packed examples of one slice.
#[derive(Default)]
struct Part {
    /// Each row as a JSON object, with its topic graph. Most rows of a run share one graph.
    rows: Vec<(Box<str>, Option<Value>)>,
    /// Chunks with the index of their first example within this slice.
    chunks: Vec<(usize, String)>,
}

impl Part {
    fn of(run: &Run, slice: Range<usize>) -> io::Result<Part> {
        let mut part = Part::default();
        let mut json = Vec::with_capacity(CHUNK);
        let mut first = 0;
        let count = slice.len();
        for (number, index) in slice.enumerate() {
            let example = run.examples.read(index)?;
            part.push_row(run, &example)?;
            json.push(if json.is_empty() { b'[' } else { b',' });
            write_line(&mut json, &*example)?;
            if json.len() >= CHUNK || number + 1 == count {
                json.push(b']');
                part.chunks.push((first, packed(&json)));
                json.clear();
                first = number + 1;
            }
        }
        Ok(part)
    }

    fn without_chunks(run: &Run, slice: Range<usize>) -> io::Result<Part> {
        let mut part = Part::default();
        for index in slice {
            part.push_row(run, &*run.examples.read(index)?)?;
        }
        Ok(part)
    }

    fn push_row(&mut self, run: &Run, example: &ExampleData) -> io::Result<()> {
        let mut row = Row::of(run, example);
        let graph = row.topic_graph.take();
        let row = serde_json::to_string(&row)?;
        self.rows.push((row.into(), graph));
        Ok(())
    }
}
