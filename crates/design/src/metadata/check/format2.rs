//! Fields of format 2.0, checked if they are present: rule L2.

use serde_json::Value;

use super::characteristics::{Item, is_among};
use super::{ValidationReport, got, present, target};
use crate::metadata::read::Layout;

pub(super) fn check(items: &[Item<'_>], layout: Layout, report: &mut ValidationReport) {
    for item in items {
        terminal_states(item, items, report);
    }
    for item in items {
        source(item, report);
        if layout == Layout::V2_0 {
            setup(item, report);
        }
        threshold(item, report);
    }
}

fn terminal_states(item: &Item<'_>, items: &[Item<'_>], report: &mut ValidationReport) {
    let Some(value) = present(item.map, "terminal_states") else {
        return;
    };
    let Some(terminal) = value.as_array() else {
        return report.wrong(format!(
            "{} must be a list, {}",
            item.path("terminal_states"),
            got(value)
        ));
    };
    let states = item.states().unwrap_or_default();
    for state in terminal {
        if !is_among(state, &states) {
            report.wrong(format!(
                "{} must be among the states, {}",
                item.path("terminal_states"),
                got(state)
            ));
        }
        for child in items
            .iter()
            .filter(|child| depends_on_state(child, item, state))
        {
            report.warn(format!(
                "{} names a terminal state of its parent, {}",
                child.path("when_parent"),
                got(state)
            ));
        }
    }
}

fn depends_on_state(child: &Item<'_>, parent: &Item<'_>, state: &Value) -> bool {
    let depends = child.map.get("depends_on").and_then(Value::as_str);
    depends.is_some()
        && depends == parent.name()
        && match child.map.get("when_parent") {
            Some(Value::Array(states)) => states.contains(state),
            Some(when) => when == state,
            None => false,
        }
}

/// `source`, or `source` in `setup`: `path:N` or `path:N-M` with N < M.
fn source(item: &Item<'_>, report: &mut ValidationReport) {
    let in_setup = item.map.get("setup").and_then(|setup| setup.get("source"));
    for (key, value) in [
        ("source", present(item.map, "source")),
        ("setup.source", in_setup.filter(|value| !value.is_null())),
    ] {
        if let Some(value) = value
            && !value.as_str().is_some_and(is_source)
        {
            report.wrong(format!(
                "{} must be path:N or path:N-M, {}",
                item.path(key),
                got(value)
            ));
        }
    }
}

fn is_source(text: &str) -> bool {
    let Some((path, lines)) = text.rsplit_once(':') else {
        return false;
    };
    let number = |text: &str| text.parse::<u32>().ok();
    let is_valid = match lines.split_once('-') {
        None => number(lines).is_some(),
        Some((first, last)) => matches!((number(first), number(last)), (Some(a), Some(b)) if a < b),
    };
    !path.is_empty() && is_valid
}

/// Every characteristic of a document in format 2.0 requires `setup`.
fn setup(item: &Item<'_>, report: &mut ValidationReport) {
    let Some(value) = present(item.map, "setup") else {
        return report.missing(format!("Missing {}", item.path("setup")));
    };
    let Some(setup) = value.as_object() else {
        return report.wrong(format!(
            "{} must be a mapping, {}",
            item.path("setup"),
            got(value)
        ));
    };
    let kind = setup.get("type").and_then(Value::as_str);
    if !matches!(kind, Some("factory" | "model" | "data" | "action")) {
        report.wrong(format!(
            "{} must be one of factory, data, action, {}",
            item.path("setup.type"),
            got(setup.get("type").unwrap_or(&Value::Null))
        ));
    }
    if let Some(class) = present(setup, "class")
        && !class.as_str().is_some_and(target::is_class)
    {
        report.wrong(format!(
            "{} must be a constant name or null, {}",
            item.path("setup.class"),
            got(class)
        ));
    }
}

fn threshold(item: &Item<'_>, report: &mut ValidationReport) {
    let value = present(item.map, "threshold_value");
    let operator = present(item.map, "threshold_operator");
    if let Some(value) = value {
        threshold_value(item, value, report);
    }
    if let Some(operator) = operator
        && !matches!(operator.as_str(), Some(">=" | ">" | "<=" | "<"))
    {
        report.wrong(format!(
            "{} must be one of >= > <= <, {}",
            item.path("threshold_operator"),
            got(operator)
        ));
    }
    for (key, one, partner, other) in [
        ("threshold_value", value, "threshold_operator", operator),
        ("threshold_operator", operator, "threshold_value", value),
    ] {
        let Some(one) = one else { continue };
        // An explicit null means that the value cannot be computed; the operator alone is valid then.
        let is_explicit = partner == "threshold_value" && item.map.contains_key(partner);
        if other.is_none() && !is_explicit {
            report.warn(format!(
                "{} should be used together with {partner}, {}",
                item.path(key),
                got(one)
            ));
        }
        if item.kind() != Some("range") {
            report.warn(format!(
                "{} belongs to a range, {}",
                item.path(key),
                got(item.map.get("type").unwrap_or(&Value::Null))
            ));
        }
    }
}

fn threshold_value(item: &Item<'_>, value: &Value, report: &mut ValidationReport) {
    let path = item.path("threshold_value");
    if !value.is_number() {
        report.wrong(format!("{path} must be a number or null, {}", got(value)));
    } else if value.as_i64().is_none() {
        report.warn(format!(
            "{path} should be an integer: no value follows from a fraction, {}",
            got(value)
        ));
    }
}
