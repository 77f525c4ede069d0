//! Decodes checks on tool calls.

use std::slice;

use casebook_source::Span;
use casebook_source::yaml::{Node, NodeKind};

use super::bounds::{Unit, bounds};
use super::names::KnownNames;
use super::pattern;
use crate::codes::{CONFLICT, MISSING_FIELD};
use crate::fields::conversation::{CALL, RETURNED};
use crate::model::conversation::{CallCheck, CallPattern, ConversationCheck};
use crate::reader::{Reader, Text};

/// Decodes one call check or a list of them.
pub(super) fn calls<'n>(
    field: &str,
    node: &'n Node<'n>,
    known: &KnownNames,
    reader: &mut Reader<'_, '_>,
) -> Vec<(&'n Node<'n>, CallCheck)> {
    let nodes: Vec<&Node> = match &node.kind {
        NodeKind::List(nodes) => nodes.iter().collect(),
        _ => vec![node],
    };
    if nodes.is_empty() {
        reader.texts(field, node);
    }
    nodes
        .into_iter()
        .filter_map(|node| Some((node, call(field, node, known, reader)?)))
        .collect()
}

/// Decodes a tool's name, or a mapping with `tool` and conditions.
fn call(
    field: &str,
    node: &Node,
    known: &KnownNames,
    reader: &mut Reader<'_, '_>,
) -> Option<CallCheck> {
    let mut check = CallCheck {
        call: CallPattern {
            tool: String::new(),
            with: None,
            failed: None,
        },
        times: None,
        before: None,
        after: None,
    };
    if node.as_map().is_none() {
        check.call.tool = tool(field, node, known, reader)?;
        return Some(check);
    }
    let before = reader.problems.len();
    for entry in reader.object("a call", field, node, CALL) {
        let (key, value) = (&*entry.key, &entry.value);
        match key {
            "tool" => check.call.tool = tool(key, value, known, reader).unwrap_or_default(),
            "with" => check.call.with = pattern::arguments(value, reader),
            "failed" => check.call.failed = reader.bool(key, value),
            "times" => check.times = bounds(key, value, Unit::Count, reader),
            "before" => check.before = tool(key, value, known, reader),
            "after" => check.after = tool(key, value, known, reader),
            _ => {}
        }
    }
    if node.get("tool").is_none() {
        let message = format!("`{field}` has no `tool`");
        reader.note(MISSING_FIELD, node.span, message);
    }
    (reader.problems.len() == before).then_some(check)
}

/// Decodes `returned`: one result or a list of them.
pub(super) fn returned(
    node: &Node,
    known: &KnownNames,
    reader: &mut Reader<'_, '_>,
) -> Vec<(Span, ConversationCheck)> {
    let nodes = node.as_list().unwrap_or(slice::from_ref(node));
    let mut checks = Vec::new();
    for node in nodes {
        reader.object("`returned`", "returned", node, RETURNED);
        let mut required = |name: &str| {
            let value = node.get(name);
            if value.is_none() && node.as_map().is_some() {
                let message = format!("`returned` has no `{name}`");
                reader.note(MISSING_FIELD, node.span, message);
            }
            value
        };
        let (tool_node, with) = (required("tool"), required("with"));
        let tool = tool_node.and_then(|node| tool("tool", node, known, reader));
        let with = with.and_then(|node| pattern::pattern(node, reader));
        if let (Some(tool), Some(with)) = (tool, with) {
            checks.push((node.span, ConversationCheck::Returned { tool, with }));
        }
    }
    checks
}

/// Decodes the name of a tool, or a pattern.
pub(super) fn tool(
    field: &str,
    node: &Node,
    known: &KnownNames,
    reader: &mut Reader<'_, '_>,
) -> Option<String> {
    let text = reader.non_empty_text(field, node)?;
    let tool = Text {
        text,
        span: node.span,
    };
    known.tool(&tool, reader).then_some(tool.text)
}

/// Reports fields that have no effect in this check.
pub(super) fn reject_fields(fields: &[&str], why: &str, node: &Node, reader: &mut Reader<'_, '_>) {
    for entry in node.as_map().unwrap_or_default() {
        if fields.contains(&&*entry.key) {
            let message = format!("`{}` has no effect here: {why}", entry.key);
            reader.note(CONFLICT, entry.key_span, message);
        }
    }
}
