//! Decodes assertions on JSON: `outputJson` and `outputJsonMatches`.

use casebook_source::yaml::{Entry, Node};
use casebook_source::{Diagnostic, Span};
use serde_json::Value;

use crate::assertion::{Check, FileCheck};
use crate::check::conditions;
use crate::codes::{VACUOUS, WRONG_VALUE};
use crate::reader::Reader;

/// The values at JSON Pointers into standard output.
pub(super) fn output_values(node: &Node, reader: &mut Reader<'_, '_>) -> Vec<(Span, Check)> {
    let values = values("outputJson", node, reader);
    let check = |(span, pointer, expected)| (span, Check::Json { pointer, expected });
    values.into_iter().map(check).collect()
}

fn values(field: &str, node: &Node, reader: &mut Reader<'_, '_>) -> Vec<(Span, String, Value)> {
    let mut values = Vec::new();
    for entry in pointers(field, node, reader) {
        if let Some(expected) = reader.json(&entry.value) {
            let span = entry.key_span.to(entry.value.span);
            values.push((span, entry.key.to_string(), expected));
        }
    }
    values
}

/// The conditions on values at JSON Pointers.
pub(super) fn matches(node: &Node, reader: &mut Reader<'_, '_>) -> Vec<(Span, Check)> {
    let mut checks = Vec::new();
    for entry in pointers("outputJsonMatches", node, reader) {
        if let Some(pattern) = conditions(&entry.key, &entry.value, reader) {
            let pointer = entry.key.to_string();
            let check = Check::JsonMatches { pointer, pattern };
            checks.push((entry.key_span.to(entry.value.span), check));
        }
    }
    checks
}

/// The values at JSON Pointers into a file.
pub(super) fn file_values(node: &Node, reader: &mut Reader<'_, '_>) -> Vec<(Span, FileCheck)> {
    let values = values("json", node, reader);
    let check = |(span, pointer, expected)| (span, FileCheck::Json { pointer, expected });
    values.into_iter().map(check).collect()
}

/// The entries of a mapping whose keys are JSON Pointers.
pub(crate) fn pointers<'n>(
    field: &str,
    node: &'n Node<'n>,
    reader: &mut Reader<'_, '_>,
) -> &'n [Entry<'n>] {
    let entries = reader.map(field, node);
    if entries.is_empty() && node.as_map().is_some() {
        let message = format!("`{field}` is empty and asserts nothing");
        let help = format!("add an entry, such as `/name: value`, or remove `{field}`");
        reader.note(VACUOUS, node.span, message).help_last(&help);
    }
    for entry in entries {
        if !entry.key.is_empty() && !entry.key.starts_with('/') {
            let message = format!("`{}` is not a JSON Pointer", entry.key);
            let help = format!("a pointer begins with a slash: `{}`", pointer(&entry.key));
            let problem = Diagnostic::error(WRONG_VALUE, entry.key_span, message);
            reader.problems.push(problem.help(help));
        }
    }
    entries
}

/// A path such as `$.items[0].name` as a JSON Pointer: `/items/0/name`.
fn pointer(path: &str) -> String {
    let steps = path.trim_start_matches('$').split(['.', '[', ']']);
    steps
        .filter(|step| !step.is_empty())
        .flat_map(|step| ["/", step])
        .collect()
}
