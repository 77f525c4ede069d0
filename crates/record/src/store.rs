//! The directories of recorded runs: `.casebook/runs/<time>-<short id>/`, with `latest` pointing to the newest.

mod error;
mod load;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::compress;
use crate::run_dir::{RunDir, check_writable};
use crate::run_file::sync_dir;
use crate::time::Time;
pub use error::StoreError;
pub use load::{LoadedRun, load, replay};
pub(crate) use load::{fallback_id, is_journal, no_events, read_events};

pub(crate) const RUN_FILE: &str = "run.json";
pub(crate) const JOURNAL_FILE: &str = "events.jsonl";
const LATEST: &str = "latest";

/// The recorded runs of a project.
#[derive(Debug, Clone)]
pub struct Store {
    root: PathBuf,
}

impl Store {
    /// The store in a project's directory: its `.casebook`.
    pub fn in_project(dir: &Path) -> Store {
        Store {
            root: dir.join(".casebook"),
        }
    }

    /// The name of a run's directory: `20261115-084051-d00fa811`.
    pub fn dir_name(run_id: &str, started: Time) -> String {
        format!("{}-{}", started.format("%Y%m%d-%H%M%S"), short_id(run_id))
    }

    /// Creates a directory for a new run.
    pub fn create(&self, run_id: &str, started: Time) -> Result<RunDir, StoreError> {
        let runs = self.runs();
        make_dir(&runs)?;
        self.ignore_in_git()?;
        Ok(RunDir {
            path: make_unused_dir(&runs, &Store::dir_name(run_id, started))?,
        })
    }

    /// Checks that a run can be recorded, without creating a directory.
    pub(crate) fn check(&self) -> Result<(), StoreError> {
        check_writable(&self.runs())
    }

    /// Registers a run whose directory was created again, possibly with the whole store.
    pub(crate) fn adopt(&self, dir: &RunDir) -> Result<(), StoreError> {
        self.ignore_in_git()?;
        self.set_latest(dir)
    }

    /// Makes `latest` point to this run.
    pub fn set_latest(&self, dir: &RunDir) -> Result<(), StoreError> {
        let name = dir.path.file_name().map(PathBuf::from).unwrap_or_default();
        set_latest(&self.runs(), &name).map_err(io_error("update", &self.runs().join(LATEST)))
    }

    /// Finds the file of a run by name: a path to a file or directory, a recorded run's directory name or id, or
    /// `latest~2` for the second run before the newest. `None` finds the newest.
    pub fn find(&self, name: Option<&str>, working_dir: &Path) -> Result<PathBuf, StoreError> {
        let Some(name) = name else {
            return file_in(&self.latest()?);
        };
        let path = working_dir.join(name);
        if path.is_dir() {
            return file_in(&path);
        }
        if path.exists() {
            return Ok(path);
        }
        if let Some(back) = name
            .strip_prefix("latest~")
            .and_then(|back| back.parse().ok())
        {
            return self.nth_before_latest(back);
        }
        self.find_recorded(name).and_then(|path| file_in(&path))
    }

    /// Finds the journal of a run by the same names.
    pub fn find_journal(
        &self,
        name: Option<&str>,
        working_dir: &Path,
    ) -> Result<PathBuf, StoreError> {
        let found = self.find(name, working_dir)?;
        if is_journal(&found) {
            return Ok(found);
        }
        let dir = found.parent().unwrap_or(working_dir);
        find(dir, JOURNAL_FILE).ok_or_else(|| StoreError::NoJournal(dir.into()))
    }

    /// Finds the directory of the recorded run with this name, or with an id that starts with it.
    fn find_recorded(&self, name: &str) -> Result<PathBuf, StoreError> {
        let unknown = || StoreError::Unknown {
            name: name.into(),
            runs: self.runs(),
        };
        let dirs = fs::read_dir(self.runs()).map_err(|_| unknown())?;
        let mut matches: Vec<String> = dirs
            .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
            .filter(|dir| matches_name(dir, name))
            .collect();
        matches.sort();
        match matches.as_slice() {
            [] => Err(unknown()),
            [only] => Ok(self.runs().join(only)),
            _ => Err(StoreError::Ambiguous {
                name: name.into(),
                matches,
            }),
        }
    }

    /// The run that `latest` points to; if there is no such run, the one with the latest modification time.
    pub(crate) fn latest(&self) -> Result<PathBuf, StoreError> {
        let latest = self.runs().join(LATEST);
        if latest.exists() {
            // Not `latest`, which names another run as soon as one is recorded.
            let target = fs::read_link(&latest);
            return Ok(target.map_or(latest, |name| self.runs().join(name)));
        }
        fs::read_dir(self.runs())
            .into_iter()
            .flatten()
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(|path| file_in(path).is_ok())
            .max_by_key(|path| fs::metadata(path).and_then(|dir| dir.modified()).ok())
            .ok_or_else(|| StoreError::NoRuns(self.runs()))
    }

    /// The file of the run `back` positions before the newest.
    fn nth_before_latest(&self, back: usize) -> Result<PathBuf, StoreError> {
        let latest = fs::canonicalize(self.latest()?).ok();
        let mut dirs: Vec<_> = self
            .dirs()
            .into_iter()
            .filter(|dir| file_in(dir).is_ok())
            .collect();
        // The run that `latest` points to is the newest, even if it was merged from older runs.
        dirs.sort_by_key(|dir| fs::canonicalize(dir).ok() == latest);
        let index = dirs.len().checked_sub(back.saturating_add(1));
        let dir = index.ok_or_else(|| StoreError::TooFewRuns {
            runs: self.runs(),
            run_count: dirs.len(),
        })?;
        file_in(&dirs[dir])
    }

    /// The directories of recorded runs, oldest first.
    pub fn dirs(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.runs()).into_iter().flatten();
        let mut dirs: Vec<_> = entries
            .filter_map(|entry| {
                let entry = entry.ok()?;
                let name = entry.file_name().into_string().ok()?;
                let is_run = entry.file_type().ok()?.is_dir() && !name.starts_with('.');
                is_run.then(|| (timestamp_part(&name).to_owned(), entry))
            })
            .collect();
        // Runs of the same second are ordered by their modification time.
        dirs.sort_by_cached_key(|(timestamp, entry)| {
            let written = entry.metadata().and_then(|dir| dir.modified()).ok();
            (timestamp.clone(), written)
        });
        dirs.into_iter().map(|(_, entry)| entry.path()).collect()
    }

    /// Creates the store if there is none.
    pub fn prepare(&self) -> Result<(), StoreError> {
        make_dir(&self.runs())?;
        self.ignore_in_git()
    }

    /// The directory that contains the directories of runs.
    pub fn runs_dir(&self) -> PathBuf {
        self.runs()
    }

    /// The file of the run in this directory: its `run.json`, or else its journal.
    pub fn file_in(&self, dir: &Path) -> Result<PathBuf, StoreError> {
        file_in(dir)
    }

    /// The journal of the run in this directory while it is being written.
    pub fn journal_in(&self, dir: &Path) -> PathBuf {
        dir.join(JOURNAL_FILE)
    }

    pub(crate) fn runs(&self) -> PathBuf {
        self.root.join("runs")
    }

    /// The path of the history index.
    pub(crate) fn index_file(&self) -> PathBuf {
        self.root.join("history.idx")
    }

    fn ignore_in_git(&self) -> Result<(), StoreError> {
        let path = self.root.join(".gitignore");
        if path.exists() {
            return Ok(());
        }
        fs::write(&path, "# Records of runs are not sources.\n*\n")
            .map_err(io_error("write", &path))
    }
}

pub(crate) fn io_error(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> StoreError {
    let path = path.to_owned();
    move |source| StoreError::Io {
        action,
        path,
        source,
    }
}

pub(crate) fn make_dir(path: &Path) -> Result<(), StoreError> {
    let missing: Vec<_> = path.ancestors().take_while(|path| !path.exists()).collect();
    fs::create_dir_all(path).map_err(io_error("create", path))?;
    missing.into_iter().for_each(sync_name);
    Ok(())
}

/// Syncs the parent directory, so that the name of a new directory survives a power failure. Without its name, the
/// files in it cannot be found.
fn sync_name(dir: &Path) {
    dir.parent().into_iter().for_each(sync_dir);
}

/// Creates a directory with an unused name. Two runs can start in the same second and have the same id, for example
/// if a record is imported twice.
fn make_unused_dir(runs: &Path, name: &str) -> Result<PathBuf, StoreError> {
    let mut path = runs.join(name);
    let mut next = 2;
    loop {
        match fs::create_dir(&path) {
            Ok(()) => {
                sync_name(&path);
                return Ok(path);
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                path = runs.join(format!("{name}-{next}"));
                next += 1;
            }
            Err(error) => return Err(io_error("create", &path)(error)),
        }
    }
}

/// Replaces the link atomically, so that it is never missing.
#[cfg(unix)]
fn set_latest(runs: &Path, dir: &Path) -> io::Result<()> {
    let fresh = tempfile::Builder::new()
        .prefix(".latest-")
        .make_in(runs, |path| std::os::unix::fs::symlink(dir, path))?;
    fs::rename(fresh.path(), runs.join(LATEST))?;
    // It was renamed, so the destructor must not remove its old name.
    std::mem::forget(fresh);
    Ok(())
}

/// The first characters of an id that are safe in a file name, in lower case.
fn short_id(run_id: &str) -> String {
    let short: String = run_id
        .chars()
        .filter(char::is_ascii_alphanumeric)
        .take(8)
        .collect();
    if short.is_empty() {
        "run".into()
    } else {
        short.to_lowercase()
    }
}

/// The part of a directory's name that contains the start time of the run.
fn timestamp_part(dir: &str) -> &str {
    let length = "20261115-084051".len();
    dir.get(..length).unwrap_or(dir)
}

fn matches_name(dir: &str, name: &str) -> bool {
    let id = dir.splitn(3, '-').nth(2).unwrap_or_default();
    dir == name || (name.len() >= 4 && (id.starts_with(&short_id(name)) && name.is_ascii()))
}

pub(crate) fn file_in(dir: &Path) -> Result<PathBuf, StoreError> {
    find(dir, RUN_FILE)
        .or_else(|| find(dir, JOURNAL_FILE))
        .ok_or_else(|| StoreError::NotARun(dir.into()))
}

/// The file with this name, plain or compressed.
pub(crate) fn find(dir: &Path, name: &str) -> Option<PathBuf> {
    compress::EXTENSIONS
        .iter()
        .map(|extension| dir.join(format!("{name}{extension}")))
        .find(|path| path.exists())
}
