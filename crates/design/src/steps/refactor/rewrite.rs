//! A spec written anew from its source, as if there had been none.
//!
//! It is drafted in a folder beside the old one, which stays until the whole draft can take its place.

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
use crate::steps::{
    AnalyzeOptions, DecisionSource, Mode, SkeletonOptions, StepContext, StepError, Subject, Target,
    polish, review,
};

impl ExistingSpec {
    /// A block for every public method of the source. Where that cannot be, everything is as it was, metadata too.
    pub(super) fn rewrite(
        self,
        before: Review,
        world: &StepContext<'_>,
    ) -> Result<Refactored, StepError> {
        let source = self.source()?;
        let file = self.root.join(&source);
        let subjects = subjects(&file, &source)?;
        let metadata = FileBackup::of(&MetadataLocation::of(&file, world.cwd)?.path)?;
        let done = self.from(&source, &subjects, before, world);
        if !matches!(done, Ok(Refactored::Done { .. })) {
            metadata.put_back()?;
        }
        done
    }

    fn source(&self) -> Result<String, StepError> {
        source_path(&self.shown, &self.root)
            .filter(|source| spec_path(source) == self.shown)
            .ok_or_else(|| {
                StepError::Other(format!(
                    "the source of {} is not known: only --mode conservative is possible",
                    self.shown
                ))
            })
    }

    fn from(
        self,
        source: &str,
        subjects: &[Subject],
        before: Review,
        world: &StepContext<'_>,
    ) -> Result<Refactored, StepError> {
        let Some(made) = self.draft(subjects, world)? else {
            return Err(StepError::Other(format!(
                "{source} has no public method: only --mode conservative is possible"
            )));
        };
        let (target, mut warnings) = (made.target, made.warnings);
        let backup = Backup::of(&self.path, &self.text)?;
        if let Err(error) = self.put(&target, &made.text) {
            self.restore(backup)?;
            return Err(error);
        }
        let polished = polish(&target, world).map(|done| done.warnings);
        optional("polish", polished, true, &mut warnings)?;
        let changes = vec![format!("written anew from {source}")];
        let mut done = self.finished(backup, changes, before, warnings, world)?;
        if let Refactored::Done { warnings, .. } = &mut done {
            let reviewed = review(&target, world).map(|_| Vec::new());
            optional("review", reviewed, true, warnings)?;
        }
        Ok(done)
    }

    /// All steps that write, for every method.
    fn draft(
        &self,
        subjects: &[Subject],
        world: &StepContext<'_>,
    ) -> Result<Option<SpecDraft>, StepError> {
        let beside = DraftDir::of(&self.path)?;
        let path = beside.path();
        let options = AnalyzeOptions {
            force: true,
            ..AnalyzeOptions::default()
        };
        let skeletons = SkeletonOptions {
            output: Some(path.clone()),
            mode: Mode::Merge(Merge::Insert),
            asker: DecisionSource::Pipeline,
            ..SkeletonOptions::default()
        };
        let mut warnings = Vec::new();
        let mut last = None;
        for subject in subjects {
            match draft(subject, options, &skeletons, true, world)? {
                DraftResult::Decide(decision) => {
                    return Err(StepError::Other(format!(
                        "somebody has to decide something that cannot be told to `design refactor`: {decision}"
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

    /// The draft takes the place of the spec.
    fn put(&self, target: &Target, text: &str) -> Result<(), StepError> {
        write(&self.path, text)?;
        update(&target.metadata, |document| {
            let mut document = document?;
            document.set_in("automation", "skeleton_file", &json!(self.shown));
            Ok(document)
        })?;
        Ok(())
    }
}

/// The draft of a spec.
struct SpecDraft {
    /// The method that was last.
    target: Target,
    text: String,
    warnings: Vec<String>,
}

fn subjects(file: &Path, shown: &str) -> Result<Vec<Subject>, StepError> {
    let source = fs::read(file).map_err(|source| StepError::Unreadable {
        path: file.to_owned(),
        source,
    })?;
    let reading = AnalysisOptions::default();
    let methods = analyze_all(&source, shown, reading).map_err(|source| StepError::Ruby {
        file: file.to_owned(),
        source,
    })?;
    let subject = |method: Method| Subject {
        file: file.to_owned(),
        wanted: MethodQuery {
            class: Some(method.class),
            name: Some(method.name),
            method_type: Some(method.method_type),
            reading,
        },
    };
    let found = methods.into_iter().flatten();
    Ok(found.map(|found| subject(found.method)).collect())
}
