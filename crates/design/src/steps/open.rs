//! What every step after the skeleton needs, and the checks before it: 8.2.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::progress::Step;
use super::validate::judge;
use super::{StepError, Target, World};
use crate::metadata::cache::mtime;
use crate::metadata::document::Document;
use crate::metadata::place::{find_root, slug};
use crate::metadata::read::{Plan, plan};
use crate::metadata::store::{read, update};
use crate::ruby::{Analysis, Wanted, analyze};

/// A method on its way.
pub(super) struct Opened {
    pub(super) metadata: PathBuf,
    pub(super) root: PathBuf,
    pub(super) plan: Plan,
    pub(super) source: PathBuf,
    pub(super) spec: PathBuf,
    pub(super) text: String,
}

impl Opened {
    /// Opens what was named, for this step.
    pub(super) fn of(target: &Target, step: Step, world: &World<'_>) -> Result<Opened, StepError> {
        let metadata = target.metadata.clone();
        let document = read(&metadata)?;
        if let Some(before) = step.needs() {
            needed(&document, before)?;
        }
        let findings = judge(&document, &metadata, world);
        if !findings.is_valid() {
            return Err(StepError::Other(format!(
                "{} is not valid: run `casebook design validate` to see why",
                metadata.display()
            )));
        }
        let plan = plan(&document, target.method.as_deref()).map_err(|source| StepError::Read {
            path: metadata.clone(),
            source,
        })?;
        let root = metadata
            .parent()
            .and_then(find_root)
            .unwrap_or_else(|| world.cwd.to_owned());
        let source = root.join(plan.file.as_deref().unwrap_or_default());
        unchanged(&document, &source)?;
        let spec = spec_of(&document, &root)?;
        let text = fs::read_to_string(&spec).map_err(|source| StepError::Unreadable {
            path: spec.clone(),
            source,
        })?;
        Ok(Opened {
            metadata,
            root,
            plan,
            source,
            spec,
            text,
        })
    }

    /// The analysis of the source as it is now.
    pub(super) fn analysis(&self) -> Result<Analysis, StepError> {
        let source = fs::read(&self.source).map_err(|source| StepError::Unreadable {
            path: self.source.clone(),
            source,
        })?;
        let wanted = Wanted {
            class: Some(self.plan.class.clone()),
            name: Some(self.plan.method.clone()),
            method_type: Some(self.plan.method_type),
        };
        let file = self.plan.file.as_deref().unwrap_or_default();
        analyze(&source, file, &wanted).map_err(|source| StepError::Ruby {
            file: self.source.clone(),
            source,
        })
    }

    /// Records a step as done, with what it had to say.
    pub(super) fn finish(
        &self,
        step: Step,
        warnings: &[String],
        change: impl FnOnce(&mut Document),
    ) -> Result<(), StepError> {
        update(&self.metadata, |document| {
            let mut document = document?;
            for warning in warnings {
                document.append_in(
                    "automation",
                    "warnings",
                    &format!("{}: {warning}", step.name()),
                );
            }
            change(&mut document);
            step.finish(&mut document, env!("CARGO_PKG_VERSION"));
            Ok(document)
        })?;
        Ok(())
    }

    /// The metadata's name without its folder, to name reports by.
    pub(super) fn slug(&self) -> String {
        slug(self.plan.file.as_deref().unwrap_or("unknown"))
    }
}

/// Records a failure, if that is possible.
pub(super) fn fail(metadata: &Path, step: Step, error: &StepError) {
    let told = update(metadata, |document| {
        let mut document = document?;
        document.append_in("automation", "errors", &format!("{}: {error}", step.name()));
        Ok(document)
    });
    // Nobody can be told that telling failed; the error itself is on its way to the caller.
    drop(told);
}

/// Whether the step before was done.
pub(super) fn needed(document: &Document, step: Step) -> Result<(), StepError> {
    if step.is_done(document) {
        return Ok(());
    }
    Err(StepError::NotYet {
        step: step.name(),
        command: step.command().to_owned(),
    })
}

fn unchanged(document: &Document, source: &Path) -> Result<(), StepError> {
    let now = mtime(source)
        .ok_or_else(|| StepError::Other(format!("there is no file {}", source.display())))?;
    let recorded = document
        .at(&["analyzer", "source_file_mtime"])
        .and_then(Value::as_i64);
    if recorded == Some(now) {
        return Ok(());
    }
    Err(StepError::Other(format!(
        "{} has changed since it was analyzed: run `casebook design analyze` again",
        source.display()
    )))
}

/// Where the spec is.
pub(super) fn spec_of(document: &Document, root: &Path) -> Result<PathBuf, StepError> {
    let file = document
        .at(&["automation", "skeleton_file"])
        .and_then(Value::as_str);
    let spec = file.map(|file| root.join(file)).ok_or(StepError::NotYet {
        step: "skeleton",
        command: "skeleton".to_owned(),
    })?;
    if spec.is_file() {
        return Ok(spec);
    }
    Err(StepError::Other(format!(
        "there is no spec {}: run `casebook design skeleton` again",
        spec.display()
    )))
}
