//! Starts a program in a terminal, in its own session.
//!
//! The program must call `setsid` and take the terminal before it starts, which [`std::process::Command`] cannot do without unsafe
//! code. So this program is started once more, does both, and replaces itself with the program.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::Command;

use rustix::fs::{Mode, OFlags};
use rustix::io::{Errno, fcntl_dupfd_cloexec};
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{Pid, WaitOptions, ioctl_tiocsctty, setsid, waitpid};
use rustix::stdio::{dup2_stderr, dup2_stdin, dup2_stdout};

use crate::shell::environment::Environment;
use crate::shell::program::Program;

/// The name by which this program recognizes that it is to start another one in a terminal.
const NAME: &str = "casebook-terminal";
/// This program, even if its file was replaced.
const THIS_PROGRAM: &str = "/proc/self/exe";

/// Starts a program in the terminal with that path. It leads its own session and process group.
pub(crate) fn in_terminal(
    program: Program,
    environment: &Environment,
    terminal: &Path,
    dir: &Path,
) -> io::Result<Pid> {
    let starter = Program::new(THIS_PROGRAM, NAME)
        .arg(terminal)
        .args(program.into_words());
    let (errors, writing) = pipe_with(PipeFlags::CLOEXEC)?;
    let null = File::open("/dev/null")?;
    let streams = [null.as_fd(), writing.as_fd(), null.as_fd()];
    let pid = starter.start_without_group(environment, streams, dir)?;
    drop(writing);
    // The pipe is closed when the program has started.
    let mut error = String::new();
    File::from(errors).read_to_string(&mut error)?;
    if error.is_empty() {
        return Ok(pid);
    }
    let _ = waitpid(Some(pid), WaitOptions::empty());
    Err(io::Error::other(error))
}

/// Replaces this process with a program in a terminal, if it was started for that: `main` calls this first. Returns only
/// if it was not, or if that failed.
pub fn start_in_terminal(arguments: impl IntoIterator<Item = OsString>) -> Option<io::Error> {
    let mut arguments = arguments.into_iter();
    if arguments.next()? != NAME {
        return None;
    }
    let arguments: Vec<_> = arguments.collect();
    let [terminal, path, name, arguments @ ..] = arguments.as_slice() else {
        return Some(io::ErrorKind::InvalidInput.into());
    };
    let error = match take_terminal(terminal) {
        Err(error) => return Some(error),
        Ok(errors) => {
            let error = Command::new(path).arg0(name).args(arguments).exec();
            let _ = File::from(errors).write_all(error.to_string().as_bytes());
            error
        }
    };
    Some(error)
}

/// Makes the terminal that of this process. Returns where errors are written; it is closed when another program starts.
fn take_terminal(path: &OsStr) -> io::Result<OwnedFd> {
    let errors = fcntl_dupfd_cloexec(rustix::stdio::stdout(), 3)?;
    if let Err(error) = begin_session(path) {
        let message = format!("cannot use the terminal: {error}");
        let _ = rustix::io::write(&errors, message.as_bytes());
        return Err(error.into());
    }
    Ok(errors)
}

fn begin_session(path: &OsStr) -> Result<(), Errno> {
    setsid()?;
    let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC;
    let terminal = rustix::fs::open(path, flags, Mode::empty())?;
    ioctl_tiocsctty(&terminal)?;
    dup2_stdin(&terminal)?;
    dup2_stdout(&terminal)?;
    dup2_stderr(&terminal)
}
