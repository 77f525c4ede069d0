//! [`LocalTransport`]: workers on this machine, with one end of a private socket as standard input.

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

/// Starts this program as `casebook worker`.
#[derive(Debug)]
pub struct LocalTransport {
    /// The path of the program.
    pub program: PathBuf,
}

impl Transport for LocalTransport {
    fn start(&self, _number: usize) -> io::Result<Box<dyn Link>> {
        let (ours, theirs) = UnixStream::pair()?;
        // A separate process group, because the controller handles Ctrl-C.
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

/// The connection that a worker was started with.
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
        // A worker that already exited is not killed, so that its own status is reported.
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
        (Some(code), _) => format!("it exited with code {code}"),
        (None, Some(number)) => format!("it was killed by {}", signal_name::name(number)),
        (None, None) => "it exited".to_owned(),
    }
}

/// Sends and receives lines over a socket.
#[derive(Debug)]
pub struct LineSocket {
    socket: UnixStream,
    buffer: Vec<u8>,
    /// The start of the next line, and the end of the bytes that contain no newline.
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

    /// A second handle for sending.
    pub(crate) fn sender(&self) -> io::Result<UnixStream> {
        self.socket.try_clone()
    }

    fn send(&mut self, lines: &[u8]) -> Result<(), LinkError> {
        self.socket.write_all(lines).map_err(link_error)
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

    /// Whether another line is already buffered.
    fn has_more(&self) -> bool {
        memchr::memchr(b'\n', &self.buffer[self.searched..]).is_some()
    }

    /// Whether a line is buffered or the socket is readable, also because it was closed.
    pub(crate) fn is_readable(&self) -> bool {
        self.has_more() || is_readable(&self.socket)
    }

    /// Reads once; false if nothing arrived in time.
    fn read_more(&mut self) -> Result<bool, LinkError> {
        // Lines that were returned make room.
        self.buffer.drain(..self.start);
        self.searched -= self.start;
        self.start = 0;
        let mut chunk = [0; 1 << 14];
        match self.socket.read(&mut chunk) {
            Ok(0) => Err(LinkError::Closed),
            Ok(read) => {
                self.buffer.extend_from_slice(&chunk[..read]);
                Ok(true)
            }
            Err(error) => match error.kind() {
                io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => Ok(false),
                io::ErrorKind::Interrupted => Ok(true),
                _ => Err(link_error(error)),
            },
        }
    }
}

fn link_error(error: io::Error) -> LinkError {
    match error.kind() {
        io::ErrorKind::BrokenPipe | io::ErrorKind::ConnectionReset => LinkError::Closed,
        _ => LinkError::Io(error),
    }
}
