//! Workers on this machine: processes with one end of a private socket as their standard input.

use std::io::{self, Read as _, Write as _};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

use rustix::process::Pid;

use super::link::{Link, LinkError, MAX_LINE, Transport};
use crate::os::poll::is_readable;
use crate::os::signal_name;

/// Starts this program again, as `casebook worker`.
#[derive(Debug)]
pub struct LocalTransport {
    /// The program.
    pub program: PathBuf,
}

impl Transport for LocalTransport {
    fn start(&self, _number: usize) -> io::Result<Box<dyn Link>> {
        let (ours, theirs) = UnixStream::pair()?;
        // In a group of its own: Ctrl-C is the controller's to handle.
        let worker = Command::new(&self.program)
            .arg("worker")
            .stdin(OwnedFd::from(theirs))
            .stdout(Stdio::null())
            .process_group(0)
            .spawn()?;
        Ok(Box::new(LocalLink {
            channel: LineSocket::new(ours),
            worker,
        }))
    }
}

/// The channel that a worker was started with.
pub fn socket_from_stdin(stdin: impl AsFd) -> io::Result<LineSocket> {
    let socket = stdin.as_fd().try_clone_to_owned()?;
    Ok(LineSocket::new(UnixStream::from(socket)))
}

struct LocalLink {
    channel: LineSocket,
    worker: Child,
}

impl Link for LocalLink {
    fn send(&mut self, lines: &[u8]) -> Result<(), LinkError> {
        self.channel.send(lines)
    }

    fn receive(&mut self, timeout: Duration) -> Result<Option<&str>, LinkError> {
        self.channel.receive(timeout)
    }

    fn has_more(&self) -> bool {
        self.channel.has_more()
    }

    fn end(&mut self) -> Option<String> {
        // One that has ended already cannot be killed, and has its own reason.
        if matches!(self.worker.try_wait(), Ok(None)) {
            let _ = self.worker.kill();
        }
        self.worker.wait().ok().map(describe)
    }

    fn process(&self) -> Option<Pid> {
        Some(Pid::from_child(&self.worker))
    }
}

impl Drop for LocalLink {
    fn drop(&mut self) {
        self.end();
    }
}

fn describe(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("it ended with exit code {code}"),
        (None, Some(number)) => format!("it was ended by {}", signal_name::name(number)),
        (None, None) => "it ended".to_owned(),
    }
}

/// Lines over a socket.
#[derive(Debug)]
pub struct LineSocket {
    socket: UnixStream,
    buffer: Vec<u8>,
    /// Where the line begins that comes next, and how far it is known to have no end.
    start: usize,
    searched: usize,
    timeout: Option<Duration>,
}

impl LineSocket {
    fn new(socket: UnixStream) -> LineSocket {
        LineSocket {
            socket,
            buffer: Vec::new(),
            start: 0,
            searched: 0,
            timeout: None,
        }
    }

    /// Another way to send on the same channel.
    pub(crate) fn sender(&self) -> io::Result<UnixStream> {
        self.socket.try_clone()
    }

    fn send(&mut self, lines: &[u8]) -> Result<(), LinkError> {
        self.socket.write_all(lines).map_err(gone)
    }

    pub(crate) fn receive(&mut self, timeout: Duration) -> Result<Option<&str>, LinkError> {
        if self.timeout != Some(timeout) {
            self.socket.set_read_timeout(Some(timeout))?;
            self.timeout = Some(timeout);
        }
        let end = loop {
            if let Some(end) = memchr::memchr(b'\n', &self.buffer[self.searched..]) {
                break self.searched + end;
            }
            self.searched = self.buffer.len();
            if self.searched - self.start > MAX_LINE {
                return Err(LinkError::TooLong);
            }
            if !self.read_more()? {
                return Ok(None);
            }
        };
        let line = self.start..end;
        self.start = end + 1;
        self.searched = self.start;
        std::str::from_utf8(&self.buffer[line])
            .map(Some)
            .map_err(|_| LinkError::NotText)
    }

    /// Whether another line has come already.
    fn has_more(&self) -> bool {
        memchr::memchr(b'\n', &self.buffer[self.searched..]).is_some()
    }

    /// Whether something has come, or the other side is gone.
    pub(crate) fn is_readable(&self) -> bool {
        self.has_more() || is_readable(&self.socket)
    }

    /// Reads what comes; false when nothing came in time.
    fn read_more(&mut self) -> Result<bool, LinkError> {
        // Lines that were taken make room.
        self.buffer.drain(..self.start);
        self.searched -= self.start;
        self.start = 0;
        let mut piece = [0; 1 << 14];
        match self.socket.read(&mut piece) {
            Ok(0) => Err(LinkError::Closed),
            Ok(read) => {
                self.buffer.extend_from_slice(&piece[..read]);
                Ok(true)
            }
            Err(error) => match error.kind() {
                io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => Ok(false),
                io::ErrorKind::Interrupted => Ok(true),
                _ => Err(gone(error)),
            },
        }
    }
}

fn gone(error: io::Error) -> LinkError {
    match error.kind() {
        io::ErrorKind::BrokenPipe | io::ErrorKind::ConnectionReset => LinkError::Closed,
        _ => LinkError::Io(error),
    }
}
