//! A hidden folder beside a file, in which its next text is made: RSpec looks into no folder whose name begins with a point.
//!
//! It goes away with its owner. One whose owner was killed goes away with the next owner's coming: nobody holds its lock.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::StepError;

const PREFIX: &str = ".casebook-draft-";

/// The folder; held until it is dropped.
pub(super) struct DraftDir {
    // Removed first, while the lock is still held.
    folder: TempDir,
    _lock: File,
    name: PathBuf,
}

impl DraftDir {
    /// Beside this file.
    pub(super) fn of(file: &Path) -> Result<DraftDir, StepError> {
        let around = file.parent().unwrap_or(Path::new("."));
        remove_abandoned(around);
        let (folder, lock) = locked(around).map_err(|source| {
            StepError::Other(format!(
                "cannot create a folder in {}: {source}",
                around.display()
            ))
        })?;
        Ok(DraftDir {
            folder,
            _lock: lock,
            name: file.file_name().map(PathBuf::from).unwrap_or_default(),
        })
    }

    /// Where the file's next text is.
    pub(super) fn path(&self) -> PathBuf {
        self.folder.path().join(&self.name)
    }
}

/// A new folder with its lock. Another process may take it for abandoned before it is locked: then there is another.
fn locked(around: &Path) -> io::Result<(TempDir, File)> {
    loop {
        let folder = tempfile::Builder::new().prefix(PREFIX).tempdir_in(around)?;
        let lock = match File::open(folder.path()) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            lock => lock?,
        };
        lock.lock()?;
        if folder.path().exists() {
            return Ok((folder, lock));
        }
    }
}

/// Nothing here may stop the work: what cannot be removed stays for the next.
fn remove_abandoned(around: &Path) {
    for entry in fs::read_dir(around).into_iter().flatten().flatten() {
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
    fn what_the_dead_left_goes_and_what_the_living_hold_stays() {
        let around = tempfile::tempdir().unwrap();
        let dead = around.path().join(".casebook-draft-dead");
        fs::create_dir_all(dead.join("inner")).unwrap();
        let other = around.path().join(".casebook-other");
        fs::create_dir(&other).unwrap();
        let file = around.path().join("a_spec.rb");
        let first = DraftDir::of(&file).unwrap();
        assert!(!dead.exists());
        assert!(other.exists());
        fs::write(first.path(), "1").unwrap();
        let second = DraftDir::of(&file).unwrap();
        assert_eq!(fs::read_to_string(first.path()).unwrap(), "1");
        assert_ne!(first.path(), second.path());
        drop((first, second));
        let left: Vec<_> = fs::read_dir(around.path()).unwrap().collect();
        assert_eq!(left.len(), 1);
    }
}
