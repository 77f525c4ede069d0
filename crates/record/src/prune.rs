//! Removes recorded runs that are too old, too many or too large.
//!
//! Removes only directories that are certainly runs: they are named like one and contain a record and nothing else.
//! The run that `latest` points to is kept, and so is a run that is still being written, which is detected by the
//! lock on its journal. A directory is renamed before it is removed, so that no reader finds a partial run.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::Path;

use crate::compress::EXTENSIONS;
use crate::store::{JOURNAL_FILE, RUN_FILE, Store, file_in, find};
use crate::time::Time;

/// The name prefix of a directory during its removal.
const PRUNED: &str = ".pruned-";

/// Limits on the stored runs. Each limit applies independently: a run that exceeds any of them is removed.
#[derive(Debug, Clone, Copy, Default)]
pub struct Limits {
    /// Remove runs that started before this time.
    pub not_before: Option<Time>,
    /// Keep at most this many runs, newest first.
    pub keep: Option<usize>,
    /// Keep at most this many bytes, newest runs first.
    pub max_bytes: Option<u64>,
}

/// A recorded run and its size.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunSize {
    /// The name of its directory.
    pub dir: String,
    /// The total size of its files.
    pub bytes: u64,
}

/// The runs to remove and the runs to keep.
#[derive(Debug, Default)]
pub struct PrunePlan {
    /// The runs to remove, oldest first.
    pub removed: Vec<RunSize>,
    /// The runs to keep.
    pub kept: Vec<RunSize>,
    /// Directories that exceed the limits but are kept, with the reason: not certainly a run, or in use.
    pub protected: Vec<(String, String)>,
}

/// A directory among the runs.
struct Candidate {
    size: RunSize,
    /// Why it must be kept even if it exceeds the limits.
    protected: Option<String>,
}

impl Store {
    /// Determines which runs exceed the limits.
    pub fn plan_pruning(&self, limits: Limits) -> PrunePlan {
        let latest = self
            .latest()
            .ok()
            .and_then(|latest| fs::canonicalize(latest).ok());
        let mut pruning = PrunePlan::default();
        let (mut count, mut bytes) = (0, 0_u64);
        // Newest first, so that the newest runs use up the limits.
        for path in self.dirs().into_iter().rev() {
            let is_latest = fs::canonicalize(&path).ok() == latest;
            let Some(candidate) = Candidate::at(&path) else {
                continue;
            };
            count += 1;
            bytes = bytes.saturating_add(candidate.size.bytes);
            if is_latest || !limits.are_exceeded(&candidate, count, bytes) {
                pruning.kept.push(candidate.size);
            } else if let Some(reason) = candidate.protected {
                pruning.protected.push((candidate.size.dir.clone(), reason));
                pruning.kept.push(candidate.size);
            } else {
                count -= 1;
                bytes -= candidate.size.bytes;
                pruning.removed.push(candidate.size);
            }
        }
        pruning.removed.reverse();
        pruning
    }

    /// Removes the runs of the plan. A run that is in use by now is kept and added to `protected` with the reason.
    pub fn prune(&self, pruning: &mut PrunePlan) {
        self.remove_leftovers();
        let removed = std::mem::take(&mut pruning.removed);
        for run in removed {
            match self.remove(&run.dir) {
                Ok(()) => pruning.removed.push(run),
                Err(reason) => {
                    pruning.protected.push((run.dir.clone(), reason));
                    pruning.kept.push(run);
                }
            }
        }
    }

    fn remove(&self, dir: &str) -> Result<(), String> {
        let path = self.runs().join(dir);
        let _held = lock_journal(&path)?;
        let pruned = self.runs().join(format!("{PRUNED}{dir}"));
        let text = |error: io::Error| error.to_string();
        fs::rename(&path, &pruned).map_err(text)?;
        fs::remove_dir_all(&pruned).map_err(text)
    }

    /// Removes what an interrupted removal left.
    fn remove_leftovers(&self) {
        for entry in fs::read_dir(self.runs()).into_iter().flatten().flatten() {
            let name = entry.file_name();
            let is_remains = name.to_str().is_some_and(|name| name.starts_with(PRUNED));
            if is_remains && entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                // A removal that fails here is attempted again next time.
                let _ = fs::remove_dir_all(entry.path());
            }
        }
    }
}

impl Limits {
    fn are_exceeded(&self, candidate: &Candidate, count: usize, bytes: u64) -> bool {
        let start_time = start_time(&candidate.size.dir);
        self.not_before
            .is_some_and(|limit| start_time.is_some_and(|start_time| start_time < limit))
            || self.keep.is_some_and(|keep| count > keep)
            || self.max_bytes.is_some_and(|limit| bytes > limit)
    }
}

impl Candidate {
    /// `None` for a directory without a record or not named like a run.
    fn at(path: &Path) -> Option<Candidate> {
        let dir = path.file_name()?.to_str()?.to_owned();
        start_time(&dir)?;
        file_in(path).ok()?;
        let foreign = foreign_entry(path)
            .map(|name| format!("it contains {name}, which is not part of a record"));
        Some(Candidate {
            protected: foreign.or_else(|| lock_journal(path).err()),
            size: RunSize {
                dir,
                bytes: bytes_in(path),
            },
        })
    }
}

/// The start time of a run from the name of its directory; `None` for a directory not named like a run.
fn start_time(dir: &str) -> Option<Time> {
    let (date, rest) = dir.split_once('-')?;
    let (clock, id) = rest.split_once('-')?;
    let are_digits =
        |text: &str, length| text.len() == length && text.bytes().all(|byte| byte.is_ascii_digit());
    let is_id = !id.is_empty()
        && id
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    if !(are_digits(date, 8) && are_digits(clock, 6) && is_id) {
        return None;
    }
    let civil = format!(
        "{}-{}-{}T{}:{}:{}Z",
        &date[..4],
        &date[4..6],
        &date[6..],
        &clock[..2],
        &clock[2..4],
        &clock[4..]
    );
    civil.parse().ok()
}

/// Any entry in a run's directory that no recorder writes.
fn foreign_entry(dir: &Path) -> Option<String> {
    let ours = |name: &str| {
        let is_record = |file: &str| {
            EXTENSIONS
                .iter()
                .any(|extension| name.strip_prefix(file) == Some(extension))
        };
        name == "output"
            || name.starts_with(".run-")
            || is_record(RUN_FILE)
            || is_record(JOURNAL_FILE)
    };
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    entries
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .find(|name| !ours(name))
}

/// Takes the lock that a process writing the run holds on its journal. It is released when the file is dropped.
fn lock_journal(dir: &Path) -> Result<Option<File>, String> {
    let Some(journal) = find(dir, JOURNAL_FILE) else {
        return Ok(None);
    };
    let file = File::open(journal).map_err(|error| error.to_string())?;
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => Err("it is still being written".into()),
        // A file system without locks: no process can hold one.
        Ok(()) | Err(TryLockError::Error(_)) => Ok(Some(file)),
    }
}

/// The total size of a directory's files. Links are not followed.
fn bytes_in(dir: &Path) -> u64 {
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    entries
        .map(|entry| match fs::symlink_metadata(entry.path()) {
            Ok(found) if found.is_dir() => bytes_in(&entry.path()),
            Ok(found) => found.len(),
            Err(_) => 0,
        })
        .fold(0, u64::saturating_add)
}
