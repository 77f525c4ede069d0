//! `design pipeline`: all steps in order.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;

use super::backup::Backup;
use super::{
    AnalyzeOptions, DecisionSource, Mode, SkeletonOptions, SkeletonResult, StepContext, StepError,
    Subject, Target, analyze, architect, implement, optimize, polish, review, skeleton,
};
use crate::review::Severity;
use crate::skeleton::{Distance, Merge};

/// What came of all steps.
#[derive(Debug)]
pub enum PipelineResult {
    /// All were done.
    Done {
        /// The metadata.
        metadata: PathBuf,
        /// The spec.
        spec: PathBuf,
        /// The review.
        report: PathBuf,
        /// Examples with an expectation, and examples left to a person.
        examples: (usize, usize),
        /// Violations the reviewer found.
        violations: usize,
        /// What is worth knowing, with the step that said it.
        warnings: Vec<String>,
    },
    /// Somebody has to decide; the metadata is written, the spec untouched.
    Decide(Value),
}

/// Runs all steps. A spec that is already there gets the method's block; a block that is there is only replaced when
/// `overwrite` says so, and the file as it was is kept beside it. `keep_going` makes failures of optional steps warnings.
pub fn pipeline(
    subject: &Subject,
    options: AnalyzeOptions,
    overwrite: bool,
    keep_going: bool,
    world: &StepContext<'_>,
) -> Result<PipelineResult, StepError> {
    let how = if overwrite {
        Merge::Upsert
    } else {
        Merge::Insert
    };
    let skeletons = SkeletonOptions {
        mode: Mode::Merge(how),
        asker: DecisionSource::Pipeline,
        ..SkeletonOptions::default()
    };
    let drafted = match draft(subject, options, &skeletons, keep_going, world)? {
        DraftResult::Decide(decision) => return Ok(PipelineResult::Decide(decision)),
        DraftResult::Done(drafted) => drafted,
    };
    let (target, mut warnings) = (drafted.target, drafted.warnings);
    optional(
        "polish",
        polish(&target, world).map(|done| done.warnings),
        keep_going,
        &mut warnings,
    )?;
    let reviewed = review(&target, world)?;
    Ok(PipelineResult::Done {
        metadata: target.metadata,
        spec: drafted.spec,
        report: reviewed.path,
        examples: drafted.examples,
        violations: reviewed.review.count(Severity::Violation),
        warnings,
    })
}

/// What came of the steps that write.
pub(super) enum DraftResult {
    Done(Block),
    /// Somebody has to decide; the metadata is written, the spec untouched.
    Decide(Value),
}

/// A method's block in a spec.
pub(super) struct Block {
    pub(super) target: Target,
    pub(super) warnings: Vec<String>,
    spec: PathBuf,
    examples: (usize, usize),
}

/// The steps that write: from the analysis to the optimizer.
pub(super) fn draft(
    subject: &Subject,
    options: AnalyzeOptions,
    skeletons: &SkeletonOptions,
    keep_going: bool,
    world: &StepContext<'_>,
) -> Result<DraftResult, StepError> {
    let analyzed = analyze(subject, options, world)?;
    if !analyzed.findings.is_valid() {
        let errors = analyzed.findings.errors.iter();
        let errors: Vec<_> = errors.map(|(_, error)| error.as_str()).collect();
        return Err(StepError::Other(format!(
            "the metadata is not valid: {}",
            errors.join("; ")
        )));
    }
    let mut warnings = labelled("analyze", analyzed.warnings);
    let target = Target {
        metadata: analyzed.path,
        method: None,
    };
    if skeletons.mode == Mode::Merge(Merge::Upsert) {
        back_up(&target, world)?;
    }
    let written = match skeleton(&target, skeletons, world)? {
        SkeletonResult::Decide(decision) => return Ok(DraftResult::Decide(decision)),
        SkeletonResult::File { warnings: told, .. }
        | SkeletonResult::Text { warnings: told, .. } => told,
    };
    warnings.extend(labelled("skeleton", written));
    warnings.extend(labelled("architect", architect(&target, world)?.warnings));
    let implemented = implement(&target, Distance::Apart, world)?;
    warnings.extend(labelled("implement", implemented.warnings));
    optional(
        "optimize",
        optimize(&target, world).map(|done| done.warnings),
        keep_going,
        &mut warnings,
    )?;
    Ok(DraftResult::Done(Block {
        target,
        warnings,
        spec: implemented.path,
        examples: implemented.examples,
    }))
}

fn labelled(step: &str, warnings: Vec<String>) -> Vec<String> {
    warnings
        .into_iter()
        .map(|warning| format!("{step}: {warning}"))
        .collect()
}

/// What a step had to say; its failure as well, if the others are to go on.
pub(super) fn optional(
    step: &str,
    done: Result<Vec<String>, StepError>,
    keep_going: bool,
    warnings: &mut Vec<String>,
) -> Result<(), StepError> {
    match done {
        Ok(told) => warnings.extend(labelled(step, told)),
        Err(error) if keep_going => warnings.push(format!("{step}: {error}")),
        Err(error) => return Err(error),
    }
    Ok(())
}

/// Keeps the spec as it was.
fn back_up(target: &Target, world: &StepContext<'_>) -> Result<(), StepError> {
    let document = crate::metadata::store::read(&target.metadata)?;
    let file = document
        .at(&["target", "file"])
        .and_then(Value::as_str)
        .unwrap_or_default();
    let root = target
        .metadata
        .parent()
        .and_then(crate::metadata::location::find_root);
    let spec = root
        .unwrap_or_else(|| world.cwd.to_owned())
        .join(crate::skeleton::spec_path(file));
    if let Ok(text) = fs::read_to_string(&spec) {
        Backup::of(&spec, &text)?;
    }
    Ok(())
}
