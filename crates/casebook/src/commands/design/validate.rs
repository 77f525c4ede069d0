//! `casebook design validate`.

use casebook_design::metadata::check::{ErrorGroup, Stage, ValidationReport};
use casebook_design::steps::{StepContext, StepError, validate, validate_stage};

use super::CommandOutput;
use crate::arguments::design::{StageArg, Validate};

pub(super) fn run(
    arguments: &Validate,
    world: &StepContext<'_>,
) -> Result<CommandOutput, StepError> {
    let validated = match arguments.stage {
        Some(name) => validate_stage(&arguments.file, stage(name), world)?,
        None => validate(&arguments.file, arguments.strict, world)?,
    };
    let findings = validated.findings;
    if !findings.is_valid() {
        return Ok(CommandOutput::error(explained(arguments, &findings)));
    }
    if arguments.stage.is_some() {
        return Ok(CommandOutput::data("OK").warning(findings.warnings));
    }
    let answer = serde_json::json!({
        "valid": true,
        "errors": [],
        "warnings": findings.warnings,
        "metadata_path": validated.path,
    });
    Ok(CommandOutput::data(answer.to_string()).warning(findings.warnings))
}

fn stage(name: StageArg) -> Stage {
    match name {
        StageArg::DiscoveryAgent => Stage::Discovery,
        StageArg::CodeAnalyzer => Stage::CodeAnalyzer,
        StageArg::SpecWriter => Stage::SpecWriter,
    }
}

/// The errors, grouped by kind.
fn explained(arguments: &Validate, findings: &ValidationReport) -> String {
    let next = match arguments.stage {
        Some(StageArg::SpecWriter) => "Run `casebook design implement`, or finish the spec.",
        _ => "Run `casebook design analyze --force FILE` for its Ruby file to recreate it.",
    };
    let mut text = format!("{} is not valid metadata\n", arguments.file.display());
    for (title, group) in [
        ("Missing fields", ErrorGroup::Missing),
        ("Field errors", ErrorGroup::Field),
        ("Circular dependencies", ErrorGroup::Cycle),
    ] {
        let lines: Vec<_> = findings
            .of(group)
            .map(|line| format!("  - {line}"))
            .collect();
        if !lines.is_empty() {
            text.extend(["\n", title, ":\n", &lines.join("\n"), "\n"]);
        }
    }
    format!("{text}\n{next}")
}
