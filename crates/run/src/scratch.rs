//! [`ScratchDir`]: the temporary directory of a run, with one directory per suite and per test, all removed at the end.

use std::fs::{self, DirBuilder, File};
use std::io::{self, Seek as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::Mutex;
use rustix::process::geteuid;

use crate::temporary_dir::{Kind, TemporaryDir};

pub(crate) use crate::temporary_dir::{RUN_MARK, remove};

/// The temporary directory of a run.
pub(crate) struct ScratchDir {
    root: PathBuf,
    /// Prepended to the names of the directories in it.
    prefix: PathBuf,
    next: AtomicU64,
    spare: ReusePool,
    /// Set in the process that created the directory, which also removes it.
    _own: Option<TemporaryDir>,
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
    let own = TemporaryDir::create(temporary, Kind::Run)?;
    let root = own.path().to_owned();
    make_dir(&root.join("suite"))?;
    Ok(ScratchDir {
        prefix: root.join(""),
        root,
        next: AtomicU64::new(1),
        spare: ReusePool::default(),
        _own: Some(own),
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

#[cfg(test)]
mod tests {
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt as _;

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
