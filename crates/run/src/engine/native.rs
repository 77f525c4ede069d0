//! The native engine: tests as processes of this machine.

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
use crate::llm::Models;
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

/// How long a hook may take unless its suite says otherwise.
const HOOK_TIMEOUT: Duration = Duration::from_secs(60);

pub(crate) use prestart::PrestartedShells;
use prestart::{StartedShell, TestEnvironment};

/// Runs tests natively.
pub(crate) struct NativeEngine<'w> {
    pub(crate) system: &'w SystemContext,
    pub(crate) processes: ProcessContext<'w>,
    /// Dropped before the folder that its tests are in.
    pub(crate) ahead: PrestartedShells<'w>,
    pub(crate) scratch: ScratchDir,
    pub(crate) options: &'w Options,
    pub(crate) budget: &'w OutputBudget,
    pub(crate) models: Models<'w>,
    /// For agents behind addresses.
    pub(crate) http: Client,
}

/// A suite whose `setupFile` has run.
pub(crate) struct NativeSuite<'w> {
    environment: Environment,
    folder: PathBuf,
    /// The shell that will run `teardownFile`.
    shell: Option<Mutex<HookShell<'w>>>,
    /// Why its tests cannot run.
    failure: Option<HookFailure>,
}

impl<'w> Engine for NativeEngine<'w> {
    type OpenSuite = NativeSuite<'w>;

    fn open(&self, suite: &PlannedSuite) -> io::Result<NativeSuite<'w>> {
        let folder = self.scratch.folder("file")?;
        let mut environment = Environment::new(self.system.environment.clone());
        for (name, value) in &suite.suite.env {
            environment.set(name, value);
        }
        variables::of_file(
            &mut environment,
            suite,
            &self.system.folder,
            &self.scratch,
            &folder,
        );
        let mut open_suite = NativeSuite {
            environment,
            folder,
            shell: None,
            failure: None,
        };
        let hooks = &suite.suite.hooks;
        if hooks.setup_file.is_some() || hooks.teardown_file.is_some() {
            self.enter_file(suite, &mut open_suite)?;
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
            folder: open_suite.folder.clone(),
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

    fn prepare(&self, suite: &PlannedSuite, planned: &PlannedTest, open_suite: &NativeSuite<'w>) {
        // What goes wrong now goes wrong again when the test begins, and is told then.
        let _ = self.start_ahead(suite, planned, open_suite);
    }

    fn close(
        &self,
        suite: &PlannedSuite,
        open_suite: NativeSuite<'w>,
    ) -> io::Result<Option<HookFailure>> {
        self.ahead.clear();
        let mut failure = None;
        if let Some(shell) = open_suite.shell {
            let mut shell = shell.into_inner();
            let given = suite.suite.timeout.unwrap_or(HOOK_TIMEOUT);
            let left = shell.run_teardown(given, suite.suite.hooks.teardown_file.is_some())?;
            if let TeardownResult::Failed(failed) = left {
                failure = Some(failed);
            }
            let mark = open_suite.folder.as_os_str();
            cleanup::kill_leftovers(&mut shell.watched, FILE_MARK, mark)?;
        }
        scratch::remove(&open_suite.folder);
        Ok(failure)
    }

    fn attempt(
        &self,
        suite: &PlannedSuite,
        planned: &PlannedTest,
        open_suite: &NativeSuite<'w>,
        number: u32,
        emitter: &EventEmitter<'_>,
    ) -> io::Result<AttemptResult> {
        let test = suite.test(planned);
        let (place, begun) = match self.ahead.take(planned) {
            Some(waiting) => (waiting.place, Some(waiting.begun)),
            None => (self.place(suite, planned, open_suite)?, None),
        };
        let case = self.case(suite, planned, &place);
        let attempt = match &test.action {
            Action::Command(script) if case.has_hooks() => begun
                .map_or_else(|| self.begin(&case, &script.text), Ok)
                .and_then(|begun| self.hooked(&case, begun)),
            Action::Command(script) => self.plain(&case, &script.text),
            Action::Conversation(conversation) => self.run_between_hooks(&case, |site| {
                let context = ConversationContext {
                    processes: &self.processes,
                    models: &self.models,
                    http: &self.http,
                    site,
                };
                conversation::run(context, conversation, number, emitter)
            }),
        };
        match place.folder {
            folder if folder.as_os_str().is_empty() => {}
            folder if attempt.as_ref().is_ok_and(AttemptResult::ended_cleanly) => {
                self.scratch.recycle(folder);
            }
            // Who was ended may still be at it.
            folder => scratch::remove(&folder),
        }
        attempt
    }
}

/// Whether there is no process for which a test would need a folder and variables.
fn starts_nothing(suite: &PlannedSuite, test: &Test) -> bool {
    let conversation = test.conversation();
    let has_hooks = suite.suite.hooks.surround_tests();
    conversation.is_some_and(|one| !one.starts_processes()) && !has_hooks
}

impl<'w> NativeEngine<'w> {
    /// Runs `setupFile` and finds out what it exports.
    fn enter_file(&self, suite: &PlannedSuite, open_suite: &mut NativeSuite<'w>) -> io::Result<()> {
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

    /// Runs the first of two hooks and finds out what it exports. The shell waits for its turn to run the other one.
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
            folder: None,
        };
        let mut shell = self.start_hooked(scripts, names, &between, environment, vec![exports])?;
        let exported = match shell.run_setup((self.system.instant)() + given, given)? {
            SetupResult::Command(pid) => {
                shell.wait_for_command(pid, None)?;
                cleanup::drain_output(&mut shell.watched, self.system.instant)?;
                HookExport::Environment(match scripts[0] {
                    Some(_) => after_setup(environment, shell.watched.captured(0)),
                    None => environment.clone(),
                })
            }
            SetupResult::Failed(failure) => HookExport::Failed(failure),
            SetupResult::Nowhere | SetupResult::Interrupted => HookExport::Interrupted,
        };
        Ok((shell, exported))
    }

    /// A place for a test.
    fn place(
        &self,
        suite: &PlannedSuite,
        planned: &PlannedTest,
        open_suite: &NativeSuite<'w>,
    ) -> io::Result<TestEnvironment> {
        let test = suite.test(planned);
        let mut environment = open_suite.environment.clone();
        for (name, value) in &test.env {
            environment.set(name, value);
        }
        let mut folder = PathBuf::new();
        if !starts_nothing(suite, test) {
            folder = self.scratch.test_dir()?;
            variables::of_test(&mut environment, &test.name, planned, &folder);
        }
        Ok(TestEnvironment {
            environment,
            folder,
        })
    }

    fn case<'a>(
        &self,
        suite: &'a PlannedSuite,
        planned: &'a PlannedTest,
        place: &'a TestEnvironment,
    ) -> PreparedTest<'a> {
        let test = suite.test(planned);
        PreparedTest {
            suite,
            test,
            planned,
            environment: &place.environment,
            folder: &place.folder,
            timeout: test.timeout.or(self.options.timeout),
        }
    }

    fn plain(&self, case: &PreparedTest<'_>, script: &str) -> io::Result<AttemptResult> {
        let started = (self.system.instant)();
        let folder = match self.folder_of(case) {
            Some(folder) if !folder.is_dir() => return Ok(no_folder(&folder)),
            Some(folder) => folder,
            None => self.system.folder.clone(),
        };
        let command = ShellCommand {
            script,
            environment: case.environment,
            folder: &folder,
            stdin: case.test.stdin.as_deref(),
            apart: case.test.keeps_streams_apart(),
            timeout: case.timeout,
        };
        let mut watched = command.start(&self.processes)?;
        let ending = command.finish(&mut watched, started)?;
        let ran = ending.into_result(watched, self.system.instant, case.folder)?;
        Ok(AttemptResult {
            interrupted: ran.cut == Some(Termination::Interrupt),
            verdicts: self.judge(case, &ran, &folder),
            command: Some(ran),
            ..AttemptResult::default()
        })
    }

    fn hooked(
        &self,
        case: &PreparedTest<'_>,
        begun: StartedShell<'w>,
    ) -> io::Result<AttemptResult> {
        let started = (self.system.instant)();
        let mut shell = begun.shell;
        let attempt = self.run_with_hooks(case, &mut shell, started)?;
        cleanup::kill_leftovers(&mut shell.watched, TEST_MARK, case.folder.as_os_str())?;
        if attempt.ended_cleanly() {
            self.scratch.recycle_file(shell.control.into_log());
        }
        Ok(attempt)
    }

    /// Setup, command, judgement, teardown.
    fn run_with_hooks(
        &self,
        case: &PreparedTest<'_>,
        shell: &mut HookShell<'_>,
        started: Instant,
    ) -> io::Result<AttemptResult> {
        let until = case.timeout.map(|timeout| started + timeout);
        let for_setup = case.setup_timeout();
        let mut attempt = AttemptResult::default();
        match shell.run_setup(started + for_setup, for_setup)? {
            SetupResult::Command(pid) => {
                let between = shell.wait_for_command(pid, until)?;
                let leaky = cleanup::drain_output(&mut shell.watched, self.system.instant)?;
                let ran = CommandResult {
                    exit_code: between.exit_code,
                    signal: None,
                    streams: Streams::of(shell.watched.take_captured()),
                    cut: between.cut,
                    leaky: leaky && between.cut.is_none(),
                };
                attempt.interrupted = ran.cut == Some(Termination::Interrupt);
                let folder = self
                    .folder_of(case)
                    .unwrap_or_else(|| shell_folder(shell, self));
                attempt.verdicts = self.judge(case, &ran, &folder);
                attempt.command = Some(ran);
            }
            SetupResult::Failed(failure) => attempt.hook = Some(failure),
            SetupResult::Nowhere => attempt = no_folder(&self.folder_of(case).unwrap_or_default()),
            SetupResult::Interrupted => attempt.interrupted = true,
        }
        attempt.add_teardown(case.tear_down(shell)?);
        Ok(attempt)
    }

    fn start_hooked(
        &self,
        scripts: [Option<&str>; 2],
        hooks: [Hook; 2],
        between: &driver::HookedCommand<'_>,
        environment: &Environment,
        sources: Vec<PipeReader>,
    ) -> io::Result<HookShell<'w>> {
        let log = self.scratch.file()?;
        let (pid, control) = driver(
            &self.processes.bash,
            scripts,
            between,
            environment,
            &self.system.folder,
            log,
        )?;
        let instant = self.system.instant;
        Ok(HookShell {
            watched: MonitoredProcess::begin(
                pid,
                sources,
                self.processes.max_output,
                self.processes.stop,
                instant,
            )?,
            control,
            hooks,
            instant,
            phase: ShellPhase::Starting,
        })
    }

    /// What must hold, once the command has come to its own end.
    fn judge(
        &self,
        case: &PreparedTest<'_>,
        ran: &CommandResult,
        folder: &Path,
    ) -> Vec<AssertionResult> {
        if ran.cut.is_some() {
            return Vec::new();
        }
        let judge = AssertionChecker {
            ran,
            folder,
            snapshots: self.options.snapshots,
            suite: case.suite,
            test: case.planned,
            root: &self.system.folder,
            budget: self.budget,
        };
        judge.check_all(&case.test.assertions)
    }

    /// The folder that the test asks for.
    fn folder_of(&self, case: &PreparedTest<'_>) -> Option<PathBuf> {
        let workdir = case.test.workdir.as_ref()?;
        let file = case.suite.file(&self.system.folder);
        Some(variables::absolute(
            &file.parent().unwrap_or(Path::new("/")).join(workdir),
        ))
    }
}

/// What the first of two hooks has come to.
enum HookExport {
    Environment(Environment),
    Failed(HookFailure),
    Interrupted,
}

/// A test and what it needs, whatever it does.
struct PreparedTest<'a> {
    suite: &'a PlannedSuite,
    test: &'a Test,
    planned: &'a PlannedTest,
    environment: &'a Environment,
    /// The temporary one.
    folder: &'a Path,
    timeout: Option<Duration>,
}

impl PreparedTest<'_> {
    fn has_hooks(&self) -> bool {
        self.suite.suite.hooks.surround_tests()
    }

    /// How long a hook may take.
    fn hook_timeout(&self) -> Duration {
        self.suite.suite.timeout.unwrap_or(HOOK_TIMEOUT)
    }

    /// The setup is part of the test's time.
    fn setup_timeout(&self) -> Duration {
        let for_hooks = self.hook_timeout();
        self.timeout
            .map_or(for_hooks, |timeout| timeout.min(for_hooks))
    }

    /// Runs the teardown.
    fn tear_down(&self, shell: &mut HookShell<'_>) -> io::Result<TeardownResult> {
        let given = self.timeout.unwrap_or_else(|| self.hook_timeout());
        shell.run_teardown(given, self.suite.suite.hooks.teardown.is_some())
    }
}

fn text(script: Option<&Script>) -> Option<&str> {
    script.map(|script| script.text.as_str())
}

fn no_folder(folder: &Path) -> AttemptResult {
    AttemptResult {
        error: Some(format!("there is no folder {} to run in", folder.display())),
        ..AttemptResult::default()
    }
}

/// Where the setup went.
fn shell_folder(shell: &HookShell<'_>, native: &NativeEngine<'_>) -> PathBuf {
    let link = std::fs::read_link(format!("/proc/{}/cwd", shell.watched.pid()));
    link.unwrap_or_else(|_| native.system.folder.clone())
}

impl NativeSuite<'_> {
    /// A suite that another process has opened.
    pub(crate) fn from_controller(suite_environment: SuiteEnvironment) -> Self {
        NativeSuite {
            environment: Environment::new(suite_environment.environment),
            folder: suite_environment.folder,
            shell: None,
            failure: None,
        }
    }
}

/// Variables of the shell itself, which are no exports of the script's.
const OF_THE_SHELL: [&str; 4] = ["_", "SHLVL", "PWD", "OLDPWD"];

/// The environment that a hook leaves to everything after it.
fn after_setup(before: &Environment, exported: &[u8]) -> Environment {
    let entries = exported.split(|byte| *byte == 0).filter_map(|entry| {
        let equals = entry.iter().position(|byte| *byte == b'=')?;
        let name = OsString::from_vec(entry[..equals].to_vec());
        (!OF_THE_SHELL.iter().any(|own| name == *own))
            .then(|| (name, OsString::from_vec(entry[equals + 1..].to_vec())))
    });
    let mut after: Vec<_> = entries.collect();
    let kept = OF_THE_SHELL
        .iter()
        .filter_map(|name| Some((OsString::from(name), before.get(name)?.to_owned())));
    after.extend(kept);
    Environment::new(after)
}
