//! What the formats only recommend: rule V31, and the strict form of format 2.0.

use serde_json::{Map, Value};

use super::{ValidationReport, got};
use crate::metadata::read::{Layout, layout};

pub(super) fn check(document: &Map<String, Value>, report: &mut ValidationReport) {
    let entries = document.get("characteristics").and_then(Value::as_array);
    let entries = entries.map(Vec::as_slice).unwrap_or_default();
    if layout(document) == Layout::V2_0 {
        lists_of_parent_states(entries, report);
    }
    names(entries, report);
    if let [_] = entries {
        report.warn("characteristics should be more than one: look for edge cases, got: 1");
    }
    let target = document.get("target").and_then(Value::as_object);
    if target.is_some_and(|target| !target.contains_key("uses_models")) {
        report.warn("target.uses_models should say whether records are used, got: null");
    }
}

fn lists_of_parent_states(entries: &[Value], report: &mut ValidationReport) {
    for (index, entry) in entries.iter().enumerate() {
        let when = entry.get("when_parent").unwrap_or(&Value::Null);
        if !when.is_null() && !when.is_array() {
            report.wrong(format!(
                "characteristics[{index}].when_parent must be a list, {}",
                got(when)
            ));
        }
    }
}

fn names(entries: &[Value], report: &mut ValidationReport) {
    let is_snake =
        |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '_';
    for (index, entry) in entries.iter().enumerate() {
        let name = entry
            .get("name")
            .and_then(Value::as_str)
            .unwrap_or_default();
        if !name.chars().all(is_snake) {
            report.warn(format!(
                "characteristics[{index}].name should be in snake_case, got: {name}"
            ));
        }
    }
}
