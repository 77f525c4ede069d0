//! A program that is to be started, and how it is.
//!
//! Most are started where this process is, by `posix_spawn` with the environment as it lies ready. The standard
//! library's `Command` builds the environment anew for each process, which costs more than all else that is done for a
//! trivial test; it starts those that run in a folder of their own.

use std::ffi::{CString, OsStr, OsString};
use std::io;
use std::os::fd::{AsRawFd as _, BorrowedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use nix::spawn::{PosixSpawnAttr, PosixSpawnFileActions, PosixSpawnFlags, posix_spawn};
use nix::sys::signal::{SigSet, Signal};
use rustix::process::{Pid, getcwd};

use super::environment::Environment;

/// A program and its arguments.
#[derive(Debug)]
pub(crate) struct Program {
    path: PathBuf,
    /// The first is what it is called.
    arguments: Vec<OsString>,
}

impl Program {
    pub(crate) fn new(path: impl Into<PathBuf>, called: impl Into<OsString>) -> Program {
        Program {
            path: path.into(),
            arguments: vec![called.into()],
        }
    }

    pub(crate) fn arg(mut self, argument: impl Into<OsString>) -> Program {
        self.arguments.push(argument.into());
        self
    }

    pub(crate) fn args(
        mut self,
        arguments: impl IntoIterator<Item = impl Into<OsString>>,
    ) -> Program {
        self.arguments.extend(arguments.into_iter().map(Into::into));
        self
    }

    /// Starts it in a process group of its own, with these for its standard input, output and error.
    pub(crate) fn start(
        &self,
        environment: &Environment,
        streams: [BorrowedFd<'_>; 3],
        folder: &Path,
    ) -> io::Result<Pid> {
        if is_here(folder) {
            self.start_here(environment, streams)
        } else {
            self.start_in(folder, environment, streams)
        }
    }

    fn start_here(
        &self,
        environment: &Environment,
        streams: [BorrowedFd<'_>; 3],
    ) -> io::Result<Pid> {
        let mut actions = PosixSpawnFileActions::init()?;
        for (stream, number) in streams.iter().zip(0..) {
            actions.add_dup2(stream.as_raw_fd(), number)?;
        }
        let arguments = self.arguments.iter().map(|argument| c_string(argument));
        let arguments: Vec<_> = arguments.collect::<io::Result<_>>()?;
        let own = environment.own_entries()?;
        let pid = posix_spawn(
            self.path.as_path(),
            &actions,
            &attributes()?,
            &arguments,
            &environment.entries(&own),
        )?;
        Pid::from_raw(pid.as_raw()).ok_or_else(|| io::Error::other("a process without an id"))
    }

    fn start_in(
        &self,
        folder: &Path,
        environment: &Environment,
        streams: [BorrowedFd<'_>; 3],
    ) -> io::Result<Pid> {
        let [stdin, stdout, stderr] = streams;
        let child = Command::new(&self.path)
            .arg0(&self.arguments[0])
            .args(&self.arguments[1..])
            .env_clear()
            .envs(environment.iter())
            .current_dir(folder)
            .process_group(0)
            .stdin(stdin.try_clone_to_owned()?)
            .stdout(stdout.try_clone_to_owned()?)
            .stderr(stderr.try_clone_to_owned()?)
            .spawn()?;
        Ok(Pid::from_child(&child))
    }
}

/// A group of its own, and signals as a shell would leave them: Rust ignores SIGPIPE.
fn attributes() -> io::Result<PosixSpawnAttr> {
    let mut attributes = PosixSpawnAttr::init()?;
    attributes.set_flags(
        PosixSpawnFlags::POSIX_SPAWN_SETPGROUP
            | PosixSpawnFlags::POSIX_SPAWN_SETSIGDEF
            | PosixSpawnFlags::POSIX_SPAWN_SETSIGMASK,
    )?;
    attributes.set_pgroup(nix::unistd::Pid::from_raw(0))?;
    attributes.set_sigdefault(&SigSet::from(Signal::SIGPIPE))?;
    attributes.set_sigmask(&SigSet::empty())?;
    Ok(attributes)
}

/// Whether the folder is the one this process is in.
fn is_here(folder: &Path) -> bool {
    getcwd(Vec::new()).is_ok_and(|here| here.as_bytes() == folder.as_os_str().as_bytes())
}

fn c_string(text: &OsStr) -> io::Result<CString> {
    Ok(CString::new(text.as_bytes())?)
}
