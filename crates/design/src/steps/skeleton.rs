//! `design skeleton`: writes the spec file of a method.

mod merging;
mod notes;
mod record;
mod requires;

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::backup::Backup;
use super::decision::{DecisionSource, needs_decision, which_level, which_spec};
use super::method_document::{method_plans, read_method};
use super::validate::require_valid;
use super::{StepContext, StepError, Target};
use crate::metadata::location::{absolute, find_root};
use crate::metadata::methods::others;
use crate::metadata::read::{Plan, ReadError, plans};
use crate::metadata::store::{read, replace};
use crate::outline::outline;
use crate::ruby::TestLevel;
use crate::skeleton::{
    self as skeletons, ControllerPolicy, Merge, SpecLocation, Style, blocks, spec_location, suite,
};
use merging::Merged;

/// How to treat an existing spec.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mode {
    /// Decide by the `method_mode` of each method. A document without modes rewrites the file.
    #[default]
    ByDocument,
    /// Insert or replace the method's block.
    Merge(Merge),
}

/// How to treat an existing block that must not be replaced without permission.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Conflict {
    /// Replace it.
    Overwrite,
    /// Keep it.
    Skip,
    /// Require a decision, also about any other block without placeholders.
    Ask,
}

/// What to generate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SkeletonKind {
    /// A spec file.
    #[default]
    Full,
    /// The blocks of the methods as text. No file is written.
    Blocks,
    /// The outline of the spec as JSON. No file is written.
    Outline,
}

/// Options of `design skeleton`.
#[derive(Debug, Clone, Default)]
pub struct SkeletonOptions {
    /// The file to write instead of the default one.
    pub output: Option<PathBuf>,
    /// What to generate.
    pub shape: SkeletonKind,
    /// How placeholders are written.
    pub style: Style,
    /// Whether contexts contain "not" instead of "NOT".
    pub has_small_not: bool,
    /// Which kind of spec to write for controllers.
    pub policy: ControllerPolicy,
    /// How to treat an existing file.
    pub mode: Mode,
    /// How to treat existing blocks that must not be replaced; `None` requires a decision.
    pub conflict: Option<Conflict>,
    /// Write a Casebook suite instead of a spec.
    pub as_suite: bool,
    /// The level that the user chose for methods for which the rules are not confident.
    pub level: Option<TestLevel>,
    /// The command whose options a decision contains.
    pub decision_source: DecisionSource,
}

/// The result of `design skeleton`.
#[derive(Debug)]
pub enum SkeletonResult {
    /// A file was written.
    File {
        /// The spec or suite.
        path: PathBuf,
        /// What was done to the blocks of an existing file; `None` unless the document decided it.
        done: Option<String>,
        /// Warnings for the user.
        warnings: Vec<String>,
    },
    /// The text of the file. Nothing was written.
    Text {
        /// Ruby or JSON.
        text: String,
        /// Warnings for the user.
        warnings: Vec<String>,
    },
    /// The user has to decide. Nothing was changed.
    Decide(Value),
}

/// Writes the skeleton of a method, or of all methods of a document.
pub fn skeleton(
    target: &Target,
    options: &SkeletonOptions,
    context: &StepContext<'_>,
) -> Result<SkeletonResult, StepError> {
    let mut plans = read_plans(target, options.as_suite, context)?;
    for plan in &mut plans {
        plan.has_small_not = options.has_small_not;
    }
    let warnings = notes::all(&plans);
    let text = match options.shape {
        SkeletonKind::Full => return write_file(target, &plans, warnings, options, context),
        SkeletonKind::Blocks => blocks(&plans, options.style),
        SkeletonKind::Outline => structure(&plans)?,
    };
    Ok(SkeletonResult::Text { text, warnings })
}

/// Writes the spec or suite, unless the user has to decide something first.
fn write_file(
    target: &Target,
    plans: &[Plan],
    warnings: Vec<String>,
    options: &SkeletonOptions,
    context: &StepContext<'_>,
) -> Result<SkeletonResult, StepError> {
    let root = root_of(&target.metadata, context);
    // All decisions are returned together, so the caller has to run the command only once more.
    let mut decisions: Vec<Value> = which_level(plans, options.level).into_iter().collect();
    let path = match output(plans, &root, options, context) {
        Ok(path) => path,
        Err(decision) => {
            decisions.push(decision);
            return Ok(SkeletonResult::Decide(needs_decision(&decisions)));
        }
    };
    let merged = Merged::into_existing(plans, &other_plans(target), &path, options)?;
    decisions.extend(merged.iter().flat_map(|merged| merged.decisions.clone()));
    if !decisions.is_empty() {
        return Ok(SkeletonResult::Decide(needs_decision(&decisions)));
    }
    let done = match merged {
        Some(merged) => merged.write(&path, options.mode, context)?,
        None => replace_file(&path, &new_file(plans, &root, &path, options), context)?,
    };
    record::record_levels(target, plans, options.level)?;
    // The later steps work on the spec, so a suite is not recorded.
    if !options.as_suite {
        record::record_spec(target, &path, &root)?;
    }
    Ok(SkeletonResult::File {
        path,
        done,
        warnings,
    })
}

fn read_plans(
    target: &Target,
    only_one: bool,
    context: &StepContext<'_>,
) -> Result<Vec<Plan>, StepError> {
    let document = read_method(target)?;
    require_valid(&document, &target.metadata, context)?;
    let plans = method_plans(&document, target)?;
    if only_one && plans.len() > 1 {
        let names: Vec<_> = plans.iter().map(Plan::short).collect();
        return Err(StepError::Read {
            path: target.metadata.clone(),
            source: ReadError::Several(names.join(", ")),
        });
    }
    Ok(plans)
}

/// The plans of all methods of a document of format 1.3 or 2.0 that has several.
fn other_plans(target: &Target) -> Vec<Plan> {
    let all = read(&target.metadata).ok();
    let all = all.filter(|document| !others(document).is_empty());
    let plans = all.and_then(|document| plans(&document, None).ok());
    plans.unwrap_or_default()
}

/// The outline of the new spec, in the format of `design outline`.
fn structure(plans: &[Plan]) -> Result<String, StepError> {
    let spec = skeletons::skeleton(plans, Style::Comments);
    let outline = outline(spec.as_bytes(), "skeleton")
        .map_err(|error| StepError::Other(format!("the skeleton is not valid Ruby: {error}")))?;
    Ok(serde_json::to_string_pretty(&outline.to_json()).unwrap_or_default())
}

/// The project root of a metadata file.
pub(super) fn root_of(metadata: &Path, context: &StepContext<'_>) -> PathBuf {
    metadata
        .parent()
        .and_then(find_root)
        .unwrap_or_else(|| context.cwd.to_owned())
}

/// The path of the spec, or the decision that is required first.
fn output(
    plans: &[Plan],
    root: &Path,
    options: &SkeletonOptions,
    context: &StepContext<'_>,
) -> Result<PathBuf, Value> {
    let file = plans.first().and_then(|plan| plan.file.as_deref());
    if let Some(output) = &options.output {
        return Ok(absolute(output, context.cwd));
    }
    if options.as_suite {
        return Ok(root.join(suite_path(file.unwrap_or("script.rb"))));
    }
    match spec_location(file.unwrap_or("unknown.rb"), root, options.policy) {
        SpecLocation::At(path) => Ok(root.join(path)),
        SpecLocation::Decide { request, legacy } => Err(which_spec(&request, &legacy)),
    }
}

/// The text of a new file.
fn new_file(plans: &[Plan], root: &Path, output: &Path, options: &SkeletonOptions) -> String {
    if options.as_suite {
        return plans.iter().map(suite).collect();
    }
    let text = skeletons::skeleton(plans, options.style);
    let file = plans.first().and_then(|plan| plan.file.as_deref());
    let requires = file.map_or_else(Vec::new, |file| requires::requires(root, output, file));
    match text.split_once("\n\n") {
        Some((comment, groups)) if !requires.is_empty() => {
            format!("{comment}\n\n{}\n\n{groups}", requires.join("\n"))
        }
        _ => text,
    }
}

/// Writes a new file. An existing one that differs is kept as a backup; returns a note about it.
fn replace_file(
    output: &Path,
    text: &str,
    context: &StepContext<'_>,
) -> Result<Option<String>, StepError> {
    let old = fs::read(output).unwrap_or_default();
    let differs = !old.trim_ascii().is_empty() && old != text.as_bytes();
    let note = if differs {
        let backup = Backup::of(output, &old, context)?;
        Some(format!(
            "replaced {}; the old file is {}",
            output.display(),
            backup.path.display()
        ))
    } else {
        None
    };
    write(output, text)?;
    Ok(note)
}

fn suite_path(file: &str) -> String {
    let stem = file.rsplit('/').next().unwrap_or(file);
    format!("suites/{}.casebook.yaml", stem.trim_end_matches(".rb"))
}

pub(super) fn write(path: &Path, text: &str) -> Result<(), StepError> {
    create_parent(path)?;
    replace(path, text.as_bytes())?;
    Ok(())
}

/// Creates the directory of a file.
pub(super) fn create_parent(path: &Path) -> Result<(), StepError> {
    let dir = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(dir)
        .map_err(|source| StepError::Other(format!("cannot create {}: {source}", dir.display())))
}
