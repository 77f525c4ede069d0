//! `design validate`: validates metadata and writes the result back.

use std::fs;
use std::path::{Path, PathBuf};

use super::{StepContext, StepError, Subject, Target};
use crate::metadata::check::{
    Stage, ValidationContext, ValidationReport, check, check_method, check_method_strictly,
    check_stage, check_strictly, write_back,
};
use crate::metadata::document::Document;
use crate::metadata::location::{absolute, find_root};
use crate::metadata::methods::{other_method, others, set_other_method};
use crate::metadata::store::{read, update};
use crate::ruby::{Method, methods};

/// The result of a validation.
#[derive(Debug)]
pub struct Validated {
    /// The metadata file, absolute.
    pub path: PathBuf,
    /// The errors and warnings.
    pub findings: ValidationReport,
}

/// Validates a file and writes the result into it. With `strictly`, includes what the formats only recommend.
pub fn validate(
    path: &Path,
    strictly: bool,
    context: &StepContext<'_>,
) -> Result<Validated, StepError> {
    require_metadata(path, context)?;
    let path = absolute(path, context.cwd);
    let mut findings = ValidationReport::default();
    update(&path, |document| {
        let mut document = document?;
        findings = with_project(&path, context, |project| {
            write_results(&mut document, project, strictly);
            if strictly {
                check_strictly(&document, project)
            } else {
                check(&document, project)
            }
        });
        Ok(document)
    })?;
    Ok(Validated { path, findings })
}

/// Fails for Ruby source, which is not YAML, and for a source that does not exist.
fn require_metadata(path: &Path, context: &StepContext<'_>) -> Result<(), StepError> {
    let typed = path.to_string_lossy();
    let file = Subject::parse(&typed).file;
    if file.extension().is_none_or(|extension| extension != "rb") {
        return Ok(());
    }
    let target = Target::find(&typed, context.cwd)?;
    Err(StepError::RubySource {
        file: path.to_owned(),
        metadata: target.metadata,
    })
}

/// Writes the result for each method into its sections.
fn write_results(document: &mut Document, project: &ValidationContext<'_>, strictly: bool) {
    let check = |document: &Document| {
        if strictly {
            check_method_strictly(document, project)
        } else {
            check_method(document, project)
        }
    };
    for index in 0..others(document).len() {
        if let Some(mut method) = other_method(document, index) {
            let findings = check(&method);
            write_back(&mut method, &findings);
            set_other_method(document, index, &method);
        }
    }
    let findings = check(document);
    write_back(document, &findings);
}

/// Validates a file of the plugin layout after one of its stages. Nothing is written.
pub fn validate_stage(
    path: &Path,
    stage: Stage,
    context: &StepContext<'_>,
) -> Result<Validated, StepError> {
    require_metadata(path, context)?;
    let path = absolute(path, context.cwd);
    let document = read(&path)?;
    let findings = with_project(&path, context, |project| {
        check_stage(&document, stage, project)
    });
    Ok(Validated { path, findings })
}

/// Fails if a document of one method, or of the plugin layout, is not valid.
pub(super) fn require_valid(
    document: &Document,
    path: &Path,
    context: &StepContext<'_>,
) -> Result<(), StepError> {
    let report = validate_document(document, path, context);
    if report.is_valid() {
        return Ok(());
    }
    Err(StepError::Invalid {
        path: path.to_owned(),
        errors: report.errors.into_iter().map(|(_, error)| error).collect(),
    })
}

/// Validates the method at the top level of a document at a path, or a document of the plugin layout, without writing.
pub(super) fn validate_document(
    document: &Document,
    path: &Path,
    context: &StepContext<'_>,
) -> ValidationReport {
    with_project(path, context, |project| check_method(document, project))
}

/// Calls `check` with the project of a metadata file.
fn with_project(
    path: &Path,
    context: &StepContext<'_>,
    validator: impl FnOnce(&ValidationContext<'_>) -> ValidationReport,
) -> ValidationReport {
    let root = path.parent().and_then(find_root);
    validator(&ValidationContext {
        root: root.as_deref(),
        cwd: context.cwd,
        methods: &methods_of,
    })
}

fn methods_of(file: &Path) -> Option<Vec<Method>> {
    methods(&fs::read(file).ok()?).ok()
}
