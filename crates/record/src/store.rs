//! The directories of recorded runs: `.casebook/runs/<time>-<short id>/`, with `latest` pointing to the newest.

use std::fs;
use std::io::{self, BufRead};
use std::ops::Range;
use std::path::{Path, PathBuf};

use crate::builder::RunBuilder;
use crate::compress;
use crate::event::Event;
use crate::input_problems::InputProblems;
use crate::io_reason::io_reason;
use crate::journal::EventReader;
use crate::lines::Problem;
use crate::model::RunData;
use crate::redact::Redactor;
use crate::run_dir::{RunDir, check_writable};
use crate::run_file::{ReadRunError, read_run, sync_dir};
use crate::time::Time;

pub(crate) const RUN_FILE: &str = "run.json";
pub(crate) const JOURNAL_FILE: &str = "events.jsonl";
const LATEST: &str = "latest";

/// Why a run's directory or the store cannot be read or created.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// A file system operation failed.
    #[error("cannot {action} {}: {}", path.display(), io_reason(source))]
    Io {
        /// The operation as a verb.
        action: &'static str,
        /// The path of the operation.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The directory contains another run, which would be lost.
    #[error("{} already contains a run; use another directory or delete this one", .0.display())]
    Occupied(PathBuf),
    /// No run has been recorded here.
    #[error("no recorded runs in {}; record one with `casebook run`, or pass the path of a run.json or events.jsonl", .0.display())]
    NoRuns(PathBuf),
    /// `latest~N` exceeds the number of runs.
    #[error("{} contains only {run_count} {}", runs.display(), if *run_count == 1 { "run" } else { "runs" })]
    TooFewRuns {
        /// The directory of the runs.
        runs: PathBuf,
        /// The number of recorded runs.
        run_count: usize,
    },
    /// The directory does not contain a run.
    #[error("{} contains neither run.json nor events.jsonl", .0.display())]
    NotARun(PathBuf),
    /// The directory has no journal to rebuild a run from.
    #[error("{} contains no events.jsonl to rebuild a run from", .0.display())]
    NoJournal(PathBuf),
    /// The journal contains no event that can be read.
    #[error("{} contains no valid events{}", path.display(), problems.why_without_events())]
    NoEvents {
        /// The path of the journal.
        path: PathBuf,
        /// The problems of its lines.
        problems: InputProblems,
    },
    /// Neither a path nor the name of a recorded run.
    #[error("run not found: `{name}` is neither a path nor a run in {}", runs.display())]
    Unknown {
        /// The name that was looked up.
        name: String,
        /// The directory that was searched.
        runs: PathBuf,
    },
    /// The name matches several recorded runs.
    #[error("`{name}` is ambiguous: it matches {}", matches.join(", "))]
    Ambiguous {
        /// The name that was looked up.
        name: String,
        /// The names of the runs' directories.
        matches: Vec<String>,
    },
    /// The run's file cannot be read.
    #[error(transparent)]
    Read(#[from] ReadRunError),
}

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

    /// Creates a directory for a new run.
    pub fn create(&self, run_id: &str, started: Time) -> Result<RunDir, StoreError> {
        let runs = self.runs();
        make_dir(&runs)?;
        self.ignore_in_git()?;
        let name = format!("{}-{}", started.format("%Y%m%d-%H%M%S"), short_id(run_id));
        Ok(RunDir {
            path: make_unused_dir(&runs, &name)?,
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

/// A run and the problems found while reading it.
#[derive(Debug)]
pub struct LoadedRun {
    /// The run.
    pub run: RunData,
    /// The problems of its journal; empty for a `run.json`.
    pub problems: InputProblems,
}

/// Reads a run from a `run.json` or a journal, compressed or not, and redacts secrets.
pub fn load(path: &Path, redactor: &Redactor) -> Result<LoadedRun, StoreError> {
    if is_journal(path) {
        return replay(path, redactor);
    }
    let mut run = read_run(path)?;
    redactor.apply(&mut run);
    Ok(LoadedRun {
        run,
        problems: InputProblems::default(),
    })
}

pub(crate) fn is_journal(path: &Path) -> bool {
    let name = path
        .file_name()
        .and_then(|name| name.to_str())
        .unwrap_or_default();
    compress::EXTENSIONS
        .iter()
        .any(|extension| name.ends_with(&format!(".jsonl{extension}")))
}

/// Rebuilds a run from its journal. An incomplete last line is tolerated; other damage is recorded as a problem and
/// skipped.
pub fn replay(path: &Path, redactor: &Redactor) -> Result<LoadedRun, StoreError> {
    let builder = RunBuilder::new(fallback_id(path));
    let reader = EventReader::open(path).map_err(io_error("read", path))?;
    let apply = |mut event, _| {
        redactor.apply(&mut event);
        builder.apply(event);
    };
    let mut problems = read_events(reader, apply).map_err(io_error("read", path))?;
    problems.ignored = builder.late_event_count();
    match builder.close() {
        Some(run) => Ok(LoadedRun { run, problems }),
        None => Err(no_events(path, problems)),
    }
}

/// The id of a run whose journal contains none: the name of its directory.
pub(crate) fn fallback_id(journal: &Path) -> String {
    let dir = journal.parent().and_then(Path::file_name);
    dir.map_or_else(
        || "unnamed".into(),
        |name| name.to_string_lossy().into_owned(),
    )
}

pub(crate) fn no_events(journal: &Path, problems: InputProblems) -> StoreError {
    StoreError::NoEvents {
        path: journal.into(),
        problems,
    }
}

/// Reads all events of a journal; `each` is called with each event and the bytes of its line.
pub(crate) fn read_events<R: BufRead>(
    mut reader: EventReader<R>,
    mut each: impl FnMut(Event, Range<u64>),
) -> io::Result<InputProblems> {
    let mut problems = InputProblems::default();
    let mut last_line = 0;
    loop {
        let start = reader.offset();
        match reader.next() {
            Ok(Some(line)) => {
                last_line = line.number;
                if let Some(event) = problems.take_event(line) {
                    each(event, start..reader.offset());
                }
            }
            Ok(None) => break,
            // A compressed journal ends abruptly if its writer was killed.
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                problems.torn_line = Some(last_line + 1);
                break;
            }
            Err(error) if last_line == 0 => return Err(error),
            Err(error) => {
                problems.add(Problem {
                    line: last_line + 1,
                    message: format!("cannot read further: {}", io_reason(&error)),
                });
                break;
            }
        }
    }
    Ok(problems)
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
