//! A shell with hooks, step by step: setup, what stands between, teardown.

use std::io;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use super::driver::{Control, Step};
use super::process::{Cut, Victims, Wake, Watched, shell_code};
use super::ran::{Hook, HookFailure, HookReason};
use super::tree;

/// How much of what a hook wrote is kept: the end of it.
const OUTPUT: u64 = 1 << 16;
/// How long a shell whose work was cut has to take notice.
const NOTICE: Duration = Duration::from_secs(2);
/// What a shell says of a command that was killed.
const KILLED: i32 = 137;

/// A shell that runs hooks.
pub(crate) struct Hooked<'w> {
    pub(crate) watched: Watched<'w>,
    pub(crate) control: Control,
    /// The hooks' names: one before, one after.
    pub(crate) hooks: [Hook; 2],
    pub(crate) instant: fn() -> Instant,
    /// How far it has come.
    pub(crate) stage: Stage,
}

/// How far a shell has come, of what matters for its teardown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Stage {
    Starting,
    Ready,
    /// It has gone on to its teardown.
    Left,
    /// Its teardown has come to its end.
    Done,
}

/// How far the setup came.
pub(crate) enum Entered {
    /// This process is now what stands between.
    Command(Pid),
    Failed(HookFailure),
    /// The folder for what stands between is not there.
    Nowhere,
    Interrupted,
}

/// How a teardown ended.
pub(crate) enum TornDown {
    /// As it should, or there was none.
    Well,
    Failed(HookFailure),
    Interrupted,
}

/// How what stands between ended.
pub(crate) struct Between {
    pub(crate) exit_code: i32,
    pub(crate) cut: Option<Cut>,
}

impl Hooked<'_> {
    /// Lets the setup begin and waits for it to be done. The streams of what stands between are open from then on.
    pub(crate) fn enter(&mut self, until: Instant, given: Duration) -> io::Result<Entered> {
        self.control.answer();
        loop {
            match self.next(Some(until))? {
                Next::Step(Step::Command(pid)) => {
                    self.watched.release();
                    return Ok(Entered::Command(pid));
                }
                Next::Step(Step::LeftSetup(status)) => return Ok(self.setup_failed(Some(status))),
                Next::Step(Step::Nowhere) => {
                    self.watched.release();
                    return Ok(Entered::Nowhere);
                }
                Next::Step(Step::Ended(_)) => return Ok(self.not_begun()),
                Next::Wake(Wake::Ended) => {
                    let status = self.watched.status().map(shell_code);
                    return Ok(self.setup_failed(status));
                }
                Next::Wake(wake) => {
                    if let Some(cut) = wake.cut() {
                        return self.cut_setup(cut, given);
                    }
                }
                Next::Step(Step::Ready | Step::LeftCommand | Step::Done) => {}
            }
        }
    }

    fn setup_failed(&mut self, status: Option<i32>) -> Entered {
        self.watched.release();
        Entered::Failed(HookFailure {
            exit_code: status,
            output: self.control.written(0, OUTPUT),
            ..HookFailure::new(self.hooks[0])
        })
    }

    /// The shell could not enter the folder or open the streams.
    fn not_begun(&mut self) -> Entered {
        self.watched.release();
        Entered::Failed(HookFailure {
            reason: Some(HookReason::CommandNotStarted),
            output: self.control.written(0, OUTPUT),
            ..HookFailure::new(self.hooks[0])
        })
    }

    /// Ends whatever the setup waits for and asks the shell itself to go on to the teardown.
    fn cut_setup(&mut self, cut: Cut, given: Duration) -> io::Result<Entered> {
        let shell = self.watched.pid();
        if self.stage == Stage::Starting {
            self.step_within(NOTICE, |step| *step == Step::Ready)?;
        }
        let _ = kill_process(shell, Signal::TERM);
        // The terminal may have stopped it.
        let _ = kill_process(shell, Signal::CONT);
        // Found once: what the teardown starts is none of them.
        let below: Vec<_> = tree::with_descendants(shell).into_iter().skip(1).collect();
        self.watched
            .end(&Victims::Found(Box::new(move || below.clone())))?;
        self.leave_setup()?;
        self.watched.release();
        let failure = HookFailure {
            timed_out: (cut == Cut::Timeout).then_some(given),
            reason: cut_reason(cut).map(HookReason::Hook),
            output: self.control.written(0, OUTPUT),
            ..HookFailure::new(self.hooks[0])
        };
        Ok(match cut {
            Cut::Interrupt => Entered::Interrupted,
            Cut::Timeout | Cut::Terminal(_) => Entered::Failed(failure),
        })
    }

    /// Waits for the shell to go on to its teardown.
    fn leave_setup(&mut self) -> io::Result<()> {
        let until = (self.instant)() + NOTICE;
        loop {
            match self.next(Some(until))? {
                Next::Step(Step::LeftSetup(_) | Step::LeftCommand) | Next::Wake(Wake::Ended) => {
                    return Ok(());
                }
                // The setup was done at that very moment. The shell notices nothing before this has ended.
                Next::Step(Step::Command(pid)) => self.watched.end(&tree_of(pid))?,
                // It does not listen, and would go on with what it was told to leave.
                Next::Wake(Wake::Late) => {
                    return self.watched.end(&Victims::Group(self.watched.pid()));
                }
                Next::Step(_) | Next::Wake(_) => {}
            }
        }
    }

    /// Waits for what stands between to end, or brings it about.
    pub(crate) fn between(&mut self, command: Pid, until: Option<Instant>) -> io::Result<Between> {
        loop {
            match self.next(until)? {
                Next::Step(Step::Ended(exit_code)) => {
                    return Ok(Between {
                        exit_code,
                        cut: None,
                    });
                }
                Next::Wake(Wake::Ended) => {
                    return Ok(Between {
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

    fn cut_between(&mut self, command: Pid, cut: Cut) -> io::Result<Between> {
        self.watched.end(&tree_of(command))?;
        let ended = self.step_within(NOTICE, |step| matches!(step, Step::Ended(_)))?;
        let exit_code = match ended {
            Some(Step::Ended(exit_code)) => exit_code,
            _ => KILLED,
        };
        Ok(Between {
            exit_code,
            cut: Some(cut),
        })
    }

    /// Lets the teardown run, and waits for its end. A run that is being stopped waits for it too, unless that is
    /// urgent.
    pub(crate) fn leave(&mut self, given: Duration, exists: bool) -> io::Result<TornDown> {
        let begin = self.control.position();
        self.control.answer();
        let until = (self.instant)() + given;
        let mut cut = None;
        while self.watched.status().is_none() && cut.is_none() {
            cut = if self.watched.is_urgent() {
                Some(Cut::Interrupt)
            } else {
                let wake = self.watched.wait(Some(until), None)?;
                wake.cut().filter(|cut| *cut != Cut::Interrupt)
            };
        }
        if cut.is_some() {
            self.watched.end(&Victims::Group(self.watched.pid()))?;
        }
        while self.step().is_some() {}
        let failure = HookFailure {
            output: self.control.written(begin, OUTPUT),
            ..HookFailure::new(self.hooks[1])
        };
        let exit_code = self.watched.status().map(shell_code);
        Ok(match exit_code {
            _ if !exists || self.stage == Stage::Starting => TornDown::Well,
            _ if cut == Some(Cut::Interrupt) => TornDown::Interrupted,
            _ if cut.is_some() => TornDown::Failed(HookFailure {
                timed_out: (cut == Some(Cut::Timeout)).then_some(given),
                reason: cut.and_then(cut_reason).map(HookReason::Hook),
                ..failure
            }),
            _ if self.stage == Stage::Ready => TornDown::Failed(HookFailure {
                reason: Some(HookReason::Hook("was not run: the shell ended before it, as it does when `setup` replaces the EXIT trap".into())),
                ..failure
            }),
            Some(0) if self.stage == Stage::Done => TornDown::Well,
            exit_code => TornDown::Failed(HookFailure { exit_code, ..failure }),
        })
    }

    fn step(&mut self) -> Option<Step> {
        let step = self.control.step();
        match step {
            Some(Step::Ready) => self.stage = Stage::Ready,
            Some(Step::LeftCommand | Step::LeftSetup(_)) => self.stage = Stage::Left,
            Some(Step::Done) => self.stage = Stage::Done,
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
                return Ok(Next::Wake(Wake::Ended));
            }
            match self.watched.wait(until, self.control.fd())? {
                Wake::Message | Wake::Ended => {}
                wake => return Ok(Next::Wake(wake)),
            }
        }
    }

    /// The step that is waited for, if it comes in time.
    fn step_within(
        &mut self,
        limit: Duration,
        is_it: impl Fn(&Step) -> bool,
    ) -> io::Result<Option<Step>> {
        let until = (self.instant)() + limit;
        loop {
            match self.next(Some(until))? {
                Next::Step(step) if is_it(&step) => return Ok(Some(step)),
                Next::Wake(Wake::Late | Wake::Ended) => return Ok(None),
                Next::Step(_) | Next::Wake(_) => {}
            }
        }
    }
}

fn tree_of(pid: Pid) -> Victims {
    Victims::Found(Box::new(move || tree::with_descendants(pid)))
}

/// What a shell says, or what happens to it.
enum Next {
    Step(Step),
    Wake(Wake),
}

/// What is said of a process that wanted the terminal.
pub(crate) fn cut_reason(cut: Cut) -> Option<String> {
    match cut {
        Cut::Terminal(signal) => Some(format!(
            "wanted to use the terminal and was stopped by {}; tests have none",
            crate::os::signal_name::name(signal.as_raw())
        )),
        Cut::Timeout | Cut::Interrupt => None,
    }
}
