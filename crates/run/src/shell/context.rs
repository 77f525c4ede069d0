//! What every process of a test needs, whichever test it is.

use std::fs::File;
use std::io::{self, Seek as _, Write as _};
use std::path::PathBuf;
use std::time::Instant;

use rustix::fs::{MemfdFlags, memfd_create};

use super::bash::Bash;
use crate::stop::StopToken;

/// How processes are started and watched. One per run, or per worker.
pub(crate) struct ProcessContext<'w> {
    pub(crate) bash: Bash,
    pub(crate) stop: &'w StopToken,
    pub(crate) instant: fn() -> Instant,
    /// How many bytes of each stream are kept.
    pub(crate) max_output: usize,
    /// Where files without a name are created.
    pub(crate) temporary: PathBuf,
}

impl ProcessContext<'_> {
    /// A file without a name that contains what a command is to read.
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
