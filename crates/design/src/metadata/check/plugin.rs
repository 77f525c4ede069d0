//! The plugin layout: what its code analyzer promises (rules L7 to L11).

mod behavior;
mod characteristic;
mod leaf;
mod method;
mod size;

use serde_json::{Map, Value};

use super::{ValidationReport, got, present};

pub(super) fn check(document: &Map<String, Value>, findings: &mut ValidationReport) {
    strings(
        document,
        &["slug", "source_file", "class_name", "spec_path"],
        findings,
    );
    match present(document, "source_mtime") {
        None => findings.missing("Missing source_mtime"),
        Some(time) if time.as_i64().is_some() => {}
        Some(other) => findings.wrong(format!("source_mtime must be an integer, {}", got(other))),
    }
    let behaviors = list(document, "behaviors");
    for (index, one) in behaviors.iter().enumerate() {
        behavior::check(one, index, &behaviors[..index], findings);
    }
    let methods = list(document, "methods");
    for (index, one) in methods.iter().enumerate() {
        method::check(one, &format!("methods[{index}]"), behaviors, findings);
    }
    if methods.is_empty() {
        findings.missing("Missing section: methods");
    }
    selected_are_analyzed(document, methods, findings);
}

/// The methods are those that discovery selected, no more and no less.
fn selected_are_analyzed(
    document: &Map<String, Value>,
    methods: &[Value],
    findings: &mut ValidationReport,
) {
    let discovered = list(document, "methods_to_analyze");
    let is_selected = |method: &&Value| method.get("selected") != Some(&Value::Bool(false));
    let names = |method| text(method, "name");
    let selected: Vec<&str> = discovered.iter().filter(is_selected).map(names).collect();
    let analyzed: Vec<&str> = methods.iter().map(names).collect();
    for name in selected.iter().filter(|name| !analyzed.contains(name)) {
        findings.missing(format!("Missing methods: {name} is selected"));
    }
    if discovered.is_empty() {
        return;
    }
    for (index, name) in analyzed.iter().enumerate() {
        if !selected.contains(name) {
            findings.wrong(format!(
                "methods[{index}] must be a selected one, got: {name}"
            ));
        }
    }
}

/// The flag of a stage.
pub(super) fn done(document: &Map<String, Value>, flag: &str, findings: &mut ValidationReport) {
    let automation = document.get("automation");
    if automation.and_then(|automation| automation.get(flag)) != Some(&Value::Bool(true)) {
        findings.missing(format!("Missing automation.{flag}"));
    }
}

/// Texts that have to be there.
pub(super) fn strings(
    document: &Map<String, Value>,
    keys: &[&str],
    findings: &mut ValidationReport,
) {
    for key in keys {
        match present(document, key) {
            Some(Value::String(text)) if !text.is_empty() => {}
            None | Some(Value::String(_)) => findings.missing(format!("Missing {key}")),
            Some(other) => findings.wrong(format!("{key} must be a text, {}", got(other))),
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

/// The members of a list that a mapping holds; none where it holds no list.
fn list_of<'v>(value: &'v Value, key: &str) -> &'v [Value] {
    value
        .get(key)
        .and_then(Value::as_array)
        .map(Vec::as_slice)
        .unwrap_or_default()
}

/// The member of a mapping, null where it is not there.
fn member<'v>(value: &'v Value, key: &str) -> &'v Value {
    value.get(key).unwrap_or(&Value::Null)
}

/// Demands one of a few words.
pub(super) fn one_of(value: &Value, path: &str, allowed: &[&str], findings: &mut ValidationReport) {
    if !value.as_str().is_some_and(|word| allowed.contains(&word)) {
        findings.wrong(format!(
            "{path} must be one of {}, {}",
            allowed.join(", "),
            got(value)
        ));
    }
}
