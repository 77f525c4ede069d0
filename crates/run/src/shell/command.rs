//! A command without hooks: one process.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd as _, BorrowedFd};
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::process::Pid;

use super::bash::Bash;
use super::cleanup;
use super::context::ProcessContext;
use super::direct::direct;
use super::environment::Environment;
use super::pipe::PipeReader;
use super::process::{KillTarget, MonitoredProcess, WaitEvent, shell_code};
use super::result::{CommandResult, Streams};

/// A command and what it needs.
pub(crate) struct ShellCommand<'a> {
    pub(crate) script: &'a str,
    pub(crate) environment: &'a Environment,
    pub(crate) folder: &'a Path,
    pub(crate) stdin: Option<&'a str>,
    pub(crate) apart: bool,
    pub(crate) timeout: Option<Duration>,
}

impl ShellCommand<'_> {
    /// Starts it.
    pub(crate) fn start<'w>(
        &self,
        context: &ProcessContext<'w>,
    ) -> io::Result<MonitoredProcess<'w>> {
        let (output, writing) = PipeReader::piped()?;
        let mut sources = vec![output];
        let mut apart = None;
        if self.apart {
            let (stderr, writing) = PipeReader::piped()?;
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
        MonitoredProcess::begin(
            pid,
            sources,
            context.max_output,
            context.stop,
            context.instant,
        )
    }

    /// Waits for its end, or brings it about.
    pub(crate) fn finish(
        &self,
        watched: &mut MonitoredProcess<'_>,
        started: Instant,
    ) -> io::Result<CommandEnd> {
        let until = self.timeout.map(|timeout| started + timeout);
        let cut = loop {
            let wake = watched.wait(until, None)?;
            if wake == WaitEvent::Ended {
                break None;
            }
            if let Some(cut) = wake.cut() {
                watched.terminate(&KillTarget::Group(watched.pid()))?;
                break Some(cut);
            }
        };
        Ok(CommandEnd { cut })
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
pub(crate) struct CommandEnd {
    cut: Option<super::process::Termination>,
}

impl CommandEnd {
    /// The command as it ended, with all that it wrote. Everything of its test is ended with it.
    pub(crate) fn into_result(
        self,
        mut watched: MonitoredProcess<'_>,
        instant: fn() -> Instant,
        mark: &Path,
    ) -> io::Result<CommandResult> {
        let leaky = cleanup::drain_output(&mut watched, instant)?;
        cleanup::kill_leftovers(
            &mut watched,
            super::process_tree::TEST_MARK,
            mark.as_os_str(),
        )?;
        Ok(self.ran(watched, leaky))
    }

    /// The same, while other processes of the test go on.
    pub(crate) fn into_result_keep_others(
        self,
        mut watched: MonitoredProcess<'_>,
        instant: fn() -> Instant,
    ) -> io::Result<CommandResult> {
        let leaky = cleanup::drain_output(&mut watched, instant)?;
        watched.terminate(&KillTarget::Group(watched.pid()))?;
        Ok(self.ran(watched, leaky))
    }

    fn ran(self, mut watched: MonitoredProcess<'_>, leaky: bool) -> CommandResult {
        let status = watched.status();
        CommandResult {
            exit_code: status.map_or(137, shell_code),
            signal: status.and_then(|status| status.signal()),
            streams: Streams::of(watched.take_captured()),
            leaky: leaky && self.cut.is_none(),
            cut: self.cut,
        }
    }
}
