//! `design validate`: the verdict, written back.

use std::fs;
use std::path::{Path, PathBuf};

use super::{StepError, World};
use crate::metadata::check::{Findings, Stage, Surroundings, check, check_stage, write_back};
use crate::metadata::document::Document;
use crate::metadata::place::find_root;
use crate::metadata::store::{read, update};
use crate::ruby::{Method, methods};

/// A verdict and the file it is about.
#[derive(Debug)]
pub struct Validated {
    /// Absolute.
    pub path: PathBuf,
    /// What is wrong.
    pub findings: Findings,
}

/// Checks a file and writes the verdict into it.
pub fn validate(path: &Path, world: &World<'_>) -> Result<Validated, StepError> {
    let path = crate::metadata::place::absolute(path, world.cwd);
    let mut findings = Findings::default();
    update(&path, |document| {
        let mut document = document?;
        findings = judge(&document, &path, world);
        write_back(&mut document, &findings);
        Ok(document)
    })?;
    Ok(Validated { path, findings })
}

/// Checks a file of the plugin layout after one of its stages. Nothing is written.
pub fn validate_stage(
    path: &Path,
    stage: Stage,
    world: &World<'_>,
) -> Result<Validated, StepError> {
    let path = crate::metadata::place::absolute(path, world.cwd);
    let document = read(&path)?;
    let root = path.parent().and_then(find_root);
    let around = Surroundings {
        root: root.as_deref(),
        cwd: world.cwd,
        methods: &methods_of,
    };
    let findings = check_stage(&document, stage, &around);
    Ok(Validated { path, findings })
}

/// What is wrong with a document at that path.
pub(super) fn judge(document: &Document, path: &Path, world: &World<'_>) -> Findings {
    let root = path.parent().and_then(find_root);
    let around = Surroundings {
        root: root.as_deref(),
        cwd: world.cwd,
        methods: &methods_of,
    };
    check(document, &around)
}

fn methods_of(file: &Path) -> Option<Vec<Method>> {
    methods(&fs::read(file).ok()?).ok()
}
