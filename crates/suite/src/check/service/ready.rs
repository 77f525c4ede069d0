//! Decodes the condition under which a service is ready.

use casebook_source::Diagnostic;
use casebook_source::yaml::{Entry, Node};

use crate::check::conversation::check_url;
use crate::codes::{CONFLICT, MISSING_FIELD};
use crate::fields::service::READY;
use crate::model::Ready;
use crate::reader::Reader;
use crate::run_time::references;

/// The status of `http` if the suite sets none.
const STATUS: u16 = 200;

/// The condition; `None` if it has problems.
pub(super) fn ready(node: &Node, reader: &mut Reader<'_, '_>) -> Option<Ready> {
    let entries = reader.object("`ready`", "ready", node, READY);
    let is_kind =
        |entry: &&Entry| entry.key != "status" && READY.iter().any(|known| known.name == entry.key);
    let kinds: Vec<&Entry> = entries.iter().filter(is_kind).collect();
    match kinds.as_slice() {
        [] => {
            if node.as_map().is_some() {
                let message =
                    "`ready` must have one of `port`, `http`, `log`, `file` and `command`";
                reader
                    .note(MISSING_FIELD, node.span, message)
                    .help_last("without `ready`, a service is ready when it has run for 100 ms");
            }
            None
        }
        [kind] => {
            check_status(kind, entries, reader);
            condition(kind, node, reader)
        }
        [first, second, ..] => {
            let message =
                "`ready` must have only one of `port`, `http`, `log`, `file` and `command`";
            let problem = Diagnostic::error(CONFLICT, second.key_span, message)
                .label(first.key_span, "the other field");
            reader
                .problems
                .push(problem.help("keep one of them; `command` can check several conditions"));
            None
        }
    }
}

fn check_status(kind: &Entry, entries: &[Entry], reader: &mut Reader<'_, '_>) {
    let mut entries = entries.iter();
    if kind.key != "http"
        && let Some(status) = entries.find(|entry| entry.key == "status")
    {
        let message = format!(
            "`status` is for `http`, but this service has `{}`",
            kind.key
        );
        reader
            .note(CONFLICT, status.key_span, message)
            .help_last("remove `status`");
    }
}

fn condition(kind: &Entry, ready: &Node, reader: &mut Reader<'_, '_>) -> Option<Ready> {
    let node = &kind.value;
    match &*kind.key {
        "port" => port(node, reader).map(Ready::Port),
        "http" => {
            let url = reader.non_empty_text("http", node)?;
            check_url(&url, node.span, reader);
            let status = ready
                .get("status")
                .and_then(|node| status_code(node, reader));
            Some(Ready::Http {
                url,
                status: status.unwrap_or(STATUS),
            })
        }
        "log" => pattern(node, reader).map(Ready::Log),
        "file" => reader.non_empty_text("file", node).map(Ready::File),
        _ => reader.non_empty_script("command", node).map(Ready::Command),
    }
}

fn status_code(node: &Node, reader: &mut Reader<'_, '_>) -> Option<u16> {
    let expected = "a status code from 100 to 599";
    reader.parsed("status", node, expected, |text| {
        let code = text.parse::<u16>().ok();
        code.filter(|code| (100..600).contains(code))
    })
}

/// The number of a port, or the port of a service.
fn port(node: &Node, reader: &mut Reader<'_, '_>) -> Option<String> {
    let expected = "a port from 1 to 65535, such as {{services.NAME.port}}";
    reader.parsed("port", node, expected, |text| {
        let number = text.parse::<u16>().ok().filter(|port| *port > 0);
        let is_known_later = references(text).next().is_some();
        (number.is_some() || is_known_later).then(|| text.to_owned())
    })
}

fn pattern(node: &Node, reader: &mut Reader<'_, '_>) -> Option<String> {
    if node.as_text().is_none() {
        let message = format!("`log` must be a string, not {}", node.describe());
        reader.type_error(node, message);
        return None;
    }
    let patterns = reader.patterns("log", node);
    patterns.into_iter().next().map(|pattern| pattern.text)
}
