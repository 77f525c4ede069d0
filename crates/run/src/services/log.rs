//! The output of services: a file that all processes of the run can read.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

/// At most this many bytes are read from the end of a log.
const MAX_READ: u64 = 1 << 20;
/// A message contains at most this many lines from the end of a log, and at most this many bytes.
const MESSAGE_LINES: usize = 10;
const MESSAGE_BYTES: usize = 2000;

/// What a service wrote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ServiceOutput {
    pub(crate) name: String,
    pub(crate) output: Vec<u8>,
    /// Whether the service runs only for the test.
    pub(crate) is_of_test: bool,
}

/// The directory with the logs of a suite's or a test's services, next to its temporary directory, in which tests may expect
/// only their own files.
pub(crate) fn logs_dir(dir: &Path) -> PathBuf {
    let mut name = OsString::from(dir);
    name.push("-services");
    name.into()
}

/// The log of a service.
pub(super) fn path(logs: &Path, service: &str) -> PathBuf {
    logs.join(format!("{service}.log"))
}

/// Creates the log of a service.
pub(super) fn create(path: &Path) -> io::Result<File> {
    File::options().append(true).create(true).open(path)
}

/// The size of a log in bytes.
pub(super) fn size(path: &Path) -> u64 {
    std::fs::metadata(path).map_or(0, |metadata| metadata.len())
}

/// What was written after this position; only the end of it if it is long.
pub(super) fn read_from(path: &Path, position: u64) -> Vec<u8> {
    let mut text = Vec::new();
    let mut read = || -> io::Result<()> {
        let mut file = File::open(path)?;
        let start = position.max(file.metadata()?.len().saturating_sub(MAX_READ));
        file.seek(SeekFrom::Start(start))?;
        file.take(MAX_READ).read_to_end(&mut text)?;
        Ok(())
    };
    // A log that cannot be read is shown as far as it was read.
    let _ = read();
    text
}

/// The last lines of a log, for a message; empty if there are none.
pub(super) fn end_of(path: &Path) -> String {
    let text = read_from(path, 0);
    let text = String::from_utf8_lossy(&text);
    let text = text.trim_end();
    let mut lines: Vec<&str> = text.lines().rev().take(MESSAGE_LINES).collect();
    lines.reverse();
    let joined = lines.join("\n");
    let start = joined.len().saturating_sub(MESSAGE_BYTES);
    let start = (start..joined.len()).find(|at| joined.is_char_boundary(*at));
    joined[start.unwrap_or(0)..].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_log_is_short() {
        let dir = tempfile::tempdir().unwrap();
        let path = path(dir.path(), "api");
        assert_eq!(end_of(&path), "");
        let lines: Vec<String> = (1..=100).map(|number| format!("line {number}")).collect();
        std::fs::write(&path, lines.join("\n") + "\n\n").unwrap();
        let end = end_of(&path);
        assert!(
            end.starts_with("line 91\n") && end.ends_with("line 100"),
            "{end}"
        );
        std::fs::write(&path, "ä".repeat(5000)).unwrap();
        assert_eq!(end_of(&path).len(), MESSAGE_BYTES);
    }

    #[test]
    fn only_the_end_of_a_huge_log_is_read() {
        let dir = tempfile::tempdir().unwrap();
        let path = path(dir.path(), "api");
        std::fs::write(&path, vec![b'x'; 3 << 20]).unwrap();
        assert_eq!(read_from(&path, 0).len(), 1 << 20);
        assert_eq!(read_from(&path, (3 << 20) - 5), b"xxxxx");
    }
}
