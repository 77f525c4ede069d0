//! [`LineProcess`]: a process that reads and writes lines, such as an agent.

use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags};
use rustix::fs::{OFlags, fcntl_setfl};
use rustix::pipe::{PipeFlags, pipe_with};

use super::capture::Retention;
use super::cleanup;
use super::command;
use super::context::ProcessContext;
use super::environment::Environment;
use super::pipe::PipeReader;
use super::process::{KillTarget, MonitoredProcess, Termination, WaitEvent, shell_code};
use super::process_tree::TEST_MARK;

/// The longest line that is read, in bytes.
const MAX_LINE_BYTES: usize = 16 << 20;
/// How many bytes of standard error are kept, from its end.
const TAIL: usize = 16 << 10;
/// How long a process that closed its output has to exit, so that its exit code is known.
const NOTICE: Duration = Duration::from_millis(500);
/// How long it has to exit after its standard input was closed.
const EXIT_TIMEOUT: Duration = Duration::from_millis(500);
const BUFFER: usize = 1 << 14;

/// A process that reads and writes lines.
pub(crate) struct LineProcess<'w> {
    process: MonitoredProcess<'w>,
    stdin: Option<File>,
    unsent: Vec<u8>,
    stdout: Option<File>,
    unread: LineBuffer,
    instant: fn() -> Instant,
}

/// What [`LineProcess::receive`] returns.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum LineEvent {
    Line(Vec<u8>),
    /// More than [`LineProcess::LONGEST`] bytes without a newline.
    TooLong,
    /// It closed its output, but is still running.
    Closed,
    /// It exited.
    Ended,
    /// It must be terminated.
    Terminate(Termination),
}

/// How a [`LineProcess`] ended.
#[derive(Debug, Clone, Default)]
pub(crate) struct ExitedProcess {
    /// As in `$?`; `None` if it was terminated.
    pub(crate) exit_code: Option<i32>,
    /// The signal that killed it.
    pub(crate) signal: Option<i32>,
    /// The end of its standard error.
    pub(crate) stderr: Vec<u8>,
    /// Output that was not read.
    pub(crate) unread: Vec<u8>,
}

impl<'w> LineProcess<'w> {
    /// The longest line that is read, in bytes.
    pub(crate) const LONGEST: usize = MAX_LINE_BYTES;

    /// Starts a script like `bash -c`.
    pub(crate) fn start(
        context: &ProcessContext<'w>,
        script: &str,
        environment: &Environment,
        dir: &Path,
    ) -> io::Result<LineProcess<'w>> {
        let (reading, stdin) = pipe_with(PipeFlags::CLOEXEC)?;
        let (stdout, writing) = pipe_with(PipeFlags::CLOEXEC)?;
        fcntl_setfl(&stdin, OFlags::NONBLOCK)?;
        fcntl_setfl(&stdout, OFlags::NONBLOCK)?;
        let (mut stderr, error_writer): (_, OwnedFd) = PipeReader::piped()?;
        stderr.captured.keeps = Retention::Tail;
        let streams = [reading.as_fd(), writing.as_fd(), error_writer.as_fd()];
        let mut files = Vec::new();
        let script = context.script_argument(script, &mut files)?;
        let pid = command::start(&context.bash, &script, environment, streams, dir)?;
        drop((reading, writing, error_writer));
        let instant = context.instant;
        let mut process = MonitoredProcess::begin(pid, vec![stderr], TAIL, context.stop, instant)?;
        process.keep_open(files);
        Ok(LineProcess {
            process,
            stdin: Some(stdin.into()),
            unsent: Vec::new(),
            stdout: Some(stdout.into()),
            unread: LineBuffer::default(),
            instant,
        })
    }

    /// Its exit code as in `$?`, and the signal that killed it; `None` while it runs.
    pub(crate) fn ended(&self) -> Option<(i32, Option<i32>)> {
        let status = self.process.status()?;
        Some((shell_code(status), status.signal()))
    }

    /// Queues a line, which [`LineProcess::receive`] sends.
    pub(crate) fn send_line(&mut self, line: &[u8]) {
        self.unsent.extend_from_slice(line);
        self.unsent.push(b'\n');
    }

    /// Sends queued lines and waits for the next event.
    pub(crate) fn receive(&mut self, until: Option<Instant>) -> io::Result<LineEvent> {
        loop {
            if let Some(line) = self.unread.line() {
                return Ok(LineEvent::Line(line));
            }
            if self.unread.len() > MAX_LINE_BYTES {
                return Ok(LineEvent::TooLong);
            }
            if self.process.status().is_some() {
                return Ok(self.last_line());
            }
            if self.stdout.is_none() {
                return self.closed();
            }
            self.send();
            match self.wait(until)? {
                WaitEvent::ControlReadable => self.read(),
                WaitEvent::Ended => while self.read_some() {},
                wake => {
                    if let Some(termination) = wake.termination() {
                        return Ok(LineEvent::Terminate(termination));
                    }
                }
            }
        }
    }

    /// The last line, if it has no newline; then `Ended`.
    fn last_line(&mut self) -> LineEvent {
        match std::mem::take(&mut self.unread).rest() {
            line if line.is_empty() => LineEvent::Ended,
            line => LineEvent::Line(line),
        }
    }

    /// Waits briefly for the exit of a process that closed its output.
    fn closed(&mut self) -> io::Result<LineEvent> {
        let until = (self.instant)() + NOTICE;
        loop {
            match self.process.wait(Some(until), None)? {
                WaitEvent::Ended => return Ok(self.last_line()),
                WaitEvent::DeadlinePassed => return Ok(LineEvent::Closed),
                wake => {
                    if let Some(termination) = wake.termination() {
                        return Ok(LineEvent::Terminate(termination));
                    }
                }
            }
        }
    }

    fn wait(&mut self, until: Option<Instant>) -> io::Result<WaitEvent> {
        let mut fds = Vec::with_capacity(2);
        let stdout = self.stdout.as_ref();
        fds.extend(stdout.map(|stdout| PollFd::new(stdout, PollFlags::IN)));
        let stdin = self.stdin.as_ref().filter(|_| !self.unsent.is_empty());
        fds.extend(stdin.map(|stdin| PollFd::new(stdin, PollFlags::OUT)));
        self.process.wait_with(until, &fds)
    }

    /// Sends as much as the pipe takes. Errors are ignored, because a process that does not read may still write.
    fn send(&mut self) {
        let Some(stdin) = self.stdin.as_mut() else {
            return self.unsent.clear();
        };
        while !self.unsent.is_empty() {
            match stdin.write(&self.unsent) {
                Ok(sent) => drop(self.unsent.drain(..sent)),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return,
                Err(_) => {
                    self.stdin = None;
                    return self.unsent.clear();
                }
            }
        }
    }

    fn read(&mut self) {
        self.read_some();
    }

    /// Reads once without blocking. Returns whether there may be more.
    fn read_some(&mut self) -> bool {
        let Some(stdout) = self.stdout.as_mut() else {
            return false;
        };
        let mut buffer = [0; BUFFER];
        match stdout.read(&mut buffer) {
            Ok(0) => self.stdout = None,
            Ok(read) => self.unread.bytes.extend_from_slice(&buffer[..read]),
            Err(error) => match error.kind() {
                io::ErrorKind::Interrupted => {}
                io::ErrorKind::WouldBlock => return false,
                _ => self.stdout = None,
            },
        }
        self.stdout.is_some() && self.unread.len() <= MAX_LINE_BYTES
    }

    /// Closes standard input and waits for the exit, or terminates the process; then terminates all it left running.
    pub(crate) fn shut_down(mut self, mark: &Path, immediately: bool) -> io::Result<ExitedProcess> {
        self.stdin = None;
        self.unsent.clear();
        let until = (self.instant)() + EXIT_TIMEOUT;
        while !immediately && self.process.status().is_none() && self.unread.len() <= MAX_LINE_BYTES
        {
            match self.wait(Some(until))? {
                WaitEvent::ControlReadable => self.read(),
                WaitEvent::Ended => while self.read_some() {},
                wake if wake.termination().is_some() => break,
                _ => {}
            }
        }
        let exit_status = self.process.status();
        self.stdout = None;
        self.process
            .terminate(&KillTarget::Group(self.process.pid()))?;
        cleanup::drain_output(&mut self.process, self.instant)?;
        cleanup::kill_leftovers(&mut self.process, TEST_MARK, mark.as_os_str())?;
        let stderr = self.process.take_captured().pop().unwrap_or_default();
        Ok(ExitedProcess {
            exit_code: exit_status.map(shell_code),
            signal: exit_status.and_then(|status| status.signal()),
            stderr: stderr.bytes,
            unread: self.unread.rest(),
        })
    }
}

/// Bytes that were received but not yet returned as lines.
#[derive(Default)]
struct LineBuffer {
    bytes: Vec<u8>,
    /// The number of bytes already returned.
    consumed: usize,
    /// How many of the following bytes are known to contain no newline.
    scanned: usize,
}

impl LineBuffer {
    fn len(&self) -> usize {
        self.bytes.len() - self.consumed
    }

    fn line(&mut self) -> Option<Vec<u8>> {
        let rest = &self.bytes[self.consumed..];
        let end = rest[self.scanned..].iter().position(|byte| *byte == b'\n');
        let Some(end) = end.map(|end| self.scanned + end) else {
            // Bytes are moved only here, so that many lines at once stay cheap.
            self.bytes.drain(..self.consumed);
            (self.consumed, self.scanned) = (0, self.bytes.len());
            return None;
        };
        let line = rest[..end].to_vec();
        (self.consumed, self.scanned) = (self.consumed + end + 1, 0);
        Some(line)
    }

    fn rest(mut self) -> Vec<u8> {
        self.bytes.split_off(self.consumed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_one_by_one_however_they_arrive() {
        let mut unread = LineBuffer::default();
        let mut lines = Vec::new();
        for piece in ["a", "b\nc\n\nd", "", "e\n", "f"] {
            unread.bytes.extend_from_slice(piece.as_bytes());
            while let Some(line) = unread.line() {
                lines.push(String::from_utf8(line).unwrap());
            }
        }
        assert_eq!(lines, ["ab", "c", "", "de"]);
        assert_eq!((unread.len(), unread.rest()), (1, b"f".to_vec()));
    }
}
