//! The plugin layout after the spec is written: `test_config` is complete and the spec has no placeholders (rule L11).

use std::fs;

use serde_json::{Map, Value};

use super::plugin::{list, text};
use super::{ValidationContext, ValidationReport, got};
use crate::spec::leftovers;

/// How a test reaches an external system.
const ISOLATION: &[&str] = &["real", "stubbed", "none"];

/// The keys of `test_config`, with their names in documents of older versions, and the allowed values.
const CONFIG: [(&str, Option<&str>, &[&str]); 5] = [
    (
        "/test_level",
        Some("/level"),
        &["unit", "integration", "request", "e2e"],
    ),
    ("/confidence", None, &["high", "medium", "low"]),
    ("/isolation/db", None, ISOLATION),
    (
        "/isolation/external_http",
        Some("/isolation/http"),
        ISOLATION,
    ),
    ("/isolation/queue", None, ISOLATION),
];

pub(super) fn check(
    document: &Map<String, Value>,
    context: &ValidationContext<'_>,
    report: &mut ValidationReport,
) {
    for (index, method) in list(document, "methods").iter().enumerate() {
        check_config(method, &format!("methods[{index}].test_config"), report);
    }
    let Some(spec) = document.get("spec_path").and_then(Value::as_str) else {
        return report.missing("Missing spec_path");
    };
    let written = document.get("automation").map_or(spec, |automation| {
        match text(automation, "skeleton_file") {
            "" => spec,
            file => file,
        }
    });
    let path = context.root.unwrap_or(context.cwd).join(written);
    let Ok(bytes) = fs::read(&path) else {
        return report.missing(format!("Missing spec: {}", path.display()));
    };
    for (line, left) in leftovers(&String::from_utf8_lossy(&bytes)) {
        report.wrong(format!("{written}:{line} must be finished, got: {left}"));
    }
}

fn check_config(method: &Value, path: &str, report: &mut ValidationReport) {
    let Some(config) = method
        .get("test_config")
        .filter(|config| config.is_object())
    else {
        return report.missing(format!("Missing {path}"));
    };
    for (key, older, allowed) in CONFIG {
        let value = config
            .pointer(key)
            .or_else(|| config.pointer(older?))
            .unwrap_or(&Value::Null);
        if !value.as_str().is_some_and(|value| allowed.contains(&value)) {
            report.wrong(format!(
                "{path}{} must be one of {}, {}",
                key.replace('/', "."),
                allowed.join(", "),
                got(value)
            ));
        }
    }
}
