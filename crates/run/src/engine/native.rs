//! The native engine: runs tests as local processes.

mod between_hooks;
mod prestart;

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use casebook_suite::model::{Action, Script, Test};
use parking_lot::Mutex;

use super::{Engine, SuiteEnvironment, variables};
use crate::assertions::{AssertionChecker, AssertionResult};
use crate::attempt::AttemptResult;
use crate::budget::OutputBudget;
use crate::conversation::{self, ConversationContext};
use crate::emitter::EventEmitter;
use crate::http::Client;
use crate::llm::{Models, redactor};
use crate::options::Options;
use crate::plan::{PlannedSuite, PlannedTest};
use crate::scratch::{self, ScratchDir};
use crate::shell::bash::look_up;
use crate::shell::capture::Retention;
use crate::shell::command::ShellCommand;
use crate::shell::driver::{self, driver};
use crate::shell::environment::Environment;
use crate::shell::hook_shell::{HookShell, SetupResult, ShellPhase, TeardownResult};
use crate::shell::pipe::PipeReader;
use crate::shell::process::MonitoredProcess;
use crate::shell::{
    CommandResult, FILE_MARK, Hook, HookFailure, ProcessContext, Streams, TEST_MARK, Termination,
    cleanup,
};
use crate::system::SystemContext;

/// The timeout of a hook if the suite sets none.
const HOOK_TIMEOUT: Duration = Duration::from_secs(60);

pub(crate) use prestart::PrestartedShells;
use prestart::{StartedShell, TestEnvironment};

/// Runs tests natively.
pub(crate) struct NativeEngine<'w> {
    pub(crate) system: &'w SystemContext,
    pub(crate) processes: ProcessContext<'w>,
    /// Declared before `scratch`, so that the shells are dropped before the directories of their tests.
    pub(crate) prestarted: PrestartedShells<'w>,
    pub(crate) scratch: ScratchDir,
    pub(crate) options: &'w Options,
    pub(crate) budget: &'w OutputBudget,
    pub(crate) models: Models<'w>,
    /// For agents that are reached over HTTP.
    pub(crate) http: Client,
}

/// A suite whose `setupFile` has run.
pub(crate) struct NativeSuite<'w> {
    environment: Environment,
    dir: PathBuf,
    /// The shell that will run `teardownFile`.
    shell: Option<Mutex<HookShell<'w>>>,
    /// Why the tests cannot run.
    failure: Option<HookFailure>,
}

impl<'w> Engine for NativeEngine<'w> {
    type OpenSuite = NativeSuite<'w>;

    fn open(&self, suite: &PlannedSuite) -> io::Result<NativeSuite<'w>> {
        let dir = self.scratch.dir("file")?;
        let mut environment = Environment::new(self.system.environment.clone());
        for (name, value) in &suite.suite.env {
            environment.set(name, value);
        }
        variables::set_suite_variables(
            &mut environment,
            suite,
            &self.system.dir,
            &self.scratch,
            &dir,
        );
        let mut open_suite = NativeSuite {
            environment,
            dir,
            shell: None,
            failure: None,
        };
        let hooks = &suite.suite.hooks;
        if hooks.setup_file.is_some() || hooks.teardown_file.is_some() {
            self.run_setup_file(suite, &mut open_suite)?;
        }
        Ok(open_suite)
    }

    fn setup_failure<'o>(&self, open_suite: &'o NativeSuite<'w>) -> Option<&'o HookFailure> {
        open_suite.failure.as_ref()
    }

    fn suite_environment(&self, open_suite: &NativeSuite<'w>) -> Option<SuiteEnvironment> {
        let own = |(name, value): (&OsStr, &OsStr)| (name.to_owned(), value.to_owned());
        open_suite.failure.is_none().then(|| SuiteEnvironment {
            environment: open_suite.environment.iter().map(own).collect(),
            dir: open_suite.dir.clone(),
        })
    }

    fn exported_variables(&self, open_suite: &NativeSuite<'w>) -> Vec<(String, String)> {
        let text = |text: &OsStr| text.to_string_lossy().into_owned();
        let all = open_suite.environment.iter();
        let exported = all.filter(|_| open_suite.shell.is_some());
        exported
            .map(|(name, value)| (text(name), text(value)))
            .collect()
    }

    fn prepare(&self, planned: PlannedTest<'_>, open_suite: &NativeSuite<'w>) {
        // If this fails, the same error is reported when the test starts.
        let _ = self.prestart(planned, open_suite);
    }

    fn close(
        &self,
        suite: &PlannedSuite,
        open_suite: NativeSuite<'w>,
    ) -> io::Result<Option<HookFailure>> {
        self.prestarted.clear();
        let mut failure = None;
        if let Some(shell) = open_suite.shell {
            let mut shell = shell.into_inner();
            let given = suite.suite.timeout.unwrap_or(HOOK_TIMEOUT);
            let left = shell.run_teardown(given, suite.suite.hooks.teardown_file.is_some())?;
            if let TeardownResult::Failed(failed) = left {
                failure = Some(failed);
            }
            let mark = open_suite.dir.as_os_str();
            cleanup::kill_leftovers(&mut shell.process, FILE_MARK, mark)?;
        }
        scratch::remove(&open_suite.dir);
        Ok(failure)
    }

    fn attempt(
        &self,
        planned: PlannedTest<'_>,
        open_suite: &NativeSuite<'w>,
        number: u32,
        emitter: &EventEmitter<'_>,
    ) -> io::Result<AttemptResult> {
        let test = planned.test();
        let (test_environment, started_shell) = match self.prestarted.take(planned) {
            Some(waiting) => (waiting.test_environment, Some(waiting.started_shell)),
            None => (self.test_environment(planned, open_suite)?, None),
        };
        let prepared = self.prepared(planned, &test_environment);
        let attempt = match &test.action {
            Action::Command(script) if prepared.has_hooks() => started_shell
                .map_or_else(|| self.start_shell(&prepared, &script.text), Ok)
                .and_then(|started_shell| self.run_in_hook_shell(&prepared, started_shell)),
            Action::Command(script) => self.run_without_hooks(&prepared, &script.text),
            Action::Conversation(conversation) => self.run_between_hooks(&prepared, |site| {
                let context = ConversationContext {
                    processes: &self.processes,
                    models: &self.models,
                    http: &self.http,
                    site,
                };
                conversation::run(context, conversation, number, emitter)
            }),
        };
        match test_environment.dir {
            dir if dir.as_os_str().is_empty() => {}
            dir if attempt.as_ref().is_ok_and(AttemptResult::ended_cleanly) => {
                self.scratch.recycle(dir);
            }
            // A killed process may still be writing there.
            dir => scratch::remove(&dir),
        }
        attempt
    }
}

/// Whether the test starts no process, and so needs no directory and variables.
fn starts_nothing(suite: &PlannedSuite, test: &Test) -> bool {
    let conversation = test.conversation();
    let has_hooks = suite.suite.hooks.surround_tests();
    conversation.is_some_and(|conversation| !conversation.starts_processes()) && !has_hooks
}

impl<'w> NativeEngine<'w> {
    /// Runs `setupFile` and reads what it exports.
    fn run_setup_file(
        &self,
        suite: &PlannedSuite,
        open_suite: &mut NativeSuite<'w>,
    ) -> io::Result<()> {
        let hooks = &suite.suite.hooks;
        let scripts = [hooks.setup_file.as_ref(), hooks.teardown_file.as_ref()].map(text);
        let names = [Hook::SetupFile, Hook::TeardownFile];
        let given = suite.suite.timeout.unwrap_or(HOOK_TIMEOUT);
        let (shell, exported) = self.export(scripts, names, &open_suite.environment, given)?;
        match exported {
            HookExport::Environment(environment) => open_suite.environment = environment,
            HookExport::Failed(failure) => open_suite.failure = Some(failure),
            HookExport::Interrupted => {}
        }
        open_suite.shell = Some(Mutex::new(shell));
        Ok(())
    }

    /// Runs the first of two hooks and reads what it exports. The shell then waits until it runs the second.
    fn export(
        &self,
        scripts: [Option<&str>; 2],
        names: [Hook; 2],
        environment: &Environment,
        given: Duration,
    ) -> io::Result<(HookShell<'w>, HookExport)> {
        let (mut exports, stdout) = PipeReader::named()?;
        exports.captured.keeps = Retention::All;
        let path = self.system.variable("PATH").map(OsString::as_os_str);
        let program = path.and_then(|path| look_up("env", path));
        let command = format!(
            "exec {} -0",
            program.unwrap_or_else(|| "env".into()).display()
        );
        let between = driver::HookedCommand {
            command: &command,
            stdout: &stdout,
            stderr: Some(Path::new("/dev/null")),
            stdin: Path::new("/dev/null"),
            dir: None,
        };
        let mut shell = self.start_hooked(scripts, names, &between, environment, vec![exports])?;
        let exported = match shell.run_setup((self.system.instant)() + given, given)? {
            SetupResult::Command(pid) => {
                shell.wait_for_command(pid, None)?;
                cleanup::drain_output(&mut shell.process, self.system.instant)?;
                HookExport::Environment(match scripts[0] {
                    Some(_) => after_setup(environment, shell.process.captured(0)),
                    None => environment.clone(),
                })
            }
            SetupResult::Failed(failure) => HookExport::Failed(failure),
            SetupResult::DirectoryMissing | SetupResult::Interrupted => HookExport::Interrupted,
        };
        Ok((shell, exported))
    }

    /// Creates the environment and the temporary directory of a test.
    fn test_environment(
        &self,
        planned: PlannedTest<'_>,
        open_suite: &NativeSuite<'w>,
    ) -> io::Result<TestEnvironment> {
        let test = planned.test();
        let mut environment = open_suite.environment.clone();
        for (name, value) in &test.env {
            environment.set(name, value);
        }
        let mut dir = PathBuf::new();
        if !starts_nothing(planned.suite, test) {
            dir = self.scratch.test_dir()?;
            variables::set_test_variables(&mut environment, &test.name, planned, &dir);
        }
        Ok(TestEnvironment { environment, dir })
    }

    fn prepared<'a>(
        &self,
        planned: PlannedTest<'a>,
        test_environment: &'a TestEnvironment,
    ) -> PreparedTest<'a> {
        let test = planned.test();
        PreparedTest {
            test,
            planned,
            environment: &test_environment.environment,
            dir: &test_environment.dir,
            timeout: test.timeout.or(self.options.timeout),
        }
    }

    fn run_without_hooks(
        &self,
        prepared: &PreparedTest<'_>,
        script: &str,
    ) -> io::Result<AttemptResult> {
        let started = (self.system.instant)();
        let dir = match self.dir_of(prepared) {
            Some(dir) if !dir.is_dir() => return Ok(no_dir(&dir)),
            Some(dir) => dir,
            None => self.system.dir.clone(),
        };
        let command = ShellCommand {
            script,
            environment: prepared.environment,
            dir: &dir,
            stdin: prepared.test.stdin.as_deref(),
            separate: prepared.test.keeps_streams_apart(),
            timeout: prepared.timeout,
        };
        let mut process = command.start(&self.processes)?;
        let ending = command.finish(&mut process, started)?;
        let ran = ending.into_result(process, self.system.instant, prepared.dir)?;
        Ok(AttemptResult {
            interrupted: ran.termination == Some(Termination::Interrupt),
            assertions: self.check_assertions(prepared, &ran, &dir),
            command: Some(ran),
            ..AttemptResult::default()
        })
    }

    fn run_in_hook_shell(
        &self,
        prepared: &PreparedTest<'_>,
        started_shell: StartedShell<'w>,
    ) -> io::Result<AttemptResult> {
        let started = (self.system.instant)();
        let mut shell = started_shell.shell;
        let attempt = self.run_with_hooks(prepared, &mut shell, started)?;
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
        shell: &mut HookShell<'_>,
        started: Instant,
    ) -> io::Result<AttemptResult> {
        let until = prepared.timeout.map(|timeout| started + timeout);
        let for_setup = prepared.setup_timeout();
        let mut attempt = AttemptResult::default();
        match shell.run_setup(started + for_setup, for_setup)? {
            SetupResult::Command(pid) => {
                let between = shell.wait_for_command(pid, until)?;
                let leaky = cleanup::drain_output(&mut shell.process, self.system.instant)?;
                let ran = CommandResult {
                    exit_code: between.exit_code,
                    signal: None,
                    streams: Streams::of(shell.process.take_captured()),
                    termination: between.termination,
                    leaky: leaky && between.termination.is_none(),
                };
                attempt.interrupted = ran.termination == Some(Termination::Interrupt);
                let dir = self
                    .dir_of(prepared)
                    .unwrap_or_else(|| shell_dir(shell, self));
                attempt.assertions = self.check_assertions(prepared, &ran, &dir);
                attempt.command = Some(ran);
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

    fn start_hooked<'s>(
        &self,
        scripts: [Option<&'s str>; 2],
        hooks: [Hook; 2],
        between: &driver::HookedCommand<'s>,
        environment: &Environment,
        sources: Vec<PipeReader>,
    ) -> io::Result<HookShell<'w>> {
        let log = self.scratch.file()?;
        let mut files = Vec::new();
        let mut argument = |script: &'s str| self.processes.script_argument(script, &mut files);
        let [setup, teardown] = scripts.map(Option::unwrap_or_default);
        let (setup, teardown) = (argument(setup)?, argument(teardown)?);
        let command = argument(between.command)?;
        let (pid, control) = driver(
            &self.processes.bash,
            [&setup, &teardown],
            &driver::HookedCommand {
                command: &command,
                ..*between
            },
            environment,
            &self.system.dir,
            log,
        )?;
        let instant = self.system.instant;
        let mut process = MonitoredProcess::begin(
            pid,
            sources,
            self.processes.max_output,
            self.processes.stop,
            instant,
        )?;
        process.keep_open(files);
        Ok(HookShell {
            process,
            control,
            hooks,
            instant,
            phase: ShellPhase::Starting,
        })
    }

    /// Checks the assertions; none if the command was terminated.
    fn check_assertions(
        &self,
        prepared: &PreparedTest<'_>,
        ran: &CommandResult,
        dir: &Path,
    ) -> Vec<AssertionResult> {
        if ran.termination.is_some() {
            return Vec::new();
        }
        let text = |text: &OsStr| text.to_string_lossy().into_owned();
        let redactor = || {
            let all = prepared.environment.iter();
            let all: Vec<_> = all.map(|(name, value)| (text(name), text(value))).collect();
            redactor(
                &self.options.llm,
                &prepared.planned.suite.suite.redact,
                &all,
            )
        };
        let check_assertions = AssertionChecker {
            ran,
            dir,
            snapshots: self.options.snapshots,
            redactor: &redactor,
            planned: prepared.planned,
            root: &self.system.dir,
            budget: self.budget,
        };
        check_assertions.check_all(&prepared.test.assertions)
    }

    /// The `workdir` of the test, as an absolute path.
    fn dir_of(&self, prepared: &PreparedTest<'_>) -> Option<PathBuf> {
        let workdir = prepared.test.workdir.as_ref()?;
        let file = prepared.planned.suite.file(&self.system.dir);
        Some(variables::absolute(
            &file.parent().unwrap_or(Path::new("/")).join(workdir),
        ))
    }
}

/// The result of the first of two hooks.
enum HookExport {
    Environment(Environment),
    Failed(HookFailure),
    Interrupted,
}

/// A test with all that an attempt needs.
struct PreparedTest<'a> {
    test: &'a Test,
    planned: PlannedTest<'a>,
    environment: &'a Environment,
    /// The temporary directory of the test.
    dir: &'a Path,
    timeout: Option<Duration>,
}

impl PreparedTest<'_> {
    fn has_hooks(&self) -> bool {
        self.planned.suite.suite.hooks.surround_tests()
    }

    /// The timeout of each hook.
    fn hook_timeout(&self) -> Duration {
        self.planned.suite.suite.timeout.unwrap_or(HOOK_TIMEOUT)
    }

    /// The timeout of `setup`, which counts toward the test's own timeout.
    fn setup_timeout(&self) -> Duration {
        let for_hooks = self.hook_timeout();
        self.timeout
            .map_or(for_hooks, |timeout| timeout.min(for_hooks))
    }

    /// Runs the teardown.
    fn tear_down(&self, shell: &mut HookShell<'_>) -> io::Result<TeardownResult> {
        let given = self.timeout.unwrap_or_else(|| self.hook_timeout());
        shell.run_teardown(given, self.planned.suite.suite.hooks.teardown.is_some())
    }
}

fn text(script: Option<&Script>) -> Option<&str> {
    script.map(|script| script.text.as_str())
}

fn no_dir(dir: &Path) -> AttemptResult {
    AttemptResult {
        error: Some(format!("working directory not found: {}", dir.display())),
        ..AttemptResult::default()
    }
}

/// The working directory of the shell, which `setup` may have changed.
fn shell_dir(shell: &HookShell<'_>, native: &NativeEngine<'_>) -> PathBuf {
    let link = std::fs::read_link(format!("/proc/{}/cwd", shell.process.pid()));
    link.unwrap_or_else(|_| native.system.dir.clone())
}

impl NativeSuite<'_> {
    /// A suite that the controller opened.
    pub(crate) fn from_controller(suite_environment: SuiteEnvironment) -> Self {
        NativeSuite {
            environment: Environment::new(suite_environment.environment),
            dir: suite_environment.dir,
            shell: None,
            failure: None,
        }
    }
}

/// Variables that bash sets itself; they are not exports of the script.
const SHELL_VARIABLES: [&str; 4] = ["_", "SHLVL", "PWD", "OLDPWD"];

/// The environment after a hook, from the output of `env -0`.
fn after_setup(before: &Environment, exported: &[u8]) -> Environment {
    let entries = exported.split(|byte| *byte == 0).filter_map(|entry| {
        let equals = entry.iter().position(|byte| *byte == b'=')?;
        let name = OsString::from_vec(entry[..equals].to_vec());
        (!SHELL_VARIABLES.iter().any(|own| name == *own))
            .then(|| (name, OsString::from_vec(entry[equals + 1..].to_vec())))
    });
    let mut after: Vec<_> = entries.collect();
    let kept = SHELL_VARIABLES
        .iter()
        .filter_map(|name| Some((OsString::from(name), before.get(name)?.to_owned())));
    after.extend(kept);
    Environment::new(after)
}
