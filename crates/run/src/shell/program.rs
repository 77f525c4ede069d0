//! [`Program`]: a program with arguments, and how it is started.

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
    /// The first is `argv[0]`.
    arguments: Vec<OsString>,
}

impl Program {
    pub(crate) fn new(path: impl Into<PathBuf>, name: impl Into<OsString>) -> Program {
        Program {
            path: path.into(),
            arguments: vec![name.into()],
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

    /// Starts it in its own process group, with `streams` as standard input, output and error.
    pub(crate) fn start(
        &self,
        environment: &Environment,
        streams: [BorrowedFd<'_>; 3],
        dir: &Path,
    ) -> io::Result<Pid> {
        let mut command = self.command(environment, streams, dir)?;
        spawn(command.process_group(0), environment)
    }

    /// The same in the process group of this process. A program that leads a group cannot begin a session.
    pub(crate) fn start_without_group(
        &self,
        environment: &Environment,
        streams: [BorrowedFd<'_>; 3],
        dir: &Path,
    ) -> io::Result<Pid> {
        let mut command = self.command(environment, streams, dir)?;
        spawn(&mut command, environment)
    }

    fn command(
        &self,
        environment: &Environment,
        streams: [BorrowedFd<'_>; 3],
        dir: &Path,
    ) -> io::Result<Command> {
        let [stdin, stdout, stderr] = streams;
        let mut command = Command::new(&self.path);
        command
            .arg0(&self.arguments[0])
            .args(&self.arguments[1..])
            .env_clear()
            .envs(environment.iter())
            .current_dir(dir)
            .stdin(stdin.try_clone_to_owned()?)
            .stdout(stdout.try_clone_to_owned()?)
            .stderr(stderr.try_clone_to_owned()?);
        Ok(command)
    }

    /// Its path, `argv[0]` and the other arguments.
    pub(crate) fn into_words(self) -> impl Iterator<Item = OsString> {
        std::iter::once(self.path.into_os_string()).chain(self.arguments)
    }
}

fn spawn(command: &mut Command, environment: &Environment) -> io::Result<Pid> {
    let child = command.spawn();
    let child = child.map_err(|error| explained(error, environment))?;
    Ok(Pid::from_child(&child))
}

/// Names the variable that makes an environment too large, because scripts are never passed as long arguments.
fn explained(error: io::Error, environment: &Environment) -> io::Error {
    let longest = environment.iter().max_by_key(|(_, value)| value.len());
    match longest {
        Some((name, value)) if error.kind() == io::ErrorKind::ArgumentListTooLong => {
            let name = name.to_string_lossy();
            let length = value.len();
            io::Error::new(
                error.kind(),
                format!(
                    "the environment is too large for the operating system: `{name}` has {length} bytes; write it to a file"
                ),
            )
        }
        _ => error,
    }
}
