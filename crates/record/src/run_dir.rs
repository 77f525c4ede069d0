//! [`RunDir`]: the directory of one run, and checks that it can be written.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::store::{JOURNAL_FILE, RUN_FILE, StoreError, file_in, io_error, make_dir};

/// The directory of one run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunDir {
    pub(crate) path: PathBuf,
}

impl RunDir {
    /// Uses this directory for a run. It is created if it is missing and must not contain another run.
    pub fn create_at(path: &Path) -> Result<RunDir, StoreError> {
        check_unused(path)?;
        make_dir(path)?;
        Ok(RunDir { path: path.into() })
    }

    /// Checks that a run can be written to this directory, without creating it.
    pub(crate) fn check(path: &Path) -> Result<(), StoreError> {
        check_unused(path)?;
        check_writable(path)
    }

    /// Checks that this journal can be appended to.
    pub(crate) fn check_journal(journal: &Path) -> Result<(), StoreError> {
        let opened = fs::OpenOptions::new().append(true).open(journal);
        opened.map(drop).map_err(io_error("write", journal))
    }

    /// The directory that contains a journal.
    pub(crate) fn of(journal: &Path) -> RunDir {
        let path = journal.parent().unwrap_or(Path::new(".")).to_owned();
        RunDir { path }
    }

    /// The path of the directory.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The path of its `run.json`, which need not exist.
    pub fn run_file(&self) -> PathBuf {
        self.path.join(RUN_FILE)
    }

    /// The path of the file with an example's full output, relative to the directory.
    pub fn output_file(example_id: &str) -> String {
        format!("output/{example_id}.txt")
    }

    /// The path of the file with the output of an example that is running, relative to the directory.
    pub fn output_so_far_file(example_id: &str) -> String {
        format!("output/{example_id}.so-far.txt")
    }

    /// The path of its journal, which need not exist.
    pub fn journal_file(&self) -> PathBuf {
        self.path.join(JOURNAL_FILE)
    }
}

fn check_unused(dir: &Path) -> Result<(), StoreError> {
    match file_in(dir) {
        Ok(_) => Err(StoreError::Occupied(dir.into())),
        Err(_) => Ok(()),
    }
}

/// Checks that the directory, or the closest existing one above it, is writable.
pub(crate) fn check_writable(dir: &Path) -> Result<(), StoreError> {
    let existing = dir.ancestors().find(|path| path.exists());
    let existing = existing.unwrap_or(Path::new("."));
    let written = match fs::metadata(existing) {
        Ok(metadata) if metadata.is_dir() => tempfile::tempfile_in(existing).map(drop),
        Ok(_) => Err(io::ErrorKind::NotADirectory.into()),
        Err(error) => Err(error),
    };
    // Without the name of the temporary file, which the user does not know.
    written.map_err(|error| io_error("create files in", dir)(error.kind().into()))
}
