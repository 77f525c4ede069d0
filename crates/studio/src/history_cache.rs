//! [`HistoryCache`]: the list of runs and the grid as JSON, until a run is added or removed.

use std::fmt::Write as _;
use std::fs;
use std::sync::Arc;

use axum::body::Bytes;
use casebook_record::History;
use casebook_report::history::{Options, Trends};
use parking_lot::Mutex;

use crate::project::Project;

/// The slowest tests that the list names.
const SLOWEST: usize = 10;

#[derive(Default)]
pub(crate) struct HistoryCache(Mutex<Option<Arc<CachedHistory>>>);

/// The history as it is sent. The history itself is many times larger.
pub(crate) struct CachedHistory {
    /// Identifies the recorded runs.
    pub(crate) tag: String,
    pub(crate) runs: Bytes,
    pub(crate) grid: Bytes,
}

impl HistoryCache {
    pub(crate) fn get(&self, project: &Project) -> Arc<CachedHistory> {
        // Locked meanwhile: several tabs should compute it once.
        let mut cached = self.0.lock();
        let tag = tag_of(project);
        if let Some(known) = cached.as_ref().filter(|known| known.tag == tag) {
            return Arc::clone(known);
        }
        let fresh = Arc::new(CachedHistory::of(&read(project), tag));
        *cached = Some(Arc::clone(&fresh));
        fresh
    }

    /// The complete history, one reader at a time.
    pub(crate) fn read(&self, project: &Project) -> History {
        let _one_at_a_time = self.0.lock();
        read(project)
    }
}

fn read(project: &Project) -> History {
    let mut history = project.store.history(project.threads, &|_, _| {});
    history.redact(&project.redactor);
    history
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

impl CachedHistory {
    fn of(history: &History, tag: String) -> CachedHistory {
        let options = Options {
            slowest: SLOWEST,
            ..Options::default()
        };
        let trends = Trends::of(history, &options);
        let json = |value| Bytes::from(serde_json::to_vec(value).unwrap_or_default());
        CachedHistory {
            runs: json(&serde_json::to_value(&trends).unwrap_or_default()),
            grid: json(&serde_json::to_value(&trends.grid).unwrap_or_default()),
            tag,
        }
    }
}
