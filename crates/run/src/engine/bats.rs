//! The Bats engine: compiles suites to Bats code and runs them with the installed `bats`.
//!
//! Bats runs a complete suite at once, so opening a suite runs all its tests; an attempt then only looks up its result.
//! The Bats code decides whether an assertion passed, except a snapshot; the message of a failed one comes from the native engine.
//! What Bats writes to standard error is shown as it comes.

mod results;
mod services;

use std::collections::HashMap;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use casebook_record::{Comparison, DeclaredSecret, Redactor};
use casebook_suite::Suite;
use casebook_suite::bats::{SuiteLocation, compile, needs_json};
use casebook_suite::model::{Capture, Check, Step};
use parking_lot::Mutex;
use rustix::process::Pid;

use super::variables;
use super::{Engine, SuiteEnvironment};
use crate::assertions::{AssertionChecker, AssertionResult, CheckResult, Normalizers};
use crate::attempt::{AttemptResult, StepResult};
use crate::budget::OutputBudget;
use crate::captured_values::{CapturedValue, CapturedValues};
use crate::emitter::{EventEmitter, StepEvents};
use crate::llm::redactor;
use crate::options::Options;
use crate::plan::{PlannedSuite, PlannedTest};
use crate::scratch::{self, RUN_MARK, ScratchDir};
use crate::services::ServiceOutput;
use crate::shell::bash::look_up;
use crate::shell::pipe::PipeReader;
use crate::shell::process::{KillTarget, MonitoredProcess, WaitEvent};
use crate::shell::{Hook, HookFailure, Termination, cleanup};
use crate::stop::StopToken;
use crate::system::SystemContext;
use results::{BatsStep, Results};

/// Why Bats cannot run the suites.
#[derive(Debug, thiserror::Error)]
pub enum NoBats {
    /// `bats` was not found.
    #[error(
        "bats not found in PATH; install it to use --engine bats (Debian: apt-get install bats)"
    )]
    Bats,
    /// `jq` was not found, and a suite has JSON assertions.
    #[error(
        "jq not found in PATH; install it, because {0} uses outputJson (Debian: apt-get install jq)"
    )]
    Jq(String),
}

/// Starts Bats with standard error on descriptor 3, where tests write what is shown while they run.
const START: &str = r#"{ : >&3; } 2>/dev/null && exec 2>&3; exec "$0" "$@""#;

/// Runs suites with Bats.
pub(crate) struct BatsEngine<'w> {
    budget: &'w OutputBudget,
    system: &'w SystemContext,
    stop: &'w StopToken,
    options: &'w Options,
    program: PathBuf,
    scratch: ScratchDir,
    /// How many tests of a suite Bats may run in parallel.
    jobs: usize,
}

/// A suite that Bats has run.
pub(crate) struct BatsSuite {
    results: Results,
    failure: Option<HookFailure>,
    teardown: Option<HookFailure>,
    interrupted: bool,
    /// The number of attempts reported so far, by test.
    reported: Mutex<HashMap<usize, usize>>,
}

impl<'w> BatsEngine<'w> {
    /// Finds the required programs. Without GNU parallel, Bats runs one test at a time.
    pub(crate) fn new(
        suites: &[PlannedSuite],
        system: &'w SystemContext,
        stop: &'w StopToken,
        options: &'w Options,
        scratch: ScratchDir,
        budget: &'w OutputBudget,
    ) -> Result<BatsEngine<'w>, NoBats> {
        let find = |name| look_up(name, system.variable("PATH").map(OsString::as_os_str)?);
        let reads_json = |suite: &&PlannedSuite| {
            let steps = suite.planned_tests().flat_map(|test| test.test().steps());
            steps.into_iter().any(needs_json)
        };
        if let Some(suite) = suites.iter().find(reads_json)
            && find("jq").is_none()
        {
            return Err(NoBats::Jq(suite.name().to_owned()));
        }
        Ok(BatsEngine {
            budget,
            system,
            stop,
            options,
            program: find("bats").ok_or(NoBats::Bats)?,
            jobs: if find("parallel").is_some() && is_one_word(scratch.root()) {
                options.jobs
            } else {
                1
            },
            scratch,
        })
    }

    /// Whether Bats runs fewer jobs than requested.
    pub(crate) fn lacks_parallel(&self) -> bool {
        self.jobs < self.options.jobs
    }

    /// Runs the suite with Bats. Returns its TAP output, and whether it was interrupted.
    fn run(&self, suite: &PlannedSuite, dir: &Path) -> io::Result<(Vec<u8>, bool)> {
        let code = dir.join("suite.bats");
        let planned = prepared(suite, self.options);
        let file = variables::absolute(&suite.file(&self.system.dir));
        fs::write(&code, compile(&planned, SuiteLocation::At(&file)).code)?;
        let (tap, writing) = PipeReader::piped()?;
        let mut command = self.command(&code, dir, suite.suite.parallel, writing);
        let bats = command.process_group(0).spawn()?;
        // The command holds the write end of the pipe, which would otherwise never close.
        drop(command);
        let limit = usize::MAX;
        let mut process = MonitoredProcess::begin(
            Pid::from_child(&bats),
            vec![tap],
            limit,
            self.stop,
            self.system.instant,
        )?;
        let termination = loop {
            match process.wait(None, None)? {
                WaitEvent::Ended => break None,
                wake => {
                    if let Some(termination) = wake.termination() {
                        process.terminate(&KillTarget::Group(process.pid()))?;
                        break Some(termination);
                    }
                }
            }
        };
        cleanup::drain_output(&mut process, self.system.instant)?;
        cleanup::kill_leftovers(&mut process, RUN_MARK, dir.as_os_str())?;
        let tap = process.take_captured().swap_remove(0).bytes;
        Ok((tap, termination == Some(Termination::Interrupt)))
    }

    fn command(&self, code: &Path, dir: &Path, parallel: bool, out: OwnedFd) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", START]).arg(&self.program);
        command.args(["--tap", "--timing"]);
        // Otherwise Bats would leave a directory in TMPDIR when it is killed.
        command.arg("--tempdir").arg(dir.join("run"));
        if self.jobs > 1 && parallel {
            command.args(["--jobs", &self.jobs.to_string()]);
        }
        command
            .arg(code)
            .env_clear()
            .envs(
                self.system
                    .environment
                    .iter()
                    .map(|(name, value)| (name, value)),
            )
            .env("CASEBOOK_BATS_RESULTS", dir.join("results"))
            .env("CASEBOOK_MAX_OUTPUT", self.options.max_output.to_string())
            .current_dir(&self.system.dir)
            .stdin(Stdio::null())
            .stdout(out);
        command
    }

    /// The assertions of a step, with the results that Bats reported.
    fn assertions(
        &self,
        planned: PlannedTest<'_>,
        index: usize,
        result: &StepResult,
        done: &BatsStep,
        captured: &CapturedValues,
    ) -> Vec<AssertionResult> {
        let redactor = || self.redactor(planned, captured);
        let step = planned.test().steps()[index].with_values(|name| captured.get(name));
        let normalizers: Vec<_> = planned
            .test()
            .normalize
            .iter()
            .map(|one| one.with_values(|name| captured.get(name)))
            .collect();
        // Bats has removed a new working directory, and the files of this one are others.
        let is_removed = step.workdir.is_none() && planned.test().has_new_workdir();
        let removed = self.scratch.root().join("removed");
        let checker = AssertionChecker {
            ran: &result.ran,
            budget: self.budget,
            dir: if is_removed {
                &removed
            } else {
                &self.system.dir
            },
            normalizers: Normalizers::new(&normalizers, || done.directories.clone()),
            snapshot: planned.snapshot(index),
            snapshots: self.options.snapshots,
            redactor: &redactor,
            planned,
            root: &self.system.dir,
        };
        let mut number = 0;
        let mut assertions: Vec<_> = checker
            .check_all(&step.assertions)
            .into_iter()
            .map(|mut result| {
                if is_removed && result.field == "files" {
                    result.result = CheckResult::default();
                }
                if result.comparison == Comparison::Snapshot {
                    return result;
                }
                number += 1;
                with_bats_verdict(number, result, done)
            })
            .collect();
        if assertions.iter().all(AssertionResult::passed) {
            let all = step.captures.iter();
            let is_usable = |capture: &&Capture| {
                let value = done.values.get(&capture.name);
                value.is_some_and(|value| !capture.is_secret || DeclaredSecret::new(value).is_ok())
            };
            let missing = all.filter(|capture| !is_usable(capture));
            assertions.extend(missing.map(|capture| checker.not_captured_by_bats(capture)));
        }
        assertions
    }

    /// Redacts the secrets in the environment of a test, and those that its steps have captured.
    fn redactor(&self, planned: PlannedTest<'_>, captured: &CapturedValues) -> Redactor {
        let suite = &planned.suite.suite;
        let environment = self.system.environment.iter();
        let environment = environment.map(|(name, value)| {
            let text = |text: &OsString| text.to_string_lossy().into_owned();
            (text(name), text(value))
        });
        let own = suite.env.iter().chain(&planned.test().env).cloned();
        let captured = captured.secrets();
        let all: Vec<_> = environment.chain(own).chain(captured).collect();
        redactor(&self.options.llm, &suite.redact, &all)
    }
}

/// Whether Bats can keep its temporary files there: with several jobs it does not quote their paths.
fn is_one_word(dir: &Path) -> bool {
    let special = |byte: &u8| byte.is_ascii_whitespace() || b"'\"\\*?[".contains(byte);
    !dir.as_os_str().as_bytes().iter().any(special)
}

impl Engine for BatsEngine<'_> {
    type OpenSuite = BatsSuite;

    fn open(&self, suite: &PlannedSuite) -> io::Result<BatsSuite> {
        let dir = self.scratch.dir("bats")?;
        let (tap, interrupted) = self.run(suite, &dir)?;
        let results = Results::read(&dir.join("results"), &tap, self.options.max_output);
        scratch::remove(&dir);
        let results = results?;
        let failed = |hook: Hook| {
            (results.suite_phase == hook.name()).then(|| results.suite_hook_failure(hook))
        };
        Ok(BatsSuite {
            failure: failed(Hook::SetupFile),
            teardown: failed(Hook::TeardownFile),
            interrupted,
            reported: Mutex::new(HashMap::new()),
            results,
        })
    }

    fn setup_failure<'o>(&self, open_suite: &'o BatsSuite) -> Option<&'o HookFailure> {
        open_suite.failure.as_ref()
    }

    fn exported_variables(&self, _: &BatsSuite) -> Vec<(String, String)> {
        Vec::new()
    }

    fn stop_services(&self, open_suite: &BatsSuite) -> Vec<ServiceOutput> {
        open_suite.results.services.outputs.clone()
    }

    fn suite_environment(&self, _: &BatsSuite) -> Option<SuiteEnvironment> {
        None
    }

    fn attempt(
        &self,
        planned: PlannedTest<'_>,
        open_suite: &BatsSuite,
        _: u32,
        emitter: &EventEmitter<'_>,
    ) -> io::Result<AttemptResult> {
        let number = {
            let mut reported = open_suite.reported.lock();
            let number = reported.entry(planned.number).or_default();
            *number += 1;
            *number
        };
        // Bats does not retry because of a snapshot, so its last attempt is checked again.
        let of_attempt = |number| open_suite.results.get(planned.number, number);
        let Some(done) = (1..=number).rev().find_map(of_attempt) else {
            if open_suite.interrupted {
                return Ok(AttemptResult {
                    interrupted: true,
                    ..AttemptResult::default()
                });
            }
            return Err(io::Error::other(
                "Bats reported no result; its messages are on standard error",
            ));
        };
        let mut attempt = done.attempt();
        open_suite.results.services.add_ports(&mut attempt.captured);
        let events = StepEvents::new(emitter, planned);
        for (index, result) in attempt.steps.iter_mut().enumerate() {
            let step = &planned.test().steps()[index];
            events.started(index, &step.with_values(|name| attempt.captured.get(name)));
            add_values(step, &done.steps[index], &mut attempt.captured, emitter);
            if result.ran.termination.is_none() {
                let done = &done.steps[index];
                result.assertions =
                    self.assertions(planned, index, result, done, &attempt.captured);
            } else if result.ran.termination == Some(Termination::Timeout) {
                result.own_timeout = own_timeout(step, &done.steps[index]);
            }
            events.finished(index, result, None, &attempt.captured);
        }
        Ok(attempt)
    }

    fn close(&self, _: &PlannedSuite, open_suite: BatsSuite) -> io::Result<Option<HookFailure>> {
        Ok(open_suite.teardown)
    }
}

/// Adds the values that a step captured.
fn add_values(
    step: &Step,
    done: &BatsStep,
    captured: &mut CapturedValues,
    emitter: &EventEmitter<'_>,
) {
    for capture in &step.captures {
        let Some(value) = done.values.get(&capture.name) else {
            continue;
        };
        let value = CapturedValue {
            name: capture.name.clone(),
            value: value.clone(),
            is_secret: capture.is_secret,
        };
        match value.secret() {
            Some(secret) => emitter.sink().register_secrets(&[secret]),
            // It cannot be redacted, so it is not shown either.
            None if value.is_secret => continue,
            None => {}
        }
        captured.set(value);
    }
}

/// The timeout of a command that Bats terminated before the test's timeout.
fn own_timeout(step: &Step, done: &BatsStep) -> Option<Duration> {
    let within = step.eventually.map(|eventually| eventually.within);
    let shortest = step.timeout.into_iter().chain(within).min();
    shortest.filter(|_| done.timed_out)
}

/// Combines our message with the result that Bats reported.
fn with_bats_verdict(
    number: usize,
    mut assertion: AssertionResult,
    done: &BatsStep,
) -> AssertionResult {
    if !done.failed.contains(&number) {
        assertion.result.problem = None;
    } else if assertion.result.problem.is_none() {
        assertion.result = CheckResult {
            problem: Some(format!("{} failed under Bats", assertion.description)),
            ..CheckResult::default()
        };
    }
    assertion
}

/// The suite with only the planned tests, and with timeouts and retries from the options. Without snapshots: they are compared
/// here, because compiled code does not know all encodings of a secret.
fn prepared(suite: &PlannedSuite, options: &Options) -> Suite {
    let tests = suite.planned_tests().map(|planned| {
        let mut test = planned.test().clone();
        test.only = None;
        // The executor decides whether a failure is expected.
        test.fails = None;
        test.timeout = test.timeout.or(options.timeout);
        test.retries = test.retries.max(options.retries);
        for step in test.steps_mut() {
            step.assertions
                .retain(|assertion| !matches!(assertion.check, Check::Snapshot(_)));
        }
        test
    });
    Suite {
        tests: tests.collect(),
        ..suite.suite.clone()
    }
}
