//! Ways to write a JSON value. Only the parts that differ are replaced, so that comments between the others stay.

use casebook_source::yaml::{Entry, Layout, Node, NodeKind};
use serde_json::{Map, Value};

use super::location::ValueLocation;
use super::scalar::{double_quoted, plain, replacement};
use super::verify::{Expected, is_json};
use super::{Leaf, Rewrite, SuiteEditor};
use crate::expand::escaped;
use crate::reader::plain_json;

impl SuiteEditor<'_> {
    /// Replaces what differs between the value and the new one.
    pub(super) fn json_leaves(
        &self,
        location: ValueLocation<'_>,
        new: &Value,
    ) -> Option<Vec<Leaf>> {
        if is_json(location.node, new) {
            return Some(Vec::new());
        }
        match (&location.node.kind, new) {
            (NodeKind::List(nodes), Value::Array(values)) if nodes.len() == values.len() => {
                let locations = nodes.iter().map(|node| self.location_of_item(node));
                self.all_leaves(locations.zip(values))
            }
            (NodeKind::Map(entries), Value::Object(values)) if has_keys(entries, values) => {
                let both = entries.iter().map(|entry| (self.location_of(entry), entry));
                self.all_leaves(both.map(|(location, entry)| (location, &values[&*entry.key])))
            }
            _ => self.json_leaf(location, new).map(|leaf| vec![leaf]),
        }
    }

    fn all_leaves<'n>(
        &self,
        both: impl Iterator<Item = (ValueLocation<'n>, &'n Value)>,
    ) -> Option<Vec<Leaf>> {
        let leaves: Option<Vec<_>> = both
            .map(|(location, value)| self.json_leaves(location, value))
            .collect();
        Some(leaves?.into_iter().flatten().collect())
    }

    fn json_leaf(&self, location: ValueLocation<'_>, new: &Value) -> Option<Leaf> {
        let expected = Expected::Json(new.clone());
        if let (Some(layout), Value::String(text)) = (self.layout.scalar(location.node.span), new)
            && location.node.as_text().is_some()
        {
            let raw = escaped(text);
            return self.scalar_leaf(location, layout, (&raw, &raw), expected);
        }
        let span = location.node.span;
        let mut rewrites: Vec<Rewrite> = Vec::new();
        rewrites.extend(self.as_lines(location, new));
        rewrites.extend(self.on_one_line(location, new));
        (!rewrites.is_empty()).then_some(Leaf {
            span,
            expected,
            rewrites,
        })
    }

    /// A list or mapping on separate lines, if the old one is.
    fn as_lines(&self, location: ValueLocation<'_>, new: &Value) -> Option<Rewrite> {
        let span = location.node.span;
        let is_block = is_collection(location.node) && !is_flow(&self.layout, location.node);
        let has_lines = !matches!(inline(new, false), Inline::Token(_));
        if !is_block || !has_lines {
            return None;
        }
        let text = self.file.slice(span).trim_end();
        let eol = if text.contains("\r\n") || self.file.text().contains("\r\n") {
            "\r\n"
        } else {
            "\n"
        };
        let spaces = " ".repeat(self.column(span.start));
        let lines = lines(new).join(&format!("{eol}{spaces}"));
        Some(vec![replacement(
            span.start..span.start + text.len(),
            lines,
        )])
    }

    fn on_one_line(&self, location: ValueLocation<'_>, new: &Value) -> Option<Rewrite> {
        let token = flow(new);
        let span = location.node.span;
        match self.layout.scalar(span) {
            Some(layout) if location.node.as_text().is_some() => {
                self.replace(location, layout, token)
            }
            _ => {
                let length = self.file.slice(span).trim_end().len();
                Some(vec![replacement(span.start..span.start + length, token)])
            }
        }
    }
}

fn has_keys(entries: &[Entry<'_>], values: &Map<String, Value>) -> bool {
    entries.len() == values.len() && entries.iter().all(|entry| values.contains_key(&*entry.key))
}

fn is_collection(node: &Node) -> bool {
    node.as_text().is_none()
}

/// Whether a collection is in brackets or braces.
fn is_flow(layout: &Layout, node: &Node) -> bool {
    node.span.end > node.span.start && layout.is_in_flow(node.span.start + 1)
}

/// A value for a line: complete, or with lines below.
enum Inline {
    Token(String),
    Lines(Vec<String>),
}

fn inline(value: &Value, in_flow: bool) -> Inline {
    match value {
        Value::Array(values) if !values.is_empty() && !in_flow => Inline::Lines(lines(value)),
        Value::Object(values) if !values.is_empty() && !in_flow => Inline::Lines(lines(value)),
        value => Inline::Token(flow(value)),
    }
}

/// The lines of a list or mapping, without indentation.
fn lines(value: &Value) -> Vec<String> {
    match value {
        Value::Array(values) => values.iter().flat_map(item).collect(),
        Value::Object(values) => values
            .iter()
            .flat_map(|(key, value)| field(key, value))
            .collect(),
        other => vec![flow(other)],
    }
}

fn item(value: &Value) -> Vec<String> {
    match inline(value, false) {
        Inline::Token(token) => vec![format!("- {token}")],
        Inline::Lines(lines) => {
            let mark = |index| if index == 0 { "- " } else { "  " };
            let lines = lines.into_iter().enumerate();
            lines
                .map(|(index, line)| format!("{}{line}", mark(index)))
                .collect()
        }
    }
}

fn field(key: &str, value: &Value) -> Vec<String> {
    let key = string(key, true);
    match inline(value, false) {
        Inline::Token(token) => vec![format!("{key}: {token}")],
        Inline::Lines(lines) => {
            let lines = lines.into_iter().map(|line| format!("  {line}"));
            std::iter::once(format!("{key}:")).chain(lines).collect()
        }
    }
}

/// A value on one line.
fn flow(value: &Value) -> String {
    match value {
        Value::String(text) => string(&escaped(text), true),
        Value::Array(values) => {
            let values: Vec<_> = values.iter().map(flow).collect();
            format!("[{}]", values.join(", "))
        }
        Value::Object(values) => {
            let fields: Vec<_> = values
                .iter()
                .map(|(key, value)| format!("{}: {}", string(key, true), flow(value)))
                .collect();
            format!("{{{}}}", fields.join(", "))
        }
        other => other.to_string(),
    }
}

/// A string without quotes if it cannot be taken for anything else.
fn string(text: &str, in_flow: bool) -> String {
    let plain = plain(text, in_flow).filter(|text| plain_json(text).is_string() && text != "<<");
    plain.unwrap_or_else(|| double_quoted(text))
}
