//! [`LiveRuns`]: the runs in progress, read from their journals.
//!
//! While a page is open, a task looks every few milliseconds whether the directory of records has a new
//! run and whether the journals have grown. A process that writes a journal holds a lock on it, so a run is in progress
//! exactly as long as its process lives, no matter who started it.

mod run;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, SystemTime};

use casebook_record::{JournalFollower, Redactor, Store};
use parking_lot::Mutex;
use tokio::sync::{Notify, watch};

use crate::project::Project;
pub(crate) use run::{LiveRun, Progress};

/// How often journals are read while a page is open.
const INTERVAL: Duration = Duration::from_millis(40);
/// How many scans a new directory is looked at: its journal is created and locked a moment later.
const NEW_DIR_SCANS: u32 = 50;
/// A resumed run is one of the newest.
const RESUMABLE: usize = 20;

/// The runs in progress.
pub(crate) struct LiveRuns {
    redactor: Redactor,
    state: Mutex<State>,
    pages: AtomicUsize,
    page_opened: Notify,
    changes: watch::Sender<Changes>,
}

/// What changed since the start of the server, as counters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Changes {
    /// New, finished and removed runs.
    pub(crate) list: u64,
    /// Anything: also results of runs in progress, and commands.
    pub(crate) any: u64,
}

#[derive(Default)]
struct State {
    runs: BTreeMap<String, Arc<LiveRun>>,
    /// Directories of runs that are not in progress.
    settled: HashSet<String>,
    /// New directories, with the scans left to decide about them.
    pending: HashMap<String, u32>,
    /// Whether the directory of records was scanned before.
    is_scanned: bool,
    /// When the directory of records changed last, if there is one.
    modified: Option<SystemTime>,
    /// Scans of it that are still needed: it can change again within the precision of its time.
    scans: u32,
}

/// Counts an open page until it is dropped.
pub(crate) struct OpenPage(Arc<Project>);

/// Tells pages that something changed.
#[derive(Clone)]
pub(crate) struct Notifier(watch::Sender<Changes>);

impl Notifier {
    pub(crate) fn notify(&self) {
        self.0.send_modify(|changes| changes.any += 1);
    }
}

/// Reads the journals while a page is open.
pub(crate) async fn watch(project: Arc<Project>) {
    loop {
        project.live.page_is_open().await;
        let scanned = Arc::clone(&project);
        let scan = move || scanned.live.scan(&scanned.store);
        // A panic in a scan is reported by its thread, and the next scan starts afresh.
        let _ = tokio::task::spawn_blocking(scan).await;
        tokio::time::sleep(INTERVAL).await;
    }
}

impl LiveRuns {
    pub(crate) fn new(redactor: &Redactor) -> LiveRuns {
        LiveRuns {
            redactor: redactor.clone(),
            state: Mutex::default(),
            pages: AtomicUsize::new(0),
            page_opened: Notify::new(),
            changes: watch::Sender::default(),
        }
    }

    pub(crate) fn changes(&self) -> watch::Receiver<Changes> {
        self.changes.subscribe()
    }

    pub(crate) fn notifier(&self) -> Notifier {
        Notifier(self.changes.clone())
    }

    /// The run with this name, if it is in progress.
    pub(crate) fn get(&self, name: &str) -> Option<Arc<LiveRun>> {
        self.state.lock().runs.get(name).cloned()
    }

    pub(crate) fn all(&self) -> Vec<Arc<LiveRun>> {
        self.state.lock().runs.values().cloned().collect()
    }

    /// Reads what changed since the last scan.
    pub(crate) fn scan(&self, store: &Store) {
        let mut state = self.state.lock();
        let is_changed = state.find_runs(store, &self.redactor);
        let (mut grown, mut ended) = (false, false);
        let State { runs, settled, .. } = &mut *state;
        runs.retain(|name, run| {
            grown |= run.advance();
            let is_live = !run.has_ended();
            ended |= !is_live;
            if !is_live {
                settled.insert(name.clone());
            }
            is_live
        });
        drop(state);
        if is_changed || grown || ended {
            self.changes.send_modify(|changes| {
                changes.any += 1;
                changes.list += u64::from(is_changed || ended);
            });
        }
    }

    async fn page_is_open(&self) {
        while self.pages.load(Ordering::SeqCst) == 0 {
            self.page_opened.notified().await;
        }
    }
}

impl State {
    /// Finds runs that have started. Returns whether the list of runs has changed.
    fn find_runs(&mut self, store: &Store, redactor: &Redactor) -> bool {
        let modified = fs::metadata(store.runs_dir()).and_then(|dir| dir.modified());
        let modified = modified.ok();
        let is_first = !std::mem::replace(&mut self.is_scanned, true);
        let is_changed = is_first || self.modified != modified;
        if is_changed {
            self.modified = modified;
            self.scans = 2;
        }
        if self.scans > 0 {
            self.scans -= 1;
            self.note_dirs(store);
        }
        let pending: Vec<String> = self.pending.keys().cloned().collect();
        let mut has_new = false;
        for name in pending {
            has_new |= self.decide(&name, store, redactor);
        }
        (is_changed || has_new) && !is_first
    }

    fn note_dirs(&mut self, store: &Store) {
        let dirs = store.dirs();
        let resumable = dirs.len().saturating_sub(RESUMABLE);
        for (index, dir) in dirs.iter().enumerate() {
            let Some(name) = dir.file_name().and_then(|name| name.to_str()) else {
                continue;
            };
            let is_settled = self.settled.contains(name) && index < resumable;
            if !is_settled && !self.runs.contains_key(name) {
                self.pending.entry(name.to_owned()).or_insert(NEW_DIR_SCANS);
            }
        }
    }

    /// Whether the run is in progress. Returns whether it is a finished one that was not known: a record that is copied to
    /// its directory is complete a moment after that was made.
    fn decide(&mut self, name: &str, store: &Store, redactor: &Redactor) -> bool {
        let dir = store.runs_dir().join(name);
        if let Some(run) = start(name, &dir, store, redactor) {
            self.pending.remove(name);
            self.settled.remove(name);
            self.runs.insert(name.to_owned(), Arc::new(run));
            return false;
        }
        let left = self.pending.get_mut(name);
        let is_over = left.is_none_or(|left| {
            *left = left.saturating_sub(1);
            *left == 0
        });
        let file = store.file_in(&dir);
        let is_finished = file.is_ok_and(|file| file.ends_with("run.json"));
        if is_over || is_finished {
            self.pending.remove(name);
            return self.settled.insert(name.to_owned()) && is_finished;
        }
        false
    }
}

/// The run in this directory, if a process is writing it.
fn start(name: &str, dir: &Path, store: &Store, redactor: &Redactor) -> Option<LiveRun> {
    let journal = JournalFollower::open(&store.journal_in(dir), redactor).ok()?;
    journal
        .is_being_written()
        .then(|| LiveRun::new(name, journal))
}

impl OpenPage {
    pub(crate) fn of(project: &Arc<Project>) -> OpenPage {
        project.live.pages.fetch_add(1, Ordering::SeqCst);
        project.live.page_opened.notify_one();
        OpenPage(Arc::clone(project))
    }
}

impl Drop for OpenPage {
    fn drop(&mut self) {
        self.0.live.pages.fetch_sub(1, Ordering::SeqCst);
    }
}
