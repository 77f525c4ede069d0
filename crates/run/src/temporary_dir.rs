//! [`TemporaryDir`]: a private directory that is removed at the end, or by the next start if its process was killed.
//!
//! A living process keeps its directory locked, so the next one recognizes abandoned directories, kills the processes of
//! a run that have one of them in their environment, and removes it. A child inherits the lock between fork and exec, so
//! a locked directory may be abandoned too; its name therefore contains the process id.

use std::ffi::OsStr;
use std::fs::{self, File, Permissions, TryLockError};
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::thread;
use std::time::Duration;

use rustix::process::{Signal, getpid, kill_process};
use tempfile::TempDir;

use crate::shell::process_tree;

/// How many times processes of a killed run are searched for, and the pause between.
const ROUNDS: usize = 100;
const ROUND: Duration = Duration::from_millis(5);
/// The environment variable that marks the processes of a run.
pub(crate) const RUN_MARK: &str = "BATS_RUN_TMPDIR";

/// The use of a directory.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The files of a run. Its processes are killed with it.
    Run,
    /// An event socket. The command that writes to it is the user's own, and is not killed.
    Events,
}

impl Kind {
    /// The beginning of the name, which the process id follows.
    pub(crate) const fn prefix(self) -> &'static str {
        match self {
            Kind::Run => "casebook-run-",
            Kind::Events => "casebook-events-",
        }
    }
}

/// A directory that only this user can access.
pub(crate) struct TemporaryDir {
    dir: TempDir,
    _lock: File,
}

impl TemporaryDir {
    /// Creates a directory, and removes those of killed processes.
    pub(crate) fn create(parent: &Path, kind: Kind) -> io::Result<TemporaryDir> {
        // A killed process may have been a runner itself and left another directory.
        while remove_abandoned(parent) {}
        make(parent, kind)
    }

    pub(crate) fn path(&self) -> &Path {
        self.dir.path()
    }
}

impl Drop for TemporaryDir {
    fn drop(&mut self) {
        remove(self.dir.path());
    }
}

/// Why a temporary directory could not be created, without the number of the error and the path that `tempfile` adds.
pub(crate) fn error_reason(error: &io::Error) -> String {
    let text = error.to_string();
    let reason = text.split(" (os error ").next().unwrap_or(&text);
    let (first, rest) = reason.split_at(reason.len().min(1));
    first.to_lowercase() + rest
}

fn make(parent: &Path, kind: Kind) -> io::Result<TemporaryDir> {
    let dir = tempfile::Builder::new()
        .prefix(&format!("{}{}-", kind.prefix(), getpid()))
        .permissions(Permissions::from_mode(0o700))
        .tempdir_in(parent)?;
    // Another process may lock it first, considering it abandoned; it then removes it.
    let lock = match File::open(dir.path()) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return make(parent, kind),
        opened => opened?,
    };
    let is_taken = match lock.try_lock() {
        Ok(()) => !dir.path().exists(),
        Err(TryLockError::WouldBlock) => true,
        // Without support for locks, no directory is considered abandoned.
        Err(TryLockError::Error(_)) => false,
    };
    if is_taken {
        return make(parent, kind);
    }
    Ok(TemporaryDir { dir, _lock: lock })
}

/// Removes a directory and its contents, even if parts are not writable.
pub(crate) fn remove(dir: &Path) {
    // Most tests leave their directory empty.
    if fs::remove_dir(dir).is_ok() || fs::remove_dir_all(dir).is_ok() {
        return;
    }
    unlock(dir);
    let _ = fs::remove_dir_all(dir);
}

fn unlock(dir: &Path) {
    let is_dir = fs::symlink_metadata(dir).is_ok_and(|metadata| metadata.is_dir());
    if !is_dir || fs::set_permissions(dir, Permissions::from_mode(0o700)).is_err() {
        return;
    }
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    entries.for_each(|entry| unlock(&entry.path()));
}

/// Removes abandoned directories. Errors are ignored, because they must not prevent a new run. Returns whether
/// processes were killed.
fn remove_abandoned(parent: &Path) -> bool {
    let mut have_killed = false;
    let entries = fs::read_dir(parent).into_iter().flatten().flatten();
    for entry in entries {
        let name = entry.file_name();
        let Some((kind, owner)) = name.to_str().and_then(parse_name) else {
            continue;
        };
        let dir = entry.path();
        if let Some(_lock) = abandoned(&dir, owner) {
            have_killed |= kind == Kind::Run && kill_processes_of(&dir);
            remove(&dir);
        }
    }
    have_killed
}

/// The kind and the process id in the name of a directory.
fn parse_name(name: &str) -> Option<(Kind, &str)> {
    let mut kinds = [Kind::Run, Kind::Events].into_iter();
    let (kind, rest) = kinds.find_map(|kind| Some((kind, name.strip_prefix(kind.prefix())?)))?;
    Some((kind, rest.split_once('-')?.0))
}

/// Returns the lock on a directory whose process is dead.
fn abandoned(dir: &Path, owner: &str) -> Option<File> {
    let lock = File::open(dir).ok()?;
    for _ in 0..ROUNDS {
        match lock.try_lock() {
            Ok(()) => return Some(lock),
            Err(TryLockError::WouldBlock) if !Path::new("/proc").join(owner).exists() => {
                thread::sleep(ROUND);
            }
            Err(_) => return None,
        }
    }
    None
}

/// Kills the processes of a dead runner. Returns whether there were any.
fn kill_processes_of(dir: &Path) -> bool {
    let mark: &OsStr = dir.as_os_str();
    let mut quiet = 0;
    for round in 0..ROUNDS {
        let found = process_tree::all_with(RUN_MARK, mark);
        // A process is not found during exec, so only two empty searches in a row count.
        quiet = if found.is_empty() { quiet + 1 } else { 0 };
        if quiet > 1 {
            return round > 1;
        }
        for pid in found {
            let _ = kill_process(pid, Signal::KILL);
        }
        thread::sleep(ROUND);
    }
    // They belong to another user or cannot be killed.
    false
}
