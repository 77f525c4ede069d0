//! [`Jobs`]: the threads on which requests are handled, and the running requests.
//!
//! Commands that run code use one thread, one after the other: the processes that they leave behind become children of this
//! process, and are killed at the end.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use parking_lot::Mutex;
use serde_json::Value;

use crate::caller::Cancellation;

/// How long a canceled command may clean up before its processes are killed.
const GRACE: Duration = Duration::from_secs(2);
/// As the main thread, on which commands run otherwise.
const STACK: usize = 8 << 20;

type Work = Box<dyn FnOnce() + Send>;

/// What a request needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum JobKind {
    /// Several at once.
    Read,
    /// One at a time, because it writes files or runs code.
    Run,
}

pub(super) struct Jobs {
    readers: Sender<Work>,
    runner: Sender<Work>,
    running: JoinHandle<()>,
    active: Arc<Mutex<ActiveJobs>>,
    next: AtomicU64,
}

/// The requests that are waiting or running, by their numbers: a client may use an id again.
type ActiveJobs = HashMap<u64, ActiveJob>;

struct ActiveJob {
    id: Value,
    kind: JobKind,
    cancellation: Arc<Cancellation>,
}

impl Jobs {
    /// Starts the threads; `parallel` of them for requests that only read.
    pub(super) fn begin(parallel: usize) -> std::io::Result<Jobs> {
        let (readers, reading) = channel();
        let (runner, running) = channel();
        let (reading, running) = (Arc::new(Mutex::new(reading)), Arc::new(Mutex::new(running)));
        for _ in 0..parallel.max(1) {
            start(Arc::clone(&reading))?;
        }
        Ok(Jobs {
            readers,
            runner,
            running: start(running)?,
            active: Arc::default(),
            next: AtomicU64::default(),
        })
    }

    /// Handles a request. It may be canceled by its id before it begins.
    pub(super) fn submit(
        &self,
        id: &Value,
        kind: JobKind,
        work: impl FnOnce(Arc<Cancellation>) + Send + 'static,
    ) {
        let cancellation = Arc::new(Cancellation::default());
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let job = ActiveJob {
            id: id.clone(),
            kind,
            cancellation: Arc::clone(&cancellation),
        };
        self.active.lock().insert(number, job);
        let active = Arc::clone(&self.active);
        let work = Box::new(move || {
            if !cancellation.is_requested() {
                work(cancellation);
            }
            active.lock().remove(&number);
        });
        let queue = match kind {
            JobKind::Read => &self.readers,
            JobKind::Run => &self.runner,
        };
        // The threads live as long as the queues.
        let _ = queue.send(work);
    }

    /// Cancels a request: its command may clean up, and after a while its processes are killed.
    pub(super) fn cancel(&self, id: &Value) {
        for job in self.active.lock().values().filter(|job| job.id == *id) {
            job.cancellation.request();
            let later = Arc::downgrade(&job.cancellation);
            thread::spawn(move || {
                thread::sleep(GRACE);
                // Gone if the command has ended.
                if let Some(job) = later.upgrade() {
                    job.request();
                }
            });
        }
    }

    /// Kills the commands that run code, also those that wait.
    pub(super) fn kill_runs(&self) {
        let active = self.active.lock();
        let runs = active.values().filter(|job| job.kind == JobKind::Run);
        runs.for_each(|job| job.cancellation.kill());
    }

    /// Whether all requests are handled.
    pub(super) fn is_idle(&self) -> bool {
        self.active.lock().is_empty()
    }

    /// Kills the commands that run code, and waits for them. Those that only read end with the process.
    pub(super) fn end(self) {
        self.kill_runs();
        drop(self.runner);
        // A request that panics is reported to the client.
        let _ = self.running.join();
    }
}

fn start(queue: Arc<Mutex<Receiver<Work>>>) -> std::io::Result<JoinHandle<()>> {
    thread::Builder::new().stack_size(STACK).spawn(move || {
        loop {
            let work = queue.lock().recv();
            match work {
                Ok(work) => work(),
                Err(_) => return,
            }
        }
    })
}
