//! [`ScratchDir`]: the temporary directory of a run, with one directory per suite and per test, all removed at the end.

use std::fs::{self, DirBuilder, File};
use std::io::{self, Seek as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::Mutex;
use rustix::process::geteuid;

use crate::temporary_dir::{Kind, TemporaryDir, error_reason};

pub(crate) use crate::temporary_dir::{RUN_MARK, remove};

/// The temporary directory of a run.
pub(crate) struct ScratchDir {
    root: PathBuf,
    /// Prepended to the names of the directories in it.
    prefix: PathBuf,
    /// Where the directories of tests are created that may be kept; `None` if they are in the directory of the run.
    kept: Option<KeptDirs>,
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
#[error("cannot create a temporary directory in {}: {}; set TMPDIR to a writable directory", dir.display(), error_reason(source))]
pub struct ScratchError {
    dir: PathBuf,
    source: io::Error,
}

impl ScratchDir {
    /// Creates the directory of the run, and removes those of killed runs. If directories of tests are kept, they are in
    /// another one.
    pub(crate) fn create(temporary: &Path, keeps_tests: bool) -> Result<ScratchDir, ScratchError> {
        make(temporary, keeps_tests).map_err(|source| ScratchError {
            dir: temporary.to_owned(),
            source,
        })
    }

    /// Uses the directory of a run that another process created. `worker` keeps the names of the two apart.
    pub(crate) fn join_existing(root: PathBuf, worker: &str, keeps_tests: bool) -> ScratchDir {
        ScratchDir {
            prefix: root.join(worker),
            kept: keeps_tests.then(|| KeptDirs {
                prefix: kept_root(&root).join(worker),
                _own: None,
            }),
            root,
            next: AtomicU64::new(1),
            spare: ReusePool::default(),
            _own: None,
        }
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// The directory of the kept directories of tests, if there are any.
    pub(crate) fn kept(&self) -> Option<PathBuf> {
        self.kept.as_ref()?;
        let root = kept_root(&self.root);
        let mut entries = fs::read_dir(&root).ok()?;
        entries.next().map(|_| root)
    }

    /// Creates a new directory in it.
    pub(crate) fn dir(&self, kind: &str) -> io::Result<PathBuf> {
        self.numbered_dir(&self.prefix, kind)
    }

    /// A worker that replaces a dead one counts from 1 again, and skips the directories that were kept.
    fn numbered_dir(&self, prefix: &Path, kind: &str) -> io::Result<PathBuf> {
        loop {
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            let mut path = prefix.as_os_str().to_owned();
            path.push(format!("{kind}-{number}"));
            let path = PathBuf::from(path);
            match make_dir(&path) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                made => return made.map(|()| path),
            }
        }
    }

    /// Returns an empty directory for a test.
    pub(crate) fn test_dir(&self) -> io::Result<PathBuf> {
        if let Some(kept) = &self.kept {
            return self.numbered_dir(&kept.prefix, "test");
        }
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

/// Where the directories of tests are kept.
struct KeptDirs {
    /// Prepended to the names of the directories.
    prefix: PathBuf,
    /// Set in the process that created it.
    _own: Option<KeptRoot>,
}

/// The directory of the kept directories. Removed at the end if it is empty.
struct KeptRoot(PathBuf);

impl Drop for KeptRoot {
    fn drop(&mut self) {
        let _ = fs::remove_dir(&self.0);
    }
}

/// The directory for the kept directories of a run. Its name is not that of a run, so it is never considered abandoned.
pub(crate) fn kept_root(root: &Path) -> PathBuf {
    let name = root.file_name().unwrap_or_default().to_string_lossy();
    let id = name.strip_prefix(Kind::Run.prefix()).unwrap_or(&name);
    root.with_file_name(format!("casebook-kept-{id}"))
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

fn make(temporary: &Path, keeps_tests: bool) -> io::Result<ScratchDir> {
    let own = TemporaryDir::create(temporary, Kind::Run)?;
    let root = own.path().to_owned();
    make_dir(&root.join("suite"))?;
    let kept = keeps_tests.then(|| make_kept(&root)).transpose()?;
    Ok(ScratchDir {
        prefix: root.join(""),
        root,
        kept,
        next: AtomicU64::new(1),
        spare: ReusePool::default(),
        _own: Some(own),
    })
}

fn make_kept(root: &Path) -> io::Result<KeptDirs> {
    let kept = kept_root(root);
    make_dir(&kept)?;
    Ok(KeptDirs {
        prefix: kept.join(""),
        _own: Some(KeptRoot(kept)),
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
        let scratch = ScratchDir::create(temporary.path(), false).unwrap();
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
    fn kept_directories_survive_the_run_and_the_start_of_the_next() {
        let temporary = tempfile::tempdir().unwrap();
        let scratch = ScratchDir::create(temporary.path(), true).unwrap();
        assert_eq!(scratch.kept(), None);
        let of_worker = ScratchDir::join_existing(scratch.root().to_owned(), "worker-1-", true);
        let dirs = [scratch.test_dir().unwrap(), of_worker.test_dir().unwrap()];
        let replaced = ScratchDir::join_existing(scratch.root().to_owned(), "worker-1-", true);
        assert_ne!(replaced.test_dir().unwrap(), dirs[1]);
        let kept = scratch.kept().unwrap();
        drop((of_worker, scratch));
        drop(ScratchDir::create(temporary.path(), true).unwrap());
        assert!(
            dirs.iter()
                .all(|dir| dir.is_dir() && dir.starts_with(&kept))
        );
        let left = fs::read_dir(temporary.path()).unwrap().count();
        assert_eq!(left, 1, "an unused directory is removed");
    }

    #[test]
    fn an_empty_hook_file_is_reused() {
        use std::io::{Read as _, Write as _};
        let temporary = tempfile::tempdir().unwrap();
        let scratch = ScratchDir::create(temporary.path(), false).unwrap();
        let mut file = scratch.file().unwrap();
        file.write_all(b"text").unwrap();
        scratch.recycle_file(file);
        let mut text = String::new();
        scratch.file().unwrap().read_to_string(&mut text).unwrap();
        assert_eq!(text, "");
    }
}
