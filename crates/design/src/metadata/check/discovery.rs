//! The plugin layout after discovery: file, class and methods (rule L11).

use serde_json::{Map, Value};

use super::plugin::{list, require_flag, require_strings, text};
use super::{ValidationReport, got};

pub(super) fn check(document: &Map<String, Value>, report: &mut ValidationReport) {
    require_flag(document, "discovery_agent_completed", report);
    require_strings(
        document,
        &["source_file", "class_name", "spec_path"],
        report,
    );
    let zone = document
        .get("complexity")
        .and_then(|complexity| complexity.get("zone"))
        .unwrap_or(&Value::Null);
    if !matches!(zone.as_str(), Some("green" | "yellow" | "red")) {
        report.wrong(format!(
            "complexity.zone must be one of green, yellow, red, {}",
            got(zone)
        ));
    }
    let methods = list(document, "methods_to_analyze");
    if methods.is_empty() {
        report.missing("Missing section: methods_to_analyze");
    }
    for (index, method) in methods.iter().enumerate() {
        check_method(method, &format!("methods_to_analyze[{index}]"), report);
    }
    let only_new = methods
        .iter()
        .all(|method| text(method, "method_mode") == "new");
    if zone.as_str() == Some("red") && !methods.is_empty() && only_new {
        report.wrong("complexity.zone is red and every method is new: split the class first");
    }
    let spec = document.get("spec_path").and_then(Value::as_str);
    if spec.is_some_and(|spec| spec.starts_with("spec/controllers/")) {
        report.warn("spec_path is a controller spec: request specs are the way to go");
    }
}

fn check_method(method: &Value, path: &str, report: &mut ValidationReport) {
    if text(method, "name").is_empty() {
        report.missing(format!("Missing {path}.name"));
    }
    let mode = method.get("method_mode").unwrap_or(&Value::Null);
    if !matches!(mode.as_str(), Some("new" | "modified" | "unchanged")) {
        report.wrong(format!(
            "{path}.method_mode must be one of new, modified, unchanged, {}",
            got(mode)
        ));
    }
    let selected = method.get("selected").unwrap_or(&Value::Null);
    if !selected.is_boolean() {
        report.wrong(format!(
            "{path}.selected must be true or false, {}",
            got(selected)
        ));
    }
    let range = method.get("line_range").unwrap_or(&Value::Null);
    let lines: Vec<i64> = range
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_i64)
        .collect();
    if !matches!(lines.as_slice(), [first, last] if 1 <= *first && first <= last) {
        report.wrong(format!(
            "{path}.line_range must be two lines, the first before the last, {}",
            got(range)
        ));
    }
}
