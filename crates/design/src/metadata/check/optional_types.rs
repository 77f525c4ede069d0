//! Rule V29: optional values of a wrong type. No step needs them, so they are warnings.

use serde_json::{Map, Value};

use super::{ValidationReport, got, present};

pub(super) fn check(document: &Map<String, Value>, report: &mut ValidationReport) {
    for section in ["validation", "automation"] {
        if let Some(value) = present(document, section) {
            expect(value, section, "a mapping", value.is_object(), report);
        }
    }
    let target = document.get("target").and_then(Value::as_object);
    if let Some(value) = target.and_then(|target| present(target, "uses_models")) {
        expect(
            value,
            "target.uses_models",
            "true or false",
            value.is_boolean(),
            report,
        );
    }
    automation(document, report);
}

fn automation(document: &Map<String, Value>, report: &mut ValidationReport) {
    let section = document.get("automation").and_then(Value::as_object);
    for (key, value) in section.into_iter().flatten() {
        let path = format!("automation.{key}");
        match key.as_str() {
            "errors" | "warnings" => expect(value, &path, "a list", value.is_array(), report),
            key if key.ends_with("_completed") => {
                expect(value, &path, "true or false", value.is_boolean(), report);
            }
            "skeleton_file" => expect(value, &path, "a path", value.is_string(), report),
            _ => {}
        }
    }
}

pub(super) fn expect(
    value: &Value,
    path: &str,
    expected: &str,
    is_met: bool,
    report: &mut ValidationReport,
) {
    if !is_met {
        report.warn(format!("{path} should be {expected}, {}", got(value)));
    }
}
