//! A command without hooks: one process.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd as _, BorrowedFd};
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::process::Pid;

use super::bash::Bash;
use super::context::ProcessContext;
use super::direct::direct;
use super::environment::Environment;
use super::pipe::Source;
use super::process::{Victims, Wake, Watched, shell_code};
use super::ran::{Ran, Streams};
use super::settle;

/// A command and what it needs.
pub(crate) struct Plain<'a> {
    pub(crate) script: &'a str,
    pub(crate) environment: &'a Environment,
    pub(crate) folder: &'a Path,
    pub(crate) stdin: Option<&'a str>,
    pub(crate) apart: bool,
    pub(crate) timeout: Option<Duration>,
}

impl Plain<'_> {
    /// Starts it.
    pub(crate) fn start<'w>(&self, context: &ProcessContext<'w>) -> io::Result<Watched<'w>> {
        let (output, writing) = Source::piped()?;
        let mut sources = vec![output];
        let mut apart = None;
        if self.apart {
            let (stderr, writing) = Source::piped()?;
            sources.push(stderr);
            apart = Some(writing);
        }
        let stdin = match self.stdin {
            None => File::open("/dev/null")?,
            Some(text) => context.stdin(text)?,
        };
        let stderr = apart.as_ref().unwrap_or(&writing);
        let streams = [stdin.as_fd(), writing.as_fd(), stderr.as_fd()];
        let pid = start(
            &context.bash,
            self.script,
            self.environment,
            streams,
            self.folder,
        )?;
        // The writing ends are the program's alone.
        drop((writing, apart));
        Watched::begin(
            pid,
            sources,
            context.max_output,
            context.stop,
            context.instant,
        )
    }

    /// Waits for its end, or brings it about.
    pub(crate) fn finish(&self, watched: &mut Watched<'_>, started: Instant) -> io::Result<Ending> {
        let until = self.timeout.map(|timeout| started + timeout);
        let cut = loop {
            let wake = watched.wait(until, None)?;
            if wake == Wake::Ended {
                break None;
            }
            if let Some(cut) = wake.cut() {
                watched.end(&Victims::Group(watched.pid()))?;
                break Some(cut);
            }
        };
        Ok(Ending { cut })
    }
}

/// Starts what `bash -c` runs, without a shell if it needs none and can be executed.
pub(super) fn start(
    bash: &Bash,
    script: &str,
    environment: &Environment,
    streams: [BorrowedFd<'_>; 3],
    folder: &Path,
) -> io::Result<Pid> {
    if let Some((program, environment)) = direct(bash, script, environment, folder)
        && let Ok(pid) = program.start(&environment, streams, folder)
    {
        return Ok(pid);
    }
    bash.script(script).start(environment, streams, folder)
}

/// How the wait for a command came to its end.
pub(crate) struct Ending {
    cut: Option<super::process::Cut>,
}

impl Ending {
    /// The command as it ended, with all that it wrote. Everything of its test is ended with it.
    pub(crate) fn into_ran(
        self,
        mut watched: Watched<'_>,
        instant: fn() -> Instant,
        mark: &Path,
    ) -> io::Result<Ran> {
        let leaky = settle::drain(&mut watched, instant)?;
        settle::clear(&mut watched, super::tree::TEST_MARK, mark.as_os_str())?;
        Ok(self.ran(watched, leaky))
    }

    /// The same, while other processes of the test go on.
    pub(crate) fn alone(
        self,
        mut watched: Watched<'_>,
        instant: fn() -> Instant,
    ) -> io::Result<Ran> {
        let leaky = settle::drain(&mut watched, instant)?;
        watched.end(&Victims::Group(watched.pid()))?;
        Ok(self.ran(watched, leaky))
    }

    fn ran(self, mut watched: Watched<'_>, leaky: bool) -> Ran {
        let status = watched.status();
        Ran {
            exit_code: status.map_or(137, shell_code),
            signal: status.and_then(|status| status.signal()),
            streams: Streams::of(watched.take_captured()),
            leaky: leaky && self.cut.is_none(),
            cut: self.cut,
        }
    }
}
