//! `design analyze`: writes the metadata of one method.

mod renew;

use std::fs;
use std::path::PathBuf;

use serde_json::Value;

use super::project::Project;
use super::validate::validate_document;
use super::{StepContext, StepError, Subject};
use crate::metadata::check::{ValidationReport, write_back};
use crate::metadata::document::Document;
use crate::metadata::freshness::{Freshness, freshness, mtime};
use crate::metadata::location::MetadataLocation;
use crate::metadata::methods::promote;
use crate::metadata::read::{Layout, layout};
use crate::metadata::store::{read, update};
use crate::metadata::write::{Format, flat};
use crate::naming::NamingProfile;
use crate::ruby::{self, Analysis, Method, RubyError, TestLevel};
use crate::skeleton::{component_of, project_spec_path};
use renew::renew;

pub(super) use renew::clear_progress;

/// Options of `design analyze`.
#[derive(Debug, Clone, Copy, Default)]
pub struct AnalyzeOptions {
    /// Analyze even if the metadata is up to date.
    pub force: bool,
    /// The format to write.
    pub format: Format,
    /// The test level to write instead of the detected one.
    pub level: Option<TestLevel>,
    /// The naming profile; `None` for the default of the format.
    pub names: Option<NamingProfile>,
    /// Fail on broken factories instead of ignoring them.
    pub strict_factories: bool,
}

impl AnalyzeOptions {
    fn names(self) -> NamingProfile {
        self.names.unwrap_or(NamingProfile::of(self.format))
    }
}

/// The result of `design analyze`.
#[derive(Debug)]
pub struct Analyzed {
    /// The method.
    pub method: Method,
    /// The metadata file.
    pub path: PathBuf,
    /// Its content.
    pub document: Document,
    /// Warnings for the user.
    pub warnings: Vec<String>,
    /// The result of the validation.
    pub findings: ValidationReport,
    /// Whether existing metadata was up to date, so nothing was written.
    pub was_cached: bool,
    /// Whether no project was found for the source.
    pub is_fallback: bool,
    /// Why a spec cannot call the method, if it cannot.
    pub inaccessible: Option<String>,
}

/// Analyzes one method and writes its metadata.
pub fn analyze(
    subject: &Subject,
    options: AnalyzeOptions,
    context: &StepContext<'_>,
) -> Result<Analyzed, StepError> {
    let located = MetadataLocation::of(&subject.file, context.cwd)?;
    located.directory.create(context.may_fall_back)?;
    let source = fs::read(&located.source).map_err(|source| StepError::Unreadable {
        path: located.source.clone(),
        source,
    })?;
    let analysis = ruby::analyze(&source, &located.relative, &subject.method_query)
        .map_err(in_file(subject))?;
    let must_analyze = options.force || subject.method_query.options.skips_ternaries;
    if !must_analyze && let Some(cached) = cached(&located, &analysis, options)? {
        return Ok(cached);
    }
    let defined = ruby::methods(&source).unwrap_or_default();
    write(&located, analysis, &defined, options, context)
}

fn in_file(subject: &Subject) -> impl Fn(RubyError) -> StepError + '_ {
    |source| StepError::Ruby {
        file: subject.file.clone(),
        source,
    }
}

/// The existing metadata, if it is up to date and has the same method, format, level and naming profile. The method is then
/// at the top level, where other programs read the one that was analyzed last.
fn cached(
    located: &MetadataLocation,
    analysis: &Analysis,
    options: AnalyzeOptions,
) -> Result<Option<Analyzed>, StepError> {
    if freshness(located, &analysis.method.query()) != Freshness::Fresh {
        return Ok(None);
    }
    let stored = read(&located.path)?;
    let mut document = stored.clone();
    if !promote(&mut document, &analysis.method) || !has_options(&document, options) {
        return Ok(None);
    }
    if document != stored {
        document = update(&located.path, |document| {
            let mut document = document?;
            promote(&mut document, &analysis.method);
            Ok(document)
        })?;
    }
    Ok(Some(Analyzed {
        method: analysis.method.clone(),
        path: located.path.clone(),
        document,
        warnings: Vec::new(),
        findings: ValidationReport::default(),
        was_cached: true,
        is_fallback: located.directory.is_fallback(),
        inaccessible: analysis.inaccessible.clone(),
    }))
}

fn has_options(document: &Document, options: AnalyzeOptions) -> bool {
    let text = |path: &[&str]| document.at(path).and_then(Value::as_str);
    (layout(document.value()) == Layout::V2_0) == (options.format == Format::V2_0)
        && text(&["analyzer", "names"]) == options.names().metadata_value(options.format)
        && options
            .level
            .is_none_or(|level| text(&["test_level"]) == Some(level.as_str()))
}

fn project_of(located: &MetadataLocation, options: AnalyzeOptions) -> Result<Project, StepError> {
    let base = located.base();
    let component = component_of(&located.relative, &base);
    let project = Project::of(&base, component, options.strict_factories)?;
    Ok(match options.format {
        Format::V2_0 => project.with_trait_usage(&base),
        _ => project,
    })
}

fn no_conditions(method: &Method) -> String {
    let method = method.id();
    format!("no conditions found in {method}, so it has no characteristics")
}

/// The warnings of the validator, except the one about an empty list of characteristics, which is already reported.
fn new_warnings(findings: &ValidationReport) -> impl Iterator<Item = String> {
    let warnings = findings.warnings.iter();
    warnings
        .filter(|warning| !warning.starts_with("characteristics is empty"))
        .cloned()
}

fn write(
    located: &MetadataLocation,
    mut analysis: Analysis,
    defined: &[Method],
    options: AnalyzeOptions,
    context: &StepContext<'_>,
) -> Result<Analyzed, StepError> {
    let method = analysis.method.clone();
    analysis.test_level = options.level.unwrap_or(analysis.test_level);
    let project = project_of(located, options)?;
    let source_mtime = mtime(&located.source).unwrap_or_default();
    let names = options.names();
    let spec_path = project_spec_path(&located.relative, &located.base());
    let header = project.header(
        &located.relative,
        spec_path,
        source_mtime,
        context.now,
        names,
    );
    let empty_warning = analysis
        .characteristics
        .is_empty()
        .then(|| no_conditions(&method));
    let inaccessible = analysis.inaccessible.clone();
    let (fresh, mut warnings) = flat(analysis, &header, options.format);
    warnings.extend(project.warning.into_iter().chain(empty_warning));
    let mut findings = ValidationReport::default();
    let document = update(&located.path, |old| {
        let mut document = renew(old, fresh, &method, defined, &mut warnings);
        for warning in &warnings {
            document.append_in("automation", "warnings", warning);
        }
        findings = validate_document(&document, &located.path, context);
        write_back(&mut document, &findings);
        Ok(document)
    })?;
    warnings.extend(new_warnings(&findings));
    Ok(Analyzed {
        method,
        path: located.path.clone(),
        document,
        warnings,
        findings,
        was_cached: false,
        is_fallback: located.directory.is_fallback(),
        inaccessible,
    })
}
