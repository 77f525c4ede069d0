//! Runs a command that starts RSpec, with probes in the conditions of the project's methods.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};

use casebook_design::probes::ProbePlan;
use casebook_run::SystemContext;
use casebook_run::rspec::{ObserveMode, ObservedRun};

use crate::commands::record::command::cannot_start;
use crate::commands::record::command::signals::Signals;
use crate::error::CommandError;

/// A command and what is probed while it runs.
pub(crate) struct ProbedCommand<'a> {
    pub(crate) program: &'a OsStr,
    pub(crate) arguments: &'a [OsString],
    /// Where it is started.
    pub(crate) dir: &'a Path,
    /// Where the paths of the plan begin.
    pub(crate) root: &'a Path,
    pub(crate) plan: &'a ProbePlan,
    pub(crate) system: &'a SystemContext,
}

impl ProbedCommand<'_> {
    /// Runs it, and returns how it exited and what its processes reported.
    pub(crate) fn run(
        &self,
        mode: ObserveMode<'_>,
        (stdout, stderr): (Stdio, Stdio),
    ) -> Result<(ExitStatus, Vec<Vec<u8>>), CommandError> {
        let cannot = |error: io::Error| CommandError::CannotObserve(error.to_string());
        let plan = self.plan.to_text(&self.root.to_string_lossy());
        let observed = ObservedRun::prepare(&plan, mode, self.system).map_err(cannot)?;
        let signals = Signals::hold();
        let mut child = Command::new(self.program)
            .args(self.arguments)
            .current_dir(self.dir)
            .envs(observed.environment())
            .stdout(stdout)
            .stderr(stderr)
            .spawn()
            .map_err(|error| cannot_start(self.program, &error))?;
        signals.pass_to(&child);
        let status = child.wait();
        signals.stop();
        Ok((status?, observed.results().map_err(cannot)?))
    }
}
