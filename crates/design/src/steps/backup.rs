//! Files as they were, to be put back; and a spec as it was, kept beside it.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::StepError;
use super::skeleton::write;
use crate::metadata::store::replace;

/// A file as it was, or that there was none.
pub(super) struct FileBackup {
    path: PathBuf,
    text: Option<Vec<u8>>,
    /// Folders that were not there either, the innermost first.
    missing: Vec<PathBuf>,
}

impl FileBackup {
    pub(super) fn of(path: &Path) -> Result<FileBackup, StepError> {
        let text = match fs::read(path) {
            Ok(text) => Some(text),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(source) => return Err(unreadable(path, source)),
        };
        let folders = path.ancestors().skip(1);
        let missing = folders.take_while(|folder| !folder.exists());
        Ok(FileBackup {
            path: path.to_owned(),
            text,
            missing: missing.map(Path::to_owned).collect(),
        })
    }

    pub(super) fn put_back(self) -> Result<(), StepError> {
        if let Some(text) = &self.text {
            replace(&self.path, text)?;
            return Ok(());
        }
        match fs::remove_file(&self.path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(unreadable(&self.path, error));
            }
            _ => {}
        }
        for folder in self.missing {
            // Somebody else may have put something into it: then it stays.
            if fs::remove_dir(folder).is_err() {
                break;
            }
        }
        Ok(())
    }
}

fn unreadable(path: &Path, source: io::Error) -> StepError {
    StepError::Unreadable {
        path: path.to_owned(),
        source,
    }
}

/// A copy of the spec, and of what an earlier run kept in its place.
pub(super) struct Backup {
    pub(super) path: PathBuf,
    earlier: FileBackup,
}

impl Backup {
    /// Keeps a spec, which has this text, beside it.
    pub(super) fn of(spec: &Path, text: &str) -> Result<Backup, StepError> {
        let path = spec.with_extension("rb.backup");
        let earlier = FileBackup::of(&path)?;
        write(&path, text)?;
        Ok(Backup { path, earlier })
    }

    /// What is the same needs no copy.
    pub(super) fn undo(self) -> Result<(), StepError> {
        self.earlier.put_back()
    }
}
