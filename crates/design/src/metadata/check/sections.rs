//! Rules V01 to V06 and V28: the other sections of a document.

use serde_json::{Map, Value};

use super::optional_types::expect;
use super::{ValidationReport, got, present};
use crate::metadata::read::symbol_value;
use crate::ruby::TestLevel;

/// The major versions of the format that this program can read.
const KNOWN_MAJORS: [u32; 2] = [1, 2];

/// Rules V01 to V05.
pub(super) fn analyzer(document: &Map<String, Value>, report: &mut ValidationReport) {
    let Some(section) = present(document, "analyzer") else {
        return report.missing("Missing section: analyzer");
    };
    let Some(section) = section.as_object() else {
        return report.wrong(format!("analyzer must be a mapping, {}", got(section)));
    };
    match section.get("completed") {
        None => report.missing("Missing analyzer.completed"),
        Some(Value::Bool(true)) => {}
        Some(other) => report.wrong(format!("analyzer.completed must be true, {}", got(other))),
    }
    match present(section, "timestamp") {
        None => report.missing("Missing analyzer.timestamp"),
        Some(Value::String(text)) if is_timestamp(text) => {}
        Some(other) => report.wrong(format!(
            "analyzer.timestamp must be an ISO 8601 date and time with zone or offset, {}",
            got(other)
        )),
    }
    match present(section, "source_file_mtime") {
        None => report.missing("Missing analyzer.source_file_mtime"),
        Some(value) if value.as_i64().is_some_and(|seconds| seconds > 0) => {}
        Some(other) => report.wrong(format!(
            "analyzer.source_file_mtime must be a positive integer, {}",
            got(other)
        )),
    }
    version(section, report);
}

/// Rule V05: any non-empty text. An unknown major version is a warning by rule L6.
fn version(section: &Map<String, Value>, report: &mut ValidationReport) {
    let text = match present(section, "version") {
        None => return report.missing("Missing analyzer.version"),
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    };
    if text.trim().is_empty() {
        return report.wrong("analyzer.version must not be empty, got: \"\"");
    }
    let major = text.split('.').next().and_then(|first| first.parse().ok());
    if major.is_some_and(|major: u32| !KNOWN_MAJORS.contains(&major)) {
        report.warn(format!(
            "analyzer.version names an unknown format, got: {text}"
        ));
    }
}

/// Whether a text is a date and a time with `Z` or an offset.
fn is_timestamp(text: &str) -> bool {
    // Ruby writes times with spaces, as YAML allows: `2025-11-07 10:30:45 +00:00`.
    let text = text.trim();
    if text.parse::<jiff::Timestamp>().is_ok() {
        return true;
    }
    let Some((date, rest)) = text.split_once(' ') else {
        return false;
    };
    format!("{date}T{}", rest.replace(' ', ""))
        .parse::<jiff::Timestamp>()
        .is_ok()
}

/// Rule V06.
pub(super) fn test_level(document: &Map<String, Value>, report: &mut ValidationReport) {
    match present(document, "test_level") {
        None => report.missing("Missing section: test_level"),
        Some(Value::String(level)) if TestLevel::parse(level).is_some() => {}
        Some(other) => report.wrong(format!(
            "test_level must be one of unit, integration, request, e2e, {}",
            got(other)
        )),
    }
}

/// Rule V28.
pub(super) fn factories(document: &Map<String, Value>, report: &mut ValidationReport) {
    let Some(value) = document.get("factories_detected") else {
        return;
    };
    let Some(factories) = value.as_object() else {
        return report.wrong(format!(
            "factories_detected must be a mapping, {}",
            got(value)
        ));
    };
    for (name, factory) in factories {
        let path = format!("factories_detected.{name}");
        if factory.is_object() {
            self::factory(factory, &path, report);
        } else {
            report.wrong(format!("{path} must be a mapping, {}", got(factory)));
        }
    }
}

fn factory(factory: &Value, path: &str, report: &mut ValidationReport) {
    match symbol_value(factory, "file") {
        None => report.missing(format!("Missing {path}.file")),
        Some(Value::Null) => {}
        Some(file) => expect(
            file,
            &format!("{path}.file"),
            "a path",
            file.is_string(),
            report,
        ),
    }
    let traits = match symbol_value(factory, "traits") {
        None => return report.missing(format!("Missing {path}.traits")),
        Some(Value::Array(traits)) => traits,
        Some(other) => {
            return report.wrong(format!("{path}.traits must be a list, {}", got(other)));
        }
    };
    for (at, name) in traits.iter().enumerate() {
        expect(
            name,
            &format!("{path}.traits[{at}]"),
            "a name",
            name.is_string(),
            report,
        );
    }
}
