//! `design refactor --mode full`: rewrites a spec from its source.
//!
//! The new blocks are written in a [`DraftDir`]. The old spec is changed when the draft is complete.

use std::fs;
use std::path::Path;

use serde_json::json;

use super::described_source::described_source;
use super::extend::extend;
use super::{Check, ExistingSpec, Refactored, Written};
use crate::metadata::check::is_method_name;
use crate::metadata::location::MetadataLocation;
use crate::metadata::read::Plan;
use crate::review::{Guide, Review};
use crate::ruby::{AnalysisOptions, Method, analyze_all};
use crate::skeleton::{Merge, project_spec_path, source_path};
use crate::steps::analyze::clear_progress;
use crate::steps::backup::{Backup, FileBackup};
use crate::steps::draft_dir::DraftDir;
use crate::steps::method_document::{method_plans, read_method, update_method};
use crate::steps::pipeline::{Block, DraftResult, draft, optional};
use crate::steps::skeleton::write;
use crate::steps::spec_workspace::record_step;
use crate::steps::write_spec::SpecRun;
use crate::steps::{
    AnalyzeOptions, DecisionSource, Mode, SkeletonOptions, Step, StepContext, StepError, Subject,
    Target, polish, review,
};

impl ExistingSpec {
    /// Writes a block for every public method of the source, and keeps the examples that run. If that fails, the spec and the
    /// metadata are restored.
    pub(super) fn rewrite(
        self,
        before: Review,
        discards_edits: bool,
        check: &Check<'_>,
        context: &StepContext<'_>,
    ) -> Result<Refactored, StepError> {
        let source = self.source()?;
        let file = self.root.join(&source);
        let subjects = subjects(&file, &source)?;
        let metadata = FileBackup::of(&MetadataLocation::of(&file, context.cwd)?.path)?;
        let done = self
            .write_from(&source, &subjects, before, discards_edits, context)
            .and_then(|(spec, written, last)| spec.finish(written, last.as_ref(), check, context));
        if !matches!(done, Ok(Refactored::Done { .. })) {
            metadata.restore()?;
        }
        done
    }

    fn source(&self) -> Result<String, StepError> {
        let by_path = source_path(&self.shown, &self.root);
        let by_path = by_path.filter(|source| project_spec_path(source, &self.root) == self.shown);
        let by_class = || described_source(&self.outline().ok()?, &self.root);
        by_path.or_else(by_class).ok_or_else(|| {
            StepError::Other(format!(
                "the source of {} is unknown: its path does not name it, and no single file in lib and app defines the \
                 class that it describes; use --mode conservative",
                self.shown
            ))
        })
    }

    /// Replaces the spec. The target is that of the last method with a block.
    fn write_from(
        self,
        source: &str,
        subjects: &[Subject],
        before: Review,
        discards_edits: bool,
        context: &StepContext<'_>,
    ) -> Result<(ExistingSpec, Written, Option<Target>), StepError> {
        let mut spec_draft = self.draft(subjects, context)?;
        if spec_draft.targets.is_empty() {
            return Err(StepError::Other(format!(
                "{source} has no public method; use --mode conservative"
            )));
        }
        let new = self.new_spec(source, &spec_draft, discards_edits)?;
        spec_draft.discard(&new.pending)?;
        let mut warnings = spec_draft.warnings;
        warnings.extend(new.notes);
        let backup = Backup::of(&self.path, self.text.as_bytes(), context)?;
        if let Err(error) = self.replace_spec(&spec_draft.targets, &new.text) {
            self.restore(backup)?;
            return Err(error);
        }
        if let Some(last) = spec_draft.targets.last() {
            let polished = polish(last, context).map(|done| done.warnings);
            if polished.is_ok() {
                record_polish(&spec_draft.targets)?;
            }
            optional("polish", polished, true, &mut warnings)?;
        }
        let written = Written {
            backup,
            changes: new.changes,
            before,
            warnings,
        };
        Ok((self, written, spec_draft.targets.pop()))
    }

    /// Verifies the new spec and reviews it.
    fn finish(
        self,
        written: Written,
        last: Option<&Target>,
        check: &Check<'_>,
        context: &StepContext<'_>,
    ) -> Result<Refactored, StepError> {
        let mut done = self.verify(written, check, context)?;
        if let (Refactored::Done { warnings, .. }, Some(last)) = (&mut done, last) {
            let reviewed = review(last, Guide::default(), context).map(|_| Vec::new());
            optional("review", reviewed, true, warnings)?;
        }
        Ok(done)
    }

    /// If no example runs, the draft replaces the spec; otherwise its blocks are added.
    fn new_spec(
        &self,
        source: &str,
        draft: &SpecDraft,
        discards_edits: bool,
    ) -> Result<NewSpec, StepError> {
        if !self.has_running_examples() {
            return Ok(NewSpec {
                text: draft.text.clone(),
                changes: vec![format!("rewritten from {source}")],
                ..NewSpec::default()
            });
        }
        let (text, mut changes) = self.restyled()?;
        let extended = extend(&text, &draft.text, &draft.plans, discards_edits);
        let extended = extended.map_err(|source| StepError::Merge {
            path: self.path.clone(),
            source,
        })?;
        if extended.written > 0 {
            let s = if extended.written == 1 { "" } else { "s" };
            changes.push(format!(
                "{} block{s} written from {source}",
                extended.written
            ));
        }
        Ok(NewSpec {
            notes: extended.notes(source),
            text: extended.text,
            changes,
            pending: extended.pending,
        })
    }

    /// Runs all steps that write a spec, for every method.
    fn draft(
        &self,
        subjects: &[Subject],
        context: &StepContext<'_>,
    ) -> Result<SpecDraft, StepError> {
        let draft_dir = DraftDir::of(&self.path)?;
        let path = draft_dir.path();
        let options = AnalyzeOptions {
            force: true,
            ..AnalyzeOptions::default()
        };
        let skeletons = SkeletonOptions {
            output: Some(path.clone()),
            mode: Mode::Merge(Merge::Insert),
            decision_source: DecisionSource::Pipeline,
            ..SkeletonOptions::default()
        };
        let mut spec_draft = SpecDraft::default();
        for subject in subjects {
            let run = SpecRun::ByCaller;
            match draft(subject, options, &skeletons, run, true, context)? {
                DraftResult::Decide(decision) => {
                    return Err(StepError::Other(format!(
                        "`design refactor` cannot answer this decision: {decision}"
                    )));
                }
                DraftResult::Done(drafted) => spec_draft.add(drafted)?,
            }
        }
        if !subjects.is_empty() {
            let text = fs::read_to_string(&path);
            spec_draft.text = text.map_err(|source| StepError::Unreadable { path, source })?;
        }
        Ok(spec_draft)
    }

    /// Replaces the spec and records its path for every method.
    fn replace_spec(&self, targets: &[Target], text: &str) -> Result<(), StepError> {
        write(&self.path, text)?;
        targets.iter().try_for_each(|target| {
            update_method(target, |document| {
                document.set_in("automation", "skeleton_file", &json!(self.shown));
                Ok(())
            })
        })
    }
}

/// The next text of a spec.
#[derive(Default)]
struct NewSpec {
    text: String,
    /// The changes in words.
    changes: Vec<String>,
    /// Warnings for the user.
    notes: Vec<String>,
    /// The methods that have no block.
    pending: Vec<String>,
}

/// Warnings about a method without conditions, which are expected if all methods of a file are drafted.
const NO_CONDITIONS: [&str; 2] = ["no conditions found in", "no characteristics found"];

/// The draft of a spec.
#[derive(Default)]
struct SpecDraft {
    /// Its methods.
    targets: Vec<Target>,
    plans: Vec<Plan>,
    text: String,
    warnings: Vec<String>,
}

impl SpecDraft {
    /// Removes methods whose block is not used. Their metadata keeps the analysis, but no later step is done.
    fn discard(&mut self, methods: &[String]) -> Result<(), StepError> {
        let all = self.targets.drain(..).zip(&self.plans);
        let (unused, used): (Vec<_>, Vec<_>) =
            all.partition(|(_, plan)| methods.contains(&plan.id()));
        self.targets = used.into_iter().map(|(target, _)| target).collect();
        unused.iter().try_for_each(|(target, _)| {
            update_method(target, |document| {
                clear_progress(document);
                Ok(())
            })
        })
    }

    fn add(&mut self, block: Block) -> Result<(), StepError> {
        let document = read_method(&block.target)?;
        self.plans.extend(method_plans(&document, &block.target)?);
        let is_expected =
            |warning: &String| NO_CONDITIONS.iter().any(|known| warning.contains(known));
        let id = self.plans.last().map(Plan::id).unwrap_or_default();
        let warnings = block.warnings.into_iter();
        let warnings = warnings.filter(|warning| !is_expected(warning));
        self.warnings
            .extend(warnings.map(|warning| format!("{id}: {warning}")));
        self.targets.push(block.target);
        Ok(())
    }
}

/// The spec was polished once, for all of its methods.
fn record_polish(targets: &[Target]) -> Result<(), StepError> {
    targets.iter().try_for_each(|target| {
        update_method(target, |document| {
            record_step(Step::Polisher, document, &[]);
            Ok(())
        })
    })
}

fn subjects(file: &Path, shown: &str) -> Result<Vec<Subject>, StepError> {
    let source = fs::read(file).map_err(|source| StepError::Unreadable {
        path: file.to_owned(),
        source,
    })?;
    let options = AnalysisOptions::default();
    let methods = analyze_all(&source, shown, options).map_err(|source| StepError::Ruby {
        file: file.to_owned(),
        source,
    })?;
    let subject = |method: Method| Subject {
        file: file.to_owned(),
        method_query: method.query(),
    };
    let found = methods.into_iter().flatten();
    // Metadata cannot name operators, such as `[]`.
    let found = found.filter(|found| is_method_name(&found.method.name));
    Ok(found.map(|found| subject(found.method)).collect())
}
