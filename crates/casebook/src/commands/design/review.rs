//! `casebook design review`.

use std::path::Path;

use casebook_design::review::{CHECKS, Finding, Guide, Severity};
use casebook_design::steps::{self, Reviewed, StepContext, StepError, Target};
use serde_json::{Value, json};

use super::CommandOutput;
use crate::arguments::design::{GuideArg, Review, ReviewFormat};
use crate::commands::shared::problems::sarif::{self, Rule};
use crate::commands::shared::problems::{Level, Location, Problem};

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
    let format = arguments.json.then_some(ReviewFormat::Json);
    Ok(CommandOutput::data(match arguments.format.or(format) {
        None => reviewed.path.display().to_string(),
        Some(ReviewFormat::Json) => as_json(&reviewed).to_string(),
        Some(ReviewFormat::Sarif) => as_sarif(&reviewed).to_string(),
    }))
}

fn as_sarif(reviewed: &Reviewed) -> Value {
    let findings = reviewed.review.findings.iter();
    let problems: Vec<_> = findings
        .map(|finding| problem(finding, &reviewed.spec))
        .collect();
    let rule = |slug: &str| {
        let check = CHECKS.iter().find(|check| check.slug == slug);
        Rule {
            summary: check.map_or("", |check| check.why).to_owned(),
            help: check.map_or("", |check| check.fix).to_owned(),
        }
    };
    sarif::log(&problems, rule, &[])
}

fn problem(finding: &Finding, spec: &str) -> Problem {
    Problem {
        code: finding.check.slug,
        severity: match finding.severity {
            Severity::Violation => Level::Error,
            Severity::Warning => Level::Warning,
            Severity::Suggestion => Level::Note,
        },
        message: finding.issue.clone(),
        location: Location::line(spec, finding.line),
        part: None,
        help: Some(finding.check.fix.to_owned()),
        fix: None,
        related: Vec::new(),
    }
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
