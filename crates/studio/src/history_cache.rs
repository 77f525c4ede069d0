//! [`HistoryCache`]: the list of runs and the grid as JSON, until a run is added or removed.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::thread;

use axum::body::Bytes;
use casebook_record::History;
use casebook_report::history::{GridRow, Options, Trends};
use parking_lot::Mutex;
use serde_json::{Value, json};

use crate::project::Project;

/// The slowest tests that the list names.
const SLOWEST: usize = 10;

pub(crate) struct HistoryCache {
    cached: Mutex<Option<Arc<CachedHistory>>>,
    /// How many of how many records have been read.
    read: AtomicUsize,
    of: AtomicUsize,
    reader: Sender<Job>,
}

type Job = Box<dyn FnOnce() + Send>;

/// The history as it is sent. The history itself is many times larger.
pub(crate) struct CachedHistory {
    /// Identifies the recorded runs.
    pub(crate) tag: String,
    pub(crate) runs: Bytes,
    pub(crate) grid: Bytes,
}

impl HistoryCache {
    /// With a thread that reads, and ends with the last sender. The allocator keeps memory for each thread that has used
    /// much of it, and many threads answer requests.
    pub(crate) fn new() -> HistoryCache {
        let (reader, jobs) = channel::<Job>();
        thread::spawn(move || {
            for job in jobs {
                // A panic is reported by its thread, and to who waits for the result.
                let _ = catch_unwind(AssertUnwindSafe(job));
            }
        });
        HistoryCache {
            cached: Mutex::default(),
            read: AtomicUsize::default(),
            of: AtomicUsize::default(),
            reader,
        }
    }

    pub(crate) fn get(&self, project: &Arc<Project>) -> Arc<CachedHistory> {
        // Locked meanwhile: several tabs should compute it once.
        let mut cached = self.cached.lock();
        let tag = tag_of(project);
        if let Some(known) = cached.as_ref().filter(|known| known.tag == tag) {
            return Arc::clone(known);
        }
        let fresh = self.read_all(project, |history| CachedHistory::of(history, tag));
        let fresh = Arc::new(fresh);
        *cached = Some(Arc::clone(&fresh));
        fresh
    }

    /// Uses the complete history. It is large, so there is only one at a time.
    pub(crate) fn read<T: Send + 'static>(
        &self,
        project: &Arc<Project>,
        get: impl FnOnce(&History) -> T + Send + 'static,
    ) -> T {
        let _one_at_a_time = self.cached.lock();
        self.read_all(project, get)
    }

    /// Whether the history is being read, which takes long if there is no index yet.
    pub(crate) fn is_reading(&self) -> bool {
        self.cached.is_locked()
    }

    /// How many records have been read, as JSON.
    pub(crate) fn progress(&self) -> Value {
        let number = |counter: &AtomicUsize| counter.load(Ordering::Relaxed);
        json!({"reading": {"read": number(&self.read), "of": number(&self.of)}})
    }

    fn read_all<T: Send + 'static>(
        &self,
        project: &Arc<Project>,
        get: impl FnOnce(&History) -> T + Send + 'static,
    ) -> T {
        let (result, results) = channel();
        let project = Arc::clone(project);
        let job = move || {
            let history = project.history.load(&project);
            let _ = result.send(get(&history));
        };
        let _ = self.reader.send(Box::new(job));
        results.recv().expect("the history can be read")
    }

    fn load(&self, project: &Project) -> History {
        let progress = |read, of| {
            self.read.store(read, Ordering::Relaxed);
            self.of.store(of, Ordering::Relaxed);
        };
        progress(0, 0);
        let mut history = project.store.history(project.threads, &progress);
        history.redact(&project.redactor);
        history
    }
}

/// A directory changes when its run is finished.
fn tag_of(project: &Project) -> String {
    let mut tag = String::new();
    for dir in project.store.dirs() {
        let modified = fs::metadata(&dir).and_then(|dir| dir.modified()).ok();
        let _ = write!(tag, "{} {modified:?} ", dir.display());
    }
    tag
}

/// The trends; each failing, flaky or slower test with its newest run, so that a page can link it.
fn with_newest_runs(trends: &Trends) -> Value {
    let newest = |row: &GridRow| {
        let run = row.results.trim_end().len().checked_sub(1)?;
        Some((row.test.id.to_owned(), *trends.grid.runs.get(run)?))
    };
    let newest: HashMap<_, _> = trends.grid.tests.iter().filter_map(newest).collect();
    let mut json = serde_json::to_value(trends).unwrap_or_default();
    for list in ["broken", "flaky", "slower"] {
        for test in json[list].as_array_mut().into_iter().flatten() {
            test["newest"] = test["id"]
                .as_str()
                .and_then(|id| newest.get(id))
                .copied()
                .into();
        }
    }
    json
}

impl CachedHistory {
    fn of(history: &History, tag: String) -> CachedHistory {
        let options = Options {
            slowest: SLOWEST,
            ..Options::default()
        };
        let trends = Trends::of(history, &options);
        let json = |value: &Value| Bytes::from(serde_json::to_vec(value).unwrap_or_default());
        CachedHistory {
            runs: json(&with_newest_runs(&trends)),
            grid: json(&serde_json::to_value(&trends.grid).unwrap_or_default()),
            tag,
        }
    }
}
