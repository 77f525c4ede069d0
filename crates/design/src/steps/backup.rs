//! A spec as it was, kept beside it.

use std::fs;
use std::path::{Path, PathBuf};

use super::StepError;
use super::skeleton::write;

/// A copy of the spec, and of what an earlier run kept in its place.
pub(super) struct Backup {
    pub(super) path: PathBuf,
    earlier: Option<String>,
}

impl Backup {
    /// Keeps a spec, which has this text, beside it.
    pub(super) fn of(spec: &Path, text: &str) -> Result<Backup, StepError> {
        let path = spec.with_extension("rb.backup");
        let earlier = fs::read_to_string(&path).ok();
        write(&path, text)?;
        Ok(Backup { path, earlier })
    }

    /// What is the same needs no copy.
    pub(super) fn undo(self) -> Result<(), StepError> {
        match self.earlier {
            Some(earlier) => write(&self.path, &earlier),
            None => fs::remove_file(&self.path).map_err(|source| StepError::Unreadable {
                path: self.path,
                source,
            }),
        }
    }
}
