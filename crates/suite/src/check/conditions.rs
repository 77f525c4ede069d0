//! Decodes the conditions of a test, `requires` and `skipUnless`, and its mark as a known failure, `fails`.

use casebook_source::yaml::{Entry, Node};

use super::find;
use crate::codes::WRONG_VALUE;
use crate::model::Conditions;
use crate::reader::{Reader, Text, as_bool};

/// What must be present for the test to be run.
pub(super) fn decode(fields: &[&Entry], reader: &mut Reader<'_, '_>) -> Conditions {
    let value = |name: &str| find(fields, name).map(|entry| &entry.value);
    let requires = value("requires").map(|node| programs(node, reader));
    let skip_unless = value("skipUnless");
    Conditions {
        requires: requires.unwrap_or_default(),
        skip_unless: skip_unless.and_then(|node| reader.non_empty_script("skipUnless", node)),
    }
}

fn programs(node: &Node, reader: &mut Reader<'_, '_>) -> Vec<String> {
    let programs = reader.texts("requires", node);
    programs
        .into_iter()
        .filter_map(|program| program_name(program, reader))
        .collect()
}

fn program_name(program: Text, reader: &mut Reader<'_, '_>) -> Option<String> {
    let is_operator = |c: char| c.is_whitespace() || "<>=|&;()$".contains(c);
    if !program.text.is_empty() && !program.text.contains(is_operator) {
        return Some(program.text);
    }
    let message = format!("`{}` is not the name of a program", program.text);
    let help = "write one name in each entry; a command, or the check of a version, belongs in `skipUnless`";
    reader
        .note(WRONG_VALUE, program.span, message)
        .help_last(help);
    None
}

/// Why the test is expected to fail.
pub(super) fn fails(node: &Node, reader: &mut Reader<'_, '_>) -> Option<String> {
    let reason = reader.non_empty_text("fails", node)?;
    if as_bool(&reason).is_none() {
        return Some(reason);
    }
    reader
        .type_error(node, format!("`fails` must be the reason, got '{reason}'"))
        .help_last("write why the test is expected to fail, or remove the field");
    None
}
