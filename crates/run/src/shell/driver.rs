//! Starts the shell that runs hooks: `setup` and `teardown` of a test, or `setupFile` and `teardownFile` of a suite.
//! Both hooks run in one shell, as in Bats: `teardown` sees the variables of `setup`.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::fs::FileExt as _;
use std::os::unix::net::UnixStream;
use std::path::Path;

use rustix::process::Pid;

use super::bash::Bash;
use super::environment::Environment;

/// A hook is a function, so that `local` and `return` work in it. It is defined in the first line of the script: bash adds
/// the number of this line to those in the messages about the hook.
const DRIVER: &str = concat!(
    r#"__casebook_define() { eval "$1() { :;$2"$'\n}'; }"#,
    "\n",
    include_str!("driver.bash")
);

/// The command that runs between the hooks, and its streams.
pub(crate) struct HookedCommand<'a> {
    pub(crate) command: &'a str,
    pub(crate) stdout: &'a Path,
    /// `None` writes standard error to `stdout`.
    pub(crate) stderr: Option<&'a Path>,
    pub(crate) stdin: &'a Path,
    /// The working directory; `None` for that of the shell after `setup`.
    pub(crate) dir: Option<&'a Path>,
}

/// A message of the driver script.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DriverMessage {
    /// The traps are set: the shell can be terminated and then still runs the teardown.
    Ready,
    /// `setup` has finished, and this process executes the command.
    Command(Pid),
    /// The command exited with this status.
    Ended(i32),
    /// `setup` ended early with this status.
    LeftSetup(i32),
    /// The working directory of the command does not exist.
    DirectoryMissing,
    /// Everything before the teardown is done.
    LeftCommand,
    /// The teardown ran to its end.
    Done,
}

/// The connection to a driver script.
pub(crate) struct DriverConnection {
    channel: UnixStream,
    /// A duplicate of `channel`, for polling.
    fd: OwnedFd,
    unread: Vec<u8>,
    /// Whether the driver closed the connection.
    is_over: bool,
    log: File,
}

/// Starts a driver script, and returns the connection to it.
pub(crate) fn driver(
    bash: &Bash,
    hooks: [&str; 2],
    between: &HookedCommand<'_>,
    environment: &Environment,
    dir: &Path,
    log: File,
) -> io::Result<(Pid, DriverConnection)> {
    let (ours, theirs) = UnixStream::pair()?;
    ours.set_nonblocking(true)?;
    let path = |path: Option<&'_ Path>| path.map_or_else(|| OsStr::new("").to_owned(), Into::into);
    let driver = bash
        .own_script(DRIVER)
        .arg("casebook")
        .args(hooks)
        .arg(between.command)
        .arg(between.stdout)
        .arg(path(between.stderr))
        .arg(between.stdin)
        .arg(path(between.dir))
        .arg(bash.path());
    let streams = [theirs.as_fd(), log.as_fd(), log.as_fd()];
    let pid = driver.start(environment, streams, dir)?;
    let control = DriverConnection {
        fd: ours.try_clone()?.into(),
        channel: ours,
        unread: Vec::new(),
        is_over: false,
        log,
    };
    Ok((pid, control))
}

impl DriverConnection {
    /// The file with the output of the hooks, for reuse.
    pub(crate) fn into_log(self) -> File {
        self.log
    }

    /// The descriptor to poll; `None` if the driver closed the connection.
    pub(crate) fn fd(&self) -> Option<&OwnedFd> {
        (!self.is_over).then_some(&self.fd)
    }

    /// The next message; `None` if there is none yet.
    pub(crate) fn step(&mut self) -> Option<DriverMessage> {
        loop {
            if let Some(end) = self.unread.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = self.unread.drain(..=end).collect();
                if let Some(step) = String::from_utf8(line)
                    .ok()
                    .and_then(|line| parse_message(&line))
                {
                    return Some(step);
                }
                continue;
            }
            let mut buffer = [0; 256];
            match self.channel.read(&mut buffer) {
                Ok(read) if read > 0 => self.unread.extend_from_slice(&buffer[..read]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return None,
                _ => {
                    self.is_over = true;
                    return None;
                }
            }
        }
    }

    /// Lets the driver continue. Errors are ignored, because it may have exited.
    pub(crate) fn resume(&mut self) {
        let _ = self.channel.write_all(b"go\n");
    }

    /// The output of the hooks since `from`, at most its last `limit` bytes.
    pub(crate) fn written(&self, from: u64, limit: u64) -> Vec<u8> {
        let end = self.position();
        let start = from.max(end.saturating_sub(limit));
        let mut bytes = vec![0; usize::try_from(end - start).unwrap_or_default()];
        let read = self.log.read_at(&mut bytes, start).unwrap_or_default();
        bytes.truncate(read);
        bytes
    }

    /// The size of the hooks' output so far, in bytes.
    pub(crate) fn position(&self) -> u64 {
        self.log.metadata().map_or(0, |metadata| metadata.len())
    }
}

fn parse_message(line: &str) -> Option<DriverMessage> {
    let words: Vec<_> = line.split_whitespace().collect();
    match words.as_slice() {
        ["ready"] => Some(DriverMessage::Ready),
        ["command", pid] => Some(DriverMessage::Command(Pid::from_raw(pid.parse().ok()?)?)),
        ["ended", status] => Some(DriverMessage::Ended(status.parse().ok()?)),
        ["left", "setup", status] => Some(DriverMessage::LeftSetup(status.parse().ok()?)),
        ["left", "command", _] => Some(DriverMessage::LeftCommand),
        ["nowhere"] => Some(DriverMessage::DirectoryMissing),
        ["done"] => Some(DriverMessage::Done),
        _ => None,
    }
}
