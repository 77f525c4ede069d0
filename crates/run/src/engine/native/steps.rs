//! Runs the steps of a test one after another, between its hooks.

use std::io;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use casebook_record::Redactor;
use casebook_suite::model::{Eventually, Step, Terminal};

use super::NativeEngine;
use super::command_test::no_dir;
use super::prepared_test::PreparedTest;
use super::terminal_command::TerminalCommand;
use crate::assertions::{AssertionChecker, AssertionResult};
use crate::attempt::{AttemptResult, Repetition, StepResult};
use crate::captured_values::CapturedValues;
use crate::conversation::HookScope;
use crate::emitter::{EventEmitter, StepEvents};
use crate::shell::command::ShellCommand;
use crate::shell::environment::Environment;
use crate::shell::process::MonitoredProcess;
use crate::shell::terminal;
use crate::shell::{CommandResult, TEST_MARK, Termination, cleanup};

impl NativeEngine<'_> {
    /// Runs the steps until one fails.
    pub(super) fn run_steps(
        &self,
        prepared: &PreparedTest<'_>,
        emitter: &EventEmitter<'_>,
    ) -> io::Result<AttemptResult> {
        self.run_between_hooks(prepared, |scope| {
            let runner = StepRunner {
                native: self,
                prepared,
                scope,
                emitter,
                captured: CapturedValues::default(),
                last_process: None,
            };
            runner.run(prepared.test.steps())
        })
    }
}

struct StepRunner<'a, 'w> {
    native: &'a NativeEngine<'w>,
    prepared: &'a PreparedTest<'a>,
    scope: &'a HookScope<'a>,
    emitter: &'a EventEmitter<'a>,
    captured: CapturedValues,
    /// The process of the last command. What it left in the background runs until the test ends.
    last_process: Option<MonitoredProcess<'w>>,
}

/// What a step needs to run, with the values captured before it.
struct ReadyStep<'s> {
    index: usize,
    /// As in the suite.
    step: &'s Step,
    command: Step,
    environment: Environment,
    dir: PathBuf,
}

impl StepRunner<'_, '_> {
    fn run(mut self, steps: &[Step]) -> io::Result<AttemptResult> {
        let mut attempt = AttemptResult::default();
        let events = StepEvents::new(self.emitter, self.prepared.planned);
        for (index, step) in steps.iter().enumerate() {
            let ready = self.ready(index, step);
            if !ready.dir.is_dir() {
                let missing = no_dir(&ready.dir);
                attempt.error = missing.error;
                attempt.workdir_is_missing = missing.workdir_is_missing;
                break;
            }
            events.started(index, &ready.command);
            let started = self.now();
            let result = self.run_step(&ready)?;
            let duration = self.now() - started;
            events.finished(index, &result, Some(duration), &self.captured);
            let is_interrupted = result.ran.termination == Some(Termination::Interrupt);
            let has_failed = !result.passed() || self.has_leaked(&result);
            attempt.interrupted |= is_interrupted;
            attempt.steps.push(result);
            if has_failed {
                break;
            }
        }
        self.kill_leftovers()?;
        attempt.captured = self.captured;
        Ok(attempt)
    }

    fn ready<'s>(&self, index: usize, step: &'s Step) -> ReadyStep<'s> {
        let command = step.with_values(|name| self.captured.get(name));
        let mut environment = self.scope.environment.clone();
        for (name, value) in &command.env {
            environment.set(name, value);
        }
        let workdir = command.workdir.as_ref();
        let planned = self.prepared.planned;
        let dir = workdir.map_or_else(
            || self.scope.dir.clone(),
            |workdir| self.native.absolute_dir(planned, &workdir.path),
        );
        ReadyStep {
            index,
            step,
            command,
            environment,
            dir,
        }
    }

    /// Runs the command once, or until its assertions pass.
    fn run_step(&mut self, ready: &ReadyStep<'_>) -> io::Result<StepResult> {
        let Some(eventually) = ready.step.eventually else {
            return self.run_once(ready, None);
        };
        let started = self.now();
        let until = started + eventually.within;
        let mut attempts = 0;
        loop {
            let mut result = self.run_once(ready, Some((eventually, until)))?;
            attempts += 1;
            if result.passed() || !self.may_repeat(&result, eventually, until) {
                result.repetition = Some(Repetition {
                    attempts,
                    elapsed: self.now() - started,
                });
                return Ok(result);
            }
        }
    }

    /// Waits before the next attempt; false if there is no time for one.
    fn may_repeat(&self, result: &StepResult, eventually: Eventually, until: Instant) -> bool {
        let next = self.now() + eventually.every;
        let end = self.scope.deadline.map_or(until, |end| end.min(until));
        if result.ran.termination == Some(Termination::Interrupt) || next >= end {
            return false;
        }
        let stop = self.native.processes.stop;
        while self.now() < next && !stop.is_requested() {
            stop.pause(next - self.now());
        }
        !stop.is_requested()
    }

    fn run_once(
        &mut self,
        ready: &ReadyStep<'_>,
        eventually: Option<(Eventually, Instant)>,
    ) -> io::Result<StepResult> {
        let started = self.now();
        let left = |end: Instant| end.saturating_duration_since(started);
        let own = ready.step.timeout;
        let repeated = eventually.map(|(eventually, until)| (left(until), eventually.within));
        let of_test = self.scope.deadline.map(left);
        let limits = [own.map(|own| (own, own)), repeated];
        let shortest = limits.into_iter().flatten().min();
        let shortest = shortest.filter(|(left, _)| of_test.is_none_or(|test| *left < test));
        let timeout = shortest.map(|(left, _)| left).or(of_test);
        let ran = self.run_command(ready, timeout, started)?;
        let timed_out = ran.termination == Some(Termination::Timeout);
        let mut result = StepResult::new(ran, Vec::new());
        result.own_timeout = shortest.filter(|_| timed_out).map(|(_, given)| given);
        if result.ran.termination.is_none() {
            self.check(ready, &mut result);
        }
        Ok(result)
    }

    fn run_command(
        &mut self,
        ready: &ReadyStep<'_>,
        timeout: Option<Duration>,
        started: Instant,
    ) -> io::Result<CommandResult> {
        if let Some(terminal) = &ready.command.terminal {
            return self.run_in_terminal(ready, terminal, timeout, started);
        }
        let command = ShellCommand {
            script: &ready.command.command.text,
            environment: &ready.environment,
            dir: &ready.dir,
            stdin: ready.command.stdin.as_deref(),
            separate: ready.step.keeps_streams_apart(),
            timeout,
        };
        let mut process = command.start(&self.native.processes)?;
        let planned = self.prepared.planned;
        let observer = |streams: &[&[u8]]| self.emitter.output_so_far(planned, streams);
        let end = command.finish(&mut process, started, &observer)?;
        let ran = end.result(&mut process, self.native.system.instant)?;
        self.last_process = Some(process);
        Ok(ran)
    }

    fn run_in_terminal(
        &mut self,
        ready: &ReadyStep<'_>,
        terminal: &Terminal,
        timeout: Option<Duration>,
        started: Instant,
    ) -> io::Result<CommandResult> {
        let environment = self.terminal_environment(ready);
        let command = TerminalCommand {
            script: &ready.command.command.text,
            environment: &environment,
            dir: &ready.dir,
            terminal,
            timeout,
        };
        let (mut ran, process) = command.run(&self.native.processes, started)?;
        self.redact_screen(&mut ran, &self.captured);
        self.last_process = Some(process);
        Ok(ran)
    }

    /// The size of the terminal is the terminal's own, and its type is fixed unless the suite sets another.
    fn terminal_environment(&self, ready: &ReadyStep<'_>) -> Environment {
        let mut environment = ready.environment.clone();
        let own = [
            &self.prepared.planned.suite.suite.env,
            &self.prepared.test.env,
            &ready.command.env,
        ];
        let is_set = |name: &str| own.iter().any(|env| env.iter().any(|(key, _)| key == name));
        if !is_set("TERM") {
            environment.set("TERM", "xterm-256color");
        }
        for name in ["COLUMNS", "LINES"] {
            if !is_set(name) {
                environment.unset(name);
            }
        }
        environment
    }

    /// Captures the values and checks the assertions. A value that is not found fails the step if no assertion failed.
    fn check(&mut self, ready: &ReadyStep<'_>, result: &mut StepResult) {
        let redactor = || self.native.redactor(self.prepared, &self.captured);
        let checker = self.checker(ready, &result.ran, &redactor);
        let dialogue = ready.command.terminal.as_ref();
        let dialogue = dialogue.map_or(&[][..], |terminal| &terminal.dialogue);
        let mut assertions = checker.dialogue(dialogue);
        if !assertions.iter().all(AssertionResult::passed) {
            result.assertions = assertions;
            return;
        }
        let mut values = self.captured.clone();
        let mut missing = Vec::new();
        for capture in &ready.command.captures {
            match checker.captured(capture) {
                Ok(value) => {
                    if let Some(secret) = value.secret() {
                        self.emitter.sink().register_secrets(&[secret]);
                    }
                    values.set(value);
                }
                Err(not_found) => missing.push(*not_found),
            }
        }
        self.redact_screen(&mut result.ran, &values);
        let step = ready.step.with_values(|name| values.get(name));
        let checker = self.checker(ready, &result.ran, &redactor);
        assertions.extend(checker.check_all(&step.assertions));
        if assertions.iter().all(AssertionResult::passed) {
            assertions.extend(missing);
        }
        result.assertions = assertions;
        self.captured = values;
    }

    fn checker<'c>(
        &'c self,
        ready: &'c ReadyStep<'_>,
        ran: &'c CommandResult,
        redactor: &'c dyn Fn() -> Redactor,
    ) -> AssertionChecker<'c> {
        let planned = self.prepared.planned;
        AssertionChecker {
            ran,
            dir: &ready.dir,
            normalizers: self.prepared.normalizers(&ready.dir),
            snapshot: planned.snapshot(ready.index),
            snapshots: self.native.options.snapshots,
            redactor,
            planned,
            root: &self.native.system.dir,
            budget: self.native.budget,
        }
    }

    /// Redacts the screen here, where its lines and colors are known: the sink redacts only complete texts.
    fn redact_screen(&self, ran: &mut CommandResult, captured: &CapturedValues) {
        if let Some(result) = &mut ran.terminal {
            let redactor = self.native.redactor(self.prepared, captured);
            terminal::redact(result, &redactor);
        }
    }

    fn has_leaked(&self, result: &StepResult) -> bool {
        result.ran.leaky && self.native.options.leaks_fail
    }

    /// Kills what the commands left in the background. After hooks, their shell does it, so that `teardown` can still use it.
    fn kill_leftovers(&mut self) -> io::Result<()> {
        match &mut self.last_process {
            Some(process) if !self.prepared.has_hooks() => {
                let mark = self.prepared.dir.as_os_str();
                cleanup::kill_leftovers(process, TEST_MARK, mark)
            }
            _ => Ok(()),
        }
    }

    fn now(&self) -> Instant {
        (self.native.system.instant)()
    }
}
