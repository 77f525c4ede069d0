//! [`DraftDir`]: a hidden directory beside a spec, in which its next text is written. RSpec ignores directories whose name
//! starts with a dot.
//!
//! The directory is removed when it is dropped. If its process was killed, the next `DraftDir` removes it: a directory
//! whose lock is free is abandoned.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::StepError;

const PREFIX: &str = ".casebook-draft-";

/// The directory; removed on drop.
pub(super) struct DraftDir {
    // The first field, because fields are dropped in order: the directory is removed while it is still locked.
    dir: TempDir,
    _lock: File,
    name: PathBuf,
}

impl DraftDir {
    /// Creates a directory beside this file.
    pub(super) fn of(file: &Path) -> Result<DraftDir, StepError> {
        let parent = file.parent().unwrap_or(Path::new("."));
        remove_abandoned(parent);
        let (dir, lock) = locked(parent).map_err(|source| {
            StepError::Other(format!(
                "cannot create a directory in {}: {source}",
                parent.display()
            ))
        })?;
        Ok(DraftDir {
            dir,
            _lock: lock,
            name: file.file_name().map(PathBuf::from).unwrap_or_default(),
        })
    }

    /// The path of the file's next text.
    pub(super) fn path(&self) -> PathBuf {
        self.dir.path().join(&self.name)
    }
}

/// Creates and locks a directory. Another process may remove it as abandoned before it is locked; then another is created.
fn locked(parent: &Path) -> io::Result<(TempDir, File)> {
    loop {
        let dir = tempfile::Builder::new().prefix(PREFIX).tempdir_in(parent)?;
        let lock = match File::open(dir.path()) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            lock => lock?,
        };
        lock.lock()?;
        if dir.path().exists() {
            return Ok((dir, lock));
        }
    }
}

/// Removes abandoned directories. Errors are ignored; the next process tries again.
fn remove_abandoned(parent: &Path) {
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        let is_ours = entry
            .file_name()
            .as_encoded_bytes()
            .starts_with(PREFIX.as_bytes())
            && entry.file_type().is_ok_and(|kind| kind.is_dir());
        let lock = is_ours.then(|| File::open(entry.path()).ok()).flatten();
        if lock.is_some_and(|lock| lock.try_lock().is_ok()) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn abandoned_directories_are_removed_and_locked_ones_kept() {
        let parent = tempfile::tempdir().unwrap();
        let abandoned = parent.path().join(".casebook-draft-abandoned");
        fs::create_dir_all(abandoned.join("inner")).unwrap();
        let other = parent.path().join(".casebook-other");
        fs::create_dir(&other).unwrap();
        let file = parent.path().join("a_spec.rb");
        let first = DraftDir::of(&file).unwrap();
        assert!(!abandoned.exists());
        assert!(other.exists());
        fs::write(first.path(), "1").unwrap();
        let second = DraftDir::of(&file).unwrap();
        assert_eq!(fs::read_to_string(first.path()).unwrap(), "1");
        assert_ne!(first.path(), second.path());
        drop((first, second));
        let left: Vec<_> = fs::read_dir(parent.path()).unwrap().collect();
        assert_eq!(left.len(), 1);
    }
}
