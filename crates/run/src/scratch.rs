//! Temporary folders: one for the run, in it one per suite and per test, all gone at the end.
//!
//! A runner that was killed cannot clean up. A living runner keeps its folder locked, so the next run knows one that
//! is not for what it is, ends the processes that still name it in their environment, and removes it. What the runner
//! was starting at that moment holds the lock too, until it has become what it was to be; so the folder also names the
//! runner.

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
/// How often processes of a killed run are looked for, and how long they have to be gone.
const ROUNDS: usize = 100;
const ROUND: Duration = Duration::from_millis(5);
/// What marks the processes of a run.
pub(crate) const RUN_MARK: &str = "BATS_RUN_TMPDIR";

/// The temporary folder of a run.
pub(crate) struct ScratchDir {
    root: PathBuf,
    /// Before the names of the folders in it.
    prefix: PathBuf,
    next: AtomicU64,
    spare: ReusePool,
    /// Whoever made the folder removes it.
    _own: Option<OwnedRoot>,
}

struct OwnedRoot {
    root: TempDir,
    _lock: File,
}

/// What tests have left as they found it, for the next ones: to make and remove it anew is a wait for the disk whenever
/// others keep it busy.
#[derive(Default)]
struct ReusePool {
    folders: Mutex<Vec<PathBuf>>,
    files: Mutex<Vec<File>>,
}

/// Temporary folders cannot be made.
#[derive(Debug, thiserror::Error)]
#[error("cannot make a temporary folder in {}: {source}; set TMPDIR to a folder that can be written", folder.display())]
pub struct ScratchError {
    folder: PathBuf,
    source: io::Error,
}

impl ScratchDir {
    /// Makes the run's folder, and removes those of runs that were killed.
    pub(crate) fn create(temporary: &Path) -> Result<ScratchDir, ScratchError> {
        // One of the processes that were ended may have been a runner itself.
        while remove_abandoned(temporary) {}
        make(temporary).map_err(|source| ScratchError {
            folder: temporary.to_owned(),
            source,
        })
    }

    /// The folder of a run that another process has made, where ours have names that begin so.
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

    /// A new folder in it that nobody has had before.
    pub(crate) fn folder(&self, kind: &str) -> io::Result<PathBuf> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let mut path = self.prefix.clone().into_os_string();
        path.push(format!("{kind}-{number}"));
        let path = PathBuf::from(path);
        make_folder(&path)?;
        Ok(path)
    }

    /// An empty folder for a test.
    pub(crate) fn test_dir(&self) -> io::Result<PathBuf> {
        let spare = self.spare.folders.lock().pop();
        spare.map_or_else(|| self.folder("test"), Ok)
    }

    /// Takes back the folder of a test that nobody uses any more. Most tests have not touched it.
    pub(crate) fn recycle(&self, folder: PathBuf) {
        if is_untouched(&folder) {
            self.spare.folders.lock().push(folder);
        } else {
            remove(&folder);
        }
    }

    /// An empty file without a name, for what hooks write.
    pub(crate) fn file(&self) -> io::Result<File> {
        let spare = self.spare.files.lock().pop();
        spare.map_or_else(|| tempfile::tempfile_in(self.root()), Ok)
    }

    /// Takes back such a file that nobody uses any more. Most hooks write nothing.
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

/// Removes all folders whose paths begin so.
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
    // Another run may have come in between and taken it for abandoned; then it vanishes.
    let is_taken = match lock.try_lock() {
        Ok(()) => !root.path().exists(),
        Err(TryLockError::WouldBlock) => true,
        // Where nothing can be locked, nobody takes a folder for abandoned.
        Err(TryLockError::Error(_)) => false,
    };
    if is_taken {
        return make(temporary);
    }
    make_folder(&root.path().join("suite"))?;
    Ok(ScratchDir {
        root: root.path().to_owned(),
        prefix: root.path().join(""),
        next: AtomicU64::new(1),
        spare: ReusePool::default(),
        _own: Some(OwnedRoot { root, _lock: lock }),
    })
}

fn make_folder(path: &Path) -> io::Result<()> {
    DirBuilder::new().mode(0o700).create(path)
}

/// Whether it is what [`make_folder`] makes.
fn is_untouched(folder: &Path) -> bool {
    let is_ours = fs::symlink_metadata(folder).is_ok_and(|metadata| {
        metadata.is_dir()
            && metadata.mode() & 0o7777 == 0o700
            && metadata.uid() == geteuid().as_raw()
    });
    is_ours && fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_none())
}

/// Removes a folder with all that is in it, also what was made unwritable.
pub(crate) fn remove(folder: &Path) {
    // Most tests leave their folder empty.
    if fs::remove_dir(folder).is_ok() || fs::remove_dir_all(folder).is_ok() {
        return;
    }
    unlock(folder);
    let _ = fs::remove_dir_all(folder);
}

fn unlock(folder: &Path) {
    let is_folder = fs::symlink_metadata(folder).is_ok_and(|metadata| metadata.is_dir());
    if !is_folder || fs::set_permissions(folder, Permissions::from_mode(0o700)).is_err() {
        return;
    }
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.for_each(|entry| unlock(&entry.path()));
}

/// Nothing here may stop a new run: what cannot be removed stays for the next. True when processes were ended.
fn remove_abandoned(temporary: &Path) -> bool {
    let mut have_ended = false;
    let entries = fs::read_dir(temporary).into_iter().flatten().flatten();
    for entry in entries {
        let name = entry.file_name();
        let Some(rest) = name.to_str().and_then(|name| name.strip_prefix(PREFIX)) else {
            continue;
        };
        let runner = rest.split_once('-').map_or("", |(runner, _)| runner);
        let folder = entry.path();
        if let Some(_lock) = abandoned(&folder, runner) {
            have_ended |= end_processes_of(&folder);
            remove(&folder);
        }
    }
    have_ended
}

/// The lock on a folder whose runner is dead.
fn abandoned(folder: &Path, runner: &str) -> Option<File> {
    let lock = File::open(folder).ok()?;
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

/// Their runner is dead: nobody waits for what they would still do. True when there were any.
fn end_processes_of(folder: &Path) -> bool {
    let mark: &OsStr = folder.as_os_str();
    let mut quiet = 0;
    for round in 0..ROUNDS {
        let found = process_tree::all_with(RUN_MARK, mark);
        // One that was becoming another program is only seen when it has.
        quiet = if found.is_empty() { quiet + 1 } else { 0 };
        if quiet > 1 {
            return round > 1;
        }
        for pid in found {
            let _ = kill_process(pid, Signal::KILL);
        }
        thread::sleep(ROUND);
    }
    // They belong to somebody else, or nobody can end them.
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_test_gets_a_folder_only_if_it_is_as_new() {
        let temporary = tempfile::tempdir().unwrap();
        let scratch = ScratchDir::create(temporary.path()).unwrap();
        let first = scratch.test_dir().unwrap();
        scratch.recycle(first.clone());
        assert_eq!(scratch.test_dir().unwrap(), first);

        let ways: [fn(&Path); 4] = [
            |folder| fs::write(folder.join("file"), "").unwrap(),
            |folder| fs::set_permissions(folder, Permissions::from_mode(0o755)).unwrap(),
            |folder| fs::remove_dir(folder).unwrap(),
            |folder| {
                fs::remove_dir(folder).unwrap();
                std::os::unix::fs::symlink("/tmp", folder).unwrap();
            },
        ];
        for touch in ways {
            let touched = scratch.test_dir().unwrap();
            touch(&touched);
            scratch.recycle(touched.clone());
            assert_ne!(scratch.test_dir().unwrap(), touched);
        }
    }

    #[test]
    fn the_next_hooks_get_a_file_only_if_it_is_empty() {
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
