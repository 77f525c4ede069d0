//! Decodes assertions on the lines of the output: `outputLines` and `outputLine`.

use casebook_source::Span;
use casebook_source::yaml::{Entry, Node};

use crate::assertion::{Check, LINES};
use crate::codes::{CONFLICT, VACUOUS, WRONG_VALUE};
use crate::model::conversation::Bounds;
use crate::reader::Reader;

const MAX: u32 = 1_000_000_000;

/// The required number of lines.
pub(super) fn count(node: &Node, reader: &mut Reader<'_, '_>) -> Option<Check> {
    let entries = reader.object("`outputLines`", "outputLines", node, LINES);
    let mut limit = |name: &str| {
        let entry = entries.iter().find(|entry| entry.key == name)?;
        Some(reader.number(name, &entry.value, MAX).map(f64::from))
    };
    let (count, min, max) = (limit("count"), limit("min"), limit("max"));
    if [count, min, max].contains(&Some(None)) {
        return None;
    }
    let bounds = Bounds {
        min: count.or(min).flatten(),
        max: count.or(max).flatten(),
    };
    is_possible(node, entries, bounds, reader).then_some(Check::Lines(bounds))
}

/// Whether some output can have this number of lines and some cannot; a problem is reported otherwise.
fn is_possible(
    node: &Node,
    entries: &[Entry],
    bounds: Bounds,
    reader: &mut Reader<'_, '_>,
) -> bool {
    let extra = entries.iter().find(|entry| entry.key != "count");
    if let Some(extra) = extra.filter(|_| node.get("count").is_some()) {
        let message = format!("`count` and `{}` cannot be combined", extra.key);
        reader
            .note(CONFLICT, extra.key_span, message)
            .help_last("remove one of them");
        return false;
    }
    let problem = match (bounds.min, bounds.max) {
        (None, None) => {
            "`outputLines` has neither `count`, `min` nor `max` and asserts nothing".to_owned()
        }
        (Some(min), None) if min <= 0.0 => {
            "`outputLines` asserts nothing: every output has at least 0 lines".to_owned()
        }
        (Some(min), Some(max)) if min > max => {
            format!("`outputLines` can never be at least {min} and at most {max}")
        }
        _ => return true,
    };
    if node.as_map().is_some() {
        reader
            .note(VACUOUS, node.span, problem)
            .help_last("write `{count: N}`, or `min` and `max` with the smaller number first");
    }
    false
}

/// The required lines.
pub(super) fn lines(node: &Node, reader: &mut Reader<'_, '_>) -> Vec<(Span, Check)> {
    let entries = reader.map("outputLine", node);
    if entries.is_empty() && node.as_map().is_some() {
        let message = "`outputLine` is empty and asserts nothing";
        reader
            .note(VACUOUS, node.span, message)
            .help_last("write `outputLine: {1: TEXT}`");
    }
    entries
        .iter()
        .filter_map(|entry| line(entry, reader))
        .collect()
}

fn line(entry: &Entry, reader: &mut Reader<'_, '_>) -> Option<(Span, Check)> {
    let number = reader.expand(&entry.key, entry.key_span)?;
    let expected = reader.text("outputLine", &entry.value)?;
    let Some(number) = number.trim().parse().ok().filter(|number| *number != 0) else {
        let message = format!("`{number}` is not the number of a line");
        reader
            .note(WRONG_VALUE, entry.key_span, message)
            .help_last("lines are numbered from 1; -1 is the last line");
        return None;
    };
    let trimmed = expected.trim_end_matches('\n');
    if trimmed.contains('\n') {
        reader
            .type_error(
                &entry.value,
                "a line cannot contain a line break".to_owned(),
            )
            .help_last("write one entry for each line");
        return None;
    }
    let check = Check::Line {
        number,
        expected: trimmed.to_owned(),
    };
    Some((entry.key_span.to(entry.value.span), check))
}
