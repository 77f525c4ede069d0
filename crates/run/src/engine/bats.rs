//! The Bats engine: compiles suites to Bats code and runs them with the installed `bats`.
//!
//! Bats runs a complete suite at once, so opening a suite runs all its tests; an attempt then only looks up its result.
//! The Bats code decides whether an assertion passed, except a snapshot; the message of a failed one comes from the native engine.
//! What Bats writes to standard error is shown as it comes.

mod results;

use std::collections::HashMap;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use casebook_record::{Comparison, Redactor};
use casebook_suite::Suite;
use casebook_suite::bats::{SuiteLocation, compile};
use casebook_suite::model::{Check, Workdir};
use parking_lot::Mutex;
use rustix::process::Pid;

use super::variables;
use super::{Engine, SuiteEnvironment};
use crate::assertions::{AssertionChecker, AssertionResult, CheckResult};
use crate::attempt::AttemptResult;
use crate::budget::OutputBudget;
use crate::emitter::EventEmitter;
use crate::llm::redactor;
use crate::options::Options;
use crate::plan::{PlannedSuite, PlannedTest};
use crate::scratch::{self, RUN_MARK, ScratchDir};
use crate::shell::bash::look_up;
use crate::shell::pipe::PipeReader;
use crate::shell::process::{KillTarget, MonitoredProcess, WaitEvent};
use crate::shell::{Hook, HookFailure, Termination, cleanup};
use crate::stop::StopToken;
use crate::system::SystemContext;
use results::{BatsAttempt, Results};

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
        let asserts_json = |suite: &&PlannedSuite| {
            let mut tests = suite.planned_tests().map(PlannedTest::test);
            tests.any(|test| {
                test.assertions()
                    .any(|assertion| assertion.check.needs_jq())
            })
        };
        if let Some(suite) = suites.iter().find(asserts_json)
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

    /// Redacts the secrets in the environment of a test.
    fn redactor(&self, planned: PlannedTest<'_>) -> Redactor {
        let suite = &planned.suite.suite;
        let environment = self.system.environment.iter();
        let environment = environment.map(|(name, value)| {
            let text = |text: &OsString| text.to_string_lossy().into_owned();
            (text(name), text(value))
        });
        let own = suite.env.iter().chain(&planned.test().env).cloned();
        let all: Vec<_> = environment.chain(own).collect();
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

    fn suite_environment(&self, _: &BatsSuite) -> Option<SuiteEnvironment> {
        None
    }

    fn attempt(
        &self,
        planned: PlannedTest<'_>,
        open_suite: &BatsSuite,
        _: u32,
        _: &EventEmitter<'_>,
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
        if let [done_step] = attempt.steps.as_mut_slice()
            && done_step.ran.termination.is_none()
            && let [step] = planned.test().steps()
        {
            let ran = &done_step.ran;
            let redactor = || self.redactor(planned);
            // Bats has removed a new working directory, and the files of this one are others.
            let workdir = planned.test().workdir.as_ref();
            let is_removed = workdir.is_some_and(|workdir| !matches!(workdir, Workdir::At(_)));
            let removed = self.scratch.root().join("removed");
            let checker = AssertionChecker {
                ran,
                budget: self.budget,
                dir: if is_removed {
                    &removed
                } else {
                    &self.system.dir
                },
                snapshot: planned.snapshot(0),
                snapshots: self.options.snapshots,
                redactor: &redactor,
                planned,
                root: &self.system.dir,
            };
            let results = checker.check_all(&step.assertions);
            let mut number = 0;
            done_step.assertions = results
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
        }
        Ok(attempt)
    }

    fn close(&self, _: &PlannedSuite, open_suite: BatsSuite) -> io::Result<Option<HookFailure>> {
        Ok(open_suite.teardown)
    }
}

/// Combines our message with the result that Bats reported.
fn with_bats_verdict(
    number: usize,
    mut assertion: AssertionResult,
    done: &BatsAttempt,
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
