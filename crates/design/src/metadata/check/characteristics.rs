//! V13 to V27 but for cycles, and V15b.

use serde_json::{Map, Value};

use super::{Findings, dependency, got, later, present};
use crate::characteristic::Kind;

/// The keys of every entry.
const REQUIRED: [&str; 6] = ["name", "type", "states", "default", "depends_on", "level"];

/// Keys that belong to factories: they never decide what varies.
const FOREIGN: [&str; 3] = ["existing_trait", "trait", "factory"];

/// One entry and its place in the list.
pub(super) struct Item<'v> {
    pub(super) index: usize,
    pub(super) map: &'v Map<String, Value>,
}

impl<'v> Item<'v> {
    /// `characteristics[3].level`.
    pub(super) fn path(&self, key: &str) -> String {
        format!("characteristics[{}].{key}", self.index)
    }

    pub(super) fn name(&self) -> Option<&'v str> {
        self.map.get("name")?.as_str()
    }

    pub(super) fn states(&self) -> Option<Vec<&'v str>> {
        let states = self.map.get("states")?.as_array()?;
        Some(states.iter().filter_map(Value::as_str).collect())
    }
}

pub(super) fn check(document: &Map<String, Value>, findings: &mut Findings) {
    let Some(value) = document.get("characteristics") else {
        return findings.missing("Missing section: characteristics");
    };
    let Some(list) = value.as_array() else {
        return findings.wrong(format!("characteristics must be a list, {}", got(value)));
    };
    if list.is_empty() {
        return findings.warn("characteristics is empty: the method has nothing that varies");
    }
    let mut items = Vec::with_capacity(list.len());
    for (index, entry) in list.iter().enumerate() {
        match entry.as_object() {
            Some(map) => items.push(Item { index, map }),
            None => findings.wrong(format!(
                "characteristics[{index}] must be a mapping, {}",
                got(entry)
            )),
        }
    }
    for item in &items {
        keys(item, findings);
    }
    names(&items, findings);
    for item in &items {
        kind(item, findings);
        let countable = states(item, findings);
        if countable {
            default(item, findings);
        }
        dependency::parent(item, &items, findings);
    }
    dependency::cycles(&items, findings);
    for item in &items {
        dependency::level(item, &items, findings);
        later::check(item, &items, findings);
    }
}

/// V15, V15b.
fn keys(item: &Item<'_>, findings: &mut Findings) {
    for key in REQUIRED {
        if !item.map.contains_key(key) {
            findings.missing(format!("Missing {}", item.path(key)));
        }
    }
    if present(item.map, "depends_on").is_some() && !item.map.contains_key("when_parent") {
        findings.missing(format!("Missing {}", item.path("when_parent")));
    }
    for key in FOREIGN {
        if let Some(value) = item.map.get(key) {
            findings.warn(format!(
                "{} belongs to factories, not to a characteristic, {}",
                item.path(key),
                got(value)
            ));
        }
    }
}

/// V16.
fn names(items: &[Item<'_>], findings: &mut Findings) {
    let mut told: Vec<&str> = Vec::new();
    for (position, item) in items.iter().enumerate() {
        let Some(value) = item.map.get("name") else {
            continue;
        };
        let Some(name) = value.as_str() else {
            findings.wrong(format!(
                "{} must be a text, {}",
                item.path("name"),
                got(value)
            ));
            continue;
        };
        let is_known = items[..position]
            .iter()
            .any(|other| other.name() == Some(name));
        if is_known && !told.contains(&name) {
            told.push(name);
            findings.wrong(format!("{} must be unique, got: {name}", item.path("name")));
        }
    }
}

/// V17.
fn kind(item: &Item<'_>, findings: &mut Findings) {
    if let Some(value) = item.map.get("type")
        && value.as_str().and_then(Kind::parse).is_none()
    {
        findings.wrong(format!(
            "{} must be one of binary, enum, range, sequential, {}",
            item.path("type"),
            got(value)
        ));
    }
}

/// V18, V19; false where there is no list.
fn states(item: &Item<'_>, findings: &mut Findings) -> bool {
    let Some(value) = item.map.get("states") else {
        return false;
    };
    let path = item.path("states");
    let Some(states) = value.as_array() else {
        findings.wrong(format!("{path} must be a list, {}", got(value)));
        return false;
    };
    if states.len() < 2 {
        findings.wrong(format!(
            "{path} must have at least 2 states, {}",
            got(value)
        ));
    }
    for state in states.iter().filter(|state| !state.is_string()) {
        findings.wrong(format!("{path} must all be texts, {}", got(state)));
    }
    if item.map.get("type").and_then(Value::as_str) == Some("binary") && states.len() != 2 {
        findings.warn(format!(
            "{path} of a binary characteristic should be 2, {}",
            got(value)
        ));
    }
    true
}

/// V20.
fn default(item: &Item<'_>, findings: &mut Findings) {
    let Some(default) = present(item.map, "default") else {
        return;
    };
    let is_state = default.as_str().is_some_and(|default| {
        item.states()
            .is_some_and(|states| states.contains(&default))
    });
    if !is_state {
        findings.wrong(format!(
            "{} must be null or one of the states, {}",
            item.path("default"),
            got(default)
        ));
    }
}
