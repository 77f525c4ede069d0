//! Shells that are started before their tests begin.
//!
//! Starting a shell takes longer than anything else around a test with hooks, and a test that runs alone leaves the other
//! processors idle. So the shell of the next test starts while this one runs, and waits before the first line of its setup.

use std::collections::HashMap;
use std::fs::File;
use std::io;
use std::path::PathBuf;

use casebook_suite::model::Action;
use parking_lot::{Mutex, MutexGuard};

use super::{NativeEngine, NativeSuite, PreparedTest, text};
use crate::plan::{PlannedSuite, PlannedTest};
use crate::shell::Hook;
use crate::shell::driver;
use crate::shell::environment::Environment;
use crate::shell::hook_shell::HookShell;
use crate::shell::pipe::{PipeReader, path_of};

/// The shells that wait, by the ids of their tests. One that nobody calls for is ended when it is dropped.
#[derive(Default)]
pub(crate) struct PrestartedShells<'w>(Mutex<HashMap<String, PrestartedShell<'w>>>);

/// A shell that waits for its test to begin.
pub(super) struct PrestartedShell<'w> {
    pub(super) place: TestEnvironment,
    pub(super) begun: StartedShell<'w>,
}

/// What a test has for itself.
pub(super) struct TestEnvironment {
    pub(super) environment: Environment,
    /// The temporary one; empty where no process is there to use it.
    pub(super) folder: PathBuf,
}

/// A shell that waits before the first line of its setup.
pub(super) struct StartedShell<'w> {
    pub(super) shell: HookShell<'w>,
    /// Open until the command has read it.
    pub(super) _stdin: Option<File>,
}

impl<'w> PrestartedShells<'w> {
    pub(super) fn take(&self, planned: &PlannedTest) -> Option<PrestartedShell<'w>> {
        self.all().remove(&planned.id)
    }

    /// Ends those that nobody has called for.
    pub(super) fn clear(&self) {
        self.all().clear();
    }

    fn all(&self) -> MutexGuard<'_, HashMap<String, PrestartedShell<'w>>> {
        self.0.lock()
    }
}

impl<'w> NativeEngine<'w> {
    /// Starts the shell of the test that comes next.
    pub(super) fn start_ahead(
        &self,
        suite: &PlannedSuite,
        planned: &PlannedTest,
        open_suite: &NativeSuite<'w>,
    ) -> io::Result<()> {
        let Action::Command(script) = &suite.test(planned).action else {
            return Ok(());
        };
        let place = self.place(suite, planned, open_suite)?;
        let case = self.case(suite, planned, &place);
        if case.has_hooks() {
            let begun = self.begin(&case, &script.text)?;
            let waiting = PrestartedShell { place, begun };
            self.ahead.all().insert(planned.id.clone(), waiting);
        } else {
            self.scratch.recycle(place.folder);
        }
        Ok(())
    }

    /// Starts the shell of a test with hooks.
    pub(super) fn begin(
        &self,
        case: &PreparedTest<'_>,
        script: &str,
    ) -> io::Result<StartedShell<'w>> {
        let (output, stdout) = PipeReader::named()?;
        let mut sources = vec![output];
        let mut stderr = None;
        if case.test.keeps_streams_apart() {
            let (source, path) = PipeReader::named()?;
            sources.push(source);
            stderr = Some(path);
        }
        let stdin = case
            .test
            .stdin
            .as_deref()
            .map(|text| self.processes.stdin(text));
        let stdin = stdin.transpose()?;
        let stdin_path = stdin.as_ref().map_or_else(|| "/dev/null".into(), path_of);
        let folder = self.folder_of(case);
        let between = driver::HookedCommand {
            command: script,
            stdout: &stdout,
            stderr: stderr.as_deref(),
            stdin: &stdin_path,
            folder: folder.as_deref(),
        };
        let hooks = &case.suite.suite.hooks;
        let scripts = [hooks.setup.as_ref(), hooks.teardown.as_ref()].map(text);
        let names = [Hook::Setup, Hook::Teardown];
        Ok(StartedShell {
            shell: self.start_hooked(scripts, names, &between, case.environment, sources)?,
            _stdin: stdin,
        })
    }
}
