//! What this process does itself, between the hooks of a test.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::io;
use std::path::PathBuf;
use std::time::Instant;

use super::{Case, Exported, Native, no_folder, shell_folder, text};
use crate::attempt::Attempt;
use crate::conversation::Site;
use crate::shell::environment::Environment;
use crate::shell::{Hook, TEST_MARK, settle};

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
        let site = |folder| case.site(case.environment.clone(), folder, deadline);
        match self.folder_of(case) {
            Some(folder) => act_in(&site(folder), act),
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
                let folder = folder.unwrap_or_else(|| shell_folder(&shell, self));
                act_in(&case.site(environment, folder, deadline), act)
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
        settle::clear(&mut shell.watched, TEST_MARK, mark)?;
        let mut attempt = attempt?;
        attempt.torn_down(teardown);
        Ok(attempt)
    }
}

impl<'a> Case<'a> {
    fn site(
        &self,
        environment: Environment,
        folder: PathBuf,
        deadline: Option<Instant>,
    ) -> Site<'a> {
        Site {
            suite: self.suite,
            test: self.test,
            planned: self.planned,
            exported: self.exported(&environment),
            environment,
            folder,
            temporary: self.folder,
            timeout: self.timeout,
            deadline,
        }
    }

    /// What the setup has exported into this environment.
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
    site: &Site<'_>,
    act: impl FnOnce(&Site<'_>) -> io::Result<Attempt>,
) -> io::Result<Attempt> {
    if site.folder.is_dir() {
        act(site)
    } else {
        Ok(no_folder(&site.folder))
    }
}
