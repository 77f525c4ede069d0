//! Runs whose examples stay in their file: `run.json` or a journal.
//!
//! A first pass over the file finds the run's own data and the bytes of each example. An example is then read when it is
//! needed, and reading it can fail.

mod journal;
mod run_json;

use std::fs::File;
use std::io::{self, BufReader, Read, Write as _};
use std::path::Path;

use crate::compress;
use crate::examples::Run;
use crate::input_problems::InputProblems;
use crate::redact::Redactor;
use crate::store::{StoreError, is_journal};

/// A run whose examples are read when they are needed.
pub struct StoredRun {
    /// The run.
    pub run: Box<Run>,
    /// The problems of its journal; empty for a `run.json`.
    pub problems: InputProblems,
}

/// Opens a `run.json` or a journal, compressed or not. Secrets are redacted in everything that is read.
pub fn open_run(path: &Path, redactor: &Redactor) -> Result<StoredRun, StoreError> {
    if is_journal(path) {
        return open_journal(path, redactor);
    }
    Ok(StoredRun {
        run: run_json::open(path, redactor)?,
        problems: InputProblems::default(),
    })
}

/// Opens the run that a journal contains. An incomplete last line is tolerated; other damage is recorded as a problem
/// and skipped.
pub fn open_journal(path: &Path, redactor: &Redactor) -> Result<StoredRun, StoreError> {
    let (run, problems) = journal::open(path, redactor)?;
    Ok(StoredRun {
        run: Box::new(run),
        problems,
    })
}

/// The content of a file, which is read once from beginning to end and then at any position. That of a compressed file
/// is copied to a temporary file meanwhile.
struct Content {
    file: File,
    decompressor: Option<Box<dyn Read + Send>>,
}

impl Content {
    fn open(path: &Path) -> io::Result<Content> {
        let decompressor = Some(compress::open(path)?).filter(|_| compress::is_compressed(path));
        let file = match decompressor {
            Some(_) => tempfile::tempfile()?,
            None => File::open(path)?,
        };
        Ok(Content { file, decompressor })
    }

    fn buffered(&mut self) -> BufReader<&mut Content> {
        BufReader::with_capacity(1 << 16, self)
    }
}

impl Read for Content {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let Some(decompressor) = &mut self.decompressor else {
            return self.file.read(buffer);
        };
        let length = decompressor.read(buffer)?;
        self.file.write_all(&buffer[..length])?;
        Ok(length)
    }
}
