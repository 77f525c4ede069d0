//! One attempt of a test with a command.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Instant;

use casebook_record::Redactor;
use casebook_suite::model::{Step, Workdir};

use super::NativeEngine;
use super::prepared_test::PreparedTest;
use super::prestart::StartedShell;
use crate::assertions::{AssertionChecker, AssertionResult};
use crate::attempt::{AttemptResult, StepResult};
use crate::captured_values::CapturedValues;
use crate::emitter::EventEmitter;
use crate::engine::variables;
use crate::llm::redactor;
use crate::plan::PlannedTest;
use crate::shell::command::ShellCommand;
use crate::shell::hook_shell::{HookShell, SetupResult};
use crate::shell::{CommandResult, Streams, TEST_MARK, cleanup};

impl<'w> NativeEngine<'w> {
    pub(super) fn run_without_hooks(
        &self,
        prepared: &PreparedTest<'_>,
        step: &Step,
        emitter: &EventEmitter<'_>,
    ) -> io::Result<AttemptResult> {
        let started = (self.system.instant)();
        let dir = match self.dir_of(prepared) {
            Some(dir) if !dir.is_dir() => return Ok(no_dir(&dir)),
            Some(dir) => dir,
            None => self.system.dir.clone(),
        };
        let command = ShellCommand {
            script: &step.command.text,
            environment: prepared.environment,
            dir: &dir,
            stdin: step.stdin.as_deref(),
            separate: step.keeps_streams_apart(),
            timeout: prepared.timeout,
        };
        let mut process = command.start(&self.processes)?;
        let observer = |streams: &[&[u8]]| emitter.output_so_far(prepared.planned, streams);
        let ending = command.finish(&mut process, started, &observer)?;
        let ran = ending.into_result(process, self.system.instant, prepared.dir)?;
        let assertions = self.check_assertions(prepared, step, &ran, &dir);
        Ok(AttemptResult::of_command(StepResult::new(ran, assertions)))
    }

    pub(super) fn run_in_hook_shell(
        &self,
        prepared: &PreparedTest<'_>,
        step: &Step,
        started_shell: StartedShell<'w>,
        emitter: &EventEmitter<'_>,
    ) -> io::Result<AttemptResult> {
        let started = (self.system.instant)();
        let mut shell = started_shell.shell;
        let attempt = self.run_with_hooks(prepared, step, &mut shell, (started, emitter))?;
        cleanup::kill_leftovers(&mut shell.process, TEST_MARK, prepared.dir.as_os_str())?;
        if attempt.ended_cleanly() {
            self.scratch.recycle_file(shell.control.into_log());
        }
        Ok(attempt)
    }

    /// Runs setup, command, assertions and teardown.
    fn run_with_hooks(
        &self,
        prepared: &PreparedTest<'_>,
        step: &Step,
        shell: &mut HookShell<'_>,
        (started, emitter): (Instant, &EventEmitter<'_>),
    ) -> io::Result<AttemptResult> {
        let until = prepared.timeout.map(|timeout| started + timeout);
        let for_setup = prepared.setup_timeout();
        let mut attempt = AttemptResult::default();
        let observer = |streams: &[&[u8]]| emitter.output_so_far(prepared.planned, streams);
        match shell.run_setup(started + for_setup, for_setup)? {
            SetupResult::Command(pid) => {
                let command_started = (self.system.instant)();
                let between = shell.wait_for_command(pid, until, &observer)?;
                let duration = (self.system.instant)() - command_started;
                let leaky = cleanup::drain_output(&mut shell.process, self.system.instant)?;
                let ran = CommandResult {
                    exit_code: between.exit_code,
                    signal: None,
                    streams: Streams::of(shell.process.take_captured()),
                    duration,
                    termination: between.termination,
                    leaky: leaky && between.termination.is_none(),
                    terminal: None,
                };
                let dir = self
                    .dir_of(prepared)
                    .unwrap_or_else(|| shell_dir(shell, self));
                let assertions = self.check_assertions(prepared, step, &ran, &dir);
                attempt = AttemptResult::of_command(StepResult::new(ran, assertions));
            }
            SetupResult::Failed(failure) => attempt.hook = Some(failure),
            SetupResult::DirectoryMissing => {
                attempt = no_dir(&self.dir_of(prepared).unwrap_or_default());
            }
            SetupResult::Interrupted => attempt.interrupted = true,
        }
        attempt.add_teardown(prepared.tear_down(shell)?);
        Ok(attempt)
    }

    /// Checks the assertions; none if the command was terminated.
    fn check_assertions(
        &self,
        prepared: &PreparedTest<'_>,
        step: &Step,
        ran: &CommandResult,
        dir: &Path,
    ) -> Vec<AssertionResult> {
        if ran.termination.is_some() {
            return Vec::new();
        }
        let redactor = || self.redactor(prepared, &CapturedValues::default());
        let checker = AssertionChecker {
            ran,
            dir,
            normalizers: prepared.normalizers(dir),
            snapshot: prepared.planned.snapshot(0),
            snapshots: self.options.snapshots,
            redactor: &redactor,
            planned: prepared.planned,
            root: &self.system.dir,
            budget: self.budget,
        };
        checker.check_all(&step.assertions)
    }

    /// Redacts the secrets in the environment of a test, and those that its steps have captured.
    pub(super) fn redactor(
        &self,
        prepared: &PreparedTest<'_>,
        captured: &CapturedValues,
    ) -> Redactor {
        let text = |text: &OsStr| text.to_string_lossy().into_owned();
        let environment = prepared.environment.iter();
        let environment = environment.map(|(name, value)| (text(name), text(value)));
        let captured = captured.secrets();
        let all: Vec<_> = environment.chain(captured).collect();
        let patterns = &prepared.planned.suite.suite.redact;
        redactor(&self.options.llm, patterns, &all)
    }

    /// The `workdir` of the test, as an absolute path.
    pub(super) fn dir_of(&self, prepared: &PreparedTest<'_>) -> Option<PathBuf> {
        Some(match prepared.test.workdir.as_ref()? {
            Workdir::At(workdir) => self.absolute_dir(prepared.planned, &workdir.path),
            Workdir::Copy(_) | Workdir::Empty => prepared.dir.join(Workdir::NAME),
        })
    }

    /// A directory relative to that of the suite, as an absolute path.
    pub(super) fn absolute_dir(&self, planned: PlannedTest<'_>, dir: &str) -> PathBuf {
        let file = planned.suite.file(&self.system.dir);
        variables::absolute(&file.parent().unwrap_or(Path::new("/")).join(dir))
    }
}

pub(super) fn no_dir(dir: &Path) -> AttemptResult {
    AttemptResult {
        error: Some(format!("working directory not found: {}", dir.display())),
        workdir_is_missing: true,
        ..AttemptResult::default()
    }
}

/// The working directory of the shell, which `setup` may have changed.
pub(super) fn shell_dir(shell: &HookShell<'_>, native: &NativeEngine<'_>) -> PathBuf {
    let link = std::fs::read_link(format!("/proc/{}/cwd", shell.process.pid()));
    link.unwrap_or_else(|_| native.system.dir.clone())
}
