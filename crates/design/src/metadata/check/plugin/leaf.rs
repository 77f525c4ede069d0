//! The values of a characteristic: their descriptions, and the behaviors of the leaves.

use serde_json::Value;

use super::super::{ValidationReport, got};
use super::{list_of, member, text};
use crate::metadata::read::is_value;

const VERBS: [&str; 6] = ["has", "have", "is", "are", "was", "were"];
const CONTEXT_WORDS: [&str; 5] = ["when", "with", "and", "but", "without"];

pub(super) fn check(
    one: &Value,
    path: &str,
    all: &[Value],
    behaviors: &[Value],
    report: &mut ValidationReport,
) {
    for (at, value) in list_of(one, "values").iter().enumerate() {
        let path = format!("{path}.values[{at}]");
        let is_leaf = !all.iter().any(|other| depends_on_value(other, one, value));
        description(one, value, &path, report);
        let terminal = member(value, "terminal");
        if !terminal.is_null() && !terminal.is_boolean() {
            report.wrong(format!(
                "{path}.terminal must be true or false, {}",
                got(terminal)
            ));
        }
        if !is_leaf && terminal == &Value::Bool(true) {
            report.warn(format!(
                "{path} is terminal, but characteristics depend on it"
            ));
        }
        behavior(value, &path, is_leaf, behaviors, report);
    }
}

/// Whether a characteristic depends on this value of another.
pub(super) fn depends_on_value(child: &Value, parent: &Value, value: &Value) -> bool {
    let name = text(parent, "name");
    !name.is_empty()
        && text(child, "depends_on") == name
        && list_of(child, "when_parent")
            .iter()
            .any(|when| is_value(when, value))
}

fn description(one: &Value, value: &Value, path: &str, report: &mut ValidationReport) {
    let description = text(value, "description");
    if description.trim().is_empty() {
        return report.missing(format!("Missing {path}.description"));
    }
    let lowercase = description.to_lowercase();
    let mut words = lowercase.split_whitespace();
    let first = words.clone().next().unwrap_or_default();
    if CONTEXT_WORDS.contains(&first) {
        report.wrong(format!(
            "{path}.description must not begin with a context word, got: {description}"
        ));
    }
    let is_deep = member(one, "level")
        .as_i64()
        .is_some_and(|level| level >= 2);
    if is_deep && is_pair(one) && words.any(|word| VERBS.contains(&word)) {
        report.wrong(format!(
            "{path}.description must not contain a verb below the first level, got: {description}"
        ));
    }
}

/// Whether its contexts begin with `with` and `but`.
fn is_pair(one: &Value) -> bool {
    match text(one, "type") {
        "boolean" | "presence" => true,
        "range" => list_of(one, "values").len() == 2,
        _ => false,
    }
}

fn behavior(
    value: &Value,
    path: &str,
    is_leaf: bool,
    behaviors: &[Value],
    report: &mut ValidationReport,
) {
    let id = text(value, "behavior_id");
    let behavior = behaviors.iter().find(|behavior| text(behavior, "id") == id);
    let is_terminal = member(value, "terminal") == &Value::Bool(true);
    let expected_type = if is_terminal { "terminal" } else { "success" };
    match behavior {
        _ if id.is_empty() && is_leaf => report.missing(format!("Missing {path}.behavior_id")),
        _ if id.is_empty() => {}
        _ if !is_leaf => report.wrong(format!(
            "{path}.behavior_id must be null because characteristics depend on the value, got: {id}"
        )),
        None => report.wrong(format!(
            "{path}.behavior_id must name a behavior, got: {id}"
        )),
        Some(behavior) if text(behavior, "type") != expected_type => report.wrong(format!(
            "{path}.behavior_id must name a behavior of type {expected_type}, got: {id}"
        )),
        Some(_) => {}
    }
}
