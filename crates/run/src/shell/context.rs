//! [`ProcessContext`]: what every process of a test requires.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Seek as _, Write as _};
use std::path::PathBuf;
use std::time::Instant;

use rustix::fs::{MemfdFlags, memfd_create};

use super::bash::Bash;
use super::pipe::path_of;
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

/// A longer script is passed in a file: Linux limits an argument to 128 KiB, other systems limit all of them together.
const MAX_ARGUMENT: usize = 100_000;

impl ProcessContext<'_> {
    /// The script as an argument of bash. A long one is read from a file, which must stay open while it runs.
    pub(crate) fn script_argument<'s>(
        &self,
        script: &'s str,
        files: &mut Vec<File>,
    ) -> io::Result<Cow<'s, str>> {
        if script.len() <= MAX_ARGUMENT {
            return Ok(script.into());
        }
        let file = self.stdin(script)?;
        let argument = format!("eval \"$(<{})\"", path_of(&file).display());
        files.push(file);
        Ok(argument.into())
    }

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
