//! Decodes the agent under test.

mod endpoint;
mod example;
mod http;
mod model;
mod tool;

use casebook_source::Span;
use casebook_source::yaml::Node;

use crate::codes::{CONFLICT, MISSING_FIELD, WRONG_VALUE};
use crate::expand::RunTimeName;
use crate::fields::agent::AGENT;
use crate::model::agent::{Agent, CONVERSATION_ID, CONVERSATION_TRIAL, ModelApi};
use crate::reader::Reader;
pub(super) use endpoint::headers;

/// The values that all texts of an agent can use.
const CONVERSATION_VALUES: [&str; 2] = [CONVERSATION_ID, CONVERSATION_TRIAL];

/// Decodes `agent`. Its texts can contain `{{conversation.id}}` and `{{conversation.trial}}`.
pub(super) fn agent(node: &Node, reader: &mut Reader<'_, '_>) -> Option<Agent> {
    with_values(&CONVERSATION_VALUES, reader, |reader| kind(node, reader))
}

/// Decodes texts that can use these values, which are known only during a conversation.
fn with_values<T>(
    names: &[&str],
    reader: &mut Reader<'_, '_>,
    decode: impl FnOnce(&mut Reader<'_, '_>) -> T,
) -> T {
    let names: Vec<_> = names
        .iter()
        .map(|name| RunTimeName::available(name))
        .collect();
    let scope = reader.scope().with_run_time(&names);
    let mut own = Reader::new(reader.variables, scope);
    let decoded = decode(&mut own);
    reader.absorb(own);
    decoded
}

/// Decodes an agent, which must have exactly one kind.
fn kind(node: &Node, reader: &mut Reader<'_, '_>) -> Option<Agent> {
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
                let message = "`agent` is empty; it must have one of `command`, `http`, `openai`, `anthropic`";
                reader.note(MISSING_FIELD, node.span, message);
            }
            None
        }
        [kind] => match &*kind.key {
            "command" => reader
                .non_empty_script("command", &kind.value)
                .map(Agent::Command),
            "http" => http::agent(&kind.value, reader),
            "openai" => model::agent(ModelApi::OpenAi, &kind.value, reader),
            "anthropic" => model::agent(ModelApi::Anthropic, &kind.value, reader),
            // `kinds` contains only keys of `AGENT`, so a key added there must be added here too.
            key => unreachable!("`agent.{key}` is not read"),
        },
        [_, second, ..] => {
            let message =
                "`agent` must have only one of `command`, `http`, `openai` and `anthropic`";
            reader.note(CONFLICT, second.key_span, message);
            None
        }
    }
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
