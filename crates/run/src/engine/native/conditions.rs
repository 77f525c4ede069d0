//! The conditions of a test: programs that must be installed, and a command that must succeed.

use std::io;

use super::NativeEngine;
use super::prepared_test::PreparedTest;
use crate::seconds::seconds;
use crate::shell::Termination;
use crate::shell::bash::is_program;
use crate::shell::command::ShellCommand;

impl NativeEngine<'_> {
    /// Why the test must be skipped; `None` if all its conditions are met.
    pub(super) fn unmet_condition(
        &self,
        prepared: &PreparedTest<'_>,
    ) -> io::Result<Option<String>> {
        let conditions = &prepared.test.conditions;
        let missing = conditions
            .requires
            .iter()
            .find(|program| !self.is_installed(prepared, program));
        if let Some(program) = missing {
            return Ok(Some(format!("{program} is not installed")));
        }
        match &conditions.skip_unless {
            Some(script) => self.failed_command(prepared, &script.text),
            None => Ok(None),
        }
    }

    /// Whether the program is in the test's `PATH`, or, if its name contains a slash, at this path.
    fn is_installed(&self, prepared: &PreparedTest<'_>, program: &str) -> bool {
        let dir = &self.system.dir;
        if program.contains('/') {
            return is_program(&dir.join(program));
        }
        let path = prepared.environment.get("PATH").unwrap_or_default();
        std::env::split_paths(path).any(|entry| is_program(&dir.join(entry).join(program)))
    }

    fn failed_command(
        &self,
        prepared: &PreparedTest<'_>,
        script: &str,
    ) -> io::Result<Option<String>> {
        let timeout = prepared.hook_timeout();
        let command = ShellCommand {
            script,
            environment: prepared.environment,
            dir: &self.system.dir,
            stdin: None,
            separate: false,
            timeout: Some(timeout),
        };
        let started = (self.system.instant)();
        let mut process = command.start(&self.processes)?;
        let end = command.finish(&mut process, started, &|_| ())?;
        let ran = end.into_result(process, self.system.instant, prepared.dir)?;
        let first_line = script.lines().next().unwrap_or_default();
        Ok(match (ran.termination, ran.exit_code) {
            (None, 0) => None,
            (Some(Termination::Timeout), _) => Some(format!(
                "skipUnless took longer than {}: {first_line}",
                seconds(timeout)
            )),
            (_, code) => Some(format!(
                "skipUnless failed with exit code {code}: {first_line}"
            )),
        })
    }
}
