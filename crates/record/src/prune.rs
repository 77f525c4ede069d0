//! Removing recorded runs that are too old, too many or too large.
//!
//! Only what is certainly a run of ours goes: a folder among the runs that is named as runs are and holds a record and
//! nothing else. The run that `latest` names stays, and so does one that is being written, which its journal's lock
//! tells. A folder is renamed before it is removed, so that nobody ever finds half a run.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::Path;

use crate::compress::EXTENSIONS;
use crate::store::{JOURNAL_FILE, RUN_FILE, Store, file_in, find};
use crate::time::Time;

/// What is being removed is called so until it is gone.
const PRUNED: &str = ".pruned-";

/// What may stay. Each limit holds by itself: a run that exceeds any of them goes.
#[derive(Debug, Clone, Copy, Default)]
pub struct Limits {
    /// Runs that began before this go.
    pub not_before: Option<Time>,
    /// So many stay, the newest.
    pub keep: Option<usize>,
    /// So many bytes stay, those of the newest.
    pub max_bytes: Option<u64>,
}

/// A recorded run and what it takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunSize {
    /// The name of its folder.
    pub folder: String,
    /// The bytes of its files.
    pub bytes: u64,
}

/// What is to go and what stays.
#[derive(Debug, Default)]
pub struct PrunePlan {
    /// The runs that go, the oldest first.
    pub removed: Vec<RunSize>,
    /// The runs that stay.
    pub kept: Vec<RunSize>,
    /// The folders that would go if they were certainly ours, or not in use, and why they stay.
    pub spared: Vec<(String, String)>,
}

/// A folder among the runs.
struct Candidate {
    size: RunSize,
    /// Why it must stay, whatever the limits say.
    spared: Option<String>,
}

impl Store {
    /// Finds what exceeds the limits.
    pub fn plan_pruning(&self, limits: Limits) -> PrunePlan {
        let latest = self
            .latest()
            .ok()
            .and_then(|latest| fs::canonicalize(latest).ok());
        let mut pruning = PrunePlan::default();
        let (mut count, mut bytes) = (0, 0_u64);
        // From the newest on: what stays fills the limits.
        for path in self.folders().into_iter().rev() {
            let is_latest = fs::canonicalize(&path).ok() == latest;
            let Some(candidate) = Candidate::at(&path) else {
                continue;
            };
            count += 1;
            bytes = bytes.saturating_add(candidate.size.bytes);
            if is_latest || !limits.are_exceeded(&candidate, count, bytes) {
                pruning.kept.push(candidate.size);
            } else if let Some(reason) = candidate.spared {
                pruning.spared.push((candidate.size.folder.clone(), reason));
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

    /// Removes the runs that were found to go. One that is in use by now stays, and is named with what went wrong.
    pub fn prune(&self, pruning: &mut PrunePlan) {
        self.remove_leftovers();
        let removed = std::mem::take(&mut pruning.removed);
        for run in removed {
            match self.remove(&run.folder) {
                Ok(()) => pruning.removed.push(run),
                Err(reason) => {
                    pruning.spared.push((run.folder.clone(), reason));
                    pruning.kept.push(run);
                }
            }
        }
    }

    fn remove(&self, folder: &str) -> Result<(), String> {
        let path = self.runs().join(folder);
        let _held = lock_journal(&path)?;
        let pruned = self.runs().join(format!("{PRUNED}{folder}"));
        let text = |error: io::Error| error.to_string();
        fs::rename(&path, &pruned).map_err(text)?;
        fs::remove_dir_all(&pruned).map_err(text)
    }

    /// What an interrupted removal left.
    fn remove_leftovers(&self) {
        for entry in fs::read_dir(self.runs()).into_iter().flatten().flatten() {
            let name = entry.file_name();
            let is_remains = name.to_str().is_some_and(|name| name.starts_with(PRUNED));
            if is_remains && entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                // What cannot be removed now is tried again next time.
                let _ = fs::remove_dir_all(entry.path());
            }
        }
    }
}

impl Limits {
    fn are_exceeded(&self, candidate: &Candidate, count: usize, bytes: u64) -> bool {
        let began = began(&candidate.size.folder);
        self.not_before
            .is_some_and(|limit| began.is_some_and(|began| began < limit))
            || self.keep.is_some_and(|keep| count > keep)
            || self.max_bytes.is_some_and(|limit| bytes > limit)
    }
}

impl Candidate {
    /// Nothing for a folder without a record or not named as a run.
    fn at(path: &Path) -> Option<Candidate> {
        let folder = path.file_name()?.to_str()?.to_owned();
        began(&folder)?;
        file_in(path).ok()?;
        let foreign = foreign_entry(path)
            .map(|name| format!("it holds {name}, which is no part of a record"));
        Some(Candidate {
            spared: foreign.or_else(|| lock_journal(path).err()),
            size: RunSize {
                folder,
                bytes: bytes_in(path),
            },
        })
    }
}

/// When a run began, by the name of its folder; nothing for a folder that is not named as runs are.
fn began(folder: &str) -> Option<Time> {
    let (date, rest) = folder.split_once('-')?;
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

/// Anything in a run's folder that no recorder puts there.
fn foreign_entry(folder: &Path) -> Option<String> {
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
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .find(|name| !ours(name))
}

/// Takes the lock that whoever writes the run has on its journal; held until it is dropped.
fn lock_journal(folder: &Path) -> Result<Option<File>, String> {
    let Some(journal) = find(folder, JOURNAL_FILE) else {
        return Ok(None);
    };
    let file = File::open(journal).map_err(|error| error.to_string())?;
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => Err("it is being written".into()),
        // Where the file system knows no locks, nobody holds one.
        Ok(()) | Err(TryLockError::Error(_)) => Ok(Some(file)),
    }
}

/// What lies in a folder, links not followed.
fn bytes_in(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .map(|entry| match fs::symlink_metadata(entry.path()) {
            Ok(found) if found.is_dir() => bytes_in(&entry.path()),
            Ok(found) => found.len(),
            Err(_) => 0,
        })
        .fold(0, u64::saturating_add)
}
