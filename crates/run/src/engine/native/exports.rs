//! `setupFile`, and the variables that a hook exports.

use std::ffi::OsString;
use std::io;
use std::os::unix::ffi::OsStringExt as _;
use std::path::Path;
use std::time::Duration;

use casebook_suite::model::Script;
use parking_lot::Mutex;

use super::{HOOK_TIMEOUT, NativeEngine, NativeSuite};
use crate::plan::PlannedSuite;
use crate::shell::bash::look_up;
use crate::shell::capture::Retention;
use crate::shell::driver;
use crate::shell::environment::Environment;
use crate::shell::hook_shell::{HookShell, SetupResult};
use crate::shell::pipe::PipeReader;
use crate::shell::{Hook, HookFailure, cleanup};

impl<'w> NativeEngine<'w> {
    /// Runs `setupFile` and reads what it exports.
    pub(super) fn run_setup_file(
        &self,
        suite: &PlannedSuite,
        open_suite: &mut NativeSuite<'w>,
    ) -> io::Result<()> {
        let hooks = open_suite.services.values.hooks(&suite.suite.hooks);
        let scripts = [hooks.setup_file.as_ref(), hooks.teardown_file.as_ref()].map(text);
        let names = [Hook::SetupFile, Hook::TeardownFile];
        let given = suite.suite.timeout.unwrap_or(HOOK_TIMEOUT);
        let (shell, exported) = self.export(scripts, names, &open_suite.environment, given)?;
        match exported {
            HookExport::Environment(environment) => open_suite.environment = environment,
            HookExport::Failed(failure) => open_suite.failure = Some(failure),
            HookExport::Interrupted => {}
        }
        open_suite.shell = Some(Mutex::new(shell));
        Ok(())
    }

    /// Runs the first of two hooks and reads what it exports. The shell then waits until it runs the second.
    pub(super) fn export(
        &self,
        scripts: [Option<&str>; 2],
        names: [Hook; 2],
        environment: &Environment,
        given: Duration,
    ) -> io::Result<(HookShell<'w>, HookExport)> {
        let (mut exports, stdout) = PipeReader::named()?;
        exports.captured.keeps = Retention::All;
        let path = self.system.variable("PATH").map(OsString::as_os_str);
        let program = path.and_then(|path| look_up("env", path));
        let command = format!(
            "exec {} -0",
            program.unwrap_or_else(|| "env".into()).display()
        );
        let between = driver::HookedCommand {
            command: &command,
            stdout: &stdout,
            stderr: Some(Path::new("/dev/null")),
            stdin: Path::new("/dev/null"),
            dir: None,
        };
        let mut shell = self.start_hooked(scripts, names, &between, environment, vec![exports])?;
        let exported = match shell.run_setup((self.system.instant)() + given, given)? {
            SetupResult::Command(pid) => {
                shell.wait_for_command(pid, None, &|_| ())?;
                cleanup::drain_output(&mut shell.process, self.system.instant)?;
                HookExport::Environment(match scripts[0] {
                    Some(_) => after_setup(environment, shell.process.captured(0)),
                    None => environment.clone(),
                })
            }
            SetupResult::Failed(failure) => HookExport::Failed(failure),
            SetupResult::DirectoryMissing | SetupResult::Interrupted => HookExport::Interrupted,
        };
        Ok((shell, exported))
    }
}

/// The result of the first of two hooks.
pub(super) enum HookExport {
    Environment(Environment),
    Failed(HookFailure),
    Interrupted,
}

pub(super) fn text(script: Option<&Script>) -> Option<&str> {
    script.map(|script| script.text.as_str())
}

/// Variables that bash sets itself; they are not exports of the script.
const SHELL_VARIABLES: [&str; 4] = ["_", "SHLVL", "PWD", "OLDPWD"];

/// The environment after a hook, from the output of `env -0`.
fn after_setup(before: &Environment, exported: &[u8]) -> Environment {
    let entries = exported.split(|byte| *byte == 0).filter_map(|entry| {
        let equals = entry.iter().position(|byte| *byte == b'=')?;
        let name = OsString::from_vec(entry[..equals].to_vec());
        (!SHELL_VARIABLES.iter().any(|own| name == *own))
            .then(|| (name, OsString::from_vec(entry[equals + 1..].to_vec())))
    });
    let mut after: Vec<_> = entries.collect();
    let kept = SHELL_VARIABLES
        .iter()
        .filter_map(|name| Some((OsString::from(name), before.get(name)?.to_owned())));
    after.extend(kept);
    Environment::new(after)
}
