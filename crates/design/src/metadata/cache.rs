//! Whether metadata is fresh: section 1.4. The reasons are constants that other programs compare with.

use std::fs;
use std::path::Path;
use std::time::UNIX_EPOCH;

use serde_json::Value;

use super::document::Document;
use super::read::{Layout, layout, plans};

/// Why metadata is used or not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// All checks pass.
    Fresh,
    /// There is no file.
    NotFound,
    /// It is no mapping in YAML.
    Corrupted,
    /// The analyzer did not finish.
    Incomplete,
    /// The validator refused it.
    ValidationFailed,
    /// It does not say which state of the source it is about.
    NoMtime,
    /// The source has changed.
    SourceModified,
    /// It is about another method.
    DifferentMethod,
}

impl Verdict {
    /// Whether it can be used.
    pub fn is_valid(self) -> bool {
        self == Verdict::Fresh
    }

    /// The constant.
    pub fn reason(self) -> &'static str {
        match self {
            Verdict::Fresh => "metadata is fresh and completed",
            Verdict::NotFound => "metadata not found",
            Verdict::Corrupted => "metadata corrupted",
            Verdict::Incomplete => "analysis incomplete",
            Verdict::ValidationFailed => "validation failed",
            Verdict::NoMtime => "missing source_file_mtime in metadata",
            Verdict::SourceModified => "source file modified",
            Verdict::DifferentMethod => "different method",
        }
    }
}

/// The verdict about a metadata file and the source it is about; `method` if one was named.
pub fn verdict(metadata: &Path, source: &Path, method: Option<&str>) -> Verdict {
    let Ok(text) = fs::read(metadata) else {
        return Verdict::NotFound;
    };
    let document = String::from_utf8(text)
        .ok()
        .and_then(|text| Document::parse("metadata", text).ok());
    match document {
        // An empty file is an empty mapping to the validator, and nothing to go by here.
        Some(document) if !document.is_blank() => of_document(&document, mtime(source), method),
        _ => Verdict::Corrupted,
    }
}

/// The verdict about what a file says.
pub fn of_document(document: &Document, mtime: Option<i64>, method: Option<&str>) -> Verdict {
    if !is_analyzed(document) {
        return Verdict::Incomplete;
    }
    if let Some(validation) = document.at(&["validation"])
        && !is_passed(validation)
    {
        return Verdict::ValidationFailed;
    }
    match recorded_mtime(document) {
        None | Some(Value::Null) => return Verdict::NoMtime,
        Some(recorded) if recorded.as_i64() != mtime || mtime.is_none() => {
            return Verdict::SourceModified;
        }
        Some(_) => {}
    }
    match method {
        Some(method) if !is_about(document, method) => Verdict::DifferentMethod,
        _ => Verdict::Fresh,
    }
}

/// Whether the analyzer finished, in the words of the document's own format.
pub(crate) fn is_analyzed(document: &Document) -> bool {
    let path = match layout(document.value()) {
        Layout::Plugin => ["automation", "code_analyzer_completed"],
        _ => ["analyzer", "completed"],
    };
    document.at(&path) == Some(&Value::Bool(true))
}

/// When the source was last changed before it was analyzed.
pub(crate) fn recorded_mtime(document: &Document) -> Option<&Value> {
    match layout(document.value()) {
        Layout::Plugin => document.at(&["source_mtime"]),
        _ => document.at(&["analyzer", "source_file_mtime"]),
    }
}

fn is_about(document: &Document, method: &str) -> bool {
    match layout(document.value()) {
        Layout::Plugin => plans(document, Some(method)).is_ok(),
        _ => document.at(&["target", "method"]).and_then(Value::as_str) == Some(method),
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

/// When a file was last changed, in whole seconds.
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
