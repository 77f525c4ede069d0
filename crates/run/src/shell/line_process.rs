//! A process that is spoken to: lines to its standard input, lines from its standard output.

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

/// The longest line that is read.
const MAX_LINE_BYTES: usize = 16 << 20;
/// So much of the end of its standard error is kept.
const TAIL: usize = 16 << 10;
/// How long a process that has closed its output has to end, so that it is known how.
const NOTICE: Duration = Duration::from_millis(500);
/// How long it has to end when nobody speaks to it any more.
const FAREWELL: Duration = Duration::from_millis(500);
const BUFFER: usize = 1 << 14;

/// A process that is spoken to.
pub(crate) struct LineProcess<'w> {
    watched: MonitoredProcess<'w>,
    stdin: Option<File>,
    unsent: Vec<u8>,
    stdout: Option<File>,
    unread: LineBuffer,
    instant: fn() -> Instant,
}

/// What came instead of silence.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum LineEvent {
    Line(Vec<u8>),
    /// More than [`LONGEST`] without an end.
    TooLong,
    /// It says nothing more, and goes on.
    Closed,
    /// It has ended.
    Ended,
    /// It has to be ended.
    Cut(Termination),
}

/// A process that was spoken to, when it is over.
#[derive(Debug, Clone, Default)]
pub(crate) struct ExitedProcess {
    /// As a shell has it in `$?`; none if nobody knows.
    pub(crate) exit_code: Option<i32>,
    /// The signal that ended it.
    pub(crate) signal: Option<i32>,
    /// The end of its standard error.
    pub(crate) stderr: Vec<u8>,
    /// What it said that nobody has heard.
    pub(crate) unheard: Vec<u8>,
}

impl<'w> LineProcess<'w> {
    /// The longest line that is read.
    pub(crate) const LONGEST: usize = MAX_LINE_BYTES;

    /// Starts what `bash -c` runs.
    pub(crate) fn start(
        context: &ProcessContext<'w>,
        script: &str,
        environment: &Environment,
        folder: &Path,
    ) -> io::Result<LineProcess<'w>> {
        let (reading, stdin) = pipe_with(PipeFlags::CLOEXEC)?;
        let (stdout, writing) = pipe_with(PipeFlags::CLOEXEC)?;
        fcntl_setfl(&stdin, OFlags::NONBLOCK)?;
        fcntl_setfl(&stdout, OFlags::NONBLOCK)?;
        let (mut stderr, complaining): (_, OwnedFd) = PipeReader::piped()?;
        stderr.captured.keeps = Retention::Tail;
        let streams = [reading.as_fd(), writing.as_fd(), complaining.as_fd()];
        let pid = command::start(&context.bash, script, environment, streams, folder)?;
        drop((reading, writing, complaining));
        let instant = context.instant;
        Ok(LineProcess {
            watched: MonitoredProcess::begin(pid, vec![stderr], TAIL, context.stop, instant)?,
            stdin: Some(stdin.into()),
            unsent: Vec::new(),
            stdout: Some(stdout.into()),
            unread: LineBuffer::default(),
            instant,
        })
    }

    /// Its exit code as a shell has it, and the signal that ended it.
    pub(crate) fn ended(&self) -> Option<(i32, Option<i32>)> {
        let status = self.watched.status()?;
        Some((shell_code(status), status.signal()))
    }

    /// Says a line. It is on its way when the next one is listened for.
    pub(crate) fn send_line(&mut self, line: &[u8]) {
        self.unsent.extend_from_slice(line);
        self.unsent.push(b'\n');
    }

    /// The next thing that happens.
    pub(crate) fn receive(&mut self, until: Option<Instant>) -> io::Result<LineEvent> {
        loop {
            if let Some(line) = self.unread.line() {
                return Ok(LineEvent::Line(line));
            }
            if self.unread.len() > MAX_LINE_BYTES {
                return Ok(LineEvent::TooLong);
            }
            if self.watched.status().is_some() {
                return Ok(self.last_words());
            }
            if self.stdout.is_none() {
                return self.closed();
            }
            self.send();
            match self.wait(until)? {
                WaitEvent::ControlReadable => self.read(),
                WaitEvent::Ended => while self.read_some() {},
                wake => {
                    if let Some(cut) = wake.cut() {
                        return Ok(LineEvent::Cut(cut));
                    }
                }
            }
        }
    }

    /// What it said without ending the line, and then that it has ended.
    fn last_words(&mut self) -> LineEvent {
        match std::mem::take(&mut self.unread).rest() {
            words if words.is_empty() => LineEvent::Ended,
            words => LineEvent::Line(words),
        }
    }

    /// It may be about to end.
    fn closed(&mut self) -> io::Result<LineEvent> {
        let until = (self.instant)() + NOTICE;
        loop {
            match self.watched.wait(Some(until), None)? {
                WaitEvent::Ended => return Ok(self.last_words()),
                WaitEvent::DeadlinePassed => return Ok(LineEvent::Closed),
                wake => {
                    if let Some(cut) = wake.cut() {
                        return Ok(LineEvent::Cut(cut));
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
        self.watched.wait_with(until, &fds)
    }

    /// Sends as much as it takes. One that does not listen may answer all the same.
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

    /// Takes what there is; whether there may be more.
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

    /// Says no more and waits for its end, or brings that about; with it, all that it left running is ended.
    pub(crate) fn shut_down(mut self, mark: &Path, hurry: bool) -> io::Result<ExitedProcess> {
        self.stdin = None;
        self.unsent.clear();
        let until = (self.instant)() + FAREWELL;
        while !hurry && self.watched.status().is_none() && self.unread.len() <= MAX_LINE_BYTES {
            match self.wait(Some(until))? {
                WaitEvent::ControlReadable => self.read(),
                WaitEvent::Ended => while self.read_some() {},
                wake if wake.cut().is_some() => break,
                _ => {}
            }
        }
        let ended_itself = self.watched.status();
        self.stdout = None;
        self.watched
            .terminate(&KillTarget::Group(self.watched.pid()))?;
        cleanup::drain_output(&mut self.watched, self.instant)?;
        cleanup::kill_leftovers(&mut self.watched, TEST_MARK, mark.as_os_str())?;
        let stderr = self.watched.take_captured().pop().unwrap_or_default();
        Ok(ExitedProcess {
            exit_code: ended_itself.map(shell_code),
            signal: ended_itself.and_then(|status| status.signal()),
            stderr: stderr.bytes,
            unheard: self.unread.rest(),
        })
    }
}

/// What was said and not yet heard.
#[derive(Default)]
struct LineBuffer {
    bytes: Vec<u8>,
    /// So much of it has been heard.
    heard: usize,
    /// So much of it, after that, holds no end of a line.
    scanned: usize,
}

impl LineBuffer {
    fn len(&self) -> usize {
        self.bytes.len() - self.heard
    }

    fn line(&mut self) -> Option<Vec<u8>> {
        let rest = &self.bytes[self.heard..];
        let end = rest[self.scanned..].iter().position(|byte| *byte == b'\n');
        let Some(end) = end.map(|end| self.scanned + end) else {
            // Only now is anything moved, however many lines came at once.
            self.bytes.drain(..self.heard);
            (self.heard, self.scanned) = (0, self.bytes.len());
            return None;
        };
        let line = rest[..end].to_vec();
        (self.heard, self.scanned) = (self.heard + end + 1, 0);
        Some(line)
    }

    fn rest(mut self) -> Vec<u8> {
        self.bytes.split_off(self.heard)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_heard_one_by_one_wherever_they_were_cut() {
        let mut unread = LineBuffer::default();
        let mut heard = Vec::new();
        for piece in ["a", "b\nc\n\nd", "", "e\n", "f"] {
            unread.bytes.extend_from_slice(piece.as_bytes());
            while let Some(line) = unread.line() {
                heard.push(String::from_utf8(line).unwrap());
            }
        }
        assert_eq!(heard, ["ab", "c", "", "de"]);
        assert_eq!((unread.len(), unread.rest()), (1, b"f".to_vec()));
    }
}
