//! What becomes of a spec that is already there, method by method: rule S9.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use serde_json::Value;

use super::{Conflict, Mode, SkeletonOptions, write};
use crate::metadata::read::{MethodMode, Plan};
use crate::skeleton::{Block, Existing, Merge, MergeError, find_blocks, merge, method_block};
use crate::steps::StepError;
use crate::steps::backup::Backup;
use crate::steps::decision::{block_conflict, overwrite_or_skip};
use crate::steps::update::manual_edits;

const INSERTED: &str = "inserted";
const REPLACED: &str = "replaced";
const LEFT: &str = "left as they were";

/// A spec with the blocks of methods in it.
pub(super) struct Merged {
    text: String,
    /// As it was.
    old: String,
    /// What somebody has to decide first.
    pub(super) questions: Vec<Value>,
    /// What was done, and to which method.
    done: Vec<(&'static str, String)>,
}

/// What to do about a method.
enum MergeAction {
    Put(Merge),
    Leave,
    Ask(Value),
}

impl Merged {
    /// The spec that is there with the new blocks in it; none where the file is written anew.
    pub(super) fn into_existing(
        plans: &[Plan],
        output: &Path,
        options: &SkeletonOptions,
    ) -> Result<Option<Merged>, StepError> {
        let is_told = plans.iter().any(|plan| plan.mode.is_some());
        if options.as_suite || options.mode == Mode::AsTold && !is_told {
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
        if spec.trim().is_empty() {
            return Ok(None);
        }
        let mut merged = Merged {
            text: spec.clone(),
            old: spec,
            questions: Vec::new(),
            done: Vec::new(),
        };
        let known = find_blocks(&merged.old, plans).map_err(in_file(output))?;
        for (plan, known) in plans.iter().zip(&known) {
            merged.method(plan, known.as_ref(), output, options)?;
        }
        Ok(Some(merged))
    }

    /// Writes it, and says what was done where the document decided that. What is replaced then is kept.
    pub(super) fn write(&self, output: &Path, mode: Mode) -> Result<Option<String>, StepError> {
        if mode != Mode::AsTold {
            write(output, &self.text)?;
            return Ok(None);
        }
        let mut note = self.note();
        if self.done.iter().any(|(what, _)| *what == REPLACED) {
            let backup = Backup::of(output, &self.old)?;
            let kept = backup.path.display();
            note = format!("{note}\nthe spec as it was: {kept}");
        }
        write(output, &self.text)?;
        Ok(Some(note))
    }

    /// What was done, a line for each kind.
    pub(super) fn note(&self) -> String {
        let line = |what: &str| {
            let methods = self.done.iter().filter(|(done, _)| *done == what);
            let methods: Vec<_> = methods.map(|(_, method)| method.as_str()).collect();
            (!methods.is_empty()).then(|| format!("{what}: {}", methods.join(", ")))
        };
        let lines = [INSERTED, REPLACED, LEFT].into_iter().filter_map(line);
        lines.collect::<Vec<_>>().join("\n")
    }

    fn method(
        &mut self,
        plan: &Plan,
        known: Option<&Block>,
        output: &Path,
        options: &SkeletonOptions,
    ) -> Result<(), StepError> {
        match how(plan, known, output, options) {
            MergeAction::Put(how) => self.put(plan, known.is_some(), how, output, options)?,
            MergeAction::Leave => self.done.push((LEFT, plan.id())),
            MergeAction::Ask(question) => self.questions.push(question),
        }
        Ok(())
    }

    fn put(
        &mut self,
        plan: &Plan,
        is_known: bool,
        how: Merge,
        output: &Path,
        options: &SkeletonOptions,
    ) -> Result<(), StepError> {
        let lines = method_block(plan, options.style);
        match merge(&self.text, plan, &lines, how).map_err(in_file(output))? {
            Existing::Merged(text) => self.text = text,
            Existing::Conflict { line } => {
                let question = overwrite_or_skip(&plan.short(), line, output, options.asker);
                self.questions.push(question);
                return Ok(());
            }
            Existing::Absent => {
                return Err(StepError::Other(format!(
                    "{} has no block for {} to replace: use --merge upsert",
                    output.display(),
                    plan.short()
                )));
            }
        }
        let what = match (is_known, how) {
            (false, _) => INSERTED,
            (true, Merge::Missing) => LEFT,
            (true, _) => REPLACED,
        };
        self.done.push((what, plan.id()));
        Ok(())
    }
}

fn in_file(output: &Path) -> impl Fn(MergeError) -> StepError + '_ {
    |source| StepError::Merge {
        path: output.to_owned(),
        source,
    }
}

/// What was asked for, or what the document says of the method: a new one is put in, a modified one replaced. A block
/// that is there for a new one is in the way, and so is handwork in any.
fn how(
    plan: &Plan,
    known: Option<&Block>,
    output: &Path,
    options: &SkeletonOptions,
) -> MergeAction {
    if let Mode::Merge(how) = options.mode {
        return MergeAction::Put(how);
    }
    if plan.mode == Some(MethodMode::Unchanged) {
        return MergeAction::Leave;
    }
    let Some(block) = known else {
        return MergeAction::Put(Merge::Insert);
    };
    let lost = manual_edits(&block.text);
    if plan.mode == Some(MethodMode::Modified) && lost.is_empty() {
        return MergeAction::Put(Merge::Replace);
    }
    match options.conflict {
        Some(Conflict::Overwrite) => MergeAction::Put(Merge::Replace),
        Some(Conflict::Skip) => MergeAction::Leave,
        None => MergeAction::Ask(block_conflict(&plan.short(), block.line, output, &lost)),
    }
}
