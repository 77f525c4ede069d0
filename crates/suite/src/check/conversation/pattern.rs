//! Decodes patterns for the arguments and results of calls and for replies that are JSON.
//!
//! A mapping whose keys are all names of conditions, such as `min`, is a condition. Any other mapping is a list of entries that the
//! value must contain, and so are the arguments of a call; a key that is probably a misspelled condition is an error, because
//! `notCalled` would pass. `outputJsonMatches` has the same conditions.

use casebook_source::closest_match;
use casebook_source::yaml::{Entry, Node, NodeKind};
use serde_json::Value;

use super::bounds::{Unit, bounds};
use crate::codes::{CONFLICT, UNKNOWN_FIELD, VACUOUS};
use crate::fields::conversation::PATTERN;
use crate::model::conversation::{Bounds, JsonType, Pattern};
use crate::reader::Reader;

/// Decodes `with`: the arguments that a call must have.
pub(super) fn arguments(node: &Node, reader: &mut Reader<'_, '_>) -> Option<Pattern> {
    let entries = reader.map("with", node);
    node.as_map()?;
    has(entries, reader)
}

fn has(entries: &[Entry], reader: &mut Reader<'_, '_>) -> Option<Pattern> {
    let fields: Vec<_> = entries
        .iter()
        .map(|entry| Some((entry.key.to_string(), pattern(&entry.value, reader)?)))
        .collect();
    fields.into_iter().collect::<Option<_>>().map(Pattern::Has)
}

/// Decodes a value or a condition on it.
pub(super) fn pattern(node: &Node, reader: &mut Reader<'_, '_>) -> Option<Pattern> {
    match &node.kind {
        NodeKind::Scalar(_) => reader.json(node).map(subset),
        NodeKind::List(nodes) => {
            let items: Vec<_> = nodes.iter().map(|node| pattern(node, reader)).collect();
            items.into_iter().collect::<Option<_>>().map(Pattern::List)
        }
        NodeKind::Map(entries) if is_condition(entries) => condition(node, entries, reader),
        NodeKind::Map(entries) => {
            let before = reader.problems.len();
            report_unknown_conditions(entries, reader);
            has(entries, reader).filter(|_| reader.problems.len() == before)
        }
    }
}

/// A value of a matrix or a scenario: its mappings are subsets, as those in the suite.
fn subset(value: Value) -> Pattern {
    match value {
        Value::Object(fields) => {
            let fields = fields.into_iter();
            Pattern::Has(fields.map(|(key, value)| (key, subset(value))).collect())
        }
        Value::Array(values) => Pattern::List(values.into_iter().map(subset).collect()),
        scalar => Pattern::Is(scalar),
    }
}

/// Names that other tools have for conditions, and arguments of tools hardly ever have.
const SYNONYMS: [(&str, &str); 37] = [
    ("anyOf", "oneOf"),
    ("atLeast", "min"),
    ("atMost", "max"),
    ("below", "max"),
    ("between", "min"),
    ("const", "equals"),
    ("endsWith", "matches"),
    ("enum", "oneOf"),
    ("eq", "equals"),
    ("exclusiveMaximum", "max"),
    ("exclusiveMinimum", "min"),
    ("exists", "absent"),
    ("ge", "min"),
    ("greater", "min"),
    ("greaterOrEqual", "min"),
    ("greaterThan", "min"),
    ("gt", "min"),
    ("gte", "min"),
    ("in", "oneOf"),
    ("includes", "contains"),
    ("le", "max"),
    ("less", "max"),
    ("lessOrEqual", "max"),
    ("lessThan", "max"),
    ("lt", "max"),
    ("lte", "max"),
    ("match", "matches"),
    ("maxLength", "length"),
    ("maxValue", "max"),
    ("maximum", "max"),
    ("minLength", "length"),
    ("minValue", "min"),
    ("minimum", "min"),
    ("moreThan", "min"),
    ("pattern", "matches"),
    ("regex", "matches"),
    ("startsWith", "matches"),
];

/// Names that checks and other tools have for conditions that do not exist here.
const WITHOUT_SYNONYM: [&str; 5] = ["allOf", "ignoreCase", "ne", "not", "notIn"];

/// Reports keys that are not conditions next to keys that are, and keys that are probably misspelled conditions.
fn report_unknown_conditions(entries: &[Entry], reader: &mut Reader<'_, '_>) {
    let names = || PATTERN.iter().map(|known| known.name);
    let is_condition = |entry: &&Entry| names().any(|name| name == entry.key);
    let is_mixed = entries.iter().any(|entry| is_condition(&entry));
    for entry in entries.iter().filter(|entry| !is_condition(entry)) {
        let key = &*entry.key;
        let synonym = SYNONYMS.iter().find(|(other, _)| *other == key);
        // Names of three letters are too often similar by chance.
        let similar = || closest_match(key, names()).filter(|_| key.len() > 3);
        let meant = synonym.map(|(_, meant)| *meant).or_else(similar);
        if meant.is_none() && !is_mixed && !WITHOUT_SYNONYM.contains(&key) {
            continue;
        }
        let meant = meant.map_or_else(String::new, |meant| format!("did you mean `{meant}`? "));
        let message = format!("a condition has no field `{key}`");
        reader
            .note(UNKNOWN_FIELD, entry.key_span, message)
            .help_last(&format!(
                "{meant}write a literal mapping as `{{equals: {{…}}}}`"
            ));
    }
}

fn is_condition(entries: &[Entry]) -> bool {
    let is_known = |entry: &Entry| PATTERN.iter().any(|known| known.name == entry.key);
    !entries.is_empty() && entries.iter().all(is_known)
}

/// Decodes the conditions on a value of `field`.
pub(crate) fn conditions(field: &str, node: &Node, reader: &mut Reader<'_, '_>) -> Option<Pattern> {
    let entries = reader.object("a condition", field, node, PATTERN);
    let is_known = is_condition(entries);
    if entries.is_empty() && node.as_map().is_some() {
        let message = format!("`{field}` has no condition and asserts nothing");
        reader
            .note(VACUOUS, node.span, message)
            .help_last("write a condition, such as `{type: string}`");
    }
    is_known.then(|| condition(node, entries, reader)).flatten()
}

fn condition(node: &Node, entries: &[Entry], reader: &mut Reader<'_, '_>) -> Option<Pattern> {
    let is_bound = |entry: &&Entry| matches!(&*entry.key, "min" | "max");
    reject_combination(entries, reader)?;
    let mut patterns = Vec::new();
    if entries.iter().any(|entry| is_bound(&entry)) {
        patterns.push(within(node, entries, reader).map(Pattern::Within));
    }
    let others = entries.iter().filter(|entry| !is_bound(entry));
    patterns.extend(others.map(|entry| single(entry, reader)));
    let mut patterns = patterns.into_iter().collect::<Option<Vec<_>>>()?;
    if patterns.len() > 1 {
        return Some(Pattern::All(patterns));
    }
    patterns.pop()
}

/// The bounds of a number, from `min` and `max` among other conditions.
fn within(node: &Node, entries: &[Entry], reader: &mut Reader<'_, '_>) -> Option<Bounds> {
    let mut limit = |name: &str| {
        let entry = entries.iter().find(|entry| entry.key == name);
        entry.map(|entry| reader.finite_number(name, &entry.value))
    };
    let (min, max) = (limit("min"), limit("max"));
    if min == Some(None) || max == Some(None) {
        return None;
    }
    let (min, max) = (min.flatten(), max.flatten());
    if let (Some(min), Some(max)) = (min, max)
        && min > max
    {
        let message = format!("the value can never be at least {min} and at most {max}");
        reader
            .note(VACUOUS, node.span, message)
            .help_last("make `max` the larger number");
        return None;
    }
    Some(Bounds { min, max })
}

/// Reports conditions that cannot be combined: `None` if there are any.
fn reject_combination(entries: &[Entry], reader: &mut Reader<'_, '_>) -> Option<()> {
    let has = |keys: &[&str]| entries.iter().any(|entry| keys.contains(&&*entry.key));
    let is_valid = if has(&["absent"]) {
        entries.len() == 1
    } else {
        !(has(&["min", "max"]) && has(&["matches", "contains", "length"]))
    };
    if is_valid {
        return Some(());
    }
    let keys: Vec<_> = entries
        .iter()
        .map(|entry| format!("`{}`", entry.key))
        .collect();
    let message = format!("{} cannot be combined", keys.join(" and "));
    reader
        .note(CONFLICT, entries[1].key_span, message)
        .help_last("`absent` excludes all other conditions, and `min` and `max` are for numbers; write a literal mapping with these keys as `equals: {…}`");
    None
}

fn single(entry: &Entry, reader: &mut Reader<'_, '_>) -> Option<Pattern> {
    let value = &entry.value;
    match &*entry.key {
        "matches" => {
            reader.text("matches", value)?;
            let patterns = reader.patterns("matches", value);
            let pattern = patterns.into_iter().next()?;
            Some(Pattern::Matches(pattern.text))
        }
        "oneOf" => one_of(value, reader),
        "type" => {
            let name = reader.choice("type", value, JsonType::NAMES)?;
            JsonType::from_name(name).map(Pattern::Type)
        }
        "length" => bounds("length", value, Unit::Count, reader).map(Pattern::Length),
        "contains" => reader.json(value).map(Pattern::Contains),
        "equals" => reader.json(value).map(Pattern::Is),
        _ => absent(value, reader),
    }
}

fn absent(node: &Node, reader: &mut Reader<'_, '_>) -> Option<Pattern> {
    if reader.bool("absent", node)? {
        return Some(Pattern::Absent);
    }
    reader
        .type_error(node, "`absent` can only be true".to_owned())
        .help_last("to require a value, write the value or a condition on it");
    None
}

fn one_of(node: &Node, reader: &mut Reader<'_, '_>) -> Option<Pattern> {
    let NodeKind::List(nodes) = &node.kind else {
        reader.not_a_list("oneOf", node);
        return None;
    };
    if nodes.is_empty() {
        reader.note(VACUOUS, node.span, "`oneOf` is empty and can never match");
        return None;
    }
    let values: Vec<_> = nodes.iter().map(|node| reader.json(node)).collect();
    values
        .into_iter()
        .collect::<Option<_>>()
        .map(Pattern::OneOf)
}
