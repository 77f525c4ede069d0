//! The native engine: runs tests as local processes.

mod between_hooks;
mod command_test;
mod conditions;
mod exports;
mod isolation;
mod known_values;
mod late_script;
mod prepared_test;
mod prestart;
mod services;
mod steps;
mod terminal_command;
mod workdir;

use std::ffi::OsStr;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use casebook_suite::model::Action;
use parking_lot::Mutex;

use super::{Engine, SuiteEnvironment, variables};
use crate::attempt::AttemptResult;
use crate::budget::OutputBudget;
use crate::conversation::{self, ConversationContext};
use crate::emitter::EventEmitter;
use crate::http::Client;
use crate::llm::Models;
use crate::options::Options;
use crate::plan::{PlannedSuite, PlannedTest};
use crate::scratch::{self, ScratchDir};
use crate::services::ServiceOutput;
use crate::shell::driver::{self, driver};
use crate::shell::environment::Environment;
use crate::shell::hook_shell::{HookShell, ShellPhase, TeardownResult};
use crate::shell::pipe::PipeReader;
use crate::shell::process::MonitoredProcess;
use crate::shell::{FILE_MARK, Hook, HookFailure, ProcessContext, cleanup};
use crate::spending::Spending;
use crate::system::SystemContext;

/// The timeout of a hook if the suite sets none.
const HOOK_TIMEOUT: Duration = Duration::from_secs(60);

pub(crate) use prestart::PrestartedShells;
use services::SuiteServices;

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
    /// What conversations have spent.
    pub(crate) spending: &'w Spending,
}

/// A suite whose `setupFile` has run.
pub(crate) struct NativeSuite<'w> {
    environment: Environment,
    dir: PathBuf,
    /// The shell that will run `teardownFile`.
    shell: Option<Mutex<HookShell<'w>>>,
    /// Why the tests cannot run.
    failure: Option<HookFailure>,
    services: SuiteServices<'w>,
}

impl<'w> Engine for NativeEngine<'w> {
    type OpenSuite = NativeSuite<'w>;

    fn open(&self, suite: &PlannedSuite) -> io::Result<NativeSuite<'w>> {
        let dir = self.scratch.dir("file")?;
        let mut environment = Environment::new(self.system.environment.clone());
        for name in &suite.suite.unset {
            environment.unset(name);
        }
        let services = SuiteServices::new(suite)?;
        for (name, value) in &suite.suite.env {
            environment.set(name, services.values.text(value).into_owned());
        }
        services.export(&mut environment);
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
            services,
        };
        let hooks = &suite.suite.hooks;
        if hooks.setup_file.is_some() || hooks.teardown_file.is_some() {
            self.run_setup_file(suite, &mut open_suite)?;
        }
        if open_suite.failure.is_none() {
            self.start_suite_services(suite, &mut open_suite)?;
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
            services: open_suite.services.states().to_vec(),
        })
    }

    fn stop_services(&self, open_suite: &NativeSuite<'w>) -> Vec<ServiceOutput> {
        services::stop_suite_services(open_suite)
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
        // The directory of an unused shell would be kept.
        if self.options.keep_temp.is_none() {
            // If this fails, the same error is reported when the test starts.
            let _ = self.prestart(planned, open_suite);
        }
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
        let (test_environment, started_shell) = match self.prestarted.take(planned) {
            Some(waiting) => (waiting.test_environment, Some(waiting.started_shell)),
            None => (self.test_environment(planned, open_suite)?, None),
        };
        let prepared = self.prepared(planned, &test_environment);
        let unmet = self.unmet_condition(&prepared)?;
        let run = || match &prepared.test.action {
            Action::Command(step) if step.needs_step_runner() || !prepared.services.is_empty() => {
                self.run_steps(&prepared, emitter)
            }
            Action::Steps(_) => self.run_steps(&prepared, emitter),
            Action::Command(step) if prepared.has_hooks() => started_shell
                .map_or_else(|| self.start_shell(&prepared, step), Ok)
                .and_then(|shell| self.run_in_hook_shell(&prepared, step, shell, emitter)),
            Action::Command(step) => self.run_without_hooks(&prepared, step, emitter),
            Action::Conversation(conversation) => self.run_between_hooks(&prepared, |site| {
                let context = ConversationContext {
                    processes: &self.processes,
                    models: &self.models,
                    http: &self.http,
                    spending: self.spending,
                    site,
                    root: &self.system.dir,
                    run_id: &self.options.run_id,
                };
                conversation::run(context, conversation, number, emitter)
            }),
        };
        let mut attempt = if unmet.is_some() {
            Ok(AttemptResult {
                unmet,
                ..AttemptResult::default()
            })
        } else {
            services::with_suite_services(prepared.test, open_suite, run)
        };
        if let Ok(attempt) = &mut attempt {
            services::add_values(attempt, &test_environment.values);
        }
        match test_environment.dir {
            dir if dir.as_os_str().is_empty() => {}
            dir if self.options.keep_temp.is_some() => match &mut attempt {
                Ok(attempt) => attempt.dir = Some(dir),
                Err(_) => scratch::remove(&dir),
            },
            dir if attempt.as_ref().is_ok_and(AttemptResult::ended_cleanly) => {
                self.scratch.recycle(dir);
            }
            // A killed process may still be writing there.
            dir => scratch::remove(&dir),
        }
        attempt
    }
}

impl<'w> NativeEngine<'w> {
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
}

impl NativeSuite<'_> {
    /// A suite that the controller opened.
    pub(crate) fn from_controller(suite_environment: SuiteEnvironment) -> Self {
        NativeSuite {
            environment: Environment::new(suite_environment.environment),
            dir: suite_environment.dir,
            shell: None,
            failure: None,
            services: SuiteServices::from_controller(suite_environment.services),
        }
    }
}
