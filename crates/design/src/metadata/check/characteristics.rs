//! Rules V13 to V24, V26 and V27, and rule V15b: the list of characteristics.

use serde_json::{Map, Value};

use super::{ValidationReport, dependency, format2, got, present};
use crate::characteristic::Kind;
use crate::metadata::read::{Layout, state_text};

/// The required keys of an entry.
const REQUIRED: [&str; 6] = ["name", "type", "states", "default", "depends_on", "level"];

/// Keys that belong to factories. They do not affect what varies.
const FOREIGN: [&str; 3] = ["existing_trait", "trait", "factory"];

/// One entry and its index in the list.
pub(super) struct Item<'v> {
    pub(super) index: usize,
    pub(super) map: &'v Map<String, Value>,
    layout: Layout,
}

impl<'v> Item<'v> {
    /// `characteristics[3].level`.
    pub(super) fn path(&self, key: &str) -> String {
        format!("characteristics[{}].{key}", self.index)
    }

    pub(super) fn name(&self) -> Option<&'v str> {
        self.map.get("name")?.as_str()
    }

    pub(super) fn kind(&self) -> Option<&'v str> {
        self.map.get("type")?.as_str()
    }

    pub(super) fn states(&self) -> Option<Vec<String>> {
        let states = self.map.get("states")?.as_array()?;
        let is_state = |state: &&Value| self.is_state(state);
        Some(
            states
                .iter()
                .filter(is_state)
                .filter_map(state_text)
                .collect(),
        )
    }

    /// Whether the type is `composite`, which agents that write format 2.0 use although no schema has it. Its states are
    /// not checked.
    fn is_composite(&self) -> bool {
        self.layout == Layout::V2_0 && self.kind() == Some("composite")
    }

    fn is_state(&self, state: &Value) -> bool {
        state.is_string() || self.is_composite() && state.is_object()
    }
}

/// Whether a value is one of the states.
pub(super) fn is_among(value: &Value, states: &[String]) -> bool {
    let text = value.as_str();
    text.is_some_and(|text| states.iter().any(|state| state == text))
}

pub(super) fn check(document: &Map<String, Value>, layout: Layout, report: &mut ValidationReport) {
    let Some(value) = document.get("characteristics") else {
        return report.missing("Missing section: characteristics");
    };
    let Some(list) = value.as_array() else {
        return report.wrong(format!("characteristics must be a list, {}", got(value)));
    };
    if list.is_empty() {
        return report.warn("characteristics is empty: the method has nothing that varies");
    }
    let mut items = Vec::with_capacity(list.len());
    for (index, entry) in list.iter().enumerate() {
        match entry.as_object() {
            Some(map) => items.push(Item { index, map, layout }),
            None => report.wrong(format!(
                "characteristics[{index}] must be a mapping, {}",
                got(entry)
            )),
        }
    }
    for item in &items {
        keys(item, report);
    }
    names(&items, report);
    // One loop per rule: the order of the checks is the order of the messages.
    items.iter().for_each(|item| kind(item, report));
    items.iter().for_each(|item| states(item, report));
    items.iter().for_each(|item| default(item, report));
    for item in &items {
        dependency::parent(item, &items, report);
    }
    dependency::cycles(&items, report);
    dependency::levels(&items, layout, report);
    format2::check(&items, layout, report);
}

/// Rules V15 and V15b.
fn keys(item: &Item<'_>, report: &mut ValidationReport) {
    for key in REQUIRED {
        if !item.map.contains_key(key) {
            report.missing(format!("Missing {}", item.path(key)));
        }
    }
    if present(item.map, "depends_on").is_some() && !item.map.contains_key("when_parent") {
        report.missing(format!("Missing {}", item.path("when_parent")));
    }
    for key in FOREIGN {
        if let Some(value) = item.map.get(key) {
            report.warn(format!(
                "{} belongs to factories, not to a characteristic, {}",
                item.path(key),
                got(value)
            ));
        }
    }
}

/// Rule V16.
fn names(items: &[Item<'_>], report: &mut ValidationReport) {
    let mut reported: Vec<&str> = Vec::new();
    for (position, item) in items.iter().enumerate() {
        let Some(value) = item.map.get("name") else {
            continue;
        };
        let Some(name) = value.as_str() else {
            report.wrong(format!(
                "{} must be a string, {}",
                item.path("name"),
                got(value)
            ));
            continue;
        };
        let is_duplicate = items[..position]
            .iter()
            .any(|other| other.name() == Some(name));
        if is_duplicate && !reported.contains(&name) {
            reported.push(name);
            report.wrong(format!("{} must be unique, got: {name}", item.path("name")));
        }
    }
}

/// Rule V17.
fn kind(item: &Item<'_>, report: &mut ValidationReport) {
    if let Some(value) = item.map.get("type")
        && value.as_str().and_then(Kind::parse).is_none()
        && !item.is_composite()
    {
        report.wrong(format!(
            "{} must be one of binary, enum, range, sequential, {}",
            item.path("type"),
            got(value)
        ));
    }
}

/// Rules V18 and V19.
fn states(item: &Item<'_>, report: &mut ValidationReport) {
    let Some(value) = item.map.get("states") else {
        return;
    };
    let path = item.path("states");
    let Some(states) = value.as_array() else {
        return report.wrong(format!("{path} must be a list, {}", got(value)));
    };
    if states.len() < 2 {
        report.wrong(format!(
            "{path} must have at least 2 states, {}",
            got(value)
        ));
    }
    for (at, state) in states.iter().enumerate() {
        if !item.is_state(state) {
            report.wrong(format!("{path}[{at}] must be a string, {}", got(state)));
        } else if states[..at].contains(state) {
            report.wrong(format!("{path}[{at}] must be unique, {}", got(state)));
        }
    }
    if item.kind() == Some("binary") && states.len() != 2 {
        report.warn(format!(
            "{path} of a binary characteristic should be 2, {}",
            got(value)
        ));
    }
}

/// Rule V20. Without a list of states there is nothing to compare with.
fn default(item: &Item<'_>, report: &mut ValidationReport) {
    let (Some(default), Some(states)) = (present(item.map, "default"), item.states()) else {
        return;
    };
    if !is_among(default, &states) {
        report.wrong(format!(
            "{} must be null or one of the states, {}",
            item.path("default"),
            got(default)
        ));
    }
}
