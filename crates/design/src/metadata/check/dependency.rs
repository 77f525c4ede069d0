//! Rules V21 to V27: dependencies between characteristics.

use serde_json::Value;

use super::characteristics::{Item, is_among};
use super::{ValidationReport, got, present};
use crate::metadata::read::Layout;

fn find<'i, 'v>(items: &'i [Item<'v>], name: &str) -> Option<&'i Item<'v>> {
    items.iter().find(|item| item.name() == Some(name))
}

/// Rules V21 to V24.
pub(super) fn parent(item: &Item<'_>, items: &[Item<'_>], report: &mut ValidationReport) {
    let when = present(item.map, "when_parent");
    let Some(parent) = present(item.map, "depends_on") else {
        if let Some(when) = when {
            report.wrong(format!(
                "{} must be null without depends_on, {}",
                item.path("when_parent"),
                got(when)
            ));
        }
        return;
    };
    let found = parent.as_str().and_then(|name| find(items, name));
    if found.is_none() {
        report.wrong(format!(
            "{} must name a characteristic, {}",
            item.path("depends_on"),
            got(parent)
        ));
    }
    let Some(when) = when else {
        if item.map.contains_key("when_parent") {
            report.wrong(format!(
                "{} must be set with depends_on, got: null",
                item.path("when_parent")
            ));
        }
        return;
    };
    if let Some(states) = found.and_then(Item::states) {
        states_of_parent(item, when, &states, report);
    }
}

/// Rule V24.
fn states_of_parent(
    item: &Item<'_>,
    when: &Value,
    states: &[String],
    report: &mut ValidationReport,
) {
    let single = [when.clone()];
    let members = when.as_array().map_or(single.as_slice(), Vec::as_slice);
    if members.is_empty() {
        report.wrong(format!(
            "{} must name a state of the parent, got: []",
            item.path("when_parent")
        ));
    }
    for member in members {
        if !is_among(member, states) {
            report.wrong(format!(
                "{} must be a state of the parent, {}",
                item.path("when_parent"),
                got(member)
            ));
        }
    }
}

/// Rule V25: reports every cycle once, with all its members.
pub(super) fn cycles(items: &[Item<'_>], report: &mut ValidationReport) {
    let mut reported: Vec<&str> = Vec::new();
    for item in items {
        let Some(start) = item.name() else { continue };
        let Some(path_back) = loop_from(items, start) else {
            continue;
        };
        if path_back.iter().any(|name| reported.contains(name)) {
            continue;
        }
        reported.extend(path_back.iter().copied());
        report.cycle(format!(
            "{} must not be circular, got: {} -> {start}",
            item.path("depends_on"),
            path_back.join(" -> ")
        ));
    }
}

/// The names on the path from a characteristic back to itself; `None` if it is not part of a cycle.
fn loop_from<'v>(items: &[Item<'v>], start: &'v str) -> Option<Vec<&'v str>> {
    let mut path_back = vec![start];
    loop {
        let item = find(items, path_back.last().copied()?)?;
        let parent = item.map.get("depends_on")?.as_str()?;
        if parent == start {
            return Some(path_back);
        }
        // A cycle that does not contain `start` is reported for its own members.
        if path_back.contains(&parent) {
            return None;
        }
        path_back.push(parent);
    }
}

/// Whether the parents of a characteristic lead into a cycle, so that it has no depth.
fn reaches_cycle(item: &Item<'_>, items: &[Item<'_>]) -> bool {
    let parent =
        |item: &Item<'_>| find(items, item.map.get("depends_on")?.as_str()?).map(|one| one.index);
    let mut seen = Vec::new();
    let mut next = parent(item);
    while let Some(index) = next {
        if seen.contains(&index) {
            return true;
        }
        seen.push(index);
        let item = items.iter().find(|item| item.index == index);
        next = item.and_then(parent);
    }
    false
}

/// Rules V26 and V27. Some writers of format 2.0 number the characteristics 1, 2, 3 instead of giving depths; rule L5
/// accepts that there.
pub(super) fn levels(items: &[Item<'_>], layout: Layout, report: &mut ValidationReport) {
    let mut wrong = ValidationReport::default();
    for item in items {
        level(item, items, &mut wrong);
    }
    if layout == Layout::V2_0 && !wrong.is_valid() && are_consecutive(items) {
        return report.warn(
            "characteristics: levels are numbered through and were read as depths, got: 1 and up",
        );
    }
    report.errors.extend(wrong.errors);
}

fn are_consecutive(items: &[Item<'_>]) -> bool {
    let level = |item: &Item<'_>| item.map.get("level").and_then(valid_level);
    let mut levels: Vec<_> = items.iter().filter_map(level).collect();
    levels.sort_unstable();
    levels.len() == items.len()
        && levels
            .iter()
            .zip(1..)
            .all(|(level, expected)| *level == expected)
}

fn level(item: &Item<'_>, items: &[Item<'_>], report: &mut ValidationReport) {
    let Some(value) = item.map.get("level") else {
        return;
    };
    let path = item.path("level");
    let Some(level) = valid_level(value) else {
        return report.wrong(format!(
            "{path} must be an integer of 1 or more, {}",
            got(value)
        ));
    };
    let expected = match present(item.map, "depends_on") {
        None => Some(1),
        // The cycle is already reported.
        Some(_) if reaches_cycle(item, items) => None,
        Some(parent) => parent
            .as_str()
            .and_then(|name| find(items, name))
            .and_then(|parent| parent.map.get("level"))
            .and_then(valid_level)
            .map(|level| level + 1),
    };
    if let Some(expected) = expected
        && expected != level
    {
        report.wrong(format!("{path} must be {expected}, got: {level}"));
    }
}

fn valid_level(level: &Value) -> Option<i64> {
    level.as_i64().filter(|level| *level >= 1)
}
