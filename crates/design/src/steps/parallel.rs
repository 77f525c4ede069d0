//! Processes files in parallel.

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use parking_lot::Mutex;

use crate::stack::STACK;

/// Runs `work` for each file; the results are in the order of the files. Every thread creates a separate worker. Threads
/// share only the list of files.
pub(super) fn map_parallel<W, T: Send>(
    files: &[PathBuf],
    threads: usize,
    worker: impl Fn() -> W + Sync,
    work: impl Fn(&mut W, &PathBuf) -> T + Sync,
) -> Vec<T> {
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<(usize, T)>> = Mutex::new(Vec::with_capacity(files.len()));
    let run = || {
        let mut worker = worker();
        let mut results = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(file) = files.get(index) else { break };
            results.push((index, work(&mut worker, file)));
        }
        done.lock().extend(results);
    };
    thread::scope(|scope| {
        for _ in 0..threads.clamp(1, files.len().max(1)) {
            thread::Builder::new()
                .stack_size(STACK)
                .spawn_scoped(scope, run)
                .expect("the system can start a thread per core");
        }
    });
    let mut done = done.into_inner();
    done.sort_by_key(|(index, _)| *index);
    done.into_iter().map(|(_, result)| result).collect()
}
