//! `casebook design validate`.

use casebook_design::metadata::check::{Findings, Group};
use casebook_design::steps::{StepError, World, validate};

use super::Said;
use crate::arguments::design::Validate;

pub(super) fn run(arguments: &Validate, world: &World<'_>) -> Result<Said, StepError> {
    let validated = validate(&arguments.file, world)?;
    let findings = validated.findings;
    if !findings.is_valid() {
        return Ok(Said::error(explained(
            &arguments.file.display().to_string(),
            &findings,
        )));
    }
    let answer = serde_json::json!({
        "valid": true,
        "errors": [],
        "warnings": findings.warnings,
        "metadata_path": validated.path,
    });
    Ok(Said::data(answer.to_string()).warning(findings.warnings))
}

/// The errors by kind, for people.
fn explained(file: &str, findings: &Findings) -> String {
    let mut text = format!("{file} is not valid metadata\n");
    for (title, group) in [
        ("Missing fields", Group::Missing),
        ("Field errors", Group::Field),
        ("Circular dependencies", Group::Cycle),
    ] {
        let lines: Vec<_> = findings
            .of(group)
            .map(|line| format!("  - {line}"))
            .collect();
        if !lines.is_empty() {
            text.extend(["\n", title, ":\n", &lines.join("\n"), "\n"]);
        }
    }
    text + "\nRun `casebook design analyze --force` to make it anew."
}
