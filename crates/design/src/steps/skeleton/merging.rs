//! [`Merged`]: an existing spec with new blocks, method by method (rule S9).

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use serde_json::Value;

use super::{Conflict, Mode, SkeletonOptions, write};
use crate::metadata::read::{MethodMode, Plan};
use crate::skeleton::{Block, Existing, Merge, MergeError, find_blocks, merge, method_block};
use crate::spec::leftovers;
use crate::steps::backup::Backup;
use crate::steps::decision::{block_conflict, finished_block, overwrite_or_skip};
use crate::steps::update::manual_edits;
use crate::steps::{StepContext, StepError};

const INSERTED: &str = "inserted";
const REPLACED: &str = "replaced";
const KEPT: &str = "kept";

/// An existing spec with the blocks of methods merged into it.
pub(super) struct Merged {
    text: String,
    /// The text before.
    old: String,
    /// The decisions that are required first.
    pub(super) decisions: Vec<Value>,
    /// What was done, with the id of the method.
    done: Vec<(&'static str, String)>,
}

/// How to treat a method's block.
enum MergeAction {
    Put(Merge),
    Leave,
    Decide(Value),
}

impl Merged {
    /// Merges the new blocks into the existing spec. `None` if the file is written from scratch: without modes, unless the
    /// spec has the block of another method of the document, or a decision is wanted.
    pub(super) fn into_existing(
        plans: &[Plan],
        others: &[Plan],
        output: &Path,
        options: &SkeletonOptions,
    ) -> Result<Option<Merged>, StepError> {
        let has_modes = plans.iter().any(|plan| plan.mode.is_some());
        let asks = options.conflict == Some(Conflict::Ask);
        let overwrites = options.mode == Mode::ByDocument && !has_modes && !asks;
        if options.as_suite || overwrites && others.is_empty() {
            return Ok(None);
        }
        let spec = match fs::read_to_string(output) {
            Ok(spec) => spec,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(source) => {
                return Err(StepError::Unreadable {
                    path: output.to_owned(),
                    source,
                });
            }
        };
        if spec.trim().is_empty() || overwrites && !has_other_block(&spec, plans, others) {
            return Ok(None);
        }
        let mut merged = Merged {
            text: spec.clone(),
            old: spec,
            decisions: Vec::new(),
            done: Vec::new(),
        };
        let existing = find_blocks(&merged.old, plans).map_err(in_file(output))?;
        for (plan, existing) in plans.iter().zip(&existing) {
            merged.method(plan, existing.as_ref(), output, options)?;
        }
        Ok(Some(merged))
    }

    /// Writes the spec. If the document decided the changes, returns a description of them and keeps a copy of the old spec.
    pub(super) fn write(
        &self,
        output: &Path,
        mode: Mode,
        context: &StepContext<'_>,
    ) -> Result<Option<String>, StepError> {
        if mode != Mode::ByDocument {
            write(output, &self.text)?;
            return Ok(None);
        }
        let mut note = self.note();
        if self.done.iter().any(|(what, _)| *what == REPLACED) {
            let backup = Backup::of(output, self.old.as_bytes(), context)?;
            let kept = backup.path.display();
            note = format!("{note}\nbackup of the old spec: {kept}");
        }
        write(output, &self.text)?;
        Ok(Some(note))
    }

    /// What was done, one line per kind.
    pub(super) fn note(&self) -> String {
        let line = |what: &str| {
            let methods = self.done.iter().filter(|(done, _)| *done == what);
            let methods: Vec<_> = methods.map(|(_, method)| method.as_str()).collect();
            (!methods.is_empty()).then(|| format!("{what}: {}", methods.join(", ")))
        };
        let lines = [INSERTED, REPLACED, KEPT].into_iter().filter_map(line);
        lines.collect::<Vec<_>>().join("\n")
    }

    fn method(
        &mut self,
        plan: &Plan,
        existing: Option<&Block>,
        output: &Path,
        options: &SkeletonOptions,
    ) -> Result<(), StepError> {
        match merge_action(plan, existing, output, options) {
            MergeAction::Put(how) => self.put(plan, existing.is_some(), how, output, options)?,
            MergeAction::Leave => self.done.push((KEPT, plan.id())),
            MergeAction::Decide(decision) => self.decisions.push(decision),
        }
        Ok(())
    }

    fn put(
        &mut self,
        plan: &Plan,
        exists: bool,
        how: Merge,
        output: &Path,
        options: &SkeletonOptions,
    ) -> Result<(), StepError> {
        let lines = method_block(plan, options.style);
        match merge(&self.text, plan, &lines, how).map_err(in_file(output))? {
            Existing::Merged(text) => self.text = text,
            Existing::Conflict { line } => {
                let decision =
                    overwrite_or_skip(&plan.short(), line, output, options.decision_source);
                self.decisions.push(decision);
                return Ok(());
            }
            Existing::Absent => {
                return Err(StepError::Other(format!(
                    "{} has no block for {} to replace; use --merge upsert",
                    output.display(),
                    plan.short()
                )));
            }
        }
        let what = match (exists, how) {
            (false, _) => INSERTED,
            (true, Merge::Missing) => KEPT,
            (true, _) => REPLACED,
        };
        self.done.push((what, plan.id()));
        Ok(())
    }
}

/// Whether the spec has a block of a method that is not among these plans.
fn has_other_block(spec: &str, plans: &[Plan], others: &[Plan]) -> bool {
    let is_other = |plan: &&Plan| plans.iter().all(|one| one.id() != plan.id());
    let others: Vec<Plan> = others.iter().filter(is_other).cloned().collect();
    let blocks = find_blocks(spec, &others).unwrap_or_default();
    blocks.iter().any(Option::is_some)
}

fn in_file(output: &Path) -> impl Fn(MergeError) -> StepError + '_ {
    |source| StepError::Merge {
        path: output.to_owned(),
        source,
    }
}

/// Decides how to treat a method's block: as requested, or by the method's mode. A new method is inserted, a modified one
/// replaced. An existing block of a new method, or one with manual edits, is a conflict.
fn merge_action(
    plan: &Plan,
    existing: Option<&Block>,
    output: &Path,
    options: &SkeletonOptions,
) -> MergeAction {
    if let Mode::Merge(how) = options.mode {
        return MergeAction::Put(how);
    }
    if plan.mode == Some(MethodMode::Unchanged) {
        return MergeAction::Leave;
    }
    let Some(block) = existing else {
        return MergeAction::Put(Merge::Insert);
    };
    let asks = options.conflict == Some(Conflict::Ask);
    if asks && leftovers(&block.text).is_empty() {
        let has_modes = plan.mode.is_some();
        return MergeAction::Decide(finished_block(&plan.short(), block.line, output, has_modes));
    }
    if plan.mode.is_none() {
        return MergeAction::Put(Merge::Replace);
    }
    let lost = manual_edits(&block.text);
    if plan.mode == Some(MethodMode::Modified) && lost.is_empty() {
        return MergeAction::Put(Merge::Replace);
    }
    match options.conflict {
        Some(Conflict::Overwrite) => MergeAction::Put(Merge::Replace),
        Some(Conflict::Skip) => MergeAction::Leave,
        None | Some(Conflict::Ask) => {
            MergeAction::Decide(block_conflict(&plan.short(), block.line, output, &lost))
        }
    }
}
