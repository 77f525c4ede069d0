//! A shell that runs hooks: one for the `setup` and `teardown` of a test, one for the `setupFile` and `teardownFile`
//! of a suite. Both hooks share it, as they do in Bats: what one sets, the other sees.

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

const DRIVER: &str = include_str!("driver.bash");

/// What stands between the hooks, and where its streams go.
pub(crate) struct HookedCommand<'a> {
    pub(crate) command: &'a str,
    pub(crate) stdout: &'a Path,
    /// With standard output unless it has a place of its own.
    pub(crate) stderr: Option<&'a Path>,
    pub(crate) stdin: &'a Path,
    /// Where it runs, if not where the setup went.
    pub(crate) folder: Option<&'a Path>,
}

/// What the driver says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DriverMessage {
    /// From now on the shell can be asked to leave, and runs the teardown whatever happens.
    Ready,
    /// The setup is done, and this process is now the command.
    Command(Pid),
    /// The command has ended with this status.
    Ended(i32),
    /// The setup was left before its end, with this status.
    LeftSetup(i32),
    /// The folder that the command is to run in is not there.
    Nowhere,
    /// All is done that comes before the teardown.
    LeftCommand,
    /// The teardown has come to its end.
    Done,
}

/// Our end of the conversation with a driver.
pub(crate) struct DriverConnection {
    channel: UnixStream,
    /// The same, to wait on.
    fd: OwnedFd,
    unread: Vec<u8>,
    /// Whether nothing more will be said.
    is_over: bool,
    log: File,
}

/// Starts a driver, and returns our end of the conversation with it.
pub(crate) fn driver(
    bash: &Bash,
    hooks: [Option<&str>; 2],
    between: &HookedCommand<'_>,
    environment: &Environment,
    folder: &Path,
    log: File,
) -> io::Result<(Pid, DriverConnection)> {
    let (ours, theirs) = UnixStream::pair()?;
    ours.set_nonblocking(true)?;
    let path = |path: Option<&'_ Path>| path.map_or_else(|| OsStr::new("").to_owned(), Into::into);
    let driver = bash
        .own_script(DRIVER)
        .arg("casebook")
        .args(hooks.map(Option::unwrap_or_default))
        .arg(between.command)
        .arg(between.stdout)
        .arg(path(between.stderr))
        .arg(between.stdin)
        .arg(path(between.folder))
        .arg(bash.path());
    let streams = [theirs.as_fd(), log.as_fd(), log.as_fd()];
    let pid = driver.start(environment, streams, folder)?;
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
    /// Where the hooks wrote, when they are done.
    pub(crate) fn into_log(self) -> File {
        self.log
    }

    /// What to wait on, as long as there is something to wait for.
    pub(crate) fn fd(&self) -> Option<&OwnedFd> {
        (!self.is_over).then_some(&self.fd)
    }

    /// The next thing it said; none when it has said no more than that.
    pub(crate) fn step(&mut self) -> Option<DriverMessage> {
        loop {
            if let Some(end) = self.unread.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = self.unread.drain(..=end).collect();
                if let Some(step) = String::from_utf8(line)
                    .ok()
                    .and_then(|line| read_step(&line))
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

    /// Lets it go on. One that is gone does not mind.
    pub(crate) fn answer(&mut self) {
        let _ = self.channel.write_all(b"go\n");
    }

    /// What the hooks have written since `from`, at most `limit` bytes of its end.
    pub(crate) fn written(&self, from: u64, limit: u64) -> Vec<u8> {
        let end = self.position();
        let start = from.max(end.saturating_sub(limit));
        let mut bytes = vec![0; usize::try_from(end - start).unwrap_or_default()];
        let read = self.log.read_at(&mut bytes, start).unwrap_or_default();
        bytes.truncate(read);
        bytes
    }

    /// How much the hooks have written.
    pub(crate) fn position(&self) -> u64 {
        self.log.metadata().map_or(0, |metadata| metadata.len())
    }
}

fn read_step(line: &str) -> Option<DriverMessage> {
    let words: Vec<_> = line.split_whitespace().collect();
    match words.as_slice() {
        ["ready"] => Some(DriverMessage::Ready),
        ["command", pid] => Some(DriverMessage::Command(Pid::from_raw(pid.parse().ok()?)?)),
        ["ended", status] => Some(DriverMessage::Ended(status.parse().ok()?)),
        ["left", "setup", status] => Some(DriverMessage::LeftSetup(status.parse().ok()?)),
        ["left", "command", _] => Some(DriverMessage::LeftCommand),
        ["nowhere"] => Some(DriverMessage::Nowhere),
        ["done"] => Some(DriverMessage::Done),
        _ => None,
    }
}
