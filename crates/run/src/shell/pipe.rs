//! [`PipeReader`]: the read end of a pipe from a command.

use std::fs::File;
use std::io::{self, Read as _};
use std::os::fd::{AsFd as _, AsRawFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::fs::{OFlags, fcntl_setfl};
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::getpid;

use super::capture::Captured;
use crate::shell::terminal::Emulator;

/// At most this many reads in a row, so that other streams are read too.
const READS: usize = 64;
const BUFFER: usize = 1 << 14;

/// The read end of a pipe, and the output captured from it.
pub(crate) struct PipeReader {
    reading: Option<File>,
    /// The write end, kept open while other processes may open it by path.
    writing: Option<OwnedFd>,
    pub(crate) captured: Captured,
    /// Set if it is not a pipe but our side of a terminal.
    terminal: Option<Box<TerminalSide>>,
}

struct TerminalSide {
    /// The path of the other side.
    path: String,
    emulator: Emulator,
}

impl PipeReader {
    /// Creates a pipe; returns its write end for a process.
    pub(crate) fn piped() -> io::Result<(PipeReader, OwnedFd)> {
        let (reading, writing) = pipe_with(PipeFlags::CLOEXEC)?;
        // Sets only the read end non-blocking: the two ends do not share their flags.
        fcntl_setfl(&reading, OFlags::NONBLOCK)?;
        let source = PipeReader {
            reading: Some(reading.into()),
            writing: None,
            captured: Captured::default(),
            terminal: None,
        };
        Ok((source, writing))
    }

    /// Reads from our side of a terminal. `path` is that of the other side.
    pub(crate) fn terminal(master: OwnedFd, path: &Path, emulator: Emulator) -> PipeReader {
        PipeReader {
            reading: Some(master.into()),
            writing: None,
            captured: Captured::default(),
            terminal: Some(Box::new(TerminalSide {
                path: path.display().to_string(),
                emulator,
            })),
        }
    }

    /// The terminal that it reads from.
    pub(super) fn emulator(&mut self) -> Option<&mut Emulator> {
        let terminal = self.terminal.as_mut();
        terminal.map(|terminal| &mut terminal.emulator)
    }

    /// Creates a pipe; returns a path by which another process of this user can open the write end until it is
    /// released.
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

    /// The name of the pipe or terminal in `/proc`, while it is open.
    pub(super) fn name(&self) -> Option<String> {
        let reading = self.reading.as_ref()?;
        if let Some(terminal) = &self.terminal {
            return Some(terminal.path.clone());
        }
        let link = std::fs::read_link(path_of(reading)).ok()?;
        link.into_os_string().into_string().ok()
    }

    /// Reads what is available, without blocking.
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
                    if let Some(terminal) = &mut self.terminal {
                        terminal.emulator.feed(&buffer[..read]);
                    }
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

/// The path by which other processes of this user can open one of our descriptors.
pub(crate) fn path_of(file: &impl AsRawFd) -> PathBuf {
    format!("/proc/{}/fd/{}", getpid(), file.as_raw_fd()).into()
}
