//! [`ScratchDir`]: the temporary directory of a run, with one directory per suite and per test, all removed at the end.
//!
//! A killed runner cannot clean up. A living runner keeps its directory locked, so the next run recognizes abandoned
//! directories, kills the processes that have one of them in their environment, and removes it. A child inherits the
//! lock between fork and exec, so a locked directory may be abandoned too; its name therefore contains the runner's
//! pid.

use std::ffi::OsStr;
use std::fs::{self, DirBuilder, File, Permissions, TryLockError};
use std::io::{self, Seek as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use parking_lot::Mutex;
use rustix::process::{Signal, geteuid, getpid, kill_process};
use tempfile::TempDir;

use crate::shell::process_tree;

const PREFIX: &str = "casebook-run-";
/// How many times processes of a killed run are searched for, and the pause between.
const ROUNDS: usize = 100;
const ROUND: Duration = Duration::from_millis(5);
/// The environment variable that marks the processes of a run.
pub(crate) const RUN_MARK: &str = "BATS_RUN_TMPDIR";

/// The temporary directory of a run.
pub(crate) struct ScratchDir {
    root: PathBuf,
    /// Prepended to the names of the directories in it.
    prefix: PathBuf,
    next: AtomicU64,
    spare: ReusePool,
    /// Set in the process that created the directory, which also removes it.
    _own: Option<OwnedRoot>,
}

struct OwnedRoot {
    root: TempDir,
    _lock: File,
}

/// Directories and files that tests left unchanged, for the next tests. Creating and removing them can wait for a busy
/// disk.
#[derive(Default)]
struct ReusePool {
    dirs: Mutex<Vec<PathBuf>>,
    files: Mutex<Vec<File>>,
}

/// A temporary directory could not be created.
#[derive(Debug, thiserror::Error)]
#[error("cannot create a temporary directory in {}: {source}; set TMPDIR to a writable directory", dir.display())]
pub struct ScratchError {
    dir: PathBuf,
    source: io::Error,
}

impl ScratchDir {
    /// Creates the directory of the run, and removes those of killed runs.
    pub(crate) fn create(temporary: &Path) -> Result<ScratchDir, ScratchError> {
        // A killed process may have been a runner itself and left another directory.
        while remove_abandoned(temporary) {}
        make(temporary).map_err(|source| ScratchError {
            dir: temporary.to_owned(),
            source,
        })
    }

    /// Uses the directory of a run that another process created. `prefix` keeps the names of the two apart.
    pub(crate) fn join_existing(root: PathBuf, prefix: PathBuf) -> ScratchDir {
        ScratchDir {
            root,
            prefix,
            next: AtomicU64::new(1),
            spare: ReusePool::default(),
            _own: None,
        }
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// Creates a new directory in it.
    pub(crate) fn dir(&self, kind: &str) -> io::Result<PathBuf> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let mut path = self.prefix.clone().into_os_string();
        path.push(format!("{kind}-{number}"));
        let path = PathBuf::from(path);
        make_dir(&path)?;
        Ok(path)
    }

    /// Returns an empty directory for a test.
    pub(crate) fn test_dir(&self) -> io::Result<PathBuf> {
        let spare = self.spare.dirs.lock().pop();
        spare.map_or_else(|| self.dir("test"), Ok)
    }

    /// Takes back the directory of a finished test. It is reused if the test left it unchanged, as most do.
    pub(crate) fn recycle(&self, dir: PathBuf) {
        if is_untouched(&dir) {
            self.spare.dirs.lock().push(dir);
        } else {
            remove(&dir);
        }
    }

    /// Returns an empty unnamed file, for the output of hooks.
    pub(crate) fn file(&self) -> io::Result<File> {
        let spare = self.spare.files.lock().pop();
        spare.map_or_else(|| tempfile::tempfile_in(self.root()), Ok)
    }

    /// Takes back such a file. It is reused if nothing was written, as for most hooks.
    pub(crate) fn recycle_file(&self, mut file: File) {
        let is_empty = file.metadata().is_ok_and(|metadata| metadata.len() == 0);
        if is_empty && file.rewind().is_ok() {
            self.spare.files.lock().push(file);
        }
    }
}

impl Drop for OwnedRoot {
    fn drop(&mut self) {
        remove(self.root.path());
    }
}

/// Removes all files and directories whose paths begin with `prefix`.
pub(crate) fn remove_all(prefix: &Path) {
    let Some((parent, begin)) = prefix.parent().zip(prefix.file_name()) else {
        return;
    };
    let begin = begin.as_encoded_bytes();
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        if entry.file_name().as_encoded_bytes().starts_with(begin) {
            let path = entry.path();
            if path.is_dir() {
                remove(&path);
            } else {
                let _ = fs::remove_file(&path);
            }
        }
    }
}

fn make(temporary: &Path) -> io::Result<ScratchDir> {
    let root = tempfile::Builder::new()
        .prefix(&format!("{PREFIX}{}-", getpid()))
        .permissions(Permissions::from_mode(0o700))
        .tempdir_in(temporary)?;
    let lock = File::open(root.path())?;
    // Another run may have locked it first, considering it abandoned; it then removes it.
    let is_taken = match lock.try_lock() {
        Ok(()) => !root.path().exists(),
        Err(TryLockError::WouldBlock) => true,
        // Without support for locks, no directory is considered abandoned.
        Err(TryLockError::Error(_)) => false,
    };
    if is_taken {
        return make(temporary);
    }
    make_dir(&root.path().join("suite"))?;
    Ok(ScratchDir {
        root: root.path().to_owned(),
        prefix: root.path().join(""),
        next: AtomicU64::new(1),
        spare: ReusePool::default(),
        _own: Some(OwnedRoot { root, _lock: lock }),
    })
}

fn make_dir(path: &Path) -> io::Result<()> {
    DirBuilder::new().mode(0o700).create(path)
}

/// Whether the directory is still as [`make_dir`] created it.
fn is_untouched(dir: &Path) -> bool {
    let is_ours = fs::symlink_metadata(dir).is_ok_and(|metadata| {
        metadata.is_dir()
            && metadata.mode() & 0o7777 == 0o700
            && metadata.uid() == geteuid().as_raw()
    });
    is_ours && fs::read_dir(dir).is_ok_and(|mut entries| entries.next().is_none())
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
fn remove_abandoned(temporary: &Path) -> bool {
    let mut have_killed = false;
    let entries = fs::read_dir(temporary).into_iter().flatten().flatten();
    for entry in entries {
        let name = entry.file_name();
        let Some(rest) = name.to_str().and_then(|name| name.strip_prefix(PREFIX)) else {
            continue;
        };
        let runner = rest.split_once('-').map_or("", |(runner, _)| runner);
        let dir = entry.path();
        if let Some(_lock) = abandoned(&dir, runner) {
            have_killed |= kill_processes_of(&dir);
            remove(&dir);
        }
    }
    have_killed
}

/// Returns the lock on a directory whose runner is dead.
fn abandoned(dir: &Path, runner: &str) -> Option<File> {
    let lock = File::open(dir).ok()?;
    for _ in 0..ROUNDS {
        match lock.try_lock() {
            Ok(()) => return Some(lock),
            Err(TryLockError::WouldBlock) if !Path::new("/proc").join(runner).exists() => {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unchanged_test_directory_is_reused() {
        let temporary = tempfile::tempdir().unwrap();
        let scratch = ScratchDir::create(temporary.path()).unwrap();
        let first = scratch.test_dir().unwrap();
        scratch.recycle(first.clone());
        assert_eq!(scratch.test_dir().unwrap(), first);

        let changes: [fn(&Path); 4] = [
            |dir| fs::write(dir.join("file"), "").unwrap(),
            |dir| fs::set_permissions(dir, Permissions::from_mode(0o755)).unwrap(),
            |dir| fs::remove_dir(dir).unwrap(),
            |dir| {
                fs::remove_dir(dir).unwrap();
                std::os::unix::fs::symlink("/tmp", dir).unwrap();
            },
        ];
        for change in changes {
            let directory = scratch.test_dir().unwrap();
            change(&directory);
            scratch.recycle(directory.clone());
            assert_ne!(scratch.test_dir().unwrap(), directory);
        }
    }

    #[test]
    fn an_empty_hook_file_is_reused() {
        use std::io::{Read as _, Write as _};
        let temporary = tempfile::tempdir().unwrap();
        let scratch = ScratchDir::create(temporary.path()).unwrap();
        let mut file = scratch.file().unwrap();
        file.write_all(b"text").unwrap();
        scratch.recycle_file(file);
        let mut text = String::new();
        scratch.file().unwrap().read_to_string(&mut text).unwrap();
        assert_eq!(text, "");
    }
}
