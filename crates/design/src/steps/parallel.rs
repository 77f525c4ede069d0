//! One file after the other, on all cores.

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use parking_lot::Mutex;

use crate::stack::STACK;

/// What comes of each file, in the order of the files. Every thread has a worker of its own; they share nothing but the
/// list.
pub(super) fn on_all_cores<W, T: Send>(
    files: &[PathBuf],
    threads: usize,
    worker: impl Fn() -> W + Sync,
    work: impl Fn(&mut W, &PathBuf) -> T + Sync,
) -> Vec<T> {
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<(usize, T)>> = Mutex::new(Vec::with_capacity(files.len()));
    let run = || {
        let mut worker = worker();
        let mut mine = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(file) = files.get(index) else { break };
            mine.push((index, work(&mut worker, file)));
        }
        done.lock().extend(mine);
    };
    thread::scope(|scope| {
        for _ in 0..threads.clamp(1, files.len().max(1)) {
            thread::Builder::new()
                .stack_size(STACK)
                .spawn_scoped(scope, run)
                .expect("the system has room for a thread per core");
        }
    });
    let mut done = done.into_inner();
    done.sort_by_key(|(index, _)| *index);
    done.into_iter().map(|(_, result)| result).collect()
}
