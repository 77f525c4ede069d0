//! [`LiveRun`]: one run in progress.
//!
//! Each test has one row, whose version is the offset in the journal after the test's last event. A page that has seen
//! everything up to an offset gets the rows with a higher version. So nothing is lost and nothing shown twice if a page
//! reconnects, even to another server, because the offsets are the same for everyone.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;
use std::sync::Arc;

use casebook_record::{JournalFollower, Redactor, RunData, RunDir, Status, write_line};
use casebook_report::html;
use indexmap::IndexMap;
use parking_lot::Mutex;
use serde::Serialize;
use tokio::sync::watch;

/// Rows that are sent together.
const MAX_ROWS: usize = 1000;

/// A run in progress.
pub(crate) struct LiveRun {
    pub(crate) name: String,
    journal: Mutex<JournalFollower>,
    rows: Mutex<Rows>,
    progress: watch::Sender<Progress>,
}

/// How far a run is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Progress {
    /// The bytes of the journal that were read.
    pub(crate) offset: u64,
    /// Whether the process has ended.
    pub(crate) has_ended: bool,
}

#[derive(Default)]
struct Rows {
    by_id: IndexMap<String, Row>,
    /// The positions of the rows by their versions.
    by_version: BTreeMap<u64, usize>,
}

struct Row {
    version: u64,
    status: &'static str,
    json: Arc<str>,
}

/// The run in the list of runs.
#[derive(Debug, Serialize)]
pub(crate) struct LiveCounts {
    run: String,
    started_at: Option<String>,
    planned: Option<u64>,
    running: usize,
    passed: usize,
    failed: usize,
    skipped: usize,
}

impl LiveRun {
    pub(super) fn new(name: &str, journal: JournalFollower) -> LiveRun {
        LiveRun {
            name: name.to_owned(),
            journal: Mutex::new(journal),
            rows: Mutex::default(),
            progress: watch::Sender::default(),
        }
    }

    pub(crate) fn progress(&self) -> watch::Receiver<Progress> {
        self.progress.subscribe()
    }

    pub(super) fn has_ended(&self) -> bool {
        self.progress.borrow().has_ended
    }

    /// Reads what was appended to the journal; returns whether there was anything.
    pub(super) fn advance(&self) -> bool {
        let mut journal = self.journal.lock();
        let before = journal.offset();
        // Asked first: what the process wrote before it ended is then read.
        let has_ended = !journal.is_being_written();
        let mut changed: Vec<_> = journal.advance().unwrap_or_default().into_iter().collect();
        changed.sort_by_key(|(_, version)| *version);
        let rows: Vec<_> = changed
            .into_iter()
            .filter_map(|(id, version)| Row::of(&journal, id, version))
            .collect();
        let offset = journal.offset();
        self.rows.lock().set(rows);
        drop(journal);
        let progress = Progress { offset, has_ended };
        self.progress.send_if_modified(|known| {
            let is_new = *known != progress;
            *known = progress;
            is_new
        });
        offset != before
    }

    /// Rows that changed after this version as a JSON list, and the version to continue with.
    pub(crate) fn rows_after(&self, version: u64) -> Option<(String, u64)> {
        let rows = self.rows.lock();
        let newer = rows.by_version.range(version + 1..).take(MAX_ROWS);
        let mut list = String::new();
        let mut newest = version;
        for (version, index) in newer {
            list.push(if list.is_empty() { '[' } else { ',' });
            list.push_str(&rows.by_id[*index].json);
            newest = *version;
        }
        list.push(']');
        (newest > version).then_some((list, newest))
    }

    /// The index of the page, and its version.
    pub(crate) fn index(&self, record: &str) -> io::Result<(Vec<u8>, u64)> {
        // Rows are added under this lock as well, so the index has exactly the rows of this version.
        let journal = self.journal.lock();
        let head = journal
            .head()
            .ok_or_else(|| io::Error::other("the run has not started yet"))?;
        let rows = self.rows.lock();
        let mut out = Vec::new();
        let list = rows.by_id.values().map(|row| &*row.json);
        html::write_live_index(&head, list, Some(record), &mut out)?;
        let newest = rows.by_version.last_key_value();
        Ok((out, newest.map_or(0, |(version, _)| *version)))
    }

    /// One test as JSON.
    pub(crate) fn example(&self, id: &str) -> io::Result<Option<Vec<u8>>> {
        let run = self.journal.lock().example(id)?;
        let Some(example) = run.and_then(|run| run.examples.into_values().next()) else {
            return Ok(None);
        };
        let mut json = Vec::new();
        write_line(&mut json, &*example)?;
        Ok(Some(json))
    }

    /// What the command of a running test has written so far; empty if nothing was recorded yet.
    pub(crate) fn output_so_far(&self, dir: &Path, id: &str, redactor: &Redactor) -> String {
        let is_running = |row: &Row| row.status == Status::Running.name();
        if id.contains('/') || !self.rows.lock().by_id.get(id).is_some_and(is_running) {
            return String::new();
        }
        let file = dir.join(RunDir::output_so_far_file(id));
        let bytes = fs::read(file).unwrap_or_default();
        redactor.text(&String::from_utf8_lossy(&bytes))
    }

    pub(crate) fn counts(&self) -> LiveCounts {
        let head = self.journal.lock().head();
        let rows = self.rows.lock();
        let count = |status| {
            rows.by_id
                .values()
                .filter(|row| row.status == status)
                .count()
        };
        LiveCounts {
            run: self.name.clone(),
            started_at: head.as_ref().map(|head| head.started_at.to_string()),
            planned: head.and_then(|head| head.metadata.get("example_count")?.as_u64()),
            running: count("running"),
            passed: count("passed"),
            failed: count("failed"),
            skipped: count("pending"),
        }
    }
}

impl Row {
    fn of(journal: &JournalFollower, id: String, version: u64) -> Option<(String, Row)> {
        let run: RunData = journal.example(&id).ok().flatten()?;
        let (_, example) = run.examples.first()?;
        let row = Row {
            version,
            status: example.status.name(),
            json: html::live_row(&run)?.into(),
        };
        Some((id, row))
    }
}

impl Rows {
    fn set(&mut self, rows: Vec<(String, Row)>) {
        for (id, row) in rows {
            let version = row.version;
            let (index, known) = self.by_id.insert_full(id, row);
            if let Some(known) = known {
                self.by_version.remove(&known.version);
            }
            self.by_version.insert(version, index);
        }
    }
}
