//! The plugin layout after the code analyzer (rules L7 to L11).

mod behavior;
mod characteristic;
mod leaf;
mod method;
mod size;

use serde_json::{Map, Value};

use super::{ValidationReport, got, present};

pub(super) fn check(document: &Map<String, Value>, report: &mut ValidationReport) {
    require_strings(
        document,
        &["slug", "source_file", "class_name", "spec_path"],
        report,
    );
    match present(document, "source_mtime") {
        None => report.missing("Missing source_mtime"),
        Some(time) if time.as_i64().is_some() => {}
        Some(other) => report.wrong(format!("source_mtime must be an integer, {}", got(other))),
    }
    let behaviors = list(document, "behaviors");
    for (index, one) in behaviors.iter().enumerate() {
        behavior::check(one, index, &behaviors[..index], report);
    }
    let methods = list(document, "methods");
    for (index, one) in methods.iter().enumerate() {
        method::check(one, &format!("methods[{index}]"), behaviors, report);
    }
    if methods.is_empty() {
        report.missing("Missing section: methods");
    }
    selected_are_analyzed(document, methods, report);
}

/// The analyzed methods must be exactly those that discovery selected.
fn selected_are_analyzed(
    document: &Map<String, Value>,
    methods: &[Value],
    report: &mut ValidationReport,
) {
    let discovered = list(document, "methods_to_analyze");
    let is_selected = |method: &&Value| method.get("selected") != Some(&Value::Bool(false));
    let names = |method| text(method, "name");
    let selected: Vec<&str> = discovered.iter().filter(is_selected).map(names).collect();
    let analyzed: Vec<&str> = methods.iter().map(names).collect();
    for name in selected.iter().filter(|name| !analyzed.contains(name)) {
        report.missing(format!("Missing methods: {name} is selected"));
    }
    if discovered.is_empty() {
        return;
    }
    for (index, name) in analyzed.iter().enumerate() {
        if !selected.contains(name) {
            report.wrong(format!(
                "methods[{index}] must be a selected method, got: {name}"
            ));
        }
    }
}

/// Reports a stage whose flag in `automation` is not `true`.
pub(super) fn require_flag(
    document: &Map<String, Value>,
    flag: &str,
    report: &mut ValidationReport,
) {
    let automation = document.get("automation");
    if automation.and_then(|automation| automation.get(flag)) != Some(&Value::Bool(true)) {
        report.missing(format!("Missing automation.{flag}"));
    }
}

/// Reports keys that are missing or not texts.
pub(super) fn require_strings(
    document: &Map<String, Value>,
    keys: &[&str],
    report: &mut ValidationReport,
) {
    for key in keys {
        match present(document, key) {
            Some(Value::String(text)) if !text.is_empty() => {}
            None | Some(Value::String(_)) => report.missing(format!("Missing {key}")),
            Some(other) => report.wrong(format!("{key} must be a string, {}", got(other))),
        }
    }
}

pub(super) fn list<'v>(map: &'v Map<String, Value>, key: &str) -> &'v [Value] {
    map.get(key)
        .and_then(Value::as_array)
        .map(Vec::as_slice)
        .unwrap_or_default()
}

pub(super) fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// The list at a key of a mapping; empty if there is none.
fn list_of<'v>(value: &'v Value, key: &str) -> &'v [Value] {
    value
        .get(key)
        .and_then(Value::as_array)
        .map(Vec::as_slice)
        .unwrap_or_default()
}

/// The value at a key of a mapping; null if it is absent.
fn member<'v>(value: &'v Value, key: &str) -> &'v Value {
    value.get(key).unwrap_or(&Value::Null)
}

/// Reports a value that is not one of the allowed words.
pub(super) fn require_one_of(
    value: &Value,
    path: &str,
    allowed: &[&str],
    report: &mut ValidationReport,
) {
    if !value.as_str().is_some_and(|word| allowed.contains(&word)) {
        report.wrong(format!(
            "{path} must be one of {}, {}",
            allowed.join(", "),
            got(value)
        ));
    }
}
