//! [`PrestartedShells`]: shells that are started before their tests.
//!
//! Starting a shell takes longer than anything else around a test with hooks, and a test that runs alone leaves the
//! other CPUs idle. So the shell of the next test starts during the current one, and waits before the first line of its
//! setup.

use std::collections::HashMap;
use std::fs::File;
use std::io;
use std::path::PathBuf;

use casebook_suite::model::{Action, Hooks, Step, Test};
use parking_lot::{Mutex, MutexGuard};

use super::exports::text;
use super::known_values::KnownValues;
use super::prepared_test::PreparedTest;
use super::services::{TestServices, uses_own_services};
use super::{NativeEngine, NativeSuite};
use crate::plan::PlannedTest;
use crate::shell::Hook;
use crate::shell::driver;
use crate::shell::environment::Environment;
use crate::shell::hook_shell::HookShell;
use crate::shell::pipe::{PipeReader, path_of};

/// The waiting shells, by the ids of their tests. An unused shell is killed when dropped.
#[derive(Default)]
pub(crate) struct PrestartedShells<'w>(Mutex<HashMap<String, PrestartedShell<'w>>>);

/// A shell that waits for its test to start.
pub(super) struct PrestartedShell<'w> {
    pub(super) test_environment: TestEnvironment,
    pub(super) started_shell: StartedShell<'w>,
}

/// The environment of a test.
pub(super) struct TestEnvironment {
    pub(super) environment: Environment,
    /// The temporary directory; empty if the test starts no process.
    pub(super) dir: PathBuf,
    /// The values that are known before the test starts.
    pub(super) values: KnownValues,
    /// The test and the hooks with these values, if there are any.
    pub(super) substituted: Option<(Test, Hooks)>,
    /// The services that run only for this test.
    pub(super) services: TestServices,
}

/// A shell that waits before the first line of its setup.
pub(super) struct StartedShell<'w> {
    pub(super) shell: HookShell<'w>,
    /// Kept open until the command has opened it by path.
    pub(super) _stdin: Option<File>,
}

impl<'w> PrestartedShells<'w> {
    pub(super) fn take(&self, planned: PlannedTest<'_>) -> Option<PrestartedShell<'w>> {
        self.all().remove(&planned.id)
    }

    /// Kills the unused shells.
    pub(super) fn clear(&self) {
        self.all().clear();
    }

    fn all(&self) -> MutexGuard<'_, HashMap<String, PrestartedShell<'w>>> {
        self.0.lock()
    }
}

impl<'w> NativeEngine<'w> {
    /// Starts the shell of the next test.
    pub(super) fn prestart(
        &self,
        planned: PlannedTest<'_>,
        open_suite: &NativeSuite<'w>,
    ) -> io::Result<()> {
        let Action::Command(step) = &planned.test().action else {
            return Ok(());
        };
        if step.needs_step_runner() || uses_own_services(planned) {
            return Ok(());
        }
        let test_environment = self.test_environment(planned, open_suite)?;
        let prepared = self.prepared(planned, &test_environment);
        let [step] = prepared.test.steps() else {
            return Ok(());
        };
        if prepared.has_hooks() {
            let started_shell = self.start_shell(&prepared, step)?;
            let waiting = PrestartedShell {
                test_environment,
                started_shell,
            };
            self.prestarted.all().insert(planned.id.clone(), waiting);
        } else {
            self.scratch.recycle(test_environment.dir);
        }
        Ok(())
    }

    /// Starts the shell of a test with hooks.
    pub(super) fn start_shell(
        &self,
        prepared: &PreparedTest<'_>,
        step: &Step,
    ) -> io::Result<StartedShell<'w>> {
        let (output, stdout) = PipeReader::named()?;
        let mut sources = vec![output];
        let mut stderr = None;
        if step.keeps_streams_apart() {
            let (source, path) = PipeReader::named()?;
            sources.push(source);
            stderr = Some(path);
        }
        let stdin = step.stdin.as_deref();
        let stdin = stdin.map(|text| self.processes.stdin(text)).transpose()?;
        let stdin_path = stdin.as_ref().map_or_else(|| "/dev/null".into(), path_of);
        let dir = self.dir_of(prepared);
        let between = driver::HookedCommand {
            command: &step.command.text,
            stdout: &stdout,
            stderr: stderr.as_deref(),
            stdin: &stdin_path,
            dir: dir.as_deref(),
        };
        let hooks = prepared.hooks;
        let scripts = [hooks.setup.as_ref(), hooks.teardown.as_ref()].map(text);
        let names = [Hook::Setup, Hook::Teardown];
        Ok(StartedShell {
            shell: self.start_hooked(scripts, names, &between, prepared.environment, sources)?,
            _stdin: stdin,
        })
    }
}
