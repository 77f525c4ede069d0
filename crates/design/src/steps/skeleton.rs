//! `design skeleton`: the spec file of a method.

mod merging;
mod notes;
mod record;

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::decision::{DecisionSource, needed, which_level, which_spec};
use super::{StepContext, StepError, Target};
use crate::metadata::location::{absolute, find_root};
use crate::metadata::read::{Plan, plan, plans};
use crate::metadata::store::{read, replace};
use crate::outline::outline;
use crate::ruby::TestLevel;
use crate::skeleton::{
    self as skeletons, ControllerPolicy, Merge, SpecLocation, Style, blocks, spec_location, suite,
};
use merging::Merged;

/// What to do with a spec that is already there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mode {
    /// As the document says, method by method; where it says nothing, write the file anew.
    #[default]
    AsTold,
    /// Put the method's block in or replace it.
    Merge(Merge),
}

/// What becomes of a block that is in the way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Conflict {
    /// It is replaced.
    Overwrite,
    /// It stays.
    Skip,
}

/// What to make.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SkeletonKind {
    /// A spec file.
    #[default]
    Full,
    /// The methods' blocks as text; nothing is written.
    Blocks,
    /// The structure that the spec would have, as JSON; nothing is written.
    Outline,
}

/// How to write.
#[derive(Debug, Clone, Default)]
pub struct SkeletonOptions {
    /// Where to, instead of the usual place.
    pub output: Option<PathBuf>,
    /// A file, or what would be in it.
    pub shape: SkeletonKind,
    /// How placeholders look.
    pub style: Style,
    /// Whether contexts say "not" and not "NOT".
    pub has_small_not: bool,
    /// What becomes of controllers.
    pub policy: ControllerPolicy,
    /// What becomes of a file that is there.
    pub mode: Mode,
    /// What becomes of blocks that nobody said may be replaced; without it, somebody has to decide.
    pub conflict: Option<Conflict>,
    /// A Casebook suite instead of a spec.
    pub as_suite: bool,
    /// The level that somebody chose for methods of which the rules are not sure.
    pub level: Option<TestLevel>,
    /// Whose options a decision is told in.
    pub asker: DecisionSource,
}

/// What came of it.
#[derive(Debug)]
pub enum SkeletonResult {
    /// The file, and what is worth knowing.
    File {
        /// Where it is.
        path: PathBuf,
        /// What was done to the blocks of a file that was there, as its document says.
        done: Option<String>,
        /// What is worth knowing.
        warnings: Vec<String>,
    },
    /// What would be in the file; none was written.
    Text {
        /// Ruby or JSON.
        text: String,
        /// What is worth knowing.
        warnings: Vec<String>,
    },
    /// Somebody has to decide; nothing was changed.
    Decide(Value),
}

/// Writes the skeleton of a method; of every method of the file where its document holds several.
pub fn skeleton(
    target: &Target,
    options: &SkeletonOptions,
    world: &StepContext<'_>,
) -> Result<SkeletonResult, StepError> {
    let mut plans = read_plans(target, options.as_suite)?;
    for plan in &mut plans {
        plan.has_small_not = options.has_small_not;
    }
    let warnings = notes::all(&plans);
    match options.shape {
        SkeletonKind::Full => {}
        SkeletonKind::Blocks => {
            let text = blocks(&plans, options.style);
            return Ok(SkeletonResult::Text { text, warnings });
        }
        SkeletonKind::Outline => {
            let text = structure(&plans)?;
            return Ok(SkeletonResult::Text { text, warnings });
        }
    }
    let root = root_of(&target.metadata, world);
    // All questions at once: the caller runs the command again only once.
    let mut questions: Vec<Value> = which_level(&plans, options.level).into_iter().collect();
    let output = match output(&plans, &root, options, world) {
        Ok(output) => output,
        Err(question) => {
            questions.push(question);
            return Ok(SkeletonResult::Decide(needed(&questions)));
        }
    };
    let merged = Merged::into_existing(&plans, &output, options)?;
    questions.extend(merged.iter().flat_map(|merged| merged.questions.clone()));
    if !questions.is_empty() {
        return Ok(SkeletonResult::Decide(needed(&questions)));
    }
    let done = if let Some(merged) = merged {
        merged.write(&output, options.mode)?
    } else {
        write(&output, &whole(&plans, options))?;
        None
    };
    record::record(target, &plans, &output, &root, options.level)?;
    Ok(SkeletonResult::File {
        path: output,
        done,
        warnings,
    })
}

fn read_plans(target: &Target, only_one: bool) -> Result<Vec<Plan>, StepError> {
    let document = read(&target.metadata)?;
    let method = target.method.as_deref();
    let plans = if only_one {
        plan(&document, method).map(|plan| vec![plan])
    } else {
        plans(&document, method)
    };
    plans.map_err(|source| StepError::Read {
        path: target.metadata.clone(),
        source,
    })
}

/// The outline of the spec that would be written, as `design outline` prints that of one that is there.
fn structure(plans: &[Plan]) -> Result<String, StepError> {
    let spec = skeletons::skeleton(plans, Style::Comments);
    let outline = outline(spec.as_bytes(), "skeleton")
        .map_err(|error| StepError::Other(format!("the skeleton would not be Ruby: {error}")))?;
    Ok(serde_json::to_string_pretty(&outline.to_json()).unwrap_or_default())
}

/// The project around a metadata file.
pub(super) fn root_of(metadata: &Path, world: &StepContext<'_>) -> PathBuf {
    metadata
        .parent()
        .and_then(find_root)
        .unwrap_or_else(|| world.cwd.to_owned())
}

/// Where the spec goes, or the question that has to be answered first.
fn output(
    plans: &[Plan],
    root: &Path,
    options: &SkeletonOptions,
    world: &StepContext<'_>,
) -> Result<PathBuf, Value> {
    let file = plans.first().and_then(|plan| plan.file.as_deref());
    if let Some(output) = &options.output {
        return Ok(absolute(output, world.cwd));
    }
    if options.as_suite {
        return Ok(root.join(suite_path(file.unwrap_or("script.rb"))));
    }
    match spec_location(file.unwrap_or("unknown.rb"), root, options.policy) {
        SpecLocation::At(path) => Ok(root.join(path)),
        SpecLocation::Decide { request, legacy } => Err(which_spec(&request, &legacy)),
    }
}

/// A file that has not been there.
fn whole(plans: &[Plan], options: &SkeletonOptions) -> String {
    if options.as_suite {
        plans.iter().map(suite).collect()
    } else {
        skeletons::skeleton(plans, options.style)
    }
}

fn suite_path(file: &str) -> String {
    let stem = file.rsplit('/').next().unwrap_or(file);
    format!("suites/{}.casebook.yaml", stem.trim_end_matches(".rb"))
}

pub(super) fn write(path: &Path, text: &str) -> Result<(), StepError> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(|source| {
            StepError::Other(format!("cannot create {}: {source}", folder.display()))
        })?;
    }
    replace(path, text.as_bytes())?;
    Ok(())
}
