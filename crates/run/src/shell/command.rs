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
use super::output_watch::{OutputObserver, OutputWatch};
use super::pipe::PipeReader;
use super::process::{KillTarget, MonitoredProcess, WaitEvent, shell_code};
use super::program::Program;
use super::result::{CommandResult, Streams};
use crate::shell::terminal::in_terminal;

/// A command and its streams, environment and timeout.
pub(crate) struct ShellCommand<'a> {
    pub(crate) script: &'a str,
    pub(crate) environment: &'a Environment,
    pub(crate) dir: &'a Path,
    pub(crate) stdin: Option<&'a str>,
    pub(crate) separate: bool,
    pub(crate) timeout: Option<Duration>,
}

impl ShellCommand<'_> {
    /// Starts the command.
    pub(crate) fn start<'w>(
        &self,
        context: &ProcessContext<'w>,
    ) -> io::Result<MonitoredProcess<'w>> {
        let (output, writing) = PipeReader::piped()?;
        let mut sources = vec![output];
        let mut separate = None;
        if self.separate {
            let (stderr, writing) = PipeReader::piped()?;
            sources.push(stderr);
            separate = Some(writing);
        }
        let stdin = match self.stdin {
            None => File::open("/dev/null")?,
            Some(text) => context.stdin(text)?,
        };
        let stderr = separate.as_ref().unwrap_or(&writing);
        let streams = [stdin.as_fd(), writing.as_fd(), stderr.as_fd()];
        let mut files = Vec::new();
        let script = context.script_argument(self.script, &mut files)?;
        let pid = start(&context.bash, &script, self.environment, streams, self.dir)?;
        // Only the command may hold the write ends, or the pipes would never close.
        drop((writing, separate));
        let mut process = MonitoredProcess::begin(
            pid,
            sources,
            context.max_output,
            context.stop,
            context.instant,
        )?;
        process.keep_open(files);
        Ok(process)
    }

    /// Waits until the command exits, or terminates it. Its output is reported meanwhile.
    pub(crate) fn finish(
        &self,
        process: &mut MonitoredProcess<'_>,
        started: Instant,
        observer: OutputObserver<'_>,
    ) -> io::Result<CommandEnd> {
        let until = self.timeout.map(|timeout| started + timeout);
        let mut watch = OutputWatch::new(process.now(), until, observer);
        let termination = loop {
            let wake = process.wait(Some(watch.wake_up_at()), None)?;
            if wake == WaitEvent::DeadlinePassed && watch.report(process) {
                continue;
            }
            if wake == WaitEvent::Ended {
                break None;
            }
            if let Some(termination) = wake.termination() {
                process.terminate(&KillTarget::Group(process.pid()))?;
                break Some(termination);
            }
        };
        Ok(CommandEnd::new(termination, started))
    }
}

/// Starts a script like `bash -c`; without a shell if it needs none and the program can be executed.
pub(crate) fn start(
    bash: &Bash,
    script: &str,
    environment: &Environment,
    streams: [BorrowedFd<'_>; 3],
    dir: &Path,
) -> io::Result<Pid> {
    if let Some((program, environment)) = direct(bash, script, environment, dir)
        && let Ok(pid) = program.start(&environment, streams, dir)
    {
        return Ok(pid);
    }
    bash_program(bash, script).start(environment, streams, dir)
}

/// The same in the terminal with that path.
pub(crate) fn start_in_terminal(
    bash: &Bash,
    script: &str,
    environment: &Environment,
    terminal: &Path,
    dir: &Path,
) -> io::Result<Pid> {
    if let Some((program, environment)) = direct(bash, script, environment, dir)
        && let Ok(pid) = in_terminal(program, &environment, terminal, dir)
    {
        return Ok(pid);
    }
    in_terminal(bash_program(bash, script), environment, terminal, dir)
}

fn bash_program(bash: &Bash, script: &str) -> Program {
    if script.contains("PPID") {
        bash.script_in_shell(script)
    } else {
        bash.script(script)
    }
}

/// How a command ended.
pub(crate) struct CommandEnd {
    termination: Option<super::process::Termination>,
    started: Instant,
}

impl CommandEnd {
    /// `termination`: why the command must be terminated; `None` if it exited by itself.
    pub(crate) fn new(
        termination: Option<super::process::Termination>,
        started: Instant,
    ) -> CommandEnd {
        CommandEnd {
            termination,
            started,
        }
    }

    /// Reads the rest of the output, and terminates all processes of the test.
    pub(crate) fn into_result(
        self,
        mut process: MonitoredProcess<'_>,
        instant: fn() -> Instant,
        mark: &Path,
    ) -> io::Result<CommandResult> {
        let duration = instant() - self.started;
        let leaky = cleanup::drain_output(&mut process, instant)?;
        cleanup::kill_leftovers(
            &mut process,
            super::process_tree::TEST_MARK,
            mark.as_os_str(),
        )?;
        Ok(self.ran(&mut process, duration, leaky))
    }

    /// Reads the rest of the output. Processes that the command left in the background keep running.
    pub(crate) fn result(
        self,
        process: &mut MonitoredProcess<'_>,
        instant: fn() -> Instant,
    ) -> io::Result<CommandResult> {
        let duration = instant() - self.started;
        let leaky = cleanup::drain_output(process, instant)?;
        Ok(self.ran(process, duration, leaky))
    }

    /// Reads the rest of the output, and terminates only the processes of the command.
    pub(crate) fn into_result_keep_others(
        self,
        mut process: MonitoredProcess<'_>,
        instant: fn() -> Instant,
    ) -> io::Result<CommandResult> {
        let duration = instant() - self.started;
        let leaky = cleanup::drain_output(&mut process, instant)?;
        process.terminate(&KillTarget::Group(process.pid()))?;
        Ok(self.ran(&mut process, duration, leaky))
    }

    fn ran(
        self,
        process: &mut MonitoredProcess<'_>,
        duration: Duration,
        leaky: bool,
    ) -> CommandResult {
        let status = process.status();
        CommandResult {
            exit_code: status.map_or(137, shell_code),
            signal: status.and_then(|status| status.signal()),
            streams: Streams::of(process.take_captured()),
            duration,
            leaky: leaky && self.termination.is_none(),
            termination: self.termination,
            terminal: None,
        }
    }
}
