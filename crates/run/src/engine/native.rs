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

use super::{Engine, Travels, variables};
use crate::attempt::Attempt;
use crate::budget::Budget;
use crate::conversation::{self, ConversationContext};
use crate::http::Client;
use crate::judge::{Judge, Verdict};
use crate::llm::Models;
use crate::options::Options;
use crate::plan::{PlannedSuite, PlannedTest};
use crate::scratch::{self, Scratch};
use crate::shell::bash::look_up;
use crate::shell::capture::Keeps;
use crate::shell::driver::{self, driver};
use crate::shell::environment::Environment;
use crate::shell::hooked::{Entered, Hooked, Stage, TornDown};
use crate::shell::pipe::Source;
use crate::shell::plain::Plain;
use crate::shell::process::Watched;
use crate::shell::{
    Cut, FILE_MARK, Hook, HookFailure, ProcessContext, Ran, Streams, TEST_MARK, settle,
};
use crate::tell::Teller;
use crate::world::World;

/// How long a hook may take unless its suite says otherwise.
const HOOK_TIMEOUT: Duration = Duration::from_secs(60);

pub(crate) use prestart::Ahead;
use prestart::{Begun, Place};

/// Runs tests natively.
pub(crate) struct Native<'w> {
    pub(crate) world: &'w World,
    pub(crate) processes: ProcessContext<'w>,
    /// Dropped before the folder that its tests are in.
    pub(crate) ahead: Ahead<'w>,
    pub(crate) scratch: Scratch,
    pub(crate) options: &'w Options,
    pub(crate) budget: &'w Budget,
    pub(crate) models: Models<'w>,
    /// For agents behind addresses.
    pub(crate) http: Client,
}

/// A suite whose `setupFile` has run.
pub(crate) struct Opened<'w> {
    environment: Environment,
    folder: PathBuf,
    /// The shell that will run `teardownFile`.
    shell: Option<Mutex<Hooked<'w>>>,
    /// Why its tests cannot run.
    failure: Option<HookFailure>,
}

impl<'w> Engine for Native<'w> {
    type Opened = Opened<'w>;

    fn open(&self, suite: &PlannedSuite) -> io::Result<Opened<'w>> {
        let folder = self.scratch.folder("file")?;
        let mut environment = Environment::new(self.world.environment.clone());
        for (name, value) in &suite.suite.env {
            environment.set(name, value);
        }
        variables::of_file(
            &mut environment,
            suite,
            &self.world.folder,
            &self.scratch,
            &folder,
        );
        let mut opened = Opened {
            environment,
            folder,
            shell: None,
            failure: None,
        };
        let hooks = &suite.suite.hooks;
        if hooks.setup_file.is_some() || hooks.teardown_file.is_some() {
            self.enter_file(suite, &mut opened)?;
        }
        Ok(opened)
    }

    fn failure<'o>(&self, opened: &'o Opened<'w>) -> Option<&'o HookFailure> {
        opened.failure.as_ref()
    }

    fn travels(&self, opened: &Opened<'w>) -> Option<Travels> {
        let own = |(name, value): (&OsStr, &OsStr)| (name.to_owned(), value.to_owned());
        opened.failure.is_none().then(|| Travels {
            environment: opened.environment.iter().map(own).collect(),
            folder: opened.folder.clone(),
        })
    }

    fn exported(&self, opened: &Opened<'w>) -> Vec<(String, String)> {
        let text = |text: &OsStr| text.to_string_lossy().into_owned();
        let all = opened.environment.iter();
        let exported = all.filter(|_| opened.shell.is_some());
        exported
            .map(|(name, value)| (text(name), text(value)))
            .collect()
    }

    fn prepare(&self, suite: &PlannedSuite, planned: &PlannedTest, opened: &Opened<'w>) {
        // What goes wrong now goes wrong again when the test begins, and is told then.
        let _ = self.start_ahead(suite, planned, opened);
    }

    fn close(&self, suite: &PlannedSuite, opened: Opened<'w>) -> io::Result<Option<HookFailure>> {
        self.ahead.clear();
        let mut failure = None;
        if let Some(shell) = opened.shell {
            let mut shell = shell.into_inner();
            let given = suite.suite.timeout.unwrap_or(HOOK_TIMEOUT);
            let left = shell.leave(given, suite.suite.hooks.teardown_file.is_some())?;
            if let TornDown::Failed(failed) = left {
                failure = Some(failed);
            }
            let mark = opened.folder.as_os_str();
            settle::clear(&mut shell.watched, FILE_MARK, mark)?;
        }
        scratch::remove(&opened.folder);
        Ok(failure)
    }

    fn attempt(
        &self,
        suite: &PlannedSuite,
        planned: &PlannedTest,
        opened: &Opened<'w>,
        number: u32,
        teller: &Teller<'_>,
    ) -> io::Result<Attempt> {
        let test = suite.test(planned);
        let (place, begun) = match self.ahead.take(planned) {
            Some(waiting) => (waiting.place, Some(waiting.begun)),
            None => (self.place(suite, planned, opened)?, None),
        };
        let case = self.case(suite, planned, &place);
        let attempt = match &test.action {
            Action::Command(script) if case.has_hooks() => begun
                .map_or_else(|| self.begin(&case, &script.text), Ok)
                .and_then(|begun| self.hooked(&case, begun)),
            Action::Command(script) => self.plain(&case, &script.text),
            Action::Conversation(conversation) => self.staged(&case, |site| {
                let context = ConversationContext {
                    processes: &self.processes,
                    models: &self.models,
                    http: &self.http,
                    site,
                };
                conversation::hold(context, conversation, number, teller)
            }),
        };
        match place.folder {
            folder if folder.as_os_str().is_empty() => {}
            folder if attempt.as_ref().is_ok_and(Attempt::is_quiet) => self.scratch.leave(folder),
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

impl<'w> Native<'w> {
    /// Runs `setupFile` and finds out what it exports.
    fn enter_file(&self, suite: &PlannedSuite, opened: &mut Opened<'w>) -> io::Result<()> {
        let hooks = &suite.suite.hooks;
        let scripts = [hooks.setup_file.as_ref(), hooks.teardown_file.as_ref()].map(text);
        let names = [Hook::SetupFile, Hook::TeardownFile];
        let given = suite.suite.timeout.unwrap_or(HOOK_TIMEOUT);
        let (shell, exported) = self.export(scripts, names, &opened.environment, given)?;
        match exported {
            Exported::Environment(environment) => opened.environment = environment,
            Exported::Failed(failure) => opened.failure = Some(failure),
            Exported::Interrupted => {}
        }
        opened.shell = Some(Mutex::new(shell));
        Ok(())
    }

    /// Runs the first of two hooks and finds out what it exports. The shell waits for its turn to run the other one.
    fn export(
        &self,
        scripts: [Option<&str>; 2],
        names: [Hook; 2],
        environment: &Environment,
        given: Duration,
    ) -> io::Result<(Hooked<'w>, Exported)> {
        let (mut exports, stdout) = Source::named()?;
        exports.captured.keeps = Keeps::All;
        let path = self.world.variable("PATH").map(OsString::as_os_str);
        let program = path.and_then(|path| look_up("env", path));
        let command = format!(
            "exec {} -0",
            program.unwrap_or_else(|| "env".into()).display()
        );
        let between = driver::Between {
            command: &command,
            stdout: &stdout,
            stderr: Some(Path::new("/dev/null")),
            stdin: Path::new("/dev/null"),
            folder: None,
        };
        let mut shell = self.start_hooked(scripts, names, &between, environment, vec![exports])?;
        let exported = match shell.enter((self.world.instant)() + given, given)? {
            Entered::Command(pid) => {
                shell.between(pid, None)?;
                settle::drain(&mut shell.watched, self.world.instant)?;
                Exported::Environment(match scripts[0] {
                    Some(_) => after_setup(environment, shell.watched.captured(0)),
                    None => environment.clone(),
                })
            }
            Entered::Failed(failure) => Exported::Failed(failure),
            Entered::Nowhere | Entered::Interrupted => Exported::Interrupted,
        };
        Ok((shell, exported))
    }

    /// A place for a test.
    fn place(
        &self,
        suite: &PlannedSuite,
        planned: &PlannedTest,
        opened: &Opened<'w>,
    ) -> io::Result<Place> {
        let test = suite.test(planned);
        let mut environment = opened.environment.clone();
        for (name, value) in &test.env {
            environment.set(name, value);
        }
        let mut folder = PathBuf::new();
        if !starts_nothing(suite, test) {
            folder = self.scratch.of_test()?;
            variables::of_test(&mut environment, &test.name, planned, &folder);
        }
        Ok(Place {
            environment,
            folder,
        })
    }

    fn case<'a>(
        &self,
        suite: &'a PlannedSuite,
        planned: &'a PlannedTest,
        place: &'a Place,
    ) -> Case<'a> {
        let test = suite.test(planned);
        Case {
            suite,
            test,
            planned,
            environment: &place.environment,
            folder: &place.folder,
            timeout: test.timeout.or(self.options.timeout),
        }
    }

    fn plain(&self, case: &Case<'_>, script: &str) -> io::Result<Attempt> {
        let started = (self.world.instant)();
        let folder = match self.folder_of(case) {
            Some(folder) if !folder.is_dir() => return Ok(no_folder(&folder)),
            Some(folder) => folder,
            None => self.world.folder.clone(),
        };
        let command = Plain {
            script,
            environment: case.environment,
            folder: &folder,
            stdin: case.test.stdin.as_deref(),
            apart: case.test.keeps_streams_apart(),
            timeout: case.timeout,
        };
        let mut watched = command.start(&self.processes)?;
        let ending = command.finish(&mut watched, started)?;
        let ran = ending.into_ran(watched, self.world.instant, case.folder)?;
        Ok(Attempt {
            interrupted: ran.cut == Some(Cut::Interrupt),
            verdicts: self.judge(case, &ran, &folder),
            command: Some(ran),
            ..Attempt::default()
        })
    }

    fn hooked(&self, case: &Case<'_>, begun: Begun<'w>) -> io::Result<Attempt> {
        let started = (self.world.instant)();
        let mut shell = begun.shell;
        let attempt = self.around(case, &mut shell, started)?;
        settle::clear(&mut shell.watched, TEST_MARK, case.folder.as_os_str())?;
        if attempt.is_quiet() {
            self.scratch.leave_file(shell.control.into_log());
        }
        Ok(attempt)
    }

    /// Setup, command, judgement, teardown.
    fn around(
        &self,
        case: &Case<'_>,
        shell: &mut Hooked<'_>,
        started: Instant,
    ) -> io::Result<Attempt> {
        let until = case.timeout.map(|timeout| started + timeout);
        let for_setup = case.for_setup();
        let mut attempt = Attempt::default();
        match shell.enter(started + for_setup, for_setup)? {
            Entered::Command(pid) => {
                let between = shell.between(pid, until)?;
                let leaky = settle::drain(&mut shell.watched, self.world.instant)?;
                let ran = Ran {
                    exit_code: between.exit_code,
                    signal: None,
                    streams: Streams::of(shell.watched.take_captured()),
                    cut: between.cut,
                    leaky: leaky && between.cut.is_none(),
                };
                attempt.interrupted = ran.cut == Some(Cut::Interrupt);
                let folder = self
                    .folder_of(case)
                    .unwrap_or_else(|| shell_folder(shell, self));
                attempt.verdicts = self.judge(case, &ran, &folder);
                attempt.command = Some(ran);
            }
            Entered::Failed(failure) => attempt.hook = Some(failure),
            Entered::Nowhere => attempt = no_folder(&self.folder_of(case).unwrap_or_default()),
            Entered::Interrupted => attempt.interrupted = true,
        }
        attempt.torn_down(case.tear_down(shell)?);
        Ok(attempt)
    }

    fn start_hooked(
        &self,
        scripts: [Option<&str>; 2],
        hooks: [Hook; 2],
        between: &driver::Between<'_>,
        environment: &Environment,
        sources: Vec<Source>,
    ) -> io::Result<Hooked<'w>> {
        let log = self.scratch.file()?;
        let (pid, control) = driver(
            &self.processes.bash,
            scripts,
            between,
            environment,
            &self.world.folder,
            log,
        )?;
        let instant = self.world.instant;
        Ok(Hooked {
            watched: Watched::begin(
                pid,
                sources,
                self.processes.max_output,
                self.processes.stop,
                instant,
            )?,
            control,
            hooks,
            instant,
            stage: Stage::Starting,
        })
    }

    /// What must hold, once the command has come to its own end.
    fn judge(&self, case: &Case<'_>, ran: &Ran, folder: &Path) -> Vec<Verdict> {
        if ran.cut.is_some() {
            return Vec::new();
        }
        let judge = Judge {
            ran,
            folder,
            snapshots: self.options.snapshots,
            suite: case.suite,
            test: case.planned,
            root: &self.world.folder,
            budget: self.budget,
        };
        judge.verdicts(&case.test.assertions)
    }

    /// The folder that the test asks for.
    fn folder_of(&self, case: &Case<'_>) -> Option<PathBuf> {
        let workdir = case.test.workdir.as_ref()?;
        let file = case.suite.file(&self.world.folder);
        Some(variables::absolute(
            &file.parent().unwrap_or(Path::new("/")).join(workdir),
        ))
    }
}

/// What the first of two hooks has come to.
enum Exported {
    Environment(Environment),
    Failed(HookFailure),
    Interrupted,
}

/// A test and what it needs, whatever it does.
struct Case<'a> {
    suite: &'a PlannedSuite,
    test: &'a Test,
    planned: &'a PlannedTest,
    environment: &'a Environment,
    /// The temporary one.
    folder: &'a Path,
    timeout: Option<Duration>,
}

impl Case<'_> {
    fn has_hooks(&self) -> bool {
        self.suite.suite.hooks.surround_tests()
    }

    /// How long a hook may take.
    fn for_hooks(&self) -> Duration {
        self.suite.suite.timeout.unwrap_or(HOOK_TIMEOUT)
    }

    /// The setup is part of the test's time.
    fn for_setup(&self) -> Duration {
        let for_hooks = self.for_hooks();
        self.timeout
            .map_or(for_hooks, |timeout| timeout.min(for_hooks))
    }

    /// Runs the teardown.
    fn tear_down(&self, shell: &mut Hooked<'_>) -> io::Result<TornDown> {
        let given = self.timeout.unwrap_or_else(|| self.for_hooks());
        shell.leave(given, self.suite.suite.hooks.teardown.is_some())
    }
}

fn text(script: Option<&Script>) -> Option<&str> {
    script.map(|script| script.text.as_str())
}

fn no_folder(folder: &Path) -> Attempt {
    Attempt {
        trouble: Some(format!("there is no folder {} to run in", folder.display())),
        ..Attempt::default()
    }
}

/// Where the setup went.
fn shell_folder(shell: &Hooked<'_>, native: &Native<'_>) -> PathBuf {
    let link = std::fs::read_link(format!("/proc/{}/cwd", shell.watched.pid()));
    link.unwrap_or_else(|_| native.world.folder.clone())
}

impl Opened<'_> {
    /// A suite that another process has opened.
    pub(crate) fn arrived(travels: Travels) -> Self {
        Opened {
            environment: Environment::new(travels.environment),
            folder: travels.folder,
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
