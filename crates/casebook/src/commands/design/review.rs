//! `casebook design review`.

use std::path::Path;

use casebook_design::review::{Finding, Guide, Severity};
use casebook_design::steps::{self, Reviewed, StepContext, StepError, Target};
use serde_json::{Value, json};

use super::CommandOutput;
use crate::arguments::design::{GuideArg, Review};

pub(super) fn run(arguments: &Review, world: &StepContext<'_>) -> Result<CommandOutput, StepError> {
    let guide = match arguments.guide {
        GuideArg::Lenient => Guide::Lenient,
        GuideArg::Strict => Guide::Strict,
    };
    let reviewed = if arguments.target.ends_with("_spec.rb") {
        steps::review_spec(Path::new(&arguments.target), guide, world)?
    } else {
        steps::review(&Target::find(&arguments.target, world.cwd)?, guide, world)?
    };
    Ok(CommandOutput::data(if arguments.json {
        as_json(&reviewed).to_string()
    } else {
        reviewed.path.display().to_string()
    }))
}

fn as_json(reviewed: &Reviewed) -> Value {
    let findings: Vec<Value> = reviewed.review.findings.iter().map(finding).collect();
    json!({
        "status": reviewed.review.status(),
        "report": reviewed.path,
        "findings": findings,
    })
}

fn finding(finding: &Finding) -> Value {
    json!({
        "check": finding.check.slug,
        "rule": finding.check.rule,
        "present_rule": finding.check.present_rule(),
        "severity": match finding.severity {
            Severity::Violation => "violation",
            Severity::Warning => "warning",
            Severity::Suggestion => "suggestion",
        },
        "heuristic": finding.check.is_heuristic,
        "line": finding.line,
        "issue": finding.issue,
        "why": finding.check.why,
        "fix": finding.check.fix,
    })
}
