//! `design validate`: the verdict, written back.

use std::fs;
use std::path::{Path, PathBuf};

use super::{StepContext, StepError};
use crate::metadata::check::{
    Stage, ValidationContext, ValidationReport, check, check_stage, check_strictly, write_back,
};
use crate::metadata::document::Document;
use crate::metadata::location::find_root;
use crate::metadata::store::{read, update};
use crate::ruby::{Method, methods};

/// A verdict and the file it is about.
#[derive(Debug)]
pub struct Validated {
    /// Absolute.
    pub path: PathBuf,
    /// What is wrong.
    pub findings: ValidationReport,
}

/// Checks a file and writes the verdict into it; strictly, with what the formats only recommend.
pub fn validate(
    path: &Path,
    strictly: bool,
    world: &StepContext<'_>,
) -> Result<Validated, StepError> {
    let path = crate::metadata::location::absolute(path, world.cwd);
    let mut findings = ValidationReport::default();
    update(&path, |document| {
        let mut document = document?;
        findings = around(&path, world, |around| {
            if strictly {
                check_strictly(&document, around)
            } else {
                check(&document, around)
            }
        });
        write_back(&mut document, &findings);
        Ok(document)
    })?;
    Ok(Validated { path, findings })
}

/// Checks a file of the plugin layout after one of its stages. Nothing is written.
pub fn validate_stage(
    path: &Path,
    stage: Stage,
    world: &StepContext<'_>,
) -> Result<Validated, StepError> {
    let path = crate::metadata::location::absolute(path, world.cwd);
    let document = read(&path)?;
    let findings = around(&path, world, |around| check_stage(&document, stage, around));
    Ok(Validated { path, findings })
}

/// What is wrong with a document at that path.
pub(super) fn judge(document: &Document, path: &Path, world: &StepContext<'_>) -> ValidationReport {
    around(path, world, |around| check(document, around))
}

/// Looks at a document with what there is around its file.
fn around(
    path: &Path,
    world: &StepContext<'_>,
    look: impl FnOnce(&ValidationContext<'_>) -> ValidationReport,
) -> ValidationReport {
    let root = path.parent().and_then(find_root);
    look(&ValidationContext {
        root: root.as_deref(),
        cwd: world.cwd,
        methods: &methods_of,
    })
}

fn methods_of(file: &Path) -> Option<Vec<Method>> {
    methods(&fs::read(file).ok()?).ok()
}
