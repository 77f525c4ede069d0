//! Decodes the assertions of a test from its fields.

mod exit;
pub(crate) mod json;
mod lines;

use casebook_source::Span;
use casebook_source::yaml::{Entry, Node};

use super::{
    ASSERTIONS, Assertion, AssertionField, Check, Decode, DecodeFile, FILE_ASSERTIONS, FileCheck,
    FileField,
};
use crate::check::find;
use crate::codes::VACUOUS;
use crate::fields::{self, Field, Shape};
use crate::reader::{BoolOrText, Reader, Text};
use crate::run_time::references;

pub(crate) fn assertions(
    node: &Node,
    fields: &[&Entry],
    reader: &mut Reader<'_, '_>,
) -> Vec<Assertion> {
    let ignore_case = find(fields, "ignoreCase")
        .is_some_and(|entry| reader.bool("ignoreCase", &entry.value) == Some(true));
    let mut assertions: Vec<Assertion> = Vec::new();
    assertions.extend(
        exit::exit_code(node, fields, reader).map(|(span, check)| Assertion {
            field: "exitCode",
            span,
            check,
            ignore_case,
        }),
    );
    for entry in fields {
        let mut known = ASSERTIONS.iter();
        let Some(row) = known.find(|row| row.field.name == entry.key) else {
            continue;
        };
        let checks = checks(row, &entry.value, reader);
        // The checks of a mapping are at its entries, of which the only one may have the location of the mapping.
        let has_entries = entry.value.as_map().is_some();
        assertions.extend(checks.into_iter().map(|(span, check)| Assertion {
            field: row.field.name,
            span: if has_entries {
                span
            } else {
                with_key(entry, span)
            },
            check,
            ignore_case,
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
        Decode::Signal => located(node, exit::signal(node, reader)),
        Decode::MaxDuration => {
            let duration = reader.duration(row.field.name, node);
            located(node, duration.map(Check::MaxDuration))
        }
        Decode::Lines => located(node, lines::count(node, reader)),
        Decode::Line => lines::lines(node, reader),
        Decode::Json => json::output_values(node, reader),
        Decode::JsonMatches => json::matches(node, reader),
        Decode::Files => files(node, reader),
        Decode::Snapshot => snapshot(node, reader).into_iter().collect(),
    }
}

/// The strings or patterns that the shape of the field allows: one, or a list of them.
fn texts(field: Field, node: &Node, reader: &mut Reader<'_, '_>) -> Vec<Text> {
    match field.shape {
        Shape::Texts => reader.non_empty_texts(field.name, node),
        Shape::Patterns => reader.patterns(field.name, node),
        shape => {
            let text = match shape {
                // The only such fields are files that contain the expected text.
                Shape::NonEmptyText => reader.path(field.name, node),
                _ => reader.text(field.name, node),
            };
            let span = node.span;
            text.map(|text| Text { text, span }).into_iter().collect()
        }
    }
}

fn located(node: &Node, check: Option<Check>) -> Vec<Located> {
    let check = check.map(|check| (node.span, check));
    check.into_iter().collect()
}

fn files(node: &Node, reader: &mut Reader<'_, '_>) -> Vec<Located> {
    let entries = reader.map("files", node);
    if entries.is_empty() && node.as_map().is_some() {
        reader
            .note(VACUOUS, node.span, "`files` is empty and asserts nothing")
            .help_last("write `files: {PATH: {exists: true}}`");
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
    let assertions = reader.object("a file", &entry.key, &entry.value, fields::FILE);
    if assertions.is_empty() && entry.value.as_map().is_some() {
        reader
            .note(
                VACUOUS,
                entry.value.span,
                format!("no assertions for `{path}`"),
            )
            .help_last("write `exists: true`");
    }
    let mut checks = Vec::new();
    let mut contents = Vec::new();
    for assertion in assertions {
        let mut known = FILE_ASSERTIONS.iter();
        let Some(row) = known.find(|row| row.field.name == assertion.key) else {
            continue;
        };
        if !matches!(row.decode, DecodeFile::Exists) {
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
        DecodeFile::Folder => {
            let folder = reader.path(row.field.name, node);
            let check = folder.map(|folder| (node.span, FileCheck::EqualsFolder(folder)));
            check.into_iter().collect()
        }
        DecodeFile::Mode => {
            let mode = reader.parsed("mode", node, MODE, permissions);
            let check = mode.map(|mode| (node.span, FileCheck::Mode(mode)));
            check.into_iter().collect()
        }
        DecodeFile::Json => json::file_values(node, reader),
    }
}

const MODE: &str = "permissions in octal, such as \"0644\"";

/// Permissions in octal: 3 or 4 digits.
fn permissions(text: &str) -> Option<u32> {
    let digits = text.len();
    let mode = u32::from_str_radix(text, 8).ok();
    mode.filter(|_| (3..=4).contains(&digits) && !text.starts_with('+'))
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
