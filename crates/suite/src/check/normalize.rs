//! Decodes `normalize`.

use casebook_source::closest_match;
use casebook_source::yaml::{Node, NodeKind};

use crate::codes::{BAD_NORMALIZER, MISSING_FIELD};
use crate::ere::{Ere, matches_everything};
use crate::normalizer::{NAMES, Normalizer, OWN};
use crate::reader::{Reader, Text};

/// The normalizers of a suite or a test. Those with problems are left out.
pub(super) fn normalizers(node: &Node, reader: &mut Reader<'_, '_>) -> Vec<Normalizer> {
    let Some(nodes) = node.as_list() else {
        let message = format!("`normalize` must be a list, not {}", node.describe());
        reader
            .type_error(node, message)
            .help_last("write `normalize: [times, tempdir]`");
        return Vec::new();
    };
    if nodes.is_empty() {
        let message = "`normalize` must contain at least one normalizer".to_owned();
        reader
            .type_error(node, message)
            .help_last("add the name of one, or remove the field");
    }
    nodes
        .iter()
        .filter_map(|node| normalizer(node, reader))
        .collect()
}

/// The normalizers of a test: those of its suite, then its own. Escape sequences and carriage returns are removed first, because they
/// are in the way of other patterns (`31m` in the code of a color looks like a duration).
pub(super) fn merged(of_suite: &[Normalizer], own: Vec<Normalizer>) -> Vec<Normalizer> {
    let all = of_suite.iter().cloned().chain(own);
    let is_first = |one: &Normalizer| matches!(one, Normalizer::BuiltIn(built_in) if ["ansi", "crlf"].contains(&built_in.name));
    let (mut first, rest): (Vec<_>, Vec<_>) = all.partition(is_first);
    first.extend(rest);
    first
}

fn normalizer(node: &Node, reader: &mut Reader<'_, '_>) -> Option<Normalizer> {
    if let NodeKind::Map(_) = &node.kind {
        return own(node, reader);
    }
    let name = reader.non_empty_text("normalize", node)?;
    let known = Normalizer::named(name.trim());
    if known.is_none() {
        let help = match closest_match(&name, NAMES.iter().copied()) {
            Some(known) => format!("did you mean `{known}`?"),
            None => format!(
                "the names are {}; your own is a mapping: {{matches: ERE, with: TEXT}}",
                NAMES.join(", ")
            ),
        };
        let message = format!("unknown normalizer `{name}`");
        reader
            .note(BAD_NORMALIZER, node.span, message)
            .help_last(&help);
    }
    known
}

fn own(node: &Node, reader: &mut Reader<'_, '_>) -> Option<Normalizer> {
    reader.object("a normalizer", "normalize", node, OWN);
    let mut field = |name: &str| {
        let value = node.get(name);
        if value.is_none() {
            let message = format!("the normalizer has no `{name}`");
            reader
                .note(MISSING_FIELD, node.span, message)
                .help_last("write `{matches: ERE, with: TEXT}`");
        }
        let span = value?.span;
        let text = reader.text(name, value?)?;
        Some(Text {
            text: text.trim_end_matches('\n').to_owned(),
            span,
        })
    };
    let (pattern, replacement) = (field("matches"), field("with"));
    let (pattern, replacement) = (pattern?, replacement?);
    let is_one_line = [("matches", &pattern), ("with", &replacement)]
        .into_iter()
        .all(|(field, text)| check_lines(field, text, reader));
    if !is_one_line || !check_pattern(&pattern, reader) {
        return None;
    }
    check_groups(&pattern, &replacement, reader).then_some(Normalizer::Own {
        pattern: pattern.text,
        replacement: replacement.text,
    })
}

fn check_lines(field: &str, text: &Text, reader: &mut Reader<'_, '_>) -> bool {
    let is_one_line = !text.text.contains('\n');
    if !is_one_line {
        let message =
            format!("`{field}` contains a newline, but each line is normalized on its own");
        reader
            .note(BAD_NORMALIZER, text.span, message)
            .help_last("write one normalizer for each line");
    }
    is_one_line
}

fn check_pattern(pattern: &Text, reader: &mut Reader<'_, '_>) -> bool {
    if matches_everything(&pattern.text) {
        let message = format!("`{}` also matches the empty string", pattern.text);
        reader
            .note(BAD_NORMALIZER, pattern.span, message)
            .help_last("write a pattern that matches at least one character");
        return false;
    }
    reader.check_pattern("matches", pattern)
}

/// Whether the pattern has the groups that the replacement refers to.
fn check_groups(pattern: &Text, replacement: &Text, reader: &mut Reader<'_, '_>) -> bool {
    let count = Ere::new(&pattern.text).map_or(0, |ere| ere.group_count());
    let mut references = replacement.text.split('\\').skip(1);
    let missing = references.find_map(|rest| {
        let group = rest.chars().next()?.to_digit(10)? as usize;
        (group > count).then_some(group)
    });
    let Some(group) = missing else { return true };
    let groups = match count {
        0 => "no groups".to_owned(),
        1 => "1 group".to_owned(),
        count => format!("{count} groups"),
    };
    let message = format!("`with` refers to group {group}, but `matches` has {groups}");
    reader
        .note(BAD_NORMALIZER, replacement.span, message)
        .help_last("put the part of the pattern to keep in parentheses");
    false
}
