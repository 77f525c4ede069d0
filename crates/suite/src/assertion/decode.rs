//! Decodes the assertions of a test from its fields.

use casebook_source::yaml::{Entry, Node};
use casebook_source::{Diagnostic, Span};

use super::{
    ASSERTIONS, Assertion, AssertionField, Check, Decode, DecodeFile, FILE_ASSERTIONS, FileCheck,
    FileField,
};
use crate::check::find;
use crate::codes::{VACUOUS, WRONG_VALUE};
use crate::fields::{self, Field, Shape};
use crate::reader::{BoolOrText, Reader, Text};
use crate::run_time::references;

pub(crate) fn assertions(
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
        let mut known = ASSERTIONS.iter();
        let Some(row) = known.find(|row| row.field.name == entry.key) else {
            continue;
        };
        let checks = checks(row, &entry.value, reader);
        assertions.extend(checks.into_iter().map(|(span, check)| Assertion {
            field: row.field.name,
            span: with_key(entry, span),
            check,
        }));
    }
    assertions
}

/// The span to show for a value: with its key, unless the value is an alias, which is at another location.
pub(crate) fn with_key(entry: &Entry, span: Span) -> Span {
    if span == entry.value.span && entry.key_span.end <= span.start {
        entry.key_span.to(span)
    } else {
        span
    }
}

type Located = (Span, Check);

fn checks(row: &AssertionField, node: &Node, reader: &mut Reader<'_, '_>) -> Vec<Located> {
    match row.decode {
        // Decoded first by `assertions`, because a test without the field also has this assertion.
        Decode::ExitCode => Vec::new(),
        Decode::Text(stream, check) => texts(row.field, node, reader)
            .into_iter()
            .map(|text| (text.span, Check::Text(stream, check(text.text))))
            .collect(),
        Decode::Json => json(node, reader),
        Decode::Files => files(node, reader),
        Decode::Snapshot => snapshot(node, reader).into_iter().collect(),
    }
}

/// The strings or patterns that the shape of the field allows: one, or a list of them.
fn texts(field: Field, node: &Node, reader: &mut Reader<'_, '_>) -> Vec<Text> {
    match field.shape {
        Shape::Texts => reader.non_empty_texts(field.name, node),
        Shape::Patterns => reader.patterns(field.name, node),
        _ => {
            let text = reader.text(field.name, node).map(|text| Text {
                text,
                span: node.span,
            });
            text.into_iter().collect()
        }
    }
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
            let help = format!("a pointer begins with a slash: `{}`", pointer(&entry.key));
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

/// A path such as `$.items[0].name` as a JSON Pointer: `/items/0/name`.
fn pointer(path: &str) -> String {
    let steps = path.trim_start_matches('$').split(['.', '[', ']']);
    steps
        .filter(|step| !step.is_empty())
        .flat_map(|step| ["/", step])
        .collect()
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
    let Some(path) = reader.expand(&entry.key, entry.key_span) else {
        return Vec::new();
    };
    let assertions = reader.map(&entry.key, &entry.value);
    if assertions.is_empty() && entry.value.as_map().is_some() {
        reader
            .note(
                VACUOUS,
                entry.value.span,
                format!("no assertions for `{path}`"),
            )
            .help_last("write `exists: true`");
    }
    reader.unknown_fields("a file", assertions, fields::FILE);
    let mut checks = Vec::new();
    let mut contents = Vec::new();
    for assertion in assertions {
        let mut known = FILE_ASSERTIONS.iter();
        let Some(row) = known.find(|row| row.field.name == assertion.key) else {
            continue;
        };
        if matches!(row.decode, DecodeFile::Content(_)) {
            contents.push((row.field.name, assertion.key_span));
        }
        let found = file_checks(row, &assertion.value, reader);
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
    let is_absent = |check: &Located| {
        matches!(
            &check.1,
            Check::File {
                check: FileCheck::Exists(false),
                ..
            }
        )
    };
    if checks.iter().any(is_absent) {
        reject_contents(&path, &contents, reader);
    }
    checks
}

/// Reports assertions on the content of a file that must not exist.
fn reject_contents(path: &str, contents: &[(&str, Span)], reader: &mut Reader<'_, '_>) {
    for (name, span) in contents {
        let message = format!("`{name}` can never pass: `{path}` must not exist");
        reader
            .note(VACUOUS, *span, message)
            .help_last(&format!("remove `exists: false` or `{name}`"));
    }
}

fn file_checks(
    row: &FileField,
    node: &Node,
    reader: &mut Reader<'_, '_>,
) -> Vec<(Span, FileCheck)> {
    match row.decode {
        DecodeFile::Exists => reader
            .bool(row.field.name, node)
            .map(|exists| (node.span, FileCheck::Exists(exists)))
            .into_iter()
            .collect(),
        DecodeFile::Content(check) => texts(row.field, node, reader)
            .into_iter()
            .map(|text| (text.span, FileCheck::Content(check(text.text))))
            .collect(),
    }
}

fn snapshot(node: &Node, reader: &mut Reader<'_, '_>) -> Option<Located> {
    let name = match reader.bool_or_text("snapshot", node, "true, false or a name")? {
        BoolOrText::Bool(false) => return None,
        BoolOrText::Bool(true) => None,
        BoolOrText::Text(name) if references(&name).next().is_some() => {
            let message = "a captured value cannot be part of a snapshot's name";
            reader.type_error(node, message.to_owned());
            return None;
        }
        BoolOrText::Text(name) => Some(name),
    };
    Some((node.span, Check::Snapshot(name)))
}
