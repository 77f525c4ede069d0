//! The pipe between a command and us.

use std::fs::File;
use std::io::{self, Read as _};
use std::os::fd::{AsFd as _, AsRawFd, BorrowedFd, OwnedFd};
use std::path::PathBuf;

use rustix::fs::{OFlags, fcntl_setfl};
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::getpid;

use super::capture::Captured;

/// At most so many reads in a row: others want to be looked after too.
const READS: usize = 64;
const BUFFER: usize = 1 << 14;

/// The reading end of a pipe, and what came through it.
pub(crate) struct PipeReader {
    reading: Option<File>,
    /// Kept for whoever opens it by its path.
    writing: Option<OwnedFd>,
    pub(crate) captured: Captured,
}

impl PipeReader {
    /// A pipe, and its writing end to be given to a process.
    pub(crate) fn piped() -> io::Result<(PipeReader, OwnedFd)> {
        let (reading, writing) = pipe_with(PipeFlags::CLOEXEC)?;
        // Ours alone: the two ends do not share their flags.
        fcntl_setfl(&reading, OFlags::NONBLOCK)?;
        let source = PipeReader {
            reading: Some(reading.into()),
            writing: None,
            captured: Captured::default(),
        };
        Ok((source, writing))
    }

    /// A pipe, and a path by which another process of this user can open its writing end until it is released.
    pub(crate) fn named() -> io::Result<(PipeReader, PathBuf)> {
        let (mut source, writing) = PipeReader::piped()?;
        let path = path_of(&writing);
        source.writing = Some(writing);
        Ok((source, path))
    }

    pub(super) fn release(&mut self) {
        self.writing = None;
    }

    pub(super) fn is_closed(&self) -> bool {
        self.reading.is_none()
    }

    pub(super) fn fd(&self) -> Option<BorrowedFd<'_>> {
        self.reading.as_ref().map(File::as_fd)
    }

    /// What `/proc` calls the pipe, while it is open.
    pub(super) fn name(&self) -> Option<String> {
        let reading = self.reading.as_ref()?;
        let link = std::fs::read_link(path_of(reading)).ok()?;
        link.into_os_string().into_string().ok()
    }

    /// Takes what there is, without waiting for more.
    pub(super) fn read(&mut self, limit: usize) {
        let Some(reading) = &mut self.reading else {
            return;
        };
        let mut buffer = [0; BUFFER];
        for _ in 0..READS {
            match reading.read(&mut buffer) {
                Ok(0) => return self.reading = None,
                Ok(read) => {
                    self.captured.take(&buffer[..read], limit);
                    if read < BUFFER {
                        return;
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return,
                Err(_) => return self.reading = None,
            }
        }
    }
}

/// Where other processes of this user find an open file of ours.
pub(crate) fn path_of(file: &impl AsRawFd) -> PathBuf {
    format!("/proc/{}/fd/{}", getpid(), file.as_raw_fd()).into()
}
