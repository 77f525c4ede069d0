//! [`HookShell`]: a shell that runs `setup`, the command and `teardown`, step by step.

use std::io;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use super::driver::{DriverConnection, DriverMessage};
use super::hook_messages::name_hook;
use super::output_watch::{OutputObserver, OutputWatch};
use super::process::{KillTarget, MonitoredProcess, Termination, WaitEvent, shell_code};
use super::process_tree;
use super::result::{Hook, HookFailure, HookReason};

/// At most this many bytes of a hook's output are kept, from its end.
const OUTPUT: u64 = 1 << 16;
/// How long a shell has to react after its command was terminated.
const NOTICE: Duration = Duration::from_secs(2);
/// The exit code of a killed command.
const KILLED: i32 = 137;

/// A shell that runs hooks.
pub(crate) struct HookShell<'w> {
    pub(crate) process: MonitoredProcess<'w>,
    pub(crate) control: DriverConnection,
    /// The hooks before and after the command.
    pub(crate) hooks: [Hook; 2],
    pub(crate) instant: fn() -> Instant,
    /// The current phase.
    pub(crate) phase: ShellPhase,
}

/// The phase of a shell, as far as it matters for the teardown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ShellPhase {
    Starting,
    Ready,
    /// The shell has started its teardown.
    Left,
    /// The teardown ran to its end.
    Done,
}

/// The result of `setup`.
pub(crate) enum SetupResult {
    /// `setup` has finished, and this process executes the command.
    Command(Pid),
    Failed(HookFailure),
    /// The working directory of the command does not exist.
    DirectoryMissing,
    Interrupted,
}

/// The result of a teardown.
pub(crate) enum TeardownResult {
    /// It passed, or there is none.
    Passed,
    Failed(HookFailure),
    Interrupted,
}

/// How the command between the hooks ended.
pub(crate) struct CommandExit {
    pub(crate) exit_code: i32,
    pub(crate) termination: Option<Termination>,
}

impl HookShell<'_> {
    /// Runs `setup`. When it returns, the streams of the command are open.
    pub(crate) fn run_setup(&mut self, until: Instant, given: Duration) -> io::Result<SetupResult> {
        self.control.resume();
        loop {
            match self.next(Some(until))? {
                Next::Step(DriverMessage::Command(pid)) => {
                    self.process.release();
                    return Ok(SetupResult::Command(pid));
                }
                Next::Step(DriverMessage::LeftSetup(status)) => {
                    return Ok(self.setup_failed(Some(status)));
                }
                Next::Step(DriverMessage::DirectoryMissing) => {
                    self.process.release();
                    return Ok(SetupResult::DirectoryMissing);
                }
                Next::Step(DriverMessage::Ended(_)) => return Ok(self.command_not_started()),
                Next::Wake(WaitEvent::Ended) => {
                    let status = self.process.status().map(shell_code);
                    return Ok(self.setup_failed(status));
                }
                Next::Wake(wake) => {
                    if let Some(termination) = wake.termination() {
                        return self.terminate_setup(termination, given);
                    }
                }
                Next::Step(
                    DriverMessage::Ready | DriverMessage::LeftCommand | DriverMessage::Done,
                ) => {}
            }
        }
    }

    fn setup_failed(&mut self, status: Option<i32>) -> SetupResult {
        self.process.release();
        SetupResult::Failed(HookFailure {
            exit_code: status,
            output: self.output_of(self.hooks[0], 0),
            ..HookFailure::new(self.hooks[0])
        })
    }

    /// For a shell that could not enter the directory or open the streams.
    fn command_not_started(&mut self) -> SetupResult {
        self.process.release();
        SetupResult::Failed(HookFailure {
            reason: Some(HookReason::CommandNotStarted),
            output: self.output_of(self.hooks[0], 0),
            ..HookFailure::new(self.hooks[0])
        })
    }

    /// Terminates what `setup` waits for, and makes the shell skip to the teardown.
    fn terminate_setup(
        &mut self,
        termination: Termination,
        given: Duration,
    ) -> io::Result<SetupResult> {
        let shell = self.process.pid();
        if self.phase == ShellPhase::Starting {
            self.step_within(NOTICE, |step| *step == DriverMessage::Ready)?;
        }
        let _ = kill_process(shell, Signal::TERM);
        // The terminal may have stopped it.
        let _ = kill_process(shell, Signal::CONT);
        // Searched only once, because processes of the teardown must not be terminated.
        let descendants: Vec<_> = process_tree::with_descendants(shell)
            .into_iter()
            .skip(1)
            .collect();
        self.process
            .terminate(&KillTarget::Dynamic(Box::new(move || descendants.clone())))?;
        self.leave_setup()?;
        self.process.release();
        let failure = HookFailure {
            timed_out: (termination == Termination::Timeout).then_some(given),
            reason: terminal_stop_message(termination).map(HookReason::Hook),
            output: self.output_of(self.hooks[0], 0),
            ..HookFailure::new(self.hooks[0])
        };
        Ok(match termination {
            Termination::Interrupt => SetupResult::Interrupted,
            Termination::Timeout | Termination::Terminal(_) => SetupResult::Failed(failure),
        })
    }

    /// The output since `from`, with the name of the hook in the messages of bash.
    fn output_of(&self, hook: Hook, from: u64) -> Vec<u8> {
        name_hook(&self.control.written(from, OUTPUT), hook.name())
    }

    /// Waits until the shell starts its teardown.
    fn leave_setup(&mut self) -> io::Result<()> {
        let until = (self.instant)() + NOTICE;
        loop {
            match self.next(Some(until))? {
                Next::Step(DriverMessage::LeftSetup(_) | DriverMessage::LeftCommand)
                | Next::Wake(WaitEvent::Ended) => {
                    return Ok(());
                }
                // `setup` finished at the same moment. The shell handles the signal only after the command exits.
                Next::Step(DriverMessage::Command(pid)) => self.process.terminate(&tree_of(pid))?,
                // The shell ignores the signal and would continue with `setup`.
                Next::Wake(WaitEvent::DeadlinePassed) => {
                    return self
                        .process
                        .terminate(&KillTarget::Group(self.process.pid()));
                }
                Next::Step(_) | Next::Wake(_) => {}
            }
        }
    }

    /// Waits until the command exits, or terminates it.
    pub(crate) fn wait_for_command(
        &mut self,
        command: Pid,
        until: Option<Instant>,
        observer: OutputObserver<'_>,
    ) -> io::Result<CommandExit> {
        let mut watch = OutputWatch::new((self.instant)(), until, observer);
        loop {
            match self.next(Some(watch.wake_up_at()))? {
                Next::Wake(WaitEvent::DeadlinePassed) if watch.report(&self.process) => {}
                Next::Step(DriverMessage::Ended(exit_code)) => {
                    return Ok(CommandExit {
                        exit_code,
                        termination: None,
                    });
                }
                Next::Wake(WaitEvent::Ended) => {
                    return Ok(CommandExit {
                        exit_code: KILLED,
                        termination: None,
                    });
                }
                Next::Wake(wake) => {
                    if let Some(termination) = wake.termination() {
                        return self.terminate_command(command, termination);
                    }
                }
                Next::Step(_) => {}
            }
        }
    }

    fn terminate_command(
        &mut self,
        command: Pid,
        termination: Termination,
    ) -> io::Result<CommandExit> {
        self.process.terminate(&tree_of(command))?;
        let ended = self.step_within(NOTICE, |step| matches!(step, DriverMessage::Ended(_)))?;
        let exit_code = match ended {
            Some(DriverMessage::Ended(exit_code)) => exit_code,
            _ => KILLED,
        };
        Ok(CommandExit {
            exit_code,
            termination: Some(termination),
        })
    }

    /// Runs the teardown and waits for its end. A graceful stop waits for it too; an immediate one does not.
    pub(crate) fn run_teardown(
        &mut self,
        given: Duration,
        exists: bool,
    ) -> io::Result<TeardownResult> {
        let begin = self.control.position();
        self.control.resume();
        let until = (self.instant)() + given;
        let mut termination = None;
        while self.process.status().is_none() && termination.is_none() {
            termination = if self.process.is_stop_immediate() {
                Some(Termination::Interrupt)
            } else {
                let wake = self.process.wait(Some(until), None)?;
                wake.termination()
                    .filter(|termination| *termination != Termination::Interrupt)
            };
        }
        if termination.is_some() {
            self.process
                .terminate(&KillTarget::Group(self.process.pid()))?;
        }
        while self.step().is_some() {}
        let failure = HookFailure {
            output: self.output_of(self.hooks[1], begin),
            ..HookFailure::new(self.hooks[1])
        };
        let exit_code = self.process.status().map(shell_code);
        Ok(match exit_code {
            _ if !exists || self.phase == ShellPhase::Starting => TeardownResult::Passed,
            _ if termination == Some(Termination::Interrupt) => TeardownResult::Interrupted,
            _ if termination.is_some() => TeardownResult::Failed(HookFailure {
                timed_out: (termination == Some(Termination::Timeout)).then_some(given),
                reason: termination.and_then(terminal_stop_message).map(HookReason::Hook),
                ..failure
            }),
            _ if self.phase == ShellPhase::Ready => TeardownResult::Failed(HookFailure {
                reason: Some(HookReason::Hook("was not run: the shell exited first, as it does if `setup` replaces the EXIT trap".into())),
                ..failure
            }),
            Some(0) if self.phase == ShellPhase::Done => TeardownResult::Passed,
            exit_code => TeardownResult::Failed(HookFailure { exit_code, ..failure }),
        })
    }

    fn step(&mut self) -> Option<DriverMessage> {
        let step = self.control.step();
        match step {
            Some(DriverMessage::Ready) => self.phase = ShellPhase::Ready,
            Some(DriverMessage::LeftCommand | DriverMessage::LeftSetup(_)) => {
                self.phase = ShellPhase::Left;
            }
            Some(DriverMessage::Done) => self.phase = ShellPhase::Done,
            _ => {}
        }
        step
    }

    /// Waits for the next message or event. Messages come first, because several may arrive with the exit of the shell.
    fn next(&mut self, until: Option<Instant>) -> io::Result<Next> {
        loop {
            if let Some(step) = self.step() {
                return Ok(Next::Step(step));
            }
            if self.process.status().is_some() {
                return Ok(Next::Wake(WaitEvent::Ended));
            }
            match self.process.wait(until, self.control.fd())? {
                WaitEvent::ControlReadable | WaitEvent::Ended => {}
                wake => return Ok(Next::Wake(wake)),
            }
        }
    }

    /// Waits for a message for up to `limit`.
    fn step_within(
        &mut self,
        limit: Duration,
        matches: impl Fn(&DriverMessage) -> bool,
    ) -> io::Result<Option<DriverMessage>> {
        let until = (self.instant)() + limit;
        loop {
            match self.next(Some(until))? {
                Next::Step(step) if matches(&step) => return Ok(Some(step)),
                Next::Wake(WaitEvent::DeadlinePassed | WaitEvent::Ended) => return Ok(None),
                Next::Step(_) | Next::Wake(_) => {}
            }
        }
    }
}

fn tree_of(pid: Pid) -> KillTarget {
    KillTarget::Dynamic(Box::new(move || process_tree::with_descendants(pid)))
}

/// A message of the driver, or an event of its process.
enum Next {
    Step(DriverMessage),
    Wake(WaitEvent),
}

/// The message for a process that the terminal stopped.
pub(crate) fn terminal_stop_message(termination: Termination) -> Option<String> {
    match termination {
        Termination::Terminal(signal) => Some(format!(
            "was stopped by {} because it used the terminal; tests have none",
            crate::os::signal_name::name(signal.as_raw())
        )),
        Termination::Timeout | Termination::Interrupt => None,
    }
}
