//! A shell with hooks, step by step: setup, what stands between, teardown.

use std::io;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use super::driver::{DriverConnection, DriverMessage};
use super::process::{KillTarget, MonitoredProcess, Termination, WaitEvent, shell_code};
use super::process_tree;
use super::result::{Hook, HookFailure, HookReason};

/// How much of what a hook wrote is kept: the end of it.
const OUTPUT: u64 = 1 << 16;
/// How long a shell whose work was cut has to take notice.
const NOTICE: Duration = Duration::from_secs(2);
/// What a shell says of a command that was killed.
const KILLED: i32 = 137;

/// A shell that runs hooks.
pub(crate) struct HookShell<'w> {
    pub(crate) watched: MonitoredProcess<'w>,
    pub(crate) control: DriverConnection,
    /// The hooks' names: one before, one after.
    pub(crate) hooks: [Hook; 2],
    pub(crate) instant: fn() -> Instant,
    /// How far it has come.
    pub(crate) phase: ShellPhase,
}

/// How far a shell has come, of what matters for its teardown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ShellPhase {
    Starting,
    Ready,
    /// It has gone on to its teardown.
    Left,
    /// Its teardown has come to its end.
    Done,
}

/// How far the setup came.
pub(crate) enum SetupResult {
    /// This process is now what stands between.
    Command(Pid),
    Failed(HookFailure),
    /// The folder for what stands between is not there.
    Nowhere,
    Interrupted,
}

/// How a teardown ended.
pub(crate) enum TeardownResult {
    /// As it should, or there was none.
    Well,
    Failed(HookFailure),
    Interrupted,
}

/// How what stands between ended.
pub(crate) struct CommandExit {
    pub(crate) exit_code: i32,
    pub(crate) cut: Option<Termination>,
}

impl HookShell<'_> {
    /// Lets the setup begin and waits for it to be done. The streams of what stands between are open from then on.
    pub(crate) fn run_setup(&mut self, until: Instant, given: Duration) -> io::Result<SetupResult> {
        self.control.answer();
        loop {
            match self.next(Some(until))? {
                Next::Step(DriverMessage::Command(pid)) => {
                    self.watched.release();
                    return Ok(SetupResult::Command(pid));
                }
                Next::Step(DriverMessage::LeftSetup(status)) => {
                    return Ok(self.setup_failed(Some(status)));
                }
                Next::Step(DriverMessage::Nowhere) => {
                    self.watched.release();
                    return Ok(SetupResult::Nowhere);
                }
                Next::Step(DriverMessage::Ended(_)) => return Ok(self.not_begun()),
                Next::Wake(WaitEvent::Ended) => {
                    let status = self.watched.status().map(shell_code);
                    return Ok(self.setup_failed(status));
                }
                Next::Wake(wake) => {
                    if let Some(cut) = wake.cut() {
                        return self.cut_setup(cut, given);
                    }
                }
                Next::Step(
                    DriverMessage::Ready | DriverMessage::LeftCommand | DriverMessage::Done,
                ) => {}
            }
        }
    }

    fn setup_failed(&mut self, status: Option<i32>) -> SetupResult {
        self.watched.release();
        SetupResult::Failed(HookFailure {
            exit_code: status,
            output: self.control.written(0, OUTPUT),
            ..HookFailure::new(self.hooks[0])
        })
    }

    /// The shell could not enter the folder or open the streams.
    fn not_begun(&mut self) -> SetupResult {
        self.watched.release();
        SetupResult::Failed(HookFailure {
            reason: Some(HookReason::CommandNotStarted),
            output: self.control.written(0, OUTPUT),
            ..HookFailure::new(self.hooks[0])
        })
    }

    /// Ends whatever the setup waits for and asks the shell itself to go on to the teardown.
    fn cut_setup(&mut self, cut: Termination, given: Duration) -> io::Result<SetupResult> {
        let shell = self.watched.pid();
        if self.phase == ShellPhase::Starting {
            self.step_within(NOTICE, |step| *step == DriverMessage::Ready)?;
        }
        let _ = kill_process(shell, Signal::TERM);
        // The terminal may have stopped it.
        let _ = kill_process(shell, Signal::CONT);
        // Found once: what the teardown starts is none of them.
        let below: Vec<_> = process_tree::with_descendants(shell)
            .into_iter()
            .skip(1)
            .collect();
        self.watched
            .terminate(&KillTarget::Dynamic(Box::new(move || below.clone())))?;
        self.leave_setup()?;
        self.watched.release();
        let failure = HookFailure {
            timed_out: (cut == Termination::Timeout).then_some(given),
            reason: terminal_stop_message(cut).map(HookReason::Hook),
            output: self.control.written(0, OUTPUT),
            ..HookFailure::new(self.hooks[0])
        };
        Ok(match cut {
            Termination::Interrupt => SetupResult::Interrupted,
            Termination::Timeout | Termination::Terminal(_) => SetupResult::Failed(failure),
        })
    }

    /// Waits for the shell to go on to its teardown.
    fn leave_setup(&mut self) -> io::Result<()> {
        let until = (self.instant)() + NOTICE;
        loop {
            match self.next(Some(until))? {
                Next::Step(DriverMessage::LeftSetup(_) | DriverMessage::LeftCommand)
                | Next::Wake(WaitEvent::Ended) => {
                    return Ok(());
                }
                // The setup was done at that very moment. The shell notices nothing before this has ended.
                Next::Step(DriverMessage::Command(pid)) => self.watched.terminate(&tree_of(pid))?,
                // It does not listen, and would go on with what it was told to leave.
                Next::Wake(WaitEvent::DeadlinePassed) => {
                    return self
                        .watched
                        .terminate(&KillTarget::Group(self.watched.pid()));
                }
                Next::Step(_) | Next::Wake(_) => {}
            }
        }
    }

    /// Waits for what stands between to end, or brings it about.
    pub(crate) fn wait_for_command(
        &mut self,
        command: Pid,
        until: Option<Instant>,
    ) -> io::Result<CommandExit> {
        loop {
            match self.next(until)? {
                Next::Step(DriverMessage::Ended(exit_code)) => {
                    return Ok(CommandExit {
                        exit_code,
                        cut: None,
                    });
                }
                Next::Wake(WaitEvent::Ended) => {
                    return Ok(CommandExit {
                        exit_code: KILLED,
                        cut: None,
                    });
                }
                Next::Wake(wake) => {
                    if let Some(cut) = wake.cut() {
                        return self.cut_between(command, cut);
                    }
                }
                Next::Step(_) => {}
            }
        }
    }

    fn cut_between(&mut self, command: Pid, cut: Termination) -> io::Result<CommandExit> {
        self.watched.terminate(&tree_of(command))?;
        let ended = self.step_within(NOTICE, |step| matches!(step, DriverMessage::Ended(_)))?;
        let exit_code = match ended {
            Some(DriverMessage::Ended(exit_code)) => exit_code,
            _ => KILLED,
        };
        Ok(CommandExit {
            exit_code,
            cut: Some(cut),
        })
    }

    /// Lets the teardown run, and waits for its end. A run that is being stopped waits for it too, unless that is
    /// urgent.
    pub(crate) fn run_teardown(
        &mut self,
        given: Duration,
        exists: bool,
    ) -> io::Result<TeardownResult> {
        let begin = self.control.position();
        self.control.answer();
        let until = (self.instant)() + given;
        let mut cut = None;
        while self.watched.status().is_none() && cut.is_none() {
            cut = if self.watched.is_urgent() {
                Some(Termination::Interrupt)
            } else {
                let wake = self.watched.wait(Some(until), None)?;
                wake.cut().filter(|cut| *cut != Termination::Interrupt)
            };
        }
        if cut.is_some() {
            self.watched
                .terminate(&KillTarget::Group(self.watched.pid()))?;
        }
        while self.step().is_some() {}
        let failure = HookFailure {
            output: self.control.written(begin, OUTPUT),
            ..HookFailure::new(self.hooks[1])
        };
        let exit_code = self.watched.status().map(shell_code);
        Ok(match exit_code {
            _ if !exists || self.phase == ShellPhase::Starting => TeardownResult::Well,
            _ if cut == Some(Termination::Interrupt) => TeardownResult::Interrupted,
            _ if cut.is_some() => TeardownResult::Failed(HookFailure {
                timed_out: (cut == Some(Termination::Timeout)).then_some(given),
                reason: cut.and_then(terminal_stop_message).map(HookReason::Hook),
                ..failure
            }),
            _ if self.phase == ShellPhase::Ready => TeardownResult::Failed(HookFailure {
                reason: Some(HookReason::Hook("was not run: the shell ended before it, as it does when `setup` replaces the EXIT trap".into())),
                ..failure
            }),
            Some(0) if self.phase == ShellPhase::Done => TeardownResult::Well,
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

    /// What happens next. What was said is heard before anything else: it may have been said in one breath.
    fn next(&mut self, until: Option<Instant>) -> io::Result<Next> {
        loop {
            if let Some(step) = self.step() {
                return Ok(Next::Step(step));
            }
            if self.watched.status().is_some() {
                return Ok(Next::Wake(WaitEvent::Ended));
            }
            match self.watched.wait(until, self.control.fd())? {
                WaitEvent::ControlReadable | WaitEvent::Ended => {}
                wake => return Ok(Next::Wake(wake)),
            }
        }
    }

    /// The step that is waited for, if it comes in time.
    fn step_within(
        &mut self,
        limit: Duration,
        is_it: impl Fn(&DriverMessage) -> bool,
    ) -> io::Result<Option<DriverMessage>> {
        let until = (self.instant)() + limit;
        loop {
            match self.next(Some(until))? {
                Next::Step(step) if is_it(&step) => return Ok(Some(step)),
                Next::Wake(WaitEvent::DeadlinePassed | WaitEvent::Ended) => return Ok(None),
                Next::Step(_) | Next::Wake(_) => {}
            }
        }
    }
}

fn tree_of(pid: Pid) -> KillTarget {
    KillTarget::Dynamic(Box::new(move || process_tree::with_descendants(pid)))
}

/// What a shell says, or what happens to it.
enum Next {
    Step(DriverMessage),
    Wake(WaitEvent),
}

/// What is said of a process that wanted the terminal.
pub(crate) fn terminal_stop_message(cut: Termination) -> Option<String> {
    match cut {
        Termination::Terminal(signal) => Some(format!(
            "wanted to use the terminal and was stopped by {}; tests have none",
            crate::os::signal_name::name(signal.as_raw())
        )),
        Termination::Timeout | Termination::Interrupt => None,
    }
}
