//! The test design of a project: what `casebook design survey` and `casebook coverage` say about it.

use serde_json::{Value, json};

use crate::actions::Launcher;
use crate::project::Project;

/// The methods of the project, those most in need of tests first, and the coverage of those that are designed.
pub(crate) fn design_of(project: &Project) -> Result<Value, String> {
    let launcher = &*project.launcher;
    let methods = output(launcher, &["design", "survey", "--json"])?;
    Ok(match output(launcher, &["coverage", "--json"]) {
        Ok(coverage) => json!({"methods": methods, "coverage": coverage}),
        // Nothing has been designed yet, or a design cannot be read.
        Err(problem) => json!({"methods": methods, "coverage": null, "problem": problem}),
    })
}

/// What the command prints as JSON, or its message.
fn output(launcher: &dyn Launcher, arguments: &[&str]) -> Result<Value, String> {
    let arguments: Vec<_> = arguments.iter().map(ToString::to_string).collect();
    let output = launcher.command(&arguments).output();
    let output = output.map_err(|error| format!("cannot start casebook: {error}"))?;
    serde_json::from_slice(&output.stdout)
        .map_err(|_| String::from_utf8_lossy(&output.stderr).trim().to_owned())
}
