//! Decodes the agent under test.

use casebook_source::Span;
use casebook_source::yaml::Node;

use crate::codes::{CONFLICT, MISSING_FIELD, WRONG_VALUE};
use crate::fields::conversation::{AGENT, HTTP, OPENAI};
use crate::model::conversation::{Agent, Endpoint};
use crate::reader::Reader;

/// Decodes `agent`, which must have exactly one kind.
pub(super) fn agent(node: &Node, reader: &mut Reader<'_, '_>) -> Option<Agent> {
    if node.is_null() || node.as_text().is_some_and(|text| !text.is_empty()) {
        let message = format!("`agent` must be a mapping, not {}", node.describe());
        reader
            .type_error(node, message)
            .help_last("to run a program, write `agent: {command: …}`");
        return None;
    }
    let entries = reader.object("an agent", "agent", node, AGENT);
    let is_known = |key: &str| AGENT.iter().any(|known| known.name == key);
    let kinds: Vec<_> = entries
        .iter()
        .filter(|entry| is_known(&entry.key))
        .collect();
    match kinds.as_slice() {
        [] => {
            if entries.is_empty() && node.as_map().is_some() {
                let message = "`agent` is empty; it must have one of `command`, `http`, `openai`";
                reader.note(MISSING_FIELD, node.span, message);
            }
            None
        }
        [kind] => match &*kind.key {
            "command" => reader
                .non_empty_script("command", &kind.value)
                .map(Agent::Command),
            "http" => {
                reader.object("an http agent", "http", &kind.value, HTTP);
                endpoint(&kind.value, reader).map(Agent::Http)
            }
            "openai" => openai(&kind.value, reader),
            // `kinds` contains only keys of `AGENT`, so a key added there must be added here too.
            key => unreachable!("`agent.{key}` is not read"),
        },
        [first, second, ..] => {
            let message = format!(
                "an agent must have one kind, not both `{}` and `{}`",
                first.key, second.key
            );
            reader.note(CONFLICT, second.key_span, message);
            None
        }
    }
}

fn openai(node: &Node, reader: &mut Reader<'_, '_>) -> Option<Agent> {
    reader.object("an openai agent", "openai", node, OPENAI);
    let model = required_text("an openai agent", "model", node, reader);
    let system = node
        .get("system")
        .and_then(|node| reader.text("system", node));
    let endpoint = endpoint(node, reader);
    Some(Agent::OpenAi {
        endpoint: endpoint?,
        model: model?.0,
        system,
    })
}

fn endpoint(node: &Node, reader: &mut Reader<'_, '_>) -> Option<Endpoint> {
    node.as_map()?;
    let url = required_text("the agent", "url", node, reader);
    if let Some((url, span)) = &url {
        check_url(url, *span, reader);
    }
    let headers = node
        .get("headers")
        .map(|node| headers(node, reader))
        .unwrap_or_default();
    let timeout = node
        .get("timeout")
        .and_then(|node| reader.duration("timeout", node));
    let (url, span) = url?;
    Some(Endpoint {
        url,
        headers,
        timeout,
        span,
    })
}

/// Headers are validated here, because the HTTP client rejects invalid ones only at the first request.
pub(super) fn headers(node: &Node, reader: &mut Reader<'_, '_>) -> Vec<(String, String)> {
    let is_name_char = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c);
    for entry in node.as_map().unwrap_or_default() {
        if entry.key.is_empty() || !entry.key.chars().all(is_name_char) {
            let message = format!("`{}` is not a valid header name", entry.key);
            reader.note(WRONG_VALUE, entry.key_span, message);
        }
    }
    let headers = reader.text_map("headers", node);
    for (name, value) in &headers {
        if value.contains(|c: char| c.is_control() && c != '\t') {
            let message =
                format!("the header `{name}` contains a line break or a control character");
            reader.note(WRONG_VALUE, node.span, message);
        }
    }
    headers
}

/// A required text and its location.
pub(super) fn required_text(
    what: &str,
    field: &str,
    node: &Node,
    reader: &mut Reader<'_, '_>,
) -> Option<(String, Span)> {
    let Some(value) = node.get(field) else {
        if node.as_map().is_some() {
            reader.note(MISSING_FIELD, node.span, format!("{what} has no `{field}`"));
        }
        return None;
    };
    reader
        .non_empty_text(field, value)
        .map(|text| (text, value.span))
}

pub(in crate::check) fn check_url(url: &str, span: Span, reader: &mut Reader<'_, '_>) {
    let host = ["http://", "https://"]
        .iter()
        .find_map(|scheme| url.strip_prefix(scheme));
    let is_valid = host.is_some_and(|host| !host.is_empty() && !url.contains(char::is_whitespace));
    if !is_valid {
        let message = format!("`{url}` is not a URL that begins with http:// or https://");
        reader.note(WRONG_VALUE, span, message);
    }
}
