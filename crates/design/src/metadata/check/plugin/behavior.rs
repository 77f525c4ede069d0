//! The `behaviors` of the plugin layout. Each describes what a method does and can be used by several leaves.

use serde_json::Value;

use super::super::{ValidationReport, got};
use super::{member, require_one_of, text};

/// Kinds of side effects.
pub(super) const EFFECTS: [&str; 5] = ["webhook", "email", "cache", "event", "external_api"];

const MODAL: [&str; 7] = ["should", "can", "must", "will", "cannot", "can't", "won't"];

pub(super) fn check(
    behavior: &Value,
    index: usize,
    before: &[Value],
    report: &mut ValidationReport,
) {
    let path = format!("behaviors[{index}]");
    id(behavior, &path, before, report);
    description(behavior, &path, report);
    let kind = member(behavior, "type");
    let path_of = |key: &str| format!("{path}.{key}");
    require_one_of(
        kind,
        &path_of("type"),
        &["terminal", "success", "side_effect"],
        report,
    );
    if kind == "side_effect" {
        let subtype = member(behavior, "subtype");
        require_one_of(subtype, &path_of("subtype"), &EFFECTS, report);
    }
    let enabled = member(behavior, "enabled");
    if !enabled.is_null() && !enabled.is_boolean() {
        report.wrong(format!(
            "{} must be true or false, {}",
            path_of("enabled"),
            got(enabled)
        ));
    }
}

fn id(behavior: &Value, path: &str, before: &[Value], report: &mut ValidationReport) {
    let id = text(behavior, "id");
    if id.is_empty() {
        report.missing(format!("Missing {path}.id"));
    } else if before.iter().any(|other| text(other, "id") == id) {
        report.wrong(format!("{path}.id must be unique, got: {id}"));
    }
    let is_snake = |letter: char| letter.is_lowercase() || letter.is_numeric() || letter == '_';
    if !id.chars().all(is_snake) {
        report.wrong(format!("{path}.id must be in snake_case, got: {id}"));
    }
}

fn description(behavior: &Value, path: &str, report: &mut ValidationReport) {
    let description = text(behavior, "description");
    if description.trim().is_empty() {
        return report.missing(format!("Missing {path}.description"));
    }
    let mut words = description.split_whitespace();
    let begins_with_it = words.clone().next().is_some_and(|word| word == "it");
    let is_modal_or_negated = |word: &str| {
        let small = word.to_lowercase();
        let verb = small.strip_suffix("n't").unwrap_or(&small);
        word == "not" || MODAL.contains(&small.as_str()) || MODAL.contains(&verb)
    };
    if begins_with_it || words.any(is_modal_or_negated) {
        report.wrong(format!(
            "{path}.description must state what happens, without a leading it, not, should, can, must or will, got: {description}"
        ));
    }
}
