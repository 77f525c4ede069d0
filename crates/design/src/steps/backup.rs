//! [`FileBackup`] restores a file after a failed step. [`Backup`] copies a spec to a file beside it.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::StepError;
use crate::metadata::store::replace;

/// The content of a file; restored with `restore`.
pub(super) struct FileBackup {
    path: PathBuf,
    /// `None` if the file did not exist.
    text: Option<Vec<u8>>,
    /// The missing parent directories, innermost first.
    missing: Vec<PathBuf>,
}

impl FileBackup {
    pub(super) fn of(path: &Path) -> Result<FileBackup, StepError> {
        let text = match fs::read(path) {
            Ok(text) => Some(text),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(source) => return Err(unreadable(path, source)),
        };
        let dirs = path.ancestors().skip(1);
        let missing = dirs.take_while(|dir| !dir.exists());
        Ok(FileBackup {
            path: path.to_owned(),
            text,
            missing: missing.map(Path::to_owned).collect(),
        })
    }

    pub(super) fn restore(self) -> Result<(), StepError> {
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
        for dir in self.missing {
            // A directory that now contains other files is kept.
            if fs::remove_dir(dir).is_err() {
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

/// A copy of the spec, and the previous copy that it replaced.
pub(super) struct Backup {
    pub(super) path: PathBuf,
    previous: FileBackup,
}

impl Backup {
    /// Writes a copy of a spec, with this text, beside it.
    pub(super) fn of(spec: &Path, text: &[u8]) -> Result<Backup, StepError> {
        let mut name = spec.as_os_str().to_owned();
        name.push(".backup");
        let path = PathBuf::from(name);
        let previous = FileBackup::of(&path)?;
        replace(&path, text)?;
        Ok(Backup { path, previous })
    }

    /// Removes the copy and restores the previous one. Called if the spec did not change.
    pub(super) fn undo(self) -> Result<(), StepError> {
        self.previous.restore()
    }
}
