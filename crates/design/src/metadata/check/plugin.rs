//! The plugin layout: what its code analyzer promises (section 11.5).

use serde_json::{Map, Value};

use super::{Findings, got, present};

const MODAL: [&str; 4] = ["should", "can", "must", "will"];
const VERBS: [&str; 6] = ["has", "have", "is", "are", "was", "were"];
const CONTEXT_WORDS: [&str; 5] = ["when", "with", "and", "but", "without"];

pub(super) fn check(document: &Map<String, Value>, findings: &mut Findings) {
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
    for (index, behavior) in behaviors.iter().enumerate() {
        let is_known = behaviors[..index]
            .iter()
            .any(|other| other.get("id") == behavior.get("id"));
        behavior_is_right(behavior, index, is_known, findings);
    }
    let methods = list(document, "methods");
    for (index, method) in methods.iter().enumerate() {
        method_is_right(method, &format!("methods[{index}]"), behaviors, findings);
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
    findings: &mut Findings,
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
pub(super) fn done(document: &Map<String, Value>, flag: &str, findings: &mut Findings) {
    let automation = document.get("automation");
    if automation.and_then(|automation| automation.get(flag)) != Some(&Value::Bool(true)) {
        findings.missing(format!("Missing automation.{flag}"));
    }
}

/// Texts that have to be there.
pub(super) fn strings(document: &Map<String, Value>, keys: &[&str], findings: &mut Findings) {
    for key in keys {
        if !present(document, key).is_some_and(Value::is_string) {
            findings.missing(format!("Missing {key}"));
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

fn behavior_is_right(behavior: &Value, index: usize, is_known: bool, findings: &mut Findings) {
    let path = format!("behaviors[{index}]");
    let (id, description) = (text(behavior, "id"), text(behavior, "description"));
    if id.is_empty() {
        findings.missing(format!("Missing {path}.id"));
    } else if is_known {
        findings.wrong(format!("{path}.id must be unique, got: {id}"));
    }
    let is_snake = |letter: char| letter.is_lowercase() || letter.is_numeric() || letter == '_';
    if !id.chars().all(is_snake) {
        findings.wrong(format!("{path}.id must be in snake_case, got: {id}"));
    }
    let subtype = behavior.get("subtype").unwrap_or(&Value::Null);
    let effects = ["webhook", "email", "cache", "event", "external_api"];
    if text(behavior, "type") == "side_effect"
        && !subtype
            .as_str()
            .is_some_and(|subtype| effects.contains(&subtype))
    {
        findings.wrong(format!(
            "{path}.subtype must be one of {}, {}",
            effects.join(", "),
            got(subtype)
        ));
    }
    if !matches!(
        text(behavior, "type"),
        "terminal" | "success" | "side_effect"
    ) {
        let kind = behavior.get("type").unwrap_or(&Value::Null);
        findings.wrong(format!(
            "{path}.type must be one of terminal, success, side_effect, {}",
            got(kind)
        ));
    }
    let is_modal = description
        .split_whitespace()
        .any(|word| MODAL.contains(&word));
    if is_modal
        || description.starts_with("it ")
        || description.split_whitespace().any(|word| word == "not")
    {
        findings.wrong(format!(
            "{path}.description must say plainly what happens, got: {description}"
        ));
    }
}

fn method_is_right(method: &Value, path: &str, behaviors: &[Value], findings: &mut Findings) {
    if text(method, "name").is_empty() {
        findings.missing(format!("Missing {path}.name"));
    }
    if !matches!(text(method, "type"), "instance" | "class") {
        let kind = method.get("type").unwrap_or(&Value::Null);
        findings.wrong(format!(
            "{path}.type must be one of instance, class, {}",
            got(kind)
        ));
    }
    let Some(characteristics) = method.get("characteristics").and_then(Value::as_array) else {
        return findings.missing(format!("Missing {path}.characteristics"));
    };
    if characteristics.len() >= 5 {
        findings.warn(format!(
            "{path} has {} characteristics: consider splitting it",
            characteristics.len()
        ));
    }
    let leaves = leaf_count(characteristics);
    let effects = list_of(method, "side_effects").len();
    if leaves >= 25 || leaves * (effects + 1) >= 50 {
        findings.warn(format!(
            "{path} has {leaves} leaves and {} examples: consider splitting it",
            leaves * (effects + 1)
        ));
    }
    for (index, one) in characteristics.iter().enumerate() {
        let path = format!("{path}.characteristics[{index}]");
        characteristic_is_right(one, &path, findings);
        for (at, value) in list_of(one, "values").iter().enumerate() {
            let is_leaf = !characteristics
                .iter()
                .any(|other| hangs_on(other, one, value));
            described_rightly(one, value, &format!("{path}.values[{at}]"), findings);
            leaf_is_right(
                value,
                &format!("{path}.values[{at}]"),
                is_leaf,
                behaviors,
                findings,
            );
        }
    }
}

fn list_of<'v>(value: &'v Value, key: &str) -> &'v [Value] {
    value
        .get(key)
        .and_then(Value::as_array)
        .map(Vec::as_slice)
        .unwrap_or_default()
}

fn characteristic_is_right(one: &Value, path: &str, findings: &mut Findings) {
    if text(one, "name").is_empty() {
        findings.missing(format!("Missing {path}.name"));
    }
    if !matches!(
        text(one, "type"),
        "boolean" | "presence" | "enum" | "range" | "sequential"
    ) {
        let kind = one.get("type").unwrap_or(&Value::Null);
        findings.wrong(format!(
            "{path}.type must be one of boolean, presence, enum, range, sequential, {}",
            got(kind)
        ));
    }
    if list_of(one, "values").len() < 2 {
        findings.wrong(format!(
            "{path}.values must have at least 2 members, got: {}",
            list_of(one, "values").len()
        ));
    }
    if one
        .get("level")
        .and_then(Value::as_i64)
        .is_none_or(|level| level < 1)
    {
        let level = one.get("level").unwrap_or(&Value::Null);
        findings.wrong(format!(
            "{path}.level must be an integer of 1 or more, {}",
            got(level)
        ));
    }
}

/// How many leaf contexts characteristics make.
fn leaf_count(characteristics: &[Value]) -> usize {
    fn below(one: &Value, all: &[Value], depth: usize) -> usize {
        let values = list_of(one, "values").iter();
        values
            .map(|value| {
                let children = all.iter().filter(|child| hangs_on(child, one, value));
                // A circle is told elsewhere.
                let count: usize = children
                    .filter(|_| depth < 16)
                    .map(|child| below(child, all, depth + 1))
                    .sum();
                count.max(1)
            })
            .sum()
    }
    let roots = characteristics
        .iter()
        .filter(|one| one.get("depends_on").is_none_or(Value::is_null));
    roots.map(|root| below(root, characteristics, 0)).sum()
}

/// Whether a characteristic matters in this value of another; states stand there as words.
fn hangs_on(child: &Value, parent: &Value, value: &Value) -> bool {
    let own = text(value, "state");
    let word = text(value, "description").to_lowercase().replace(' ', "_");
    let raw = value
        .get("value")
        .and_then(Value::as_str)
        .unwrap_or_default();
    text(child, "depends_on") == text(parent, "name")
        && !text(parent, "name").is_empty()
        && list_of(child, "when_parent")
            .iter()
            .filter_map(Value::as_str)
            .any(|state| {
                state == own || state == word || state == raw || state == "absent" && raw == "nil"
            })
}

fn described_rightly(one: &Value, value: &Value, path: &str, findings: &mut Findings) {
    let description = text(value, "description");
    let mut words = description.split_whitespace();
    if words
        .clone()
        .next()
        .is_some_and(|first| CONTEXT_WORDS.contains(&first))
    {
        findings.wrong(format!(
            "{path}.description must not begin with a context word, got: {description}"
        ));
    }
    let is_deep_pair = list_of(one, "values").len() == 2
        && one
            .get("level")
            .and_then(Value::as_i64)
            .is_some_and(|level| level >= 2);
    if is_deep_pair && words.any(|word| VERBS.contains(&word)) {
        findings.wrong(format!(
            "{path}.description must not hold a verb below the first level, got: {description}"
        ));
    }
}

fn leaf_is_right(
    value: &Value,
    path: &str,
    is_leaf: bool,
    behaviors: &[Value],
    findings: &mut Findings,
) {
    let id = text(value, "behavior_id");
    let is_terminal = value.get("terminal") == Some(&Value::Bool(true));
    let behavior = behaviors
        .iter()
        .find(|behavior| text(behavior, "id") == id && !id.is_empty());
    match (is_leaf, behavior) {
        (true, None) if id.is_empty() => findings.missing(format!("Missing {path}.behavior_id")),
        (_, None) if !id.is_empty() => findings.wrong(format!(
            "{path}.behavior_id must name a behavior, got: {id}"
        )),
        (true, Some(behavior)) => {
            let wanted = if is_terminal { "terminal" } else { "success" };
            if text(behavior, "type") != wanted {
                findings.wrong(format!(
                    "{path}.behavior_id must name a behavior of type {wanted}, got: {id}"
                ));
            }
        }
        _ => {}
    }
}
