//! Decodes the values that a turn captures.

use casebook_source::yaml::{Entry, Node};

use super::call;
use super::names::KnownNames;
use crate::check::capture::check_name;
use crate::codes::{CONFLICT, MISSING_FIELD};
use crate::fields::conversation::TURN_CAPTURE;
use crate::model::conversation::{TurnCapture, TurnCaptureSource};
use crate::reader::Reader;

/// The captured values of a turn. Those with problems are left out.
pub(super) fn captures(
    node: &Node,
    known: &KnownNames,
    reader: &mut Reader<'_, '_>,
) -> Vec<TurnCapture> {
    let entries = reader.map("capture", node);
    entries
        .iter()
        .filter_map(|entry| capture(entry, known, reader))
        .collect()
}

fn capture(entry: &Entry, known: &KnownNames, reader: &mut Reader<'_, '_>) -> Option<TurnCapture> {
    check_name(entry, reader);
    let node = &entry.value;
    let (source, is_secret) = if node.as_map().is_some() {
        reader.object("a captured value", "capture", node, TURN_CAPTURE);
        let secret = node.get("secret");
        let secret = secret.and_then(|node| reader.bool("secret", node));
        (mapping(node, known, reader)?, secret.unwrap_or(false))
    } else {
        (reply("capture", node, reader)?, false)
    };
    Some(TurnCapture {
        name: entry.key.to_string(),
        span: entry.key_span.to(node.span),
        source,
        is_secret,
    })
}

fn reply(field: &str, node: &Node, reader: &mut Reader<'_, '_>) -> Option<TurnCaptureSource> {
    reader.non_empty_text(field, node)?;
    let pattern = reader.patterns(field, node).pop()?;
    Some(TurnCaptureSource::Reply(pattern.text))
}

fn mapping(
    node: &Node,
    known: &KnownNames,
    reader: &mut Reader<'_, '_>,
) -> Option<TurnCaptureSource> {
    let kinds = ["matches", "pointer", "argument"];
    let entries = node.as_map().unwrap_or_default();
    let mut given = entries.iter().filter(|entry| kinds.contains(&&*entry.key));
    let (first, second) = (given.next(), given.next());
    if let (Some(first), Some(second)) = (first, second) {
        let message = format!(
            "a captured value has `{}` or `{}`, not both",
            first.key, second.key
        );
        reader.note(CONFLICT, second.key_span, message);
        return None;
    }
    let Some(source) = first else {
        let known = entries
            .iter()
            .all(|entry| TURN_CAPTURE.iter().any(|field| field.name == entry.key));
        if known {
            reader
                .note(MISSING_FIELD, node.span, "the captured value has no source")
                .help_last("add `matches`, or `tool` with `pointer` or `argument`");
        }
        return None;
    };
    let tool = node.get("tool");
    if source.key == "matches" {
        if let Some(tool) = tool {
            let message = "`tool` has no effect here: `matches` is for the reply";
            reader.note(CONFLICT, tool.span, message);
        }
        return reply("matches", &source.value, reader);
    }
    let Some(tool) = tool else {
        let message = format!("`{}` requires `tool`", source.key);
        reader.note(MISSING_FIELD, source.key_span, message);
        return None;
    };
    let tool = call::tool("tool", tool, known, reader);
    let pointer = reader.pointer(&source.key, &source.value);
    let (tool, pointer) = (tool?, pointer?);
    Some(match &*source.key {
        "pointer" => TurnCaptureSource::Result { tool, pointer },
        _ => TurnCaptureSource::Argument { tool, pointer },
    })
}
