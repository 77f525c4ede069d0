//! What must hold after a command.

use casebook_source::yaml::{Entry, Node};
use casebook_source::{Diagnostic, Span};

use super::test::find;
use crate::codes::{VACUOUS, WRONG_VALUE};
use crate::fields;
use crate::model::{Assertion, Check, FileCheck, Stream, TextCheck};
use crate::reader::{Reader, Text, as_bool};

pub(super) fn assertions(
    node: &Node,
    fields: &[&Entry],
    reader: &mut Reader<'_, '_>,
) -> Vec<Assertion> {
    let mut assertions = Vec::new();
    let exit_code = find(fields, "exitCode");
    let code = exit_code.map_or(Some(0), |entry| {
        reader.number("exitCode", &entry.value, 255)
    });
    assertions.extend(
        code.and_then(|code| u8::try_from(code).ok())
            .map(|code| Assertion {
                field: "exitCode",
                span: exit_code.map_or(node.span, |entry| entry.value.span),
                check: Check::ExitCode(code),
            }),
    );
    for entry in fields {
        let Some(field) = fields::TEST.iter().find(|field| field.name == entry.key) else {
            continue;
        };
        let checks = checks(field.name, &entry.value, reader);
        assertions.extend(checks.into_iter().map(|(span, check)| Assertion {
            field: field.name,
            span: with_key(entry, span),
            check,
        }));
    }
    assertions
}

/// A text that begins below its key is shown with it. An alias stands elsewhere altogether.
pub(super) fn with_key(entry: &Entry, span: Span) -> Span {
    if span == entry.value.span && entry.key_span.end <= span.start {
        entry.key_span.to(span)
    } else {
        span
    }
}

type Located = (Span, Check);

fn checks(field: &'static str, node: &Node, reader: &mut Reader<'_, '_>) -> Vec<Located> {
    match field {
        "outputJson" => json(node, reader),
        "files" => files(node, reader),
        "snapshot" => snapshot(node, reader).into_iter().collect(),
        "stderr" => text_checks(Stream::Stderr, "Equals", field, node, reader),
        _ => [
            ("output", Stream::Output),
            ("stdout", Stream::Stdout),
            ("stderr", Stream::Stderr),
        ]
        .into_iter()
        .find_map(|(prefix, stream)| Some((stream, field.strip_prefix(prefix)?)))
        .map(|(stream, suffix)| text_checks(stream, suffix, field, node, reader))
        .unwrap_or_default(),
    }
}

fn text_checks(
    stream: Stream,
    suffix: &str,
    field: &str,
    node: &Node,
    reader: &mut Reader<'_, '_>,
) -> Vec<Located> {
    let texts = match suffix {
        "Equals" => reader
            .text(field, node)
            .map(|text| Text {
                text,
                span: node.span,
            })
            .into_iter()
            .collect(),
        "Contains" | "NotContains" => reader.needles(field, node),
        "Matches" | "NotMatches" => reader.patterns(field, node),
        _ => return Vec::new(),
    };
    let check = |text| match suffix {
        "Equals" => TextCheck::Equals(text),
        "Contains" => TextCheck::Contains(text),
        "NotContains" => TextCheck::NotContains(text),
        "Matches" => TextCheck::Matches(text),
        _ => TextCheck::NotMatches(text),
    };
    texts
        .into_iter()
        .map(|text| (text.span, Check::Text(stream, check(text.text))))
        .collect()
}

fn json(node: &Node, reader: &mut Reader<'_, '_>) -> Vec<Located> {
    let entries = reader.map("outputJson", node);
    if entries.is_empty() && node.as_map().is_some() {
        reader.note(
            VACUOUS,
            node.span,
            "`outputJson` is empty and asserts nothing",
        );
    }
    let mut checks = Vec::new();
    for entry in entries {
        if !entry.key.is_empty() && !entry.key.starts_with('/') {
            let message = format!("`{}` is not a JSON Pointer", entry.key);
            let help = format!(
                "a pointer begins with a slash: `/{}`",
                entry.key.replace('.', "/")
            );
            reader
                .problems
                .push(Diagnostic::error(WRONG_VALUE, entry.key_span, message).help(help));
        }
        if let Some(expected) = reader.json(&entry.value) {
            checks.push((
                entry.key_span.to(entry.value.span),
                Check::Json {
                    pointer: entry.key.to_string(),
                    expected,
                },
            ));
        }
    }
    checks
}

fn files(node: &Node, reader: &mut Reader<'_, '_>) -> Vec<Located> {
    let entries = reader.map("files", node);
    if entries.is_empty() && node.as_map().is_some() {
        reader.note(VACUOUS, node.span, "`files` is empty and asserts nothing");
    }
    entries
        .iter()
        .flat_map(|entry| file(entry, reader))
        .collect()
}

fn file(entry: &Entry, reader: &mut Reader<'_, '_>) -> Vec<Located> {
    let Ok(path) = reader
        .variables
        .expand(&entry.key, entry.key_span, reader.combination)
        .map_err(|problem| reader.problems.push(*problem))
    else {
        return Vec::new();
    };
    let demands = reader.map(&entry.key, &entry.value);
    if demands.is_empty() && entry.value.as_map().is_some() {
        reader
            .note(
                VACUOUS,
                entry.value.span,
                format!("nothing is asserted of `{path}`"),
            )
            .help_last("write `exists: true`");
    }
    reader.unknown_fields("a file", demands, fields::FILE);
    let mut checks = Vec::new();
    for demand in demands {
        let found = file_checks(&demand.key, &demand.value, reader);
        checks.extend(found.into_iter().map(|(span, check)| {
            (
                span,
                Check::File {
                    path: path.clone(),
                    check,
                },
            )
        }));
    }
    checks
}

fn file_checks(field: &str, node: &Node, reader: &mut Reader<'_, '_>) -> Vec<(Span, FileCheck)> {
    let content = |texts: Vec<Text>, check: fn(String) -> TextCheck| {
        texts
            .into_iter()
            .map(|text| (text.span, FileCheck::Content(check(text.text))))
            .collect()
    };
    match field {
        "exists" => reader
            .bool(field, node)
            .map(|exists| (node.span, FileCheck::Exists(exists)))
            .into_iter()
            .collect(),
        "equals" => {
            let text = reader.text(field, node).map(|text| Text {
                text,
                span: node.span,
            });
            content(text.into_iter().collect(), TextCheck::Equals)
        }
        "contains" => content(reader.needles(field, node), TextCheck::Contains),
        "matches" => content(reader.patterns(field, node), TextCheck::Matches),
        _ => Vec::new(),
    }
}

fn snapshot(node: &Node, reader: &mut Reader<'_, '_>) -> Option<Located> {
    let text = reader.some_text("snapshot", node)?;
    let name = match as_bool(&text) {
        Some(false) => return None,
        Some(true) => None,
        None => Some(text),
    };
    Some((node.span, Check::Snapshot(name)))
}
