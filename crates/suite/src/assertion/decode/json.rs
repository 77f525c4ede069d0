//! Decodes assertions on JSON: `outputJson` and `outputJsonMatches`.

use casebook_source::yaml::{Entry, Node};
use casebook_source::{Diagnostic, Span};

use crate::assertion::Check;
use crate::check::conditions;
use crate::codes::{VACUOUS, WRONG_VALUE};
use crate::reader::Reader;

/// The values at JSON Pointers.
pub(super) fn values(node: &Node, reader: &mut Reader<'_, '_>) -> Vec<(Span, Check)> {
    let mut checks = Vec::new();
    for entry in pointers("outputJson", node, reader) {
        if let Some(expected) = reader.json(&entry.value) {
            let pointer = entry.key.to_string();
            let check = Check::Json { pointer, expected };
            checks.push((entry.key_span.to(entry.value.span), check));
        }
    }
    checks
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

/// The entries of a mapping whose keys are JSON Pointers.
pub(super) fn pointers<'n>(
    field: &str,
    node: &'n Node<'n>,
    reader: &mut Reader<'_, '_>,
) -> &'n [Entry<'n>] {
    let entries = reader.map(field, node);
    if entries.is_empty() && node.as_map().is_some() {
        let message = format!("`{field}` is empty and asserts nothing");
        reader.note(VACUOUS, node.span, message);
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
