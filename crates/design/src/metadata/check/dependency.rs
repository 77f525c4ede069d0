//! Rules V21 to V27: dependencies.

use serde_json::Value;

use super::characteristics::{Item, is_among};
use super::{ValidationReport, got, present};
use crate::metadata::read::Layout;

fn find<'i, 'v>(items: &'i [Item<'v>], name: &str) -> Option<&'i Item<'v>> {
    items.iter().find(|item| item.name() == Some(name))
}

/// Rules V21 to V24.
pub(super) fn parent(item: &Item<'_>, items: &[Item<'_>], findings: &mut ValidationReport) {
    let when = present(item.map, "when_parent");
    let Some(parent) = present(item.map, "depends_on") else {
        if let Some(when) = when {
            findings.wrong(format!(
                "{} must be null without depends_on, {}",
                item.path("when_parent"),
                got(when)
            ));
        }
        return;
    };
    let found = parent.as_str().and_then(|name| find(items, name));
    if found.is_none() {
        findings.wrong(format!(
            "{} must name a characteristic, {}",
            item.path("depends_on"),
            got(parent)
        ));
    }
    let Some(when) = when else {
        if item.map.contains_key("when_parent") {
            findings.wrong(format!(
                "{} must be set with depends_on, got: null",
                item.path("when_parent")
            ));
        }
        return;
    };
    if let Some(states) = found.and_then(Item::states) {
        states_of_parent(item, when, &states, findings);
    }
}

/// Rule V24.
fn states_of_parent(
    item: &Item<'_>,
    when: &Value,
    states: &[String],
    findings: &mut ValidationReport,
) {
    let single = [when.clone()];
    let members = when.as_array().map_or(single.as_slice(), Vec::as_slice);
    if members.is_empty() {
        findings.wrong(format!(
            "{} must name a state of the parent, got: []",
            item.path("when_parent")
        ));
    }
    for member in members {
        if !is_among(member, states) {
            findings.wrong(format!(
                "{} must be a state of the parent, {}",
                item.path("when_parent"),
                got(member)
            ));
        }
    }
}

/// Rule V25: every cycle once, with all its members.
pub(super) fn cycles(items: &[Item<'_>], findings: &mut ValidationReport) {
    let mut told: Vec<&str> = Vec::new();
    for item in items {
        let Some(start) = item.name() else { continue };
        let Some(walked) = loop_from(items, start) else {
            continue;
        };
        if walked.iter().any(|name| told.contains(name)) {
            continue;
        }
        told.extend(walked.iter().copied());
        findings.cycle(format!(
            "{} must not be circular, got: {} -> {start}",
            item.path("depends_on"),
            walked.join(" -> ")
        ));
    }
}

/// The names on the way from a characteristic back to itself.
fn loop_from<'v>(items: &[Item<'v>], start: &'v str) -> Option<Vec<&'v str>> {
    let mut walked = vec![start];
    loop {
        let item = find(items, walked.last().copied()?)?;
        let parent = item.map.get("depends_on")?.as_str()?;
        if parent == start {
            return Some(walked);
        }
        if walked.contains(&parent) {
            return None;
        }
        walked.push(parent);
    }
}

/// Rules V26 and V27. Some writers of format 2.0 number the levels through; that is accepted there by rule L5.
pub(super) fn levels(items: &[Item<'_>], layout: Layout, findings: &mut ValidationReport) {
    let mut wrong = ValidationReport::default();
    for item in items {
        level(item, items, &mut wrong);
    }
    if layout == Layout::V2_0 && !wrong.is_valid() && are_numbered_through(items) {
        return findings.warn(
            "characteristics: levels are numbered through and were read as depths, got: 1 and up",
        );
    }
    findings.errors.extend(wrong.errors);
}

fn are_numbered_through(items: &[Item<'_>]) -> bool {
    let level = |item: &Item<'_>| item.map.get("level").and_then(usable);
    let mut levels: Vec<_> = items.iter().filter_map(level).collect();
    levels.sort_unstable();
    levels.len() == items.len()
        && levels
            .iter()
            .zip(1..)
            .all(|(level, wanted)| *level == wanted)
}

fn level(item: &Item<'_>, items: &[Item<'_>], findings: &mut ValidationReport) {
    let Some(value) = item.map.get("level") else {
        return;
    };
    let path = item.path("level");
    let Some(level) = usable(value) else {
        return findings.wrong(format!(
            "{path} must be an integer of 1 or more, {}",
            got(value)
        ));
    };
    let expected = match present(item.map, "depends_on") {
        None => Some(1),
        Some(parent) => parent
            .as_str()
            .and_then(|name| find(items, name))
            .and_then(|parent| parent.map.get("level"))
            .and_then(usable)
            .map(|level| level + 1),
    };
    if let Some(expected) = expected
        && expected != level
    {
        findings.wrong(format!("{path} must be {expected}, got: {level}"));
    }
}

fn usable(level: &Value) -> Option<i64> {
    level.as_i64().filter(|level| *level >= 1)
}
