//! A test with its environment, before it is run.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use casebook_suite::model::{Hooks, Test};

use super::isolation;
use super::prestart::TestEnvironment;
use super::services::{self, TestServices};
use super::{HOOK_TIMEOUT, NativeEngine, NativeSuite};
use crate::assertions::{Directories, Normalizers, paths_of_dir};
use crate::engine::variables;
use crate::plan::{PlannedSuite, PlannedTest};
use crate::shell::environment::Environment;
use crate::shell::hook_shell::{HookShell, TeardownResult};

/// A test with all that an attempt needs.
pub(super) struct PreparedTest<'a> {
    pub(super) test: &'a Test,
    pub(super) planned: PlannedTest<'a>,
    pub(super) environment: &'a Environment,
    /// The temporary directory of the test.
    pub(super) dir: &'a Path,
    pub(super) timeout: Option<Duration>,
    /// The hooks of the suite, with the values that are known before the test starts.
    pub(super) hooks: &'a Hooks,
    /// The services that run only for this test.
    pub(super) services: &'a TestServices,
}

impl PreparedTest<'_> {
    pub(super) fn has_hooks(&self) -> bool {
        self.planned.suite.suite.hooks.surround_tests()
    }

    /// The normalizers of its assertions on a command that ran in this directory.
    pub(super) fn normalizers(&self, workdir: &Path) -> Normalizers {
        Normalizers::new(&self.test.normalize, || Directories {
            home: self
                .environment
                .get("HOME")
                .map(|home| paths_of_dir(Path::new(home)))
                .unwrap_or_default(),
            temporary: paths_of_dir(self.dir),
            working: paths_of_dir(workdir),
        })
    }

    /// The timeout of each hook.
    pub(super) fn hook_timeout(&self) -> Duration {
        self.planned.suite.suite.timeout.unwrap_or(HOOK_TIMEOUT)
    }

    /// The timeout of `setup`, which counts toward the test's own timeout.
    pub(super) fn setup_timeout(&self) -> Duration {
        let for_hooks = self.hook_timeout();
        self.timeout
            .map_or(for_hooks, |timeout| timeout.min(for_hooks))
    }

    /// Runs the teardown.
    pub(super) fn tear_down(&self, shell: &mut HookShell<'_>) -> io::Result<TeardownResult> {
        let given = self.timeout.unwrap_or_else(|| self.hook_timeout());
        shell.run_teardown(given, self.planned.suite.suite.hooks.teardown.is_some())
    }
}

impl<'w> NativeEngine<'w> {
    /// Creates the environment and the temporary directory of a test.
    pub(super) fn test_environment(
        &self,
        planned: PlannedTest<'_>,
        open_suite: &NativeSuite<'w>,
    ) -> io::Result<TestEnvironment> {
        let test = planned.test();
        let mut environment = open_suite.environment.clone();
        let mut dir = PathBuf::new();
        let starts_processes = !starts_nothing(planned.suite, test);
        if starts_processes {
            dir = self.scratch.test_dir()?;
        }
        if test.isolate && starts_processes {
            let own = &planned.suite.suite.env;
            isolation::isolate(&mut environment, &self.system.environment, own, &dir)?;
        }
        for name in &test.unset {
            environment.unset(name);
        }
        let mut values = open_suite.services.values.clone();
        let services = services::test_services(planned, &mut values, &mut environment)?;
        for (name, value) in &test.env {
            environment.set(name, values.text(value).into_owned());
        }
        if starts_processes {
            variables::set_test_variables(&mut environment, &test.name, planned, &dir);
            self.make_workdir(planned, &dir)?;
        }
        let suite = &planned.suite.suite;
        let substituted = (!values.is_empty()).then(|| {
            let hooks = values.hooks(&suite.hooks).into_owned();
            (values.test(test).into_owned(), hooks)
        });
        Ok(TestEnvironment {
            environment,
            dir,
            values,
            substituted,
            services,
        })
    }

    pub(super) fn prepared<'a>(
        &self,
        planned: PlannedTest<'a>,
        test_environment: &'a TestEnvironment,
    ) -> PreparedTest<'a> {
        let substituted = test_environment.substituted.as_ref();
        let test = substituted.map_or(planned.test(), |(test, _)| test);
        PreparedTest {
            test,
            planned,
            hooks: substituted.map_or(&planned.suite.suite.hooks, |(_, hooks)| hooks),
            services: &test_environment.services,
            environment: &test_environment.environment,
            dir: &test_environment.dir,
            timeout: test.timeout.or(self.options.timeout),
        }
    }
}

/// Whether the test starts no process, and so needs no directory and variables.
fn starts_nothing(suite: &PlannedSuite, test: &Test) -> bool {
    let conversation = test.conversation();
    let has_hooks = suite.suite.hooks.surround_tests();
    conversation.is_some_and(|conversation| !conversation.starts_processes())
        && !has_hooks
        && test.uses.is_empty()
}
