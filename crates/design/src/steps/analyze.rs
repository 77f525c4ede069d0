//! `design analyze`: the metadata of one method.

use std::fs;
use std::path::PathBuf;

use serde_json::{Map, Value};

use super::project::Project;
use super::validate::judge;
use super::{StepContext, StepError, Subject};
use crate::metadata::check::{ValidationReport, write_back};
use crate::metadata::document::Document;
use crate::metadata::freshness::{Freshness, freshness, mtime};
use crate::metadata::location::MetadataLocation;
use crate::metadata::read::{Layout, layout};
use crate::metadata::store::{StoreError, read, update};
use crate::metadata::write::{Format, flat};
use crate::naming::NamingProfile;
use crate::ruby::{self, Analysis, RubyError, TestLevel};

/// How to analyze.
#[derive(Debug, Clone, Copy, Default)]
pub struct AnalyzeOptions {
    /// Even if the metadata is fresh.
    pub force: bool,
    /// Which format to write.
    pub format: Format,
    /// Which test level to write instead of the one found.
    pub level: Option<TestLevel>,
    /// How names are written, if not as the format has them.
    pub names: Option<NamingProfile>,
    /// Broken factories stop the work instead of being left out.
    pub strict_factories: bool,
}

impl AnalyzeOptions {
    fn names(self) -> NamingProfile {
        self.names.unwrap_or(NamingProfile::of(self.format))
    }
}

/// What came of it.
#[derive(Debug)]
pub struct Analyzed {
    /// The metadata file.
    pub path: PathBuf,
    /// What it says.
    pub document: Document,
    /// What is worth knowing.
    pub warnings: Vec<String>,
    /// What the validator found wrong with it.
    pub findings: ValidationReport,
    /// Whether it was already there.
    pub was_cached: bool,
    /// Whether no project was found around the source.
    pub is_fallback: bool,
}

/// Analyzes one method and writes its metadata.
pub fn analyze(
    subject: &Subject,
    options: AnalyzeOptions,
    world: &StepContext<'_>,
) -> Result<Analyzed, StepError> {
    let located = MetadataLocation::of(&subject.file, world.cwd)?;
    located.directory.create(world.may_fall_back)?;
    let source = fs::read(&located.source).map_err(|source| StepError::Unreadable {
        path: located.source.clone(),
        source,
    })?;
    let analysis =
        ruby::analyze(&source, &located.relative, &subject.wanted).map_err(in_file(subject))?;
    let must = options.force || subject.wanted.reading.skips_ternaries;
    if !must && let Some(cached) = cached(&located, &analysis, options) {
        return Ok(cached);
    }
    write(&located, analysis, options, world)
}

fn in_file(subject: &Subject) -> impl Fn(RubyError) -> StepError + '_ {
    |source| StepError::Ruby {
        file: subject.file.clone(),
        source,
    }
}

/// The metadata that is there, if it is fresh and about the same method, in the same format and with such names.
fn cached(
    located: &MetadataLocation,
    analysis: &Analysis,
    options: AnalyzeOptions,
) -> Option<Analyzed> {
    let method = analysis.method.name.as_str();
    if freshness(&located.path, &located.source, Some(method)) != Freshness::Fresh {
        return None;
    }
    let document = read(&located.path).ok()?;
    let text = |path: &[&str]| document.at(path).and_then(Value::as_str);
    let is_same = text(&["target", "class"]) == Some(analysis.method.class.as_str())
        && text(&["target", "method_type"]) == Some(analysis.method.method_type.as_str())
        && (layout(document.value()) == Layout::V2_0) == (options.format == Format::V2_0)
        && text(&["analyzer", "names"]) == options.names().metadata_value(options.format)
        && options
            .level
            .is_none_or(|level| text(&["test_level"]) == Some(level.as_str()));
    is_same.then(|| Analyzed {
        path: located.path.clone(),
        document,
        warnings: Vec::new(),
        findings: ValidationReport::default(),
        was_cached: true,
        is_fallback: located.directory.is_fallback(),
    })
}

fn write(
    located: &MetadataLocation,
    mut analysis: Analysis,
    options: AnalyzeOptions,
    world: &StepContext<'_>,
) -> Result<Analyzed, StepError> {
    analysis.test_level = options.level.unwrap_or(analysis.test_level);
    let mut project = Project::of(&located.base(), options.strict_factories)?;
    if options.format == Format::V2_0 {
        project = project.with_trait_usage(&located.base());
    }
    let source_mtime = mtime(&located.source).unwrap_or_default();
    let names = options.names();
    let stamp = project.stamp(&located.relative, source_mtime, world.now, names);
    let nothing = analysis.characteristics.is_empty().then(|| {
        let method = analysis.method.id();
        format!("nothing varies in {method}: no condition was found")
    });
    let (fresh, mut warnings) = flat(analysis, &stamp, options.format);
    warnings.extend(project.warning.into_iter().chain(nothing));
    let mut findings = ValidationReport::default();
    let document = update(&located.path, |old| {
        let mut document = renewed(old, fresh, &located.relative, &mut warnings);
        for warning in &warnings {
            document.append_in("automation", "warnings", warning);
        }
        findings = judge(&document, &located.path, world);
        write_back(&mut document, &findings);
        Ok(document)
    })?;
    let told = |warning: &String| warning.starts_with("characteristics is empty");
    warnings.extend(
        findings
            .warnings
            .iter()
            .filter(|warning| !told(warning))
            .cloned(),
    );
    Ok(Analyzed {
        path: located.path.clone(),
        document,
        warnings,
        findings,
        was_cached: false,
        is_fallback: located.directory.is_fallback(),
    })
}

/// The document that was there, with everything the analyzer owns written anew and no trace of steps done before.
fn renewed(
    old: Result<Document, StoreError>,
    fresh: Map<String, Value>,
    file: &str,
    warnings: &mut Vec<String>,
) -> Document {
    let Ok(mut document) = old else {
        return Document::new(fresh);
    };
    if document.value().is_empty() || layout(document.value()) == Layout::Plugin {
        return Document::new(fresh);
    }
    let before = document.at(&["target", "file"]).and_then(Value::as_str);
    if let Some(other) = before.filter(|other| *other != file) {
        warnings.push(format!(
            "{other} shares this metadata file's name: its metadata is replaced"
        ));
        return Document::new(fresh);
    }
    let automation = document
        .value()
        .get("automation")
        .and_then(Value::as_object)
        .cloned();
    for (key, value) in &fresh {
        if key == "automation" && automation.is_some() {
            continue;
        }
        if document.value().get(key) != Some(value) {
            document.set(key, value);
        }
    }
    for key in automation.iter().flat_map(Map::keys) {
        if is_progress(key) {
            document.remove_in("automation", key);
        }
    }
    let own = fresh.get("automation").and_then(Value::as_object);
    for (key, value) in own.into_iter().flatten() {
        if document.at(&["automation", key]) != Some(value) {
            document.set_in("automation", key, value);
        }
    }
    document
}

/// What later steps recorded about a state of the source that is gone.
fn is_progress(key: &str) -> bool {
    let of_a_step = [
        "_completed",
        "_version",
        "_skipped",
        "_skip_reason",
        "_notes",
    ]
    .iter()
    .any(|end| key.ends_with(end));
    of_a_step && !key.starts_with("analyzer_")
        || matches!(
            key,
            "skeleton_generated" | "skeleton_file" | "linter" | "validation_passed"
        )
}
