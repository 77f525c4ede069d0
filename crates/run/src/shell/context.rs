//! [`ProcessContext`]: what every process of a test requires.

use std::fs::File;
use std::io::{self, Seek as _, Write as _};
use std::path::PathBuf;
use std::time::Instant;

use rustix::fs::{MemfdFlags, memfd_create};

use super::bash::Bash;
use crate::stop::StopToken;

/// How processes are started and monitored. One per run or worker.
pub(crate) struct ProcessContext<'w> {
    pub(crate) bash: Bash,
    pub(crate) stop: &'w StopToken,
    pub(crate) instant: fn() -> Instant,
    /// How many bytes of each stream are kept.
    pub(crate) max_output: usize,
    /// Where unnamed files are created.
    pub(crate) temporary: PathBuf,
}

impl ProcessContext<'_> {
    /// Creates an unnamed file with the standard input of a command.
    pub(crate) fn stdin(&self, text: &str) -> io::Result<File> {
        let file = match memfd_create("stdin", MemfdFlags::CLOEXEC) {
            Ok(file) => File::from(file),
            Err(_) => tempfile::tempfile_in(&self.temporary)?,
        };
        (&file).write_all(text.as_bytes())?;
        (&file).rewind()?;
        Ok(file)
    }
}
