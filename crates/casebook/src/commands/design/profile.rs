//! Profiling mode of format 1.3 (`RSPEC_AUTOMATION_PROFILE=1`): steps use no fallbacks, and every failure writes a report.

use std::fs;
use std::path::PathBuf;

use casebook_design::metadata::location::LocationError;
use casebook_design::metadata::to_yaml;
use casebook_design::steps::StepContext;
use serde_json::{Value, json};

use super::{CommandOutput, FALLBACK};
use crate::context::Context;

/// The active profiling mode.
pub(super) struct Profile {
    /// The directory of reports.
    dir: PathBuf,
    component: &'static str,
    input: Vec<String>,
}

impl Profile {
    /// The mode of this process, for a command; `None` if it is off.
    pub(super) fn of(context: &Context, component: &'static str) -> Option<Profile> {
        let is_on = context.environment.get("RSPEC_AUTOMATION_PROFILE")? == "1";
        let dir = context.environment.get("RSPEC_AUTOMATION_PROFILE_DIR");
        let dir = dir.map_or_else(|| "tmp/rspec_profiling".into(), PathBuf::from);
        let typed = context.arguments().iter().skip(1);
        is_on.then(|| Profile {
            dir: context.dir.join(dir),
            component,
            input: typed
                .map(|one| one.to_string_lossy().into_owned())
                .collect(),
        })
    }

    /// Turns a fallback into an error, and writes a report of errors and warnings.
    pub(super) fn reported(
        &self,
        mut output: CommandOutput,
        world: &StepContext<'_>,
    ) -> CommandOutput {
        if output.warnings.iter().any(|warning| warning == FALLBACK) {
            output = CommandOutput::error(LocationError::NoProject.to_string());
        }
        if output.error.is_none() && output.warnings.is_empty() {
            return output;
        }
        if let Err(error) = self.write(&output, world) {
            let place = self.dir.display();
            output
                .warnings
                .push(format!("cannot write a report to {place}: {error}"));
        }
        output
    }

    fn write(&self, output: &CommandOutput, world: &StepContext<'_>) -> std::io::Result<()> {
        let (kind, severity, message) = match &output.error {
            Some(error) => ("failure", "error", error.clone()),
            None => ("reservation", "warning", output.warnings.join("\n")),
        };
        let Value::Object(report) = json!({
            "component": self.component,
            "step": format!("design {}", self.component),
            "failure": { "type": kind, "severity": severity, "message": message },
            "input": self.input,
            "state": { "cwd": world.cwd, "time": world.now },
            "recommendations": ["do what the message says, then run the step again"],
        }) else {
            unreachable!("a JSON object was written out");
        };
        let time: String = world.now.chars().filter(char::is_ascii_digit).collect();
        let name = format!(
            "report_{time}_{}_{}.yml",
            std::process::id(),
            self.component
        );
        fs::create_dir_all(&self.dir)?;
        fs::write(self.dir.join(name), to_yaml(&report))
    }
}
