//! A program that is to be started, and how it is.

use std::ffi::OsString;
use std::io;
use std::os::fd::BorrowedFd;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use rustix::process::Pid;

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
