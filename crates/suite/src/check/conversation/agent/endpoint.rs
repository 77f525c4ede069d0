//! Decodes where the requests of an agent are sent, and which responses are retried.

use casebook_source::yaml::Node;

use super::{check_url, required_text};
use crate::codes::{MISSING_FIELD, WRONG_VALUE};
use crate::fields::agent::RETRY;
use crate::model::agent::{Endpoint, Retry};
use crate::reader::Reader;

/// The statuses of servers that expect a retry.
const DEFAULT_STATUSES: [u16; 2] = [429, 503];

/// Decodes the fields that all HTTP agents have.
pub(super) fn endpoint(node: &Node, reader: &mut Reader<'_, '_>) -> Option<Endpoint> {
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
    let retry = node.get("retry").and_then(|node| retry(node, reader));
    let (url, span) = url?;
    Some(Endpoint {
        url,
        headers,
        timeout,
        retry,
        span,
    })
}

fn retry(node: &Node, reader: &mut Reader<'_, '_>) -> Option<Retry> {
    reader.object("`retry`", "retry", node, RETRY);
    node.as_map()?;
    let Some(times) = node.get("times") else {
        let message = "`retry` has no `times`";
        reader.note(MISSING_FIELD, node.span, message);
        return None;
    };
    let times = reader.number("times", times, 100);
    let on = match node.get("on") {
        Some(node) => statuses(node, reader),
        None => Some(DEFAULT_STATUSES.to_vec()),
    };
    Some(Retry {
        times: times?,
        on: on?,
    })
}

fn statuses(node: &Node, reader: &mut Reader<'_, '_>) -> Option<Vec<u16>> {
    let Some(nodes) = node.as_list() else {
        let message = format!("`on` must be a list, not {}", node.describe());
        reader
            .type_error(node, message)
            .help_last("write the statuses: `on: [429, 503]`");
        return None;
    };
    let expected = "a status from 400 to 599";
    let is_error = |text: &str| {
        let status = text.parse().ok();
        status.filter(|status| (400..600).contains(status))
    };
    let statuses: Vec<_> = nodes
        .iter()
        .map(|node| reader.parsed("on", node, expected, is_error))
        .collect();
    statuses.into_iter().collect()
}

/// Headers are validated here, because the HTTP client rejects invalid ones only at the first request.
pub(in crate::check::conversation) fn headers(
    node: &Node,
    reader: &mut Reader<'_, '_>,
) -> Vec<(String, String)> {
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
