//! [`Freshness`]: whether metadata is up to date, rule M3. Other programs compare the reasons, so they do not change.

use std::fs;
use std::path::Path;
use std::time::UNIX_EPOCH;

use serde_json::Value;

use super::document::Document;
use super::location::MetadataLocation;
use super::methods::{Selection, other_method, select};
use super::read::{Layout, layout, plans};
use crate::ruby::MethodQuery;

/// Whether a metadata file can be used, and if not, why.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Freshness {
    /// All checks passed.
    Fresh,
    /// The file does not exist.
    NotFound,
    /// The file is not a YAML mapping.
    Corrupted,
    /// The analyzer did not finish.
    Incomplete,
    /// The validator reported errors.
    ValidationFailed,
    /// The modification time of the source is not recorded.
    NoMtime,
    /// The source has changed since the analysis.
    SourceModified,
    /// The file describes a method of another source, whose path leads to the same file name.
    DifferentFile,
    /// The file describes another method.
    DifferentMethod,
}

impl Freshness {
    /// Whether the metadata can be used.
    pub fn is_valid(self) -> bool {
        self == Freshness::Fresh
    }

    /// The fixed text of the reason.
    pub fn reason(self) -> &'static str {
        match self {
            Freshness::Fresh => "metadata is fresh and completed",
            Freshness::NotFound => "metadata not found",
            Freshness::Corrupted => "metadata corrupted",
            Freshness::Incomplete => "analysis incomplete",
            Freshness::ValidationFailed => "validation failed",
            Freshness::NoMtime => "missing source_file_mtime in metadata",
            Freshness::SourceModified => "source file modified",
            Freshness::DifferentFile => "different source file",
            Freshness::DifferentMethod => "different method",
        }
    }
}

/// Checks the metadata of a source, for one method if the query names one.
pub fn freshness(located: &MetadataLocation, query: &MethodQuery) -> Freshness {
    let Ok(text) = fs::read(&located.path) else {
        return Freshness::NotFound;
    };
    let document = String::from_utf8(text)
        .ok()
        .and_then(|text| Document::parse("metadata", text).ok());
    match document {
        // The validator accepts an empty file as an empty mapping; here it is corrupted.
        Some(document) if !document.is_blank() => of_source(&document, located, query),
        _ => Freshness::Corrupted,
    }
}

fn of_source(document: &Document, located: &MetadataLocation, query: &MethodQuery) -> Freshness {
    let method = match select(document, query) {
        Selection::Other(index) => other_method(document, index),
        _ => None,
    };
    let document = method.as_ref().unwrap_or(document);
    let file = document.at(&["target", "file"]).and_then(Value::as_str);
    match of_document(document, mtime(&located.source)) {
        Freshness::Fresh | Freshness::SourceModified
            if file.is_some_and(|file| file != located.relative) =>
        {
            Freshness::DifferentFile
        }
        Freshness::Fresh if !is_about(document, query) => Freshness::DifferentMethod,
        freshness => freshness,
    }
}

/// Checks a parsed document. `mtime` is the source's modification time; `None` if it cannot be read.
pub fn of_document(document: &Document, mtime: Option<i64>) -> Freshness {
    if !is_analyzed(document) {
        return Freshness::Incomplete;
    }
    if let Some(validation) = document.at(&["validation"])
        && !is_passed(validation)
    {
        return Freshness::ValidationFailed;
    }
    match recorded_mtime(document) {
        None | Some(Value::Null) => Freshness::NoMtime,
        Some(recorded) if recorded.as_i64() != mtime || mtime.is_none() => {
            Freshness::SourceModified
        }
        Some(_) => Freshness::Fresh,
    }
}

/// Whether the analyzer finished, by the flag of the document's own format.
pub(crate) fn is_analyzed(document: &Document) -> bool {
    let path = match layout(document.value()) {
        Layout::Plugin => ["automation", "code_analyzer_completed"],
        _ => ["analyzer", "completed"],
    };
    document.at(&path) == Some(&Value::Bool(true))
}

/// The source's modification time at the analysis, as the document records it.
pub(crate) fn recorded_mtime(document: &Document) -> Option<&Value> {
    match layout(document.value()) {
        Layout::Plugin => document.at(&["source_mtime"]),
        _ => document.at(&["analyzer", "source_file_mtime"]),
    }
}

fn is_about(document: &Document, query: &MethodQuery) -> bool {
    match (&query.name, layout(document.value())) {
        (Some(method), Layout::Plugin) => plans(document, Some(method)).is_ok(),
        _ => !matches!(select(document, query), Selection::None),
    }
}

fn is_passed(validation: &Value) -> bool {
    let no_errors = match validation.get("errors") {
        None | Some(Value::Null) => true,
        Some(Value::Array(errors)) => errors.is_empty(),
        Some(_) => false,
    };
    validation.get("completed") == Some(&Value::Bool(true)) && no_errors
}

/// When a file was last modified, in seconds since 1970.
pub fn mtime(source: &Path) -> Option<i64> {
    let modified = fs::metadata(source).ok()?.modified().ok()?;
    match modified.duration_since(UNIX_EPOCH) {
        Ok(since) => i64::try_from(since.as_secs()).ok(),
        Err(before) => {
            let before = i64::try_from(before.duration().as_secs()).ok()?;
            Some(-before)
        }
    }
}
