//! `design pipeline`: runs all steps in order.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::backup::{Backup, FileBackup};
use super::block_lines::BlockLines;
use super::method_document::{method_plans, read_method};
use super::polish::polish_unless_green;
use super::skeleton::root_of;
use super::write_spec::{SpecRun, implement_with};
use super::{
    AnalyzeOptions, Analyzed, DecisionSource, ExampleCounts, Mode, SkeletonOptions, SkeletonResult,
    StepContext, StepError, Subject, Target, analyze, architect, optimize, review, skeleton,
};
use crate::metadata::location::MetadataLocation;
use crate::review::{Finding, Guide, Review, Severity};
use crate::skeleton::{Distance, Merge, project_spec_path};

/// The result of `design pipeline`.
#[derive(Debug)]
pub enum PipelineResult {
    /// All steps were done.
    Done {
        /// The metadata file.
        metadata: PathBuf,
        /// The spec.
        spec: PathBuf,
        /// The review report.
        report: PathBuf,
        /// The numbers of examples.
        examples: ExampleCounts,
        /// The number of violations that the review found in the method's block.
        violations: usize,
        /// Warnings for the user, each with the name of its step.
        warnings: Vec<String>,
    },
    /// The user has to decide. Nothing was changed.
    Decide(Value),
}

/// Runs all steps. The method's block is added to an existing spec. An existing block is only replaced with `overwrite`, and
/// then a copy of the spec is kept. With `keep_going`, failures of optional steps become warnings.
pub fn pipeline(
    subject: &Subject,
    options: AnalyzeOptions,
    overwrite: bool,
    keep_going: bool,
    context: &StepContext<'_>,
) -> Result<PipelineResult, StepError> {
    let merge = if overwrite {
        Merge::Upsert
    } else {
        Merge::Insert
    };
    let skeletons = SkeletonOptions {
        mode: Mode::Merge(merge),
        decision_source: DecisionSource::Pipeline,
        ..SkeletonOptions::default()
    };
    let drafted = draft(
        subject,
        options,
        &skeletons,
        SpecRun::Now,
        keep_going,
        context,
    )?;
    let drafted = match drafted {
        DraftResult::Decide(decision) => return Ok(PipelineResult::Decide(decision)),
        DraftResult::Done(drafted) => drafted,
    };
    let (target, mut warnings) = (drafted.target, drafted.warnings);
    optional(
        "polish",
        polish_unless_green(&target, drafted.green_text.as_deref(), context)
            .map(|done| done.warnings),
        keep_going,
        &mut warnings,
    )?;
    let reviewed = review(&target, Guide::default(), context)?;
    let violations = violations(&reviewed.review, &target, &drafted.spec);
    Ok(PipelineResult::Done {
        metadata: target.metadata,
        spec: drafted.spec,
        report: reviewed.path,
        examples: drafted.examples,
        violations,
        warnings,
    })
}

/// The number of violations in the block of a method.
fn violations(review: &Review, target: &Target, spec: &Path) -> usize {
    let plans = read_method(target).and_then(|document| method_plans(&document, target));
    let text = fs::read_to_string(spec).unwrap_or_default();
    let block = BlockLines::of(&text, &plans.unwrap_or_default());
    // A missing state has no line.
    let is_own =
        |found: &&Finding| found.check.slug == "missing-state" || block.contains(found.line);
    let violations = review.findings.iter();
    let violations = violations.filter(|finding| finding.severity == Severity::Violation);
    violations.filter(is_own).count()
}

/// The result of the steps that write the spec.
pub(super) enum DraftResult {
    Done(Block),
    /// The user has to decide. Nothing was changed.
    Decide(Value),
}

/// The result of writing a method's block into a spec.
pub(super) struct Block {
    pub(super) target: Target,
    pub(super) warnings: Vec<String>,
    spec: PathBuf,
    examples: ExampleCounts,
    /// The text of the spec, if it was run and no example failed.
    green_text: Option<String>,
}

/// Fails if the metadata is not valid, or a spec cannot call the method.
fn require_testable(analyzed: &Analyzed) -> Result<(), StepError> {
    if !analyzed.findings.is_valid() {
        let errors = analyzed.findings.errors.iter();
        let errors: Vec<_> = errors.map(|(_, error)| error.as_str()).collect();
        return Err(StepError::Other(format!(
            "the metadata is not valid: {}",
            errors.join("; ")
        )));
    }
    match &analyzed.inaccessible {
        Some(reason) => Err(StepError::Other(format!(
            "no spec is written: {reason}; test it through a public method"
        ))),
        None => Ok(()),
    }
}

/// Runs the steps that write the spec, from the analysis to the optimizer.
pub(super) fn draft(
    subject: &Subject,
    options: AnalyzeOptions,
    skeletons: &SkeletonOptions,
    spec_run: SpecRun,
    keep_going: bool,
    context: &StepContext<'_>,
) -> Result<DraftResult, StepError> {
    let located = MetadataLocation::of(&subject.file, context.cwd)?;
    let metadata = FileBackup::of(&located.path)?;
    let analyzed = analyze(subject, options, context)?;
    require_testable(&analyzed)?;
    let mut warnings = labeled("analyze", analyzed.warnings);
    let target = Target {
        metadata: analyzed.path,
        method_query: analyzed.method.query(),
    };
    if skeletons.mode == Mode::Merge(Merge::Upsert) {
        back_up(&target, context)?;
    }
    let written = match skeleton(&target, skeletons, context)? {
        SkeletonResult::Decide(decision) => {
            // The analysis has reset the progress of the method, but its spec is unchanged.
            metadata.restore()?;
            return Ok(DraftResult::Decide(decision));
        }
        SkeletonResult::File { warnings, .. } | SkeletonResult::Text { warnings, .. } => warnings,
    };
    warnings.extend(labeled("skeleton", written));
    warnings.extend(labeled("architect", architect(&target, context)?.warnings));
    let implemented = implement_with(&target, Distance::Apart, spec_run, context)?;
    warnings.extend(labeled("implement", implemented.warnings));
    optional(
        "optimize",
        optimize(&target, context).map(|done| done.warnings),
        keep_going,
        &mut warnings,
    )?;
    Ok(DraftResult::Done(Block {
        target,
        warnings,
        spec: implemented.path,
        examples: implemented.examples,
        green_text: implemented.green_text,
    }))
}

fn labeled(step: &str, warnings: Vec<String>) -> Vec<String> {
    warnings
        .into_iter()
        .map(|warning| format!("{step}: {warning}"))
        .collect()
}

/// Adds the warnings of a step. With `keep_going`, its failure is added as a warning, too.
pub(super) fn optional(
    step: &str,
    done: Result<Vec<String>, StepError>,
    keep_going: bool,
    warnings: &mut Vec<String>,
) -> Result<(), StepError> {
    match done {
        Ok(step_warnings) => warnings.extend(labeled(step, step_warnings)),
        Err(error) if keep_going => warnings.push(format!("{step}: {error}")),
        Err(error) => return Err(error),
    }
    Ok(())
}

/// Copies the spec to a backup file.
fn back_up(target: &Target, context: &StepContext<'_>) -> Result<(), StepError> {
    let document = crate::metadata::store::read(&target.metadata)?;
    let file = document
        .at(&["target", "file"])
        .and_then(Value::as_str)
        .unwrap_or_default();
    let root = root_of(&target.metadata, context);
    let spec = root.join(project_spec_path(file, &root));
    if let Ok(text) = fs::read_to_string(&spec) {
        Backup::of(&spec, text.as_bytes(), context)?;
    }
    Ok(())
}
