//! Decodes bounds: a minimum, a maximum or both.

use casebook_source::yaml::{Entry, Node};

use crate::codes::VACUOUS;
use crate::fields::Field;
use crate::fields::conversation::{BOUNDS, LATENCY};
use crate::model::conversation::{Bounds, ConversationCheck};
use crate::reader::{DURATION, Reader, as_duration};

/// The unit of the bounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    /// A whole number. A number instead of bounds is the exact value.
    Count,
    /// A duration, such as `2`, `500ms` or `2m`.
    Seconds,
    /// An amount: a number from 0 on.
    Amount,
}

/// Decodes bounds; `None` with a problem if they are empty or no number can be within them.
pub(super) fn bounds(
    field: &str,
    node: &Node,
    unit: Unit,
    reader: &mut Reader<'_, '_>,
) -> Option<Bounds> {
    bounds_with(BOUNDS, field, node, unit, reader)
}

/// Decodes bounds that can have these fields.
fn bounds_with(
    known: &'static [Field],
    field: &str,
    node: &Node,
    unit: Unit,
    reader: &mut Reader<'_, '_>,
) -> Option<Bounds> {
    if unit == Unit::Count && node.as_text().is_some() {
        let number = limit(field, node, unit, reader);
        return number.map(|number| Bounds {
            min: Some(number),
            max: Some(number),
        });
    }
    if let Some(text) = node.as_text() {
        let example = match unit {
            Unit::Seconds if seconds(text).is_none() => "2s",
            Unit::Amount | Unit::Count if text.parse::<f64>().is_err() => "0.5",
            _ => text,
        };
        reader
            .type_error(node, format!("`{field}` must have `min`, `max` or both"))
            .help_last(&format!("write `{field}: {{max: {example}}}`"));
        return None;
    }
    let entries = reader.object(&format!("`{field}`"), field, node, known);
    if entries.iter().any(|entry| is_unknown(entry, known)) {
        return None;
    }
    limits(field, node, unit, reader)
}

/// Decodes the checks of `latency`: of the whole reply and of its first token.
pub(super) fn latency(node: &Node, reader: &mut Reader<'_, '_>) -> Vec<ConversationCheck> {
    let field = "latency";
    let Some(first) = node.get("firstToken") else {
        let total = bounds_with(LATENCY, field, node, Unit::Seconds, reader);
        return total.map(ConversationCheck::Latency).into_iter().collect();
    };
    reader.object("`latency`", field, node, LATENCY);
    let has_total = node.get("min").or(node.get("max")).is_some();
    let total = has_total.then(|| limits(field, node, Unit::Seconds, reader));
    let first = bounds("firstToken", first, Unit::Seconds, reader);
    let total = total.flatten().map(ConversationCheck::Latency);
    let first = first.map(ConversationCheck::FirstToken);
    total.into_iter().chain(first).collect()
}

fn is_unknown(entry: &Entry, known: &[Field]) -> bool {
    known.iter().all(|field| field.name != entry.key)
}

/// Decodes `min` and `max`.
fn limits(field: &str, node: &Node, unit: Unit, reader: &mut Reader<'_, '_>) -> Option<Bounds> {
    let mut side = |name: &str| match node.get(name) {
        Some(node) => limit(name, node, unit, reader).map(Some),
        None => Some(None),
    };
    let (min, max) = (side("min"), side("max"));
    let bounds = Bounds {
        min: min?,
        max: max?,
    };
    let problem = match (bounds.min, bounds.max) {
        (None, None) => format!("`{field}` has neither `min` nor `max` and asserts nothing"),
        (Some(min), Some(max)) if min > max => {
            format!("`{field}` can never be at least {min} and at most {max}")
        }
        _ => return Some(bounds),
    };
    if node.as_map().is_some() {
        reader.note(VACUOUS, node.span, problem);
    }
    None
}

fn limit(field: &str, node: &Node, unit: Unit, reader: &mut Reader<'_, '_>) -> Option<f64> {
    match unit {
        Unit::Count => reader.number(field, node, 1_000_000_000).map(f64::from),
        Unit::Amount => reader.parsed(field, node, "a number from 0 on", amount),
        Unit::Seconds => reader.parsed(field, node, DURATION, seconds),
    }
}

/// A number that is not negative.
fn amount(text: &str) -> Option<f64> {
    let number = text.parse::<f64>().ok();
    number.filter(|number| number.is_finite() && *number >= 0.0)
}

/// A duration in seconds; a bound may be 0.
fn seconds(text: &str) -> Option<f64> {
    match text {
        "0" => Some(0.0),
        text => as_duration(text).map(|duration| duration.as_secs_f64()),
    }
}
