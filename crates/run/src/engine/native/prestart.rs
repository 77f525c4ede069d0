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

use super::{Case, Native, Opened, text};
use crate::plan::{PlannedSuite, PlannedTest};
use crate::shell::Hook;
use crate::shell::driver;
use crate::shell::environment::Environment;
use crate::shell::hooked::Hooked;
use crate::shell::pipe::{Source, path_of};

/// The shells that wait, by the ids of their tests. One that nobody calls for is ended when it is dropped.
#[derive(Default)]
pub(crate) struct Ahead<'w>(Mutex<HashMap<String, Waiting<'w>>>);

/// A shell that waits for its test to begin.
pub(super) struct Waiting<'w> {
    pub(super) place: Place,
    pub(super) begun: Begun<'w>,
}

/// What a test has for itself.
pub(super) struct Place {
    pub(super) environment: Environment,
    /// The temporary one; empty where no process is there to use it.
    pub(super) folder: PathBuf,
}

/// A shell that waits before the first line of its setup.
pub(super) struct Begun<'w> {
    pub(super) shell: Hooked<'w>,
    /// Open until the command has read it.
    pub(super) _stdin: Option<File>,
}

impl<'w> Ahead<'w> {
    pub(super) fn take(&self, planned: &PlannedTest) -> Option<Waiting<'w>> {
        self.all().remove(&planned.id)
    }

    /// Ends those that nobody has called for.
    pub(super) fn clear(&self) {
        self.all().clear();
    }

    fn all(&self) -> MutexGuard<'_, HashMap<String, Waiting<'w>>> {
        self.0.lock()
    }
}

impl<'w> Native<'w> {
    /// Starts the shell of the test that comes next.
    pub(super) fn start_ahead(
        &self,
        suite: &PlannedSuite,
        planned: &PlannedTest,
        opened: &Opened<'w>,
    ) -> io::Result<()> {
        let Action::Command(script) = &suite.test(planned).action else {
            return Ok(());
        };
        let place = self.place(suite, planned, opened)?;
        let case = self.case(suite, planned, &place);
        if case.has_hooks() {
            let begun = self.begin(&case, &script.text)?;
            let waiting = Waiting { place, begun };
            self.ahead.all().insert(planned.id.clone(), waiting);
        } else {
            self.scratch.leave(place.folder);
        }
        Ok(())
    }

    /// Starts the shell of a test with hooks.
    pub(super) fn begin(&self, case: &Case<'_>, script: &str) -> io::Result<Begun<'w>> {
        let (output, stdout) = Source::named()?;
        let mut sources = vec![output];
        let mut stderr = None;
        if case.test.keeps_streams_apart() {
            let (source, path) = Source::named()?;
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
        let between = driver::Between {
            command: script,
            stdout: &stdout,
            stderr: stderr.as_deref(),
            stdin: &stdin_path,
            folder: folder.as_deref(),
        };
        let hooks = &case.suite.suite.hooks;
        let scripts = [hooks.setup.as_ref(), hooks.teardown.as_ref()].map(text);
        let names = [Hook::Setup, Hook::Teardown];
        Ok(Begun {
            shell: self.start_hooked(scripts, names, &between, case.environment, sources)?,
            _stdin: stdin,
        })
    }
}
