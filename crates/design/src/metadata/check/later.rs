//! Fields of format 2.0, checked where they are present: section 11.1.

use serde_json::Value;

use super::characteristics::Item;
use super::{Findings, got, present};

pub(super) fn check(item: &Item<'_>, items: &[Item<'_>], findings: &mut Findings) {
    terminal_states(item, items, findings);
    source(item, findings);
    setup(item, findings);
    threshold(item, findings);
}

fn terminal_states(item: &Item<'_>, items: &[Item<'_>], findings: &mut Findings) {
    let Some(value) = present(item.map, "terminal_states") else {
        return;
    };
    let Some(terminal) = value.as_array() else {
        return findings.wrong(format!(
            "{} must be a list, {}",
            item.path("terminal_states"),
            got(value)
        ));
    };
    let states = item.states().unwrap_or_default();
    for state in terminal {
        if !state.as_str().is_some_and(|state| states.contains(&state)) {
            findings.wrong(format!(
                "{} must be among the states, {}",
                item.path("terminal_states"),
                got(state)
            ));
        }
        for child in items.iter().filter(|child| hangs_on(child, item, state)) {
            findings.warn(format!(
                "{} names a terminal state of its parent, {}",
                child.path("when_parent"),
                got(state)
            ));
        }
    }
}

fn hangs_on(child: &Item<'_>, parent: &Item<'_>, state: &Value) -> bool {
    let depends = child.map.get("depends_on").and_then(Value::as_str);
    depends.is_some()
        && depends == parent.name()
        && match child.map.get("when_parent") {
            Some(Value::Array(states)) => states.contains(state),
            Some(when) => when == state,
            None => false,
        }
}

/// `path:N` or `path:N-M` with N < M.
fn source(item: &Item<'_>, findings: &mut Findings) {
    let in_setup = item.map.get("setup").and_then(|setup| setup.get("source"));
    let Some(value) = present(item.map, "source")
        .or(in_setup)
        .filter(|value| value.is_string())
    else {
        return;
    };
    if !value.as_str().is_some_and(is_source) {
        findings.wrong(format!(
            "{} must be path:N or path:N-M, {}",
            item.path("source"),
            got(value)
        ));
    }
}

fn is_source(text: &str) -> bool {
    let Some((path, lines)) = text.rsplit_once(':') else {
        return false;
    };
    let number = |text: &str| text.parse::<u32>().ok();
    let is_right = match lines.split_once('-') {
        None => number(lines).is_some(),
        Some((first, last)) => matches!((number(first), number(last)), (Some(a), Some(b)) if a < b),
    };
    !path.is_empty() && is_right
}

fn setup(item: &Item<'_>, findings: &mut Findings) {
    let Some(setup) = item.map.get("setup").and_then(Value::as_object) else {
        return;
    };
    let kind = setup.get("type").and_then(Value::as_str);
    if !matches!(kind, Some("factory" | "model" | "data" | "action")) {
        findings.wrong(format!(
            "{} must be one of factory, data, action, {}",
            item.path("setup.type"),
            got(setup.get("type").unwrap_or(&Value::Null))
        ));
    }
}

fn threshold(item: &Item<'_>, findings: &mut Findings) {
    let value = present(item.map, "threshold_value");
    let operator = present(item.map, "threshold_operator");
    if let Some(operator) = operator
        && !matches!(operator.as_str(), Some(">=" | ">" | "<=" | "<"))
    {
        findings.wrong(format!(
            "{} must be one of >= > <= <, {}",
            item.path("threshold_operator"),
            got(operator)
        ));
    }
    if let Some(value) = value
        && value.as_i64().is_none()
    {
        findings.warn(format!(
            "{} is no integer, {}",
            item.path("threshold_value"),
            got(value)
        ));
    }
    if value.is_some() && operator.is_none() {
        findings.warn(format!(
            "{} has no operator beside it",
            item.path("threshold_value")
        ));
    }
    let is_range = item.map.get("type").and_then(Value::as_str) == Some("range");
    if (value.is_some() || operator.is_some()) && !is_range {
        findings.warn(format!(
            "{} belongs to a range, {}",
            item.path("threshold_operator"),
            got(item.map.get("type").unwrap_or(&Value::Null))
        ));
    }
}
