//! `design refactor --mode full`: rewrites a spec from its source.
//!
//! The new spec is written in a [`DraftDir`]. The old one is replaced when the draft is complete.

use std::fs;
use std::path::Path;

use serde_json::json;

use super::{ExistingSpec, Refactored};
use crate::metadata::location::MetadataLocation;
use crate::metadata::store::update;
use crate::review::Review;
use crate::ruby::{AnalysisOptions, Method, MethodQuery, analyze_all};
use crate::skeleton::{Merge, source_path, spec_path};
use crate::steps::backup::{Backup, FileBackup};
use crate::steps::draft_dir::DraftDir;
use crate::steps::pipeline::{DraftResult, draft, optional};
use crate::steps::skeleton::write;
use crate::steps::write_spec::SpecRun;
use crate::steps::{
    AnalyzeOptions, DecisionSource, Mode, SkeletonOptions, StepContext, StepError, Subject, Target,
    polish, review,
};

impl ExistingSpec {
    /// Writes a block for every public method of the source. If that fails, the spec and the metadata are restored.
    pub(super) fn rewrite(
        self,
        before: Review,
        context: &StepContext<'_>,
    ) -> Result<Refactored, StepError> {
        let source = self.source()?;
        let file = self.root.join(&source);
        let subjects = subjects(&file, &source)?;
        let metadata = FileBackup::of(&MetadataLocation::of(&file, context.cwd)?.path)?;
        let done = self.rewrite_from(&source, &subjects, before, context);
        if !matches!(done, Ok(Refactored::Done { .. })) {
            metadata.restore()?;
        }
        done
    }

    fn source(&self) -> Result<String, StepError> {
        source_path(&self.shown, &self.root)
            .filter(|source| spec_path(source) == self.shown)
            .ok_or_else(|| {
                StepError::Other(format!(
                    "the source of {} is unknown; use --mode conservative",
                    self.shown
                ))
            })
    }

    fn rewrite_from(
        self,
        source: &str,
        subjects: &[Subject],
        before: Review,
        context: &StepContext<'_>,
    ) -> Result<Refactored, StepError> {
        let Some(spec_draft) = self.draft(subjects, context)? else {
            return Err(StepError::Other(format!(
                "{source} has no public method; use --mode conservative"
            )));
        };
        let (target, mut warnings) = (spec_draft.target, spec_draft.warnings);
        let backup = Backup::of(&self.path, self.text.as_bytes())?;
        if let Err(error) = self.replace_spec(&target, &spec_draft.text) {
            self.restore(backup)?;
            return Err(error);
        }
        let polished = polish(&target, context).map(|done| done.warnings);
        optional("polish", polished, true, &mut warnings)?;
        let changes = vec![format!("rewritten from {source}")];
        let mut done = self.verify(backup, changes, before, warnings, context)?;
        if let Refactored::Done { warnings, .. } = &mut done {
            let reviewed = review(&target, context).map(|_| Vec::new());
            optional("review", reviewed, true, warnings)?;
        }
        Ok(done)
    }

    /// Runs all steps that write a spec, for every method. `None` if there are no methods.
    fn draft(
        &self,
        subjects: &[Subject],
        context: &StepContext<'_>,
    ) -> Result<Option<SpecDraft>, StepError> {
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
        let mut warnings = Vec::new();
        let mut last = None;
        for subject in subjects {
            match draft(
                subject,
                options,
                &skeletons,
                SpecRun::ByCaller,
                true,
                context,
            )? {
                DraftResult::Decide(decision) => {
                    return Err(StepError::Other(format!(
                        "`design refactor` cannot answer this decision: {decision}"
                    )));
                }
                DraftResult::Done(drafted) => {
                    warnings.extend(drafted.warnings);
                    last = Some(drafted.target);
                }
            }
        }
        let Some(target) = last else {
            return Ok(None);
        };
        let text = fs::read_to_string(&path);
        let text = text.map_err(|source| StepError::Unreadable { path, source })?;
        Ok(Some(SpecDraft {
            target,
            text,
            warnings,
        }))
    }

    /// Replaces the spec with the draft.
    fn replace_spec(&self, target: &Target, text: &str) -> Result<(), StepError> {
        write(&self.path, text)?;
        update(&target.metadata, |document| {
            let mut document = document?;
            document.set_in("automation", "skeleton_file", &json!(self.shown));
            Ok(document)
        })?;
        Ok(())
    }
}

/// The draft of a spec, with the target of its last method.
struct SpecDraft {
    target: Target,
    text: String,
    warnings: Vec<String>,
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
        method_query: MethodQuery {
            class: Some(method.class),
            name: Some(method.name),
            method_type: Some(method.method_type),
            options,
        },
    };
    let found = methods.into_iter().flatten();
    Ok(found.map(|found| subject(found.method)).collect())
}
