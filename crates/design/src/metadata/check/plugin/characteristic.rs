//! One characteristic of the plugin layout: what every one of its fields may say.

use serde_json::Value;

use super::super::target::is_class;
use super::super::{ValidationReport, got};
use super::{list_of, member, one_of, text};
use crate::metadata::read::is_value;

const TYPES: [&str; 5] = ["boolean", "presence", "enum", "range", "sequential"];

pub(super) fn check(
    one: &Value,
    path: &str,
    all: &[Value],
    index: usize,
    findings: &mut ValidationReport,
) {
    let name = text(one, "name");
    for key in ["name", "description"] {
        if text(one, key).is_empty() {
            findings.missing(format!("Missing {path}.{key}"));
        }
    }
    if !name.is_empty() && all[..index].iter().any(|other| text(other, "name") == name) {
        findings.wrong(format!("{path}.name must be unique, got: {name}"));
    }
    one_of(
        member(one, "type"),
        &format!("{path}.type"),
        &TYPES,
        findings,
    );
    if list_of(one, "values").len() < 2 {
        findings.wrong(format!(
            "{path}.values must have at least 2 members, got: {}",
            list_of(one, "values").len()
        ));
    }
    whole_number(one, "level", path, findings);
    whole_number(one, "source_line", path, findings);
    source(one, path, findings);
    setup(one, path, findings);
    threshold(one, path, findings);
    parent(one, path, all, findings);
}

fn whole_number(one: &Value, key: &str, path: &str, findings: &mut ValidationReport) {
    let value = member(one, key);
    if value.as_i64().is_none_or(|number| number < 1) {
        findings.wrong(format!(
            "{path}.{key} must be an integer of 1 or more, {}",
            got(value)
        ));
    }
}

fn source(one: &Value, path: &str, findings: &mut ValidationReport) {
    let source = member(one, "source");
    if !source.is_object() {
        return findings.missing(format!("Missing {path}.source"));
    }
    let kind = member(source, "kind");
    one_of(
        kind,
        &format!("{path}.source.kind"),
        &["internal", "external"],
        findings,
    );
    if kind == "external" && text(source, "class").is_empty() {
        findings.missing(format!("Missing {path}.source.class"));
    }
}

fn setup(one: &Value, path: &str, findings: &mut ValidationReport) {
    let setup = member(one, "setup");
    if !setup.is_object() {
        return findings.missing(format!("Missing {path}.setup"));
    }
    // `factory` is what format 2.0 calls a model.
    let kind = member(setup, "type");
    if kind != "factory" {
        let kinds = ["model", "data", "action"];
        one_of(kind, &format!("{path}.setup.type"), &kinds, findings);
    }
    let class = member(setup, "class");
    if !class.is_null() && !class.as_str().is_some_and(is_class) {
        findings.wrong(format!(
            "{path}.setup.class must be a constant name or null, {}",
            got(class)
        ));
    }
}

fn threshold(one: &Value, path: &str, findings: &mut ValidationReport) {
    let operator = member(one, "threshold_operator");
    if !operator.is_null() {
        one_of(
            operator,
            &format!("{path}.threshold_operator"),
            &[">=", ">", "<=", "<"],
            findings,
        );
    }
    let value = member(one, "threshold_value");
    if !value.is_null() && !value.is_number() {
        findings.wrong(format!(
            "{path}.threshold_value must be a number or null, {}",
            got(value)
        ));
    }
}

/// Whom it hangs on, and in which of its values.
fn parent(one: &Value, path: &str, all: &[Value], findings: &mut ValidationReport) {
    let when = member(one, "when_parent");
    let name = member(one, "depends_on");
    if name.is_null() {
        if !when.is_null() {
            findings.wrong(format!(
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
        return findings.wrong(format!(
            "{path}.depends_on must name a characteristic, {}",
            got(name)
        ));
    };
    if let Some(walked) = circle(one, all) {
        return findings.cycle(walked);
    }
    match when.as_array() {
        Some(states) if !states.is_empty() => {
            for state in states {
                if !list_of(parent, "values")
                    .iter()
                    .any(|value| is_value(state, value))
                {
                    findings.wrong(format!(
                        "{path}.when_parent must be a value of the parent, {}",
                        got(state)
                    ));
                }
            }
        }
        _ => findings.wrong(format!(
            "{path}.when_parent must be a list of the parent's values, {}",
            got(when)
        )),
    }
}

/// The loop that begins here, told by the first of its members alone.
fn circle(one: &Value, all: &[Value]) -> Option<String> {
    let start = text(one, "name");
    let mut walked = vec![start];
    let mut parent = text(one, "depends_on");
    while parent != start {
        let next = all.iter().find(|other| text(other, "name") == parent)?;
        if walked.contains(&parent) {
            return None;
        }
        walked.push(parent);
        parent = text(next, "depends_on");
    }
    let first = all
        .iter()
        .find(|other| walked.contains(&text(other, "name")));
    let is_first = first.is_some_and(|first| text(first, "name") == start);
    walked.push(start);
    is_first.then(|| walked.join(" -> "))
}
