//! Rules V07 to V12b: the method that the document describes.

use std::path::PathBuf;

use serde_json::{Map, Value};

use crate::operator::is_operator;

use super::{ValidationContext, ValidationReport, got, present};

pub(super) fn check(
    document: &Map<String, Value>,
    context: &ValidationContext<'_>,
    report: &mut ValidationReport,
) {
    let Some(target) = present(document, "target") else {
        return report.missing("Missing section: target");
    };
    let Some(target) = target.as_object() else {
        return report.wrong(format!("target must be a mapping, {}", got(target)));
    };
    for key in ["class", "method", "method_type", "file"] {
        if !target.contains_key(key) {
            report.missing(format!("Missing target.{key}"));
        }
    }
    require(
        target,
        "class",
        "must be a constant name such as Billing::Invoice",
        is_class,
        report,
    );
    require(target, "method", "must be a method name", is_method, report);
    require(
        target,
        "method_type",
        "must be one of instance, class",
        is_method_type,
        report,
    );
    file(target, context, report);
}

fn require(
    target: &Map<String, Value>,
    key: &str,
    requirement: &str,
    is_valid: fn(&str) -> bool,
    report: &mut ValidationReport,
) {
    if let Some(value) = target.get(key)
        && !value.as_str().is_some_and(is_valid)
    {
        report.wrong(format!("target.{key} {requirement}, {}", got(value)));
    }
}

/// Rule V09.
pub(super) fn is_class(name: &str) -> bool {
    name.split("::").all(|segment| {
        segment.starts_with(|first: char| first.is_ascii_uppercase())
            && segment
                .chars()
                .all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
    })
}

/// Rule V10.
pub(crate) fn is_method(name: &str) -> bool {
    if is_operator(name) {
        return true;
    }
    let name = name.strip_suffix(['?', '!', '=']).unwrap_or(name);
    name.starts_with(|first: char| first.is_ascii_lowercase() || first == '_')
        && name
            .chars()
            .all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
}

/// Rule V11.
fn is_method_type(name: &str) -> bool {
    matches!(name, "instance" | "class")
}

/// Rules V12 and V12b.
fn file(
    target: &Map<String, Value>,
    context: &ValidationContext<'_>,
    report: &mut ValidationReport,
) {
    let Some(value) = target.get("file") else {
        return;
    };
    let Some((file, path)) = value
        .as_str()
        .and_then(|file| Some((file, find(file, context)?)))
    else {
        return report.warn(format!("target.file does not exist, {}", got(value)));
    };
    let Some(methods) = (context.methods)(&path) else {
        return;
    };
    let text = |key: &str| target.get(key).and_then(Value::as_str).unwrap_or_default();
    let (class, method, kind) = (text("class"), text("method"), text("method_type"));
    if class.is_empty() || method.is_empty() {
        return;
    }
    let of_class: Vec<_> = methods
        .iter()
        .filter(|found| found.class == class)
        .collect();
    let is_defined = of_class.iter().any(|found| {
        found.name == method && (kind.is_empty() || found.method_type.as_str() == kind)
    });
    if !is_defined {
        let sign = if kind == "class" { '.' } else { '#' };
        report.warn(format!(
            "target.file does not define {class}{sign}{method}, got: {file}"
        ));
    }
}

fn find(file: &str, context: &ValidationContext<'_>) -> Option<PathBuf> {
    let dirs = context.root.into_iter().chain([context.cwd]);
    dirs.map(|dir| dir.join(file)).find(|path| path.is_file())
}
