//! What this process does itself, between the hooks of a test.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::io;
use std::path::PathBuf;
use std::time::Instant;

use super::{Case, Exported, Native, no_folder, shell_folder, text};
use crate::attempt::Attempt;
use crate::shell::environment::Environment;
use crate::shell::ran::Hook;
use crate::shell::{settle, variables};

/// Where a test happens.
pub(crate) struct Site<'a> {
    pub(crate) case: &'a Case<'a>,
    /// As the setup leaves it.
    pub(crate) environment: Environment,
    /// Where its processes run.
    pub(crate) folder: PathBuf,
    /// When the test has no more time.
    pub(crate) deadline: Option<Instant>,
}

impl Native<'_> {
    /// Does it between the hooks of the test, if it has any.
    pub(super) fn staged(
        &self,
        case: &Case<'_>,
        act: impl FnOnce(&Site<'_>) -> io::Result<Attempt>,
    ) -> io::Result<Attempt> {
        let started = (self.world.instant)();
        let deadline = case.timeout.map(|timeout| started + timeout);
        if case.has_hooks() {
            return self.between_hooks(case, deadline, act);
        }
        let site = |folder| Site {
            case,
            environment: case.environment.clone(),
            folder,
            deadline,
        };
        match self.folder_of(case) {
            Some(folder) => site(folder).act(act),
            None => act(&site(self.world.folder.clone())),
        }
    }

    fn between_hooks(
        &self,
        case: &Case<'_>,
        deadline: Option<Instant>,
        act: impl FnOnce(&Site<'_>) -> io::Result<Attempt>,
    ) -> io::Result<Attempt> {
        let hooks = &case.suite.suite.hooks;
        let scripts = [hooks.setup.as_ref(), hooks.teardown.as_ref()].map(text);
        let names = [Hook::Setup, Hook::Teardown];
        let (mut shell, exported) =
            self.export(scripts, names, case.environment, case.for_setup())?;
        let attempt = match exported {
            Exported::Environment(environment) => {
                let folder = self.folder_of(case);
                let site = Site {
                    case,
                    environment,
                    folder: folder.unwrap_or_else(|| shell_folder(&shell, self)),
                    deadline,
                };
                site.act(act)
            }
            Exported::Failed(failure) => Ok(Attempt {
                hook: Some(failure),
                ..Attempt::default()
            }),
            Exported::Interrupted => Ok(Attempt {
                interrupted: true,
                ..Attempt::default()
            }),
        };
        let teardown = case.tear_down(&mut shell)?;
        let mark = case.folder.as_os_str();
        settle::clear(&mut shell.watched, variables::TEST_MARK, mark)?;
        let mut attempt = attempt?;
        attempt.torn_down(teardown);
        Ok(attempt)
    }
}

impl Site<'_> {
    /// What the setup has exported.
    pub(crate) fn exported(&self) -> Vec<(String, String)> {
        if !self.case.has_hooks() {
            return Vec::new();
        }
        let text = |text: &OsStr| text.to_string_lossy().into_owned();
        let before: HashMap<_, _> = self.case.environment.iter().collect();
        let after = self.environment.iter();
        after
            .filter(|(name, value)| before.get(name) != Some(value))
            .map(|(name, value)| (text(name), text(value)))
            .collect()
    }

    fn act(&self, act: impl FnOnce(&Site<'_>) -> io::Result<Attempt>) -> io::Result<Attempt> {
        if self.folder.is_dir() {
            act(self)
        } else {
            Ok(no_folder(&self.folder))
        }
    }
}
