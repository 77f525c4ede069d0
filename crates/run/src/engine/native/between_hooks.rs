//! Runs code of this process between the hooks of a test; conversations use it.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::io;
use std::path::PathBuf;
use std::time::Instant;

use super::NativeEngine;
use super::command_test::{no_dir, shell_dir};
use super::exports::{HookExport, text};
use super::late_script::LateScript;
use super::prepared_test::PreparedTest;
use crate::attempt::AttemptResult;
use crate::captured_values::CapturedValues;
use crate::conversation::HookScope;
use crate::shell::environment::Environment;
use crate::shell::{Hook, TEST_MARK, cleanup};

impl NativeEngine<'_> {
    /// Calls `act` after `setup` and before `teardown`, or directly if the test has no hooks.
    pub(super) fn run_between_hooks(
        &self,
        prepared: &PreparedTest<'_>,
        act: impl FnOnce(&HookScope<'_>) -> io::Result<AttemptResult>,
    ) -> io::Result<AttemptResult> {
        let started = (self.system.instant)();
        let deadline = prepared.timeout.map(|timeout| started + timeout);
        let act = |scope: &HookScope<'_>| self.with_test_services(prepared, scope, act);
        if prepared.has_hooks() {
            return self.between_hooks(prepared, deadline, act);
        }
        let site = |dir| prepared.site(prepared.environment.clone(), dir, deadline);
        match self.dir_of(prepared) {
            Some(dir) => act_in(&site(dir), act),
            None => act(&site(self.system.dir.clone())),
        }
    }

    fn between_hooks(
        &self,
        prepared: &PreparedTest<'_>,
        deadline: Option<Instant>,
        act: impl FnOnce(&HookScope<'_>) -> io::Result<AttemptResult>,
    ) -> io::Result<AttemptResult> {
        let hooks = prepared.hooks;
        let teardown = LateScript::new(text(hooks.teardown.as_ref()), &self.processes)?;
        let scripts = [text(hooks.setup.as_ref()), teardown.argument()];
        let names = [Hook::Setup, Hook::Teardown];
        let (mut shell, exported) = self.export(
            scripts,
            names,
            prepared.environment,
            prepared.setup_timeout(),
        )?;
        let attempt = match exported {
            HookExport::Environment(environment) => {
                let dir = self.dir_of(prepared);
                let dir = dir.unwrap_or_else(|| shell_dir(&shell, self));
                act_in(&prepared.site(environment, dir, deadline), act)
            }
            HookExport::Failed(failure) => Ok(AttemptResult {
                hook: Some(failure),
                ..AttemptResult::default()
            }),
            HookExport::Interrupted => Ok(AttemptResult {
                interrupted: true,
                ..AttemptResult::default()
            }),
        };
        let captured = attempt.as_ref().map(|attempt| &attempt.captured);
        teardown.write(captured.unwrap_or(&CapturedValues::default()))?;
        let teardown = prepared.tear_down(&mut shell)?;
        let mark = prepared.dir.as_os_str();
        cleanup::kill_leftovers(&mut shell.process, TEST_MARK, mark)?;
        let mut attempt = attempt?;
        attempt.add_teardown(teardown);
        Ok(attempt)
    }
}

impl<'a> PreparedTest<'a> {
    fn site(
        &self,
        environment: Environment,
        dir: PathBuf,
        deadline: Option<Instant>,
    ) -> HookScope<'a> {
        HookScope {
            test: self.test,
            planned: self.planned,
            exported: self.exported(&environment),
            environment,
            dir,
            temporary: self.dir,
            timeout: self.timeout,
            deadline,
        }
    }

    /// The variables that `setup` added or changed.
    fn exported(&self, environment: &Environment) -> Vec<(String, String)> {
        if !self.has_hooks() {
            return Vec::new();
        }
        let text = |text: &OsStr| text.to_string_lossy().into_owned();
        let before: HashMap<_, _> = self.environment.iter().collect();
        let after = environment.iter();
        after
            .filter(|(name, value)| before.get(name) != Some(value))
            .map(|(name, value)| (text(name), text(value)))
            .collect()
    }
}

fn act_in(
    site: &HookScope<'_>,
    act: impl FnOnce(&HookScope<'_>) -> io::Result<AttemptResult>,
) -> io::Result<AttemptResult> {
    if site.dir.is_dir() {
        act(site)
    } else {
        Ok(no_dir(&site.dir))
    }
}
