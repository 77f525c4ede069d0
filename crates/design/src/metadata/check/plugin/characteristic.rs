//! The fields of one characteristic of the plugin layout.

use serde_json::Value;

use super::super::target::is_class;
use super::super::{ValidationReport, got};
use super::{list_of, member, require_one_of, text};
use crate::metadata::read::is_value;

const TYPES: [&str; 5] = ["boolean", "presence", "enum", "range", "sequential"];

pub(super) fn check(
    one: &Value,
    path: &str,
    all: &[Value],
    index: usize,
    report: &mut ValidationReport,
) {
    let name = text(one, "name");
    for key in ["name", "description"] {
        if text(one, key).is_empty() {
            report.missing(format!("Missing {path}.{key}"));
        }
    }
    if !name.is_empty() && all[..index].iter().any(|other| text(other, "name") == name) {
        report.wrong(format!("{path}.name must be unique, got: {name}"));
    }
    require_one_of(member(one, "type"), &format!("{path}.type"), &TYPES, report);
    if list_of(one, "values").len() < 2 {
        report.wrong(format!(
            "{path}.values must have at least 2 members, got: {}",
            list_of(one, "values").len()
        ));
    }
    unique_values(one, path, report);
    positive_integer(one, "level", path, report);
    positive_integer(one, "source_line", path, report);
    source(one, path, report);
    setup(one, path, report);
    threshold(one, path, report);
    parent(one, path, all, report);
}

fn unique_values(one: &Value, path: &str, report: &mut ValidationReport) {
    let values = list_of(one, "values");
    for (at, value) in values.iter().enumerate() {
        let value = member(value, "value");
        let is_same = |other: &Value| member(other, "value") == value;
        if !value.is_null() && values[..at].iter().any(is_same) {
            report.wrong(format!(
                "{path}.values[{at}].value must be unique, {}",
                got(value)
            ));
        }
    }
}

fn positive_integer(one: &Value, key: &str, path: &str, report: &mut ValidationReport) {
    let value = member(one, key);
    if value.as_i64().is_none_or(|number| number < 1) {
        report.wrong(format!(
            "{path}.{key} must be an integer of 1 or more, {}",
            got(value)
        ));
    }
}

fn source(one: &Value, path: &str, report: &mut ValidationReport) {
    let source = member(one, "source");
    if !source.is_object() {
        return report.missing(format!("Missing {path}.source"));
    }
    let kind = member(source, "kind");
    require_one_of(
        kind,
        &format!("{path}.source.kind"),
        &["internal", "external"],
        report,
    );
    if kind == "external" && text(source, "class").is_empty() {
        report.missing(format!("Missing {path}.source.class"));
    }
}

fn setup(one: &Value, path: &str, report: &mut ValidationReport) {
    let setup = member(one, "setup");
    if !setup.is_object() {
        return report.missing(format!("Missing {path}.setup"));
    }
    // Format 2.0 has `factory` for what the plugin layout calls `model`.
    let kind = member(setup, "type");
    if kind != "factory" {
        let kinds = ["model", "data", "action"];
        require_one_of(kind, &format!("{path}.setup.type"), &kinds, report);
    }
    let class = member(setup, "class");
    if !class.is_null() && !class.as_str().is_some_and(is_class) {
        report.wrong(format!(
            "{path}.setup.class must be a constant name or null, {}",
            got(class)
        ));
    }
}

fn threshold(one: &Value, path: &str, report: &mut ValidationReport) {
    let operator = member(one, "threshold_operator");
    if !operator.is_null() {
        require_one_of(
            operator,
            &format!("{path}.threshold_operator"),
            &[">=", ">", "<=", "<"],
            report,
        );
    }
    let value = member(one, "threshold_value");
    if !value.is_null() && !value.is_number() {
        report.wrong(format!(
            "{path}.threshold_value must be a number or null, {}",
            got(value)
        ));
    }
}

/// Checks `depends_on` and `when_parent`.
fn parent(one: &Value, path: &str, all: &[Value], report: &mut ValidationReport) {
    let when = member(one, "when_parent");
    let name = member(one, "depends_on");
    if name.is_null() {
        if !when.is_null() {
            report.wrong(format!(
                "{path}.when_parent must be null without depends_on, {}",
                got(when)
            ));
        }
        return;
    }
    let parent = all
        .iter()
        .find(|other| Some(text(other, "name")) == name.as_str());
    let Some(parent) = parent else {
        return report.wrong(format!(
            "{path}.depends_on must name a characteristic, {}",
            got(name)
        ));
    };
    if let Some(path_back) = cycle_from(one, all) {
        return report.cycle(path_back);
    }
    match when.as_array() {
        Some(states) if !states.is_empty() => {
            for state in states {
                if !list_of(parent, "values")
                    .iter()
                    .any(|value| is_value(state, value))
                {
                    report.wrong(format!(
                        "{path}.when_parent must be a value of the parent, {}",
                        got(state)
                    ));
                }
            }
        }
        _ => report.wrong(format!(
            "{path}.when_parent must be a list of the parent's values, {}",
            got(when)
        )),
    }
}

/// The cycle that contains this characteristic. Only the first member of a cycle reports it; `None` for the others.
fn cycle_from(one: &Value, all: &[Value]) -> Option<String> {
    let start = text(one, "name");
    let mut path_back = vec![start];
    let mut parent = text(one, "depends_on");
    while parent != start {
        let next = all.iter().find(|other| text(other, "name") == parent)?;
        if path_back.contains(&parent) {
            return None;
        }
        path_back.push(parent);
        parent = text(next, "depends_on");
    }
    let first = all
        .iter()
        .find(|other| path_back.contains(&text(other, "name")));
    let is_first = first.is_some_and(|first| text(first, "name") == start);
    path_back.push(start);
    is_first.then(|| path_back.join(" -> "))
}
