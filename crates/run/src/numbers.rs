//! Formats numbers and their limits for messages.

use casebook_suite::model::conversation::Bounds;

/// `at least 2`, `at most 4`, `2 to 4`, `3`.
pub(crate) fn format_bounds(bounds: Bounds) -> String {
    match (bounds.min, bounds.max) {
        (Some(min), Some(max)) if min.total_cmp(&max).is_eq() => format_number(min),
        (Some(min), Some(max)) => format!("{} to {}", format_number(min), format_number(max)),
        (Some(min), None) => format!("at least {}", format_number(min)),
        (None, Some(max)) => format!("at most {}", format_number(max)),
        (None, None) => "any".to_owned(),
    }
}

/// The number with no more digits than needed.
pub(crate) fn format_number(number: f64) -> String {
    format!("{number}")
}

/// `1 call`, `2 calls`.
pub(crate) fn counted(count: usize, noun: &str) -> String {
    let ending = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{ending}")
}

#[expect(clippy::cast_precision_loss, reason = "counts stay below 2^52")]
pub(crate) fn float(count: usize) -> f64 {
    count as f64
}
