//! Text edits of single entries of a document.

use casebook_source::Span;
use casebook_source::yaml::{Entry, Node};
use serde_json::{Map, Value};

use super::super::yaml::{entry, flow};

pub(super) fn set_entry(
    text: &str,
    map: &Node,
    key: &str,
    value: &Value,
    before: Option<usize>,
) -> Option<String> {
    let entries = map.as_map()?;
    let existing = entries.iter().find(|entry| entry.key == key);
    if is_flow(text, map) {
        return set_in_flow(text, map, entries, existing, (key, value));
    }
    match existing {
        Some(existing) => {
            let span = entry_span(text, existing);
            let indent = column(text, span.start);
            Some(spliced(text, span, &entry(key, value, indent)))
        }
        None => Some(insert_in_block(text, entries, before, (key, value))?),
    }
}

fn set_in_flow(
    text: &str,
    map: &Node,
    entries: &[Entry],
    existing: Option<&Entry>,
    (key, value): (&str, &Value),
) -> Option<String> {
    if let Some(existing) = existing {
        return Some(spliced(text, existing.value.span, &flow(value)));
    }
    let end = map.span.end.checked_sub(1)?;
    let comma = if entries.is_empty() { "" } else { ", " };
    let new = format!("{comma}{}", entry_on_one_line(key, value));
    Some(spliced(text, Span::new(end, end), &new))
}

fn entry_on_one_line(key: &str, value: &Value) -> String {
    let map = Map::from_iter([(key.to_owned(), value.clone())]);
    let mapping = flow(&Value::Object(map));
    mapping[1..mapping.len() - 1].to_owned()
}

fn insert_in_block(
    text: &str,
    entries: &[Entry],
    before: Option<usize>,
    (key, value): (&str, &Value),
) -> Option<String> {
    let indent = column(text, entries.first()?.key_span.start);
    let new = entry(key, value, indent);
    if before == Some(0) {
        let at = entries[0].key_span.start;
        let new = format!("{new}\n{:indent$}", "");
        return Some(spliced(text, Span::new(at, at), &new));
    }
    // After the previous entry, so that a comment stays with the entry that follows it.
    let previous = before.map_or(entries.len(), |index| index) - 1;
    let span = entry_span(text, &entries[previous]);
    let end = text[span.end..]
        .find('\n')
        .map_or(text.len(), |length| span.end + length);
    let gap = if text[end..].starts_with("\n\n") {
        "\n"
    } else {
        ""
    };
    let new = format!("{gap}\n{:indent$}{new}", "");
    let mut result = spliced(text, Span::new(end, end), &new);
    if !result.ends_with('\n') {
        result.push('\n');
    }
    Some(result)
}

pub(super) fn remove_entry(text: &str, map: &Node, key: &str) -> Option<String> {
    let existing = map.as_map()?.iter().find(|entry| entry.key == key)?;
    if is_flow(text, map) {
        return None;
    }
    let span = entry_span(text, existing);
    let start = text[..span.start]
        .rfind('\n')
        .map_or(0, |newline| newline + 1);
    let end = text[span.end..]
        .find('\n')
        .map_or(text.len(), |length| span.end + length + 1);
    Some(spliced(text, Span::new(start, end), ""))
}

fn is_flow(text: &str, map: &Node) -> bool {
    text[map.span.start..].starts_with('{')
}

/// From the key to the end of its value, without trailing white space.
fn entry_span(text: &str, entry: &Entry) -> Span {
    let colon = text[entry.key_span.end..]
        .find(':')
        .map_or(0, |length| length + 1);
    let after_colon = entry.key_span.end + colon;
    let mut end = entry.value.span.end.max(after_colon).min(text.len());
    end = text[..end].trim_end().len().max(after_colon);
    Span::new(entry.key_span.start, end)
}

fn column(text: &str, offset: usize) -> usize {
    let start = text[..offset].rfind('\n').map_or(0, |newline| newline + 1);
    text[start..offset].chars().count()
}

fn spliced(text: &str, span: Span, new: &str) -> String {
    format!("{}{new}{}", &text[..span.start], &text[span.end..])
}
